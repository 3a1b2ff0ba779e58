#!/usr/bin/env bash
# What a new user does: an empty package that depends on this one, with the README's first Swift code block as its program.
# It is built in debug and in release, without a warning, and prints what its comments say ("// prints: …").
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
        .executableTarget(name: "newcomer", dependencies: [.product(name: "AutoKVO", package: "$(basename "$library")")])
    ],
    swiftLanguageModes: [.v6]
)
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
