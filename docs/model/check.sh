#!/usr/bin/env bash
# Checks the models in this folder with spin, exhaustively, and then checks the checking: with each guard left out in turn,
# spin has to find an error. Installs spin where it is missing. Exit code 0 only if all of that came out as it should.
#
#   docs/model/check.sh            about a minute
#   docs/model/check.sh --long     more threads: three minutes
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

long=no
[ "${1:-}" != --long ] || long=yes
ensure_command spin spin
command -v gcc >/dev/null || ensure_command cc gcc
compiler=$(command -v gcc || command -v cc)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# check WANTED MODEL [-D…]: WANTED is `holds` or `fails`.
check() {
    local wanted=$1 model=$PWD/docs/model/$2 result=holds states
    shift 2
    (
        cd "$folder"
        rm -f pan* ./*.trail
        spin "$@" -a "$model" >spin.log 2>&1 || { cat spin.log; exit 1; }
        "$compiler" -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=6000 -o pan pan.c
        ./pan -m200000 >pan.log 2>&1
    ) || true
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$folder/pan.log")
    grep -q 'errors: 0' "$folder/pan.log" || result=fails
    # A search that was cut short has shown nothing.
    if grep -qE 'max search depth too small|reached memory limit|out of memory' "$folder/pan.log" || [ -z "$states" ]; then
        result=unfinished
    fi
    local reason=''
    [ $result = holds ] || reason=$(grep -m1 -oE 'assertion violated.*\(at|invalid end state' "$folder/pan.log" | sed 's/ *(at$//' || true)
    printf '%-22s %-34s %-11s %10s states  %s\n' "${model##*/}" "${*:-as it is}" "$result" "$states" "$reason"
    if [ $result != "$wanted" ]; then
        failures=$((failures + 1))
        say "wanted: $wanted"
        tail -n 20 "$folder/pan.log"
    fi
}

check holds observation.pml -DTRAVERSALS=2
check holds observation.pml -DTRAVERSALS=1 -DONCE=1
check holds relink.pml
check holds relink.pml -DSWAPS=2
check holds derived.pml
check holds derived.pml -DSETTERS=1 -DCHANGES=2 -DREADERS=1
if [ $long = yes ]; then
    check holds observation.pml -DTRAVERSALS=3
    check holds observation.pml -DTRAVERSALS=2 -DONCE=1
    check holds relink.pml -DSWAPS=3
    check holds derived.pml -DSETTERS=1 -DCHANGES=3 -DREADERS=1 -DREADS=2
fi
for guard in NO_PINS NO_RECHECK NO_TRYRETAIN NO_STATE_UNDER_LOCK NO_EXCHANGE CHAINED; do
    check fails observation.pml -DTRAVERSALS=1 -DONCE=1 -D$guard
done
for guard in NO_VERSION NO_PENDING READ_FIRST; do check fails relink.pml -D$guard; done
for guard in MARK_LATE STOP_AT_MARKED NO_VERSION; do check fails derived.pml -D$guard; done
check fails derived.pml -DCHANGES=2 -DNO_COUNT
for guard in LOOK_ONCE KEEP_LAST_ONLY; do check fails derived.pml -DSETTERS=1 -DCHANGES=2 -DREADERS=1 -D$guard; done

[ $failures -eq 0 ] || fail "$failures of the checks did not come out as they should."
say "all models hold, and no guard can be left out"
