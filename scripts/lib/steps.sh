# The steps of scripts/check.sh, one function each, named step_NAME; to be sourced after common.sh. A step prints its log,
# fails by its exit code, and exits with $step_skipped when what it checks is not there.
# Sanitizers change every object file, so each has a scratch path of its own.

readonly step_skipped=77

skip() { echo "skipped: $*"; exit "$step_skipped"; }

# run_tests SCRATCH [swift test's arguments…]
run_tests() {
    local scratch=$1
    shift
    swift test --disable-xctest --scratch-path "$scratch" "$@"
}

# Which folder of the sources names which, how unsafe they are, and how long; first with mistakes that are planted. Without a build.
step_layers() {
    ensure_command python3 python3
    python3 scripts/layers.py --self-test
    python3 scripts/layers.py
}

# What is Swift in this repository, for `swift format`: no checked out package and no build.
readonly swift_sources=(
    Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Examples/Package.swift Examples/Sources
    Examples/Tests Examples/Contacts/Package.swift Examples/Contacts/Sources Examples/Contacts/Tests Examples/Tasks/Package.swift Examples/Tasks/Sources
    Examples/Tasks/Tests Fuzz/*/*.swift)

step_format() {
    swift format lint --strict --parallel --recursive "${swift_sources[@]}" ||
        fail "not in the style of .swift-format: swift format -i -p -r ${swift_sources[*]}"
}

step_debug() { run_tests .build; }

# What makes a build of this package alone say every warning as an error.
readonly no_warnings=(-Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra)

# The tests as if what Swift does not promise did not hold: everything that has a fallback at once, and in the long form each by
# itself. A debug build, since only that reads AUTOKVO_FAIL_PROBES. As short as scripts/test.sh, but in the long form.
step_fallbacks() {
    if [ "$AUTOKVO_CHECK" != long ]; then
        env -u AUTOKVO_CHECK AUTOKVO_FAIL_PROBES=all swift test --disable-xctest "${quick_build[@]}"
        return
    fi
    AUTOKVO_FAIL_PROBES=all run_tests .build
    local name
    for name in $(sed -n '/\/\/\/ Fallback: /{n;s/^ *case \([a-zA-Z]*\) =.*/\1/p}' Sources/AutoKVO/Runtime/RuntimeCheck.swift); do
        say "without $name"
        AUTOKVO_FAIL_PROBES=$name run_tests .build --skip-build
    done
}

# An act of one thread at every point of every act of another one, where the other runs take a sample; the longer the form, the more acts
# at each. A debug build: only that has the points at which a thread can be stopped.
step_preemption() {
    local -A extents=([quick]=1 [normal]=2 [long]=3)
    AUTOKVO_PREEMPTION=${extents[$AUTOKVO_CHECK]} run_tests .build "${quick_build[@]}" --filter PreemptionTests
}

step_release() { run_tests .build-release -c release; }

# The tests in builds that a user may choose: for size, without checks, and with the standard library linked statically.
step_variants() {
    say "for size"
    run_tests .build-variants -c release -Xswiftc -Osize
    say "without checks"
    run_tests .build-variants -c release -Xswiftc -Ounchecked -Xswiftc -enforce-exclusivity=unchecked --skip 'Traps\(\)'
    # The toolchain (6.3.1) has no static library of Swift Testing, so programs are run instead of the tests.
    say "with a static standard library"
    local program build=(swift build --package-path Examples --scratch-path .build-static -c release --static-swift-stdlib)
    for program in Ported Pipeline; do
        "${build[@]}" --product "$program"
        "$("${build[@]}" --show-bin-path)/$program"
    done
}

# The stress tests a hundred times as long as in the other runs, and twenty million steps of the model tests. The one that
# counts prints what it did.
step_stress() {
    AUTOKVO_LONG=1 AUTOKVO_MODEL_STEPS=20000000 run_tests .build-release -c release --filter 'StressTests|ModelTests' |
        tee .build-check/stress.txt
    grep '^stress: [0-9]* operations' .build-check/stress.txt || fail "no stress test counted its operations."
}

# From nothing, since a warning is printed only when its file is compiled. The package manager silences the warnings of
# other packages itself. What the compiler does not turn into an error (the linker's, the manifest's) is found in the log.
step_warnings() {
    rm -rf .build-warnings
    swift build --build-tests --scratch-path .build-warnings "${no_warnings[@]}" 2>&1 | tee .build-check/warnings.txt
    ! grep -n 'warning:' .build-check/warnings.txt
}

# files_with_threads FOLDER: the tests in which something runs on another thread than the test's own: by a thread, a task, an actor, a
# queue or a scheduler; and those that say so by their names. The preempted threads have a step of their own.
files_with_threads() {
    local threads='concurrently\b|onAnotherThread\b|Thread( \{|\()|detachNewThread|Door\(|Task[ .{(]|TaskGroup|DispatchQueue|MainActor|\bactor |Scheduler|for await'
    {
        grep -rlE "$threads" "$1" --include='*Tests*.swift'
        find "$1" -path '*/Threads/*Tests*.swift' -o -name '*RaceTests*.swift'
    } | grep -v PreemptionTests | sort -u
}

suites_with_threads() {
    files_with_threads Tests | xargs grep -hoE '^( {4})?(@Suite.*\) )?(struct|extension) [A-Za-z]+' | sed 's/.* //' | sort -u | paste -sd '|'
}

# One run in about seven misses a race, so the tests are run again; the sanitizer's report makes the exit code, not the tests' own
# verdict. In the quick form only the suites with threads are built (with what the tests share, which is in files that are no tests) and
# run, and again those that are about races.
step_thread() {
    export AUTOKVO_SANITIZER=thread TSAN_OPTIONS="halt_on_error=0:second_deadlock_stack=1:${TSAN_OPTIONS:-}"
    [ "$AUTOKVO_CHECK" != quick ] || AUTOKVO_TEST_FILES=$(
        cd Tests/AutoKVOTests
        { files_with_threads . && find . -name '*.swift' ! -name '*Tests*'; } | paste -sd ' '
    )
    export AUTOKVO_TEST_FILES
    swift build --build-tests --scratch-path .build-tsan --sanitize=thread "${quick_build[@]}"
    local turn races='(Race|Stress|Lock|ThreadDeath)Tests' tests=()
    [ "$AUTOKVO_CHECK" != quick ] || tests=(--filter "\.($(suites_with_threads))/" --filter "$races")
    for ((turn = 1; turn <= thread_repeats; turn++)); do
        say "thread sanitizer, run $turn of $thread_repeats"
        run_tests .build-tsan --skip-build --sanitize=thread "${tests[@]}"
        [ "$AUTOKVO_CHECK" != quick ] || tests=(--filter "$races")
    done
}

# The C code is built with the sanitizer for undefined behaviour, too. It traps, since the Swift toolchain does not link that
# sanitizer's runtime library. In the quick form this is the release build, too, and the build from nothing in which a warning is an
# error: what the optimizer does to lifetimes is where it can go wrong.
step_address() {
    export AUTOKVO_SANITIZER=address ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-}"
    prove_leak_checker
    export LSAN_OPTIONS="suppressions=$PWD/scripts/lib/leaks-of-swift.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
    local build=(--scratch-path .build-asan)
    [ "$AUTOKVO_CHECK" != quick ] || build=(--scratch-path .build-asan-release -c release "${no_warnings[@]}" "${quick_build[@]}")
    swift test --disable-xctest "${build[@]}" --sanitize=address \
        -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
}

# A leak checker that cannot stop the process (in some containers) or is switched off reports nothing at all, so it is
# given a cycle to find first.
prove_leak_checker() {
    local place status=0
    place=$(mktemp -d)
    printf '%s\n' 'final class Node { var other: Node? }' 'func leak() { let node = Node(); node.other = node }' \
        'for _ in 0..<3 { leak() }' >"$place/leak.swift"
    swiftc -sanitize=address "$place/leak.swift" -o "$place/leak" 2>/dev/null
    "$place/leak" >"$place/report" 2>&1 || status=$?
    if [ "$status" -eq 0 ] || ! grep -q 'LeakSanitizer: detected memory leaks' "$place/report"; then
        cat "$place/report"
        fail "the leak checker does not work here: it did not see a leak made for it."
    fi
    rm -rf "$place"
    say "the leak checker works: it saw a leak made for it"
}

step_valgrind() {
    [ -f scripts/valgrind-c.sh ] || skip "there is no scripts/valgrind-c.sh"
    ensure_command valgrind valgrind
    bash scripts/valgrind-c.sh
}

step_fuzz() {
    local script found=no
    for script in Fuzz/*/run.sh; do
        [ -f "$script" ] || continue
        found=yes
        say "$script --seconds $fuzz_seconds"
        bash "$script" --seconds "$fuzz_seconds"
    done
    [ $found = yes ] || skip "there is no Fuzz/*/run.sh"
}

step_model() {
    [ -f docs/model/check.sh ] || skip "there is no docs/model/check.sh"
    ensure_command spin spin
    if [ "${AUTOKVO_CHECK:-}" = long ]; then bash docs/model/check.sh --long; else bash docs/model/check.sh; fi
}

# Blocks of memory and instructions an operation, against Benchmarks/thresholds.json. Only the two programs are built, not
# what AutoKVO is compared with.
step_counts() {
    bash Benchmarks/counts.sh
}

# The example programs: built without a warning, tested, and run once each.
step_examples() {
    [ -f Examples/Package.swift ] || skip "there is no Examples/Package.swift"
    bash scripts/examples.sh
}

# The packages of the examples are built in one place, so that the library is compiled once for all of them.

# The recipes with other libraries, in a package of their own.
step_recipes() {
    [ -f Examples/Recipes/Package.swift ] || skip "there is no Examples/Recipes/Package.swift"
    [ -f /usr/include/sqlite3.h ] || apt_install libsqlite3-dev
    swift test --package-path Examples/Recipes --scratch-path Examples/.build "${quick_build[@]}" --disable-xctest
}

# The desktop program, in a package of its own, built without a warning and tested on a display of its own, with real keys and clicks.
# The flags of GTK's pkg-config that the package manager leaves out are a warning of its own.
step_contacts() {
    [ -f Examples/Contacts/Package.swift ] || skip "there is no Examples/Contacts/Package.swift"
    ensure_contacts || skip "libgtk-4-dev, xvfb and xdotool are not here and cannot be installed"
    local package=Examples/Contacts log=.build-check/contacts-build.txt
    local place=(--package-path $package --scratch-path Examples/.build "${quick_build[@]}")
    find $package/Sources $package/Tests -name '*.swift' -exec touch {} +
    swift build "${place[@]}" --build-tests 2>&1 | tee "$log"
    ! grep -v 'prohibited flag' "$log" | grep 'warning:'
    # Without the option the package manager (6.3.1) runs nothing where there is a Tests/XCTMain.swift.
    GSK_RENDERER=cairo GTK_A11Y=none xvfb-run -a -s '-screen 0 1280x1024x24' \
        swift test "${place[@]}" --skip-build --disable-xctest --enable-swift-testing
}

# Fails where the packages are missing and cannot be installed. In a shell of its own, since apt_install ends the one that it runs in.
ensure_contacts() {
    has_contacts || (apt_install libgtk-4-dev xvfb xauth xdotool)
    has_contacts
}

has_contacts() {
    pkg-config --exists gtk4 2>/dev/null && command -v xvfb-run >/dev/null && command -v xdotool >/dev/null
}

# The task server with its database, in a package of its own: killed, asked and followed as a program, and in two browsers where Chromium
# can be installed.
step_tasks() {
    [ -f Examples/Tasks/Package.swift ] || skip "there is no Examples/Tasks/Package.swift"
    # The package manager tells packages apart by the names of their folders.
    [ "$(basename "$PWD" | tr '[:upper:]' '[:lower:]')" != tasks ] || skip "this folder has the name of the package in Examples/Tasks"
    [ -f /usr/include/sqlite3.h ] || (apt_install libsqlite3-dev) || skip "libsqlite3-dev cannot be installed here"
    command -v chromium >/dev/null || (apt_install chromium fonts-dejavu-core) ||
        say "chromium cannot be installed here, so the tests in browsers are skipped"
    local place=(--package-path Examples/Tasks --scratch-path Examples/.build "${quick_build[@]}")
    find Examples/Tasks/Sources Examples/Tasks/Tests -name '*.swift' -exec touch {} +
    swift build "${place[@]}" --build-tests 2>&1 | tee .build-check/tasks-build.txt
    ! grep -n 'warning:' .build-check/tasks-build.txt || fail "Examples/Tasks builds with warnings."
    swift test "${place[@]}" --disable-xctest --skip-build
}

step_new-user() {
    [ -f README.md ] || skip "there is no README.md"
    bash scripts/new-user.sh
}

# In the scratch path of the tests, so that in CI everything is built already.
step_docs() {
    python3 scripts/pictures.py --check
    bash scripts/docs.sh .build
}

# The public interface against the committed list of it; from the same build.
step_api() { bash scripts/api.sh .build; }

# step_scratch STEP: where it builds; steps that build in one place would wait for each other, and are not run at once.
step_scratch() {
    case $1 in
    debug | fallbacks | docs | api) echo .build ;;
    release | stress) echo .build-release ;;
    examples | recipes | contacts | tasks) echo Examples/.build ;;
    counts | new-user) echo Benchmarks/.build ;;
    *) echo "$1" ;;
    esac
}

# step_detail LOG: what the table says beside a step: the last verdict of the test runner, or why it was skipped.
step_detail() {
    { grep -aoE 'Test run with [0-9]+ tests?.* (passed|failed)|^skipped: .*|^(stress|layers): .*' "$1" || true; } | tail -n 1 | sed -E 's/^(skipped|layers): //'
}

# step_complaints LOG: the lines that name a mistake, each once, with what a test says of its own (a seed, a trace); at most
# sixty. gold prints warnings about the address sanitizer's symbols with every link; they mean nothing.
step_complaints() {
    { awk '
        /error: |warning: |WARNING: |ERROR: |SUMMARY: |✘|Fatal error/ { told = /recorded an issue/; print; next }
        # What follows a recorded issue, up to the next line of the test runner.
        /^(◇|✔)/ { told = 0 }
        told' "$1" || true; } |
        { grep -avE 'Cannot export local symbol' || true; } | awk '!seen[$0]++ && ++count <= 60' | cut -c1-400
}

# processor_seconds FILE: what `times` wrote: minutes and seconds of the shell itself, and in the second line of its children.
processor_seconds() {
    awk -F '[ms ]+' '{ sum += $1 * 60 + $2 + $3 * 60 + $4 } END { printf "%.0f", sum }' "$1"
}
