#!/usr/bin/env bash
# The programs in Examples: built without a warning, tested, and each that is listed below run once, as its README says.
#
#   scripts/examples.sh [SCRATCH]   the scratch path of the build; Examples/.build
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
build=(--package-path Examples --scratch-path "${1:-Examples/.build}" "${quick_build[@]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A warning is printed only when its file is compiled, so what is there is compiled again, but not the packages it depends on.
say "building Examples"
find Examples/Sources Examples/Tests -name '*.swift' -exec touch {} +
swift build "${build[@]}" --build-tests >"$log" 2>&1 || { cat "$log" >&2; fail "the examples do not build."; }
! grep -n 'warning:' "$log" || fail "the examples build with warnings."

say "testing Examples"
swift test "${build[@]}" --disable-xctest --skip-build

# run_example NAME [ARGUMENT…]: in the folder Examples, as somebody does who follows the README.
programs=$(cd "$(swift build "${build[@]}" --show-bin-path)" && pwd)
run_example() {
    say "$*"
    (cd Examples && timeout 60 "$programs/$1" "${@:2}")
}
run_example Editor Sources/Editor/Samples/session.txt
AUTOKVO_INSPECTOR=0 run_example Inspector 1
run_example autokvo-monitor --samples 2 --interval 0.2
run_example Pipeline
run_example Ported
run_example Settings Sources/Settings/Samples/good.json Sources/Settings/Samples/hostile.json --watch editor.theme --export
