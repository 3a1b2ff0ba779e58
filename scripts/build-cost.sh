#!/usr/bin/env bash
# What a user pays to depend on AutoKVO: a hello world without it and with it, each built from nothing in debug and in
# release, its stripped binary and the time of a build after a change of its one file. Prints a table of Markdown.
#
#   scripts/build-cost.sh             prints the table
#   scripts/build-cost.sh --page      writes it into docs/performance.md too, between <!-- build --> and <!-- end of build -->
#   scripts/build-cost.sh --rounds 3  the least of three builds (2 if not said otherwise): other programs only add time
#
# Nothing is downloaded: the packages that this one's manifest names are resolved before the clock runs. The machine should
# have nothing else to do. A missed bar is printed, and is no failure.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

page=
rounds=2
while [ $# -gt 0 ]; do
    case $1 in
    --page) page=docs/performance.md ;;
    --rounds)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "--rounds needs a number."
        rounds=$2
        shift
        ;;
    *) fail "unknown argument '$1'; see the first lines of scripts/build-cost.sh" ;;
    esac
    shift
done

# The bars: at most so many seconds for a clean release build, and so many KB of stripped binary.
readonly release_bar=20 binary_bar=700

prepare
ensure_command strip binutils
library=$PWD
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# make_package NAME DEPENDENCIES TARGET-DEPENDENCIES: its program comes from standard input.
make_package() {
    mkdir -p "$place/$1/Sources/hello"
    cat >"$place/$1/Sources/hello/main.swift"
    cat >"$place/$1/Package.swift" <<EOF
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "hello", dependencies: [$2], targets: [.executableTarget(name: "hello", dependencies: [$3])],
    swiftLanguageModes: [.v6])
EOF
}

make_package without '' '' <<'EOF'
final class Person {
    var name = "Ann"
}

let person = Person()
person.name = "Eve"
print("Hello, \(person.name)!")
EOF
make_package with ".package(path: \"$library\")" ".product(name: \"AutoKVO\", package: \"$(basename "$library")\")" <<'EOF'
import AutoKVO

final class Person: TrackedObject {
    @Observed var name = "Ann"
}

let person = Person()
try person.observe("name") { _ in print("Hello, \(person.name)!") }
person.name = "Eve"
EOF

# seconds COMMAND…: how long it takes, with one decimal; its output goes to a log.
seconds() {
    local start end
    start=$(date +%s%N)
    "$@" >"$place/log" 2>&1 || { cat "$place/log" >&2; fail "$* failed."; }
    end=$(date +%s%N)
    awk -v took=$((end - start)) 'BEGIN { printf "%.1f", took / 1e9 }'
}

# least A B: the smaller of two numbers; the first may be empty.
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b + 0 < a + 0) ? b : a }'; }

declare -A cost
for package in without with; do
    swift package --package-path "$place/$package" resolve >/dev/null 2>&1 || fail "the package $package does not resolve."
    for configuration in debug release; do
        build=(swift build --package-path "$place/$package" -c "$configuration" --product hello)
        for ((round = 0; round < rounds; round++)); do
            say "$package, $configuration, round $((round + 1)) of $rounds" >&2
            # The checked out packages stay, what was built goes.
            find "$place/$package/.build" -mindepth 1 -maxdepth 1 ! -name checkouts ! -name repositories ! -name artifacts \
                ! -name workspace-state.json -exec rm -rf {} + 2>/dev/null || true
            cost[$package-$configuration]=$(least "${cost[$package-$configuration]:-}" "$(seconds "${build[@]}")")
            echo "// changed $round" >>"$place/$package/Sources/hello/main.swift"
            cost[$package-$configuration-again]=$(
                least "${cost[$package-$configuration-again]:-}" "$(seconds "${build[@]}")")
        done
    done
    binary="$("${build[@]}" --show-bin-path)/hello"
    [ "$("$binary")" = "Hello, Eve!" ] || fail "the package $package does not say hello."
    strip -o "$place/stripped" "$binary"
    cost[$package-size]=$(($(stat -c %s "$place/stripped") / 1000))
done

# verdict VALUE BAR
verdict() { awk -v value="$1" -v bar="$2" 'BEGIN { print (value + 0 <= bar + 0) ? "held" : "missed" }'; }

table() {
    echo "$(date -u +%F), $(nproc) cores ($(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)), AutoKVO at ${REVISION:-$(
        git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)}. The least of $rounds builds."
    echo
    echo "| what | without | with AutoKVO | bar | |"
    echo "| --- | --- | --- | --- | --- |"
    echo "| clean debug build, s | ${cost[without-debug]} | ${cost[with-debug]} | - | |"
    echo "| clean release build, s | ${cost[without-release]} | ${cost[with-release]} | at most $release_bar |" \
        "$(verdict "${cost[with-release]}" $release_bar) |"
    echo "| debug build after a change, s | ${cost[without-debug-again]} | ${cost[with-debug-again]} | - | |"
    echo "| release build after a change, s | ${cost[without-release-again]} | ${cost[with-release-again]} | - | |"
    echo "| stripped release binary, KB | ${cost[without-size]} | ${cost[with-size]} | at most $binary_bar |" \
        "$(verdict "${cost[with-size]}" $binary_bar) |"
}

table | tee "$place/table"
if [ -n "$page" ]; then
    grep -q '^<!-- build -->$' "$page" && grep -q '^<!-- end of build -->$' "$page" || fail "$page has no markers."
    awk -v table="$place/table" '
        /^<!-- end of build -->$/ { skipping = 0 }
        !skipping { print }
        /^<!-- build -->$/ { while ((getline line < table) > 0) print line; skipping = 1 }' "$page" >"$place/page"
    cp "$place/page" "$page"
fi
