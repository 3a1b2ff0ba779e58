#!/usr/bin/env bash
# What a user pays to depend on AutoKVO: a hello world without it, with it, and with OpenCombine in its place, each built from nothing in
# debug and in release, its stripped binary and the time of a build after a change of its one file. Prints a table of Markdown.
#
#   scripts/build-cost.sh             prints the table
#   scripts/build-cost.sh --page      writes it into docs/performance.md too, between <!-- build --> and <!-- end of build -->
#   scripts/build-cost.sh --rounds 3  the least of three builds (2 if not said otherwise): other programs only add time
#
# Nothing is downloaded while the clock runs: packages are resolved before. Each round builds all three, so that what else the machine does
# falls on all of them; it should have nothing else to do. A missed bar is printed, and is no failure.
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

# The bars: a clean release build takes at most so many times what it takes with OpenCombine in the same run, and the stripped binary has at
# most so many KB.
readonly release_times=1.5 binary_bar=900

prepare
ensure_command strip binutils
library=$PWD
# The version of OpenCombine that Benchmarks measures.
opencombine=$(sed -n 's|.*OpenCombine/OpenCombine", exact: "\([^"]*\)".*|\1|p' Benchmarks/Package.swift)
[ -n "$opencombine" ] || fail "Benchmarks/Package.swift does not say which version of OpenCombine it wants."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# A package takes its identity from its folder, so none is called as what it depends on is.
readonly packages=(without with with-opencombine)

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
make_package with-opencombine ".package(url: \"https://github.com/OpenCombine/OpenCombine\", exact: \"$opencombine\")" \
    '.product(name: "OpenCombine", package: "OpenCombine")' <<'EOF'
import OpenCombine

final class Person {
    let name = CurrentValueSubject<String, Never>("Ann")
}

let person = Person()
let token = person.name.dropFirst().sink { name in print("Hello, \(name)!") }
person.name.send("Eve")
token.cancel()
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
for package in "${packages[@]}"; do
    swift package --package-path "$place/$package" resolve >/dev/null 2>&1 || fail "the package $package does not resolve."
done
for ((round = 0; round < rounds; round++)); do
    for package in "${packages[@]}"; do
        for configuration in debug release; do
            build=(swift build --package-path "$place/$package" -c "$configuration" --product hello)
            say "$package, $configuration, round $((round + 1)) of $rounds" >&2
            # The checked out packages stay, what was built goes.
            find "$place/$package/.build" -mindepth 1 -maxdepth 1 ! -name checkouts ! -name repositories ! -name artifacts \
                ! -name workspace-state.json -exec rm -rf {} + 2>/dev/null || true
            took=$(seconds "${build[@]}")
            cost[$package-$configuration]=$(least "${cost[$package-$configuration]:-}" "$took")
            echo "// changed $round" >>"$place/$package/Sources/hello/main.swift"
            took=$(seconds "${build[@]}")
            cost[$package-$configuration-again]=$(least "${cost[$package-$configuration-again]:-}" "$took")
        done
    done
done
for package in "${packages[@]}"; do
    binary="$(swift build --package-path "$place/$package" -c release --product hello --show-bin-path)/hello"
    [ "$("$binary")" = "Hello, Eve!" ] || fail "the package $package does not say hello."
    strip -o "$place/stripped" "$binary"
    cost[$package-size]=$(($(stat -c %s "$place/stripped") / 1000))
done
release_bar=$(awk -v times="$release_times" -v theirs="${cost[with-opencombine-release]}" 'BEGIN { printf "%.1f", times * theirs }')

# verdict VALUE BAR
verdict() { awk -v value="$1" -v bar="$2" 'BEGIN { print (value + 0 <= bar + 0) ? "held" : "missed" }'; }

# row TITLE FIGURE [BAR [WHERE-IT-COMES-FROM]]
row() {
    local judged="- |"
    [ $# -lt 3 ] || judged="at most $3${4:-} | $(verdict "${cost[with-$2]}" "$3")"
    echo "| $1 | ${cost[without-$2]} | ${cost[with-$2]} | ${cost[with-opencombine-$2]} | $judged |"
}

table() {
    echo "$(date -u +%F), $(nproc) cores ($(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)), AutoKVO at ${REVISION:-$(
        git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)}. The least of $rounds builds."
    echo
    echo "| what | without | with AutoKVO | with OpenCombine $opencombine | bar | |"
    echo "| --- | --- | --- | --- | --- | --- |"
    row "clean debug build, s" debug
    row "clean release build, s" release "$release_bar" ", $release_times × OpenCombine"
    row "debug build after a change, s" debug-again
    row "release build after a change, s" release-again
    row "stripped release binary, KB" size $binary_bar
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
