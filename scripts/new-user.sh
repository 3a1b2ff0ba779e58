#!/usr/bin/env bash
# What a new user does: an empty package that depends on this one, with the README's first Swift code block as its program.
# It is built in debug and in release, without a warning, and prints what its comments say ("// prints: …").
#
# And what somebody meets whose module is built without reflection metadata, which tells the names of observed properties: a
# sentence that says so, be it that module alone or every one.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
library=$PWD
[ -f README.md ] || fail "there is no README.md to take the example from."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/Sources/newcomer"

awk '/^```/ { if (inside) exit; if ($0 ~ /^```swift[[:space:]]*$/) inside = 1; next } inside' README.md \
    >"$place/Sources/newcomer/main.swift"
[ -s "$place/Sources/newcomer/main.swift" ] || fail "README.md has no \`\`\`swift block."

cat >"$place/Package.swift" <<EOF
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "newcomer",
    dependencies: [.package(path: "$library")],
    targets: [
        .executableTarget(name: "newcomer", dependencies: [.product(name: "AutoKVO", package: "$(basename "$library")")]),
        .executableTarget(
            name: "unreflected", dependencies: [.product(name: "AutoKVO", package: "$(basename "$library")")],
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])]),
    ],
    swiftLanguageModes: [.v6]
)
EOF

mkdir -p "$place/Sources/unreflected"
cat >"$place/Sources/unreflected/main.swift" <<'EOF'
import AutoKVO

final class Person: TrackedObject {
    @Observed var name = "Ann"
}

let person = Person()
do {
    try person.observe("name") { _ in }
    print("No error.")
} catch {
    print(error)
}
EOF

sed -n 's|.*// prints: ||p' "$place/Sources/newcomer/main.swift" >"$place/expected"
[ -s "$place/expected" ] || fail "the README's program does not say what it prints."

for configuration in debug release; do
    say "newcomer, $configuration"
    build=(swift build --package-path "$place" --scratch-path "$place/.build" -c "$configuration")
    "${build[@]}" >"$place/log" 2>&1 || { cat "$place/log" >&2; fail "the README's program does not build."; }
    ! grep -n 'warning:' "$place/log" || fail "the README's program builds with warnings."
    "$("${build[@]}" --show-bin-path)/newcomer" | tee "$place/printed"
    diff "$place/expected" "$place/printed" || fail "the README's program does not print what it says."
done
! grep '"identity"' "$place/Package.resolved" 2>/dev/null || fail "a client of AutoKVO has to fetch these packages."

# check_unreflected PATH: what the program at PATH, built without reflection metadata, says.
check_unreflected() {
    "$1/unreflected" | tee "$place/printed"
    grep -q 'the module unreflected was built without reflection metadata' "$place/printed" ||
        fail "a module without reflection metadata is not told that it has none."
}

say "unreflected, its own module"
check_unreflected "$place/.build/debug"
say "unreflected, every module"
swift build --package-path "$place" --scratch-path "$place/.build-all" --product unreflected \
    -Xswiftc -Xfrontend -Xswiftc -disable-reflection-metadata >"$place/log" 2>&1 ||
    { cat "$place/log" >&2; fail "it does not build."; }
check_unreflected "$place/.build-all/debug"
