#!/usr/bin/env bash
# Every check of the project, two at once: of the sources as they stand (layers, format: seconds, no build), then every build,
# sanitizer, fuzzer and model, and the documentation and the public interface. A failed step does not stop the others; the
# table at the end has one row a step, and .build-check/logs keeps what each of them printed.
#
#   scripts/check.sh               everything, for a person who is about to submit a change
#   scripts/check.sh --quick       what CI runs after scripts/test.sh: the same steps, shorter, without a second debug run, and with
#                                  one build of the tests for `release` and `address`
#   scripts/check.sh --long        more repetitions, longer fuzzing, larger models, and the step `stress`: at least ten
#                                  million operations on four threads, with exact counts, in a release build. About an
#                                  hour on two cores: ten runs under the thread sanitizer are a third of it
#   scripts/check.sh --only STEP   just this step; may be given several times
#   scripts/check.sh --list        the steps' names
#
# Tests may read AUTOKVO_CHECK (quick, normal or long) and AUTOKVO_SANITIZER (thread or address) to choose how
# much to do: under a sanitizer everything takes 5 to 20 times as long.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/steps.sh

# In the order in which they are started: what takes seconds first, then the longest, so that the last two end at about the same time.
all_steps=(layers format thread release warnings variants stress address debug fallbacks counts preemption fuzz examples recipes contacts tasks new-user model docs api valgrind)
mode=normal
only=()
while [ $# -gt 0 ]; do
    case $1 in
    --quick) mode=quick ;;
    --long) mode=long ;;
    --only)
        [[ " ${all_steps[*]} " == *" ${2:-} "* ]] || fail "--only needs one of: ${all_steps[*]}"
        only+=("$2")
        shift
        ;;
    --list)
        printf '%s\n' "${all_steps[@]}"
        exit 0
        ;;
    *) fail "unknown argument '$1'; see the first lines of scripts/check.sh" ;;
    esac
    shift
done

# One line a mode: repetitions under the thread sanitizer, seconds for each fuzzer, and the longest a step may take.
case $mode in
quick) thread_repeats=2 fuzz_seconds=15 step_limit=2400 ;;
normal) thread_repeats=7 fuzz_seconds=60 step_limit=2400 ;;
long) thread_repeats=10 fuzz_seconds=240 step_limit=3600 ;;
esac
export AUTOKVO_CHECK=$mode

steps=()
for step in "${all_steps[@]}"; do
    case $mode:$step in
    # scripts/test.sh is the debug run of CI, and in the quick form the step `address` is a release build that says all warnings.
    quick:debug | quick:release | quick:warnings) ;;
    quick:stress | quick:variants | normal:stress | normal:variants) ;;
    *) steps+=("$step") ;;
    esac
done
[ ${#only[@]} -eq 0 ] || steps=("${only[@]}")

prepare
logs=.build-check/logs
mkdir -p "$logs"
waiting=("${steps[@]}")
declare -A step_of=() started_at=() row_of=()
failed=()

# Compilers and tests use one core for half of the time, so two steps run at once where there are two cores.
at_once=$(($(nproc) > 1 ? 2 : 1))

# next_step: sets `next` to the index of the step in `waiting` to be started now; fails if there is none.
next_step() {
    local pid taken=' '
    [ ${#step_of[@]} -lt $at_once ] || return 1
    for pid in "${!step_of[@]}"; do taken+="$(step_scratch "${step_of[$pid]}") "; done
    for next in "${!waiting[@]}"; do
        [[ $taken == *" $(step_scratch "${waiting[next]}") "* ]] || return 0
    done
    return 1
}

start_step() {
    say "$1 (log: $logs/$1.log)"
    started_at[$1]=$SECONDS
    # A function cannot be given to timeout(1), so the step runs in a shell of its own, which reads the same files.
    (
        thread_repeats=$thread_repeats fuzz_seconds=$fuzz_seconds timeout --kill-after=20 "$step_limit" \
            bash -c 'source scripts/lib/common.sh; source scripts/lib/steps.sh; "step_$1"' check "$1" \
            >"$logs/$1.log" 2>&1 </dev/null &
        trap 'kill $!' TERM
        status=0
        wait $! || status=$?
        times >"$logs/$1.times"
        exit $status
    ) &
    step_of[$!]=$1
}

# finish_step STEP STATUS
finish_step() {
    local step=$1 status=$2 result
    # A runner that found no test says that it passed.
    if [ "$status" -eq 0 ] && grep -aq 'Test run with 0 tests' "$logs/$step.log"; then status=1; fi
    case $status in
    0) result=passed ;;
    "$step_skipped") result=skipped ;;
    124 | 137) result='timed out' failed+=("$step") ;;
    *) result=FAILED failed+=("$step") ;;
    esac
    row_of[$step]=$(printf '%-10s  %-9s  %7d  %5d  %s' "$step" "$result" $((SECONDS - ${started_at[$step]})) \
        "$(processor_seconds "$logs/$step.times")" "$(step_detail "$logs/$step.log")")
    if [[ $result == FAILED || $result == 'timed out' ]]; then
        say "$step: $result, exit code $status; what its log complains of, and its end:"
        { step_complaints "$logs/$step.log"; echo …; tail -n 12 "$logs/$step.log"; } | sed 's/^/    /'
    fi
}

trap 'kill "${!step_of[@]}" 2>/dev/null || true' EXIT
while [ $((${#waiting[@]} + ${#step_of[@]})) -gt 0 ]; do
    while next_step; do
        start_step "${waiting[next]}"
        unset "waiting[next]"
    done
    status=0
    wait -n -p ended || status=$?
    step=${step_of[$ended]}
    unset "step_of[$ended]"
    finish_step "$step" "$status"
done

# `seconds` on the clock, beside another step; `cpu` of all processors.
printf '\n%-10s  %-9s  %7s  %5s  %s\n' step result seconds cpu detail
for step in "${steps[@]}"; do echo "${row_of[$step]}"; done
[ ${#failed[@]} -eq 0 ] || fail "failed: ${failed[*]}"
