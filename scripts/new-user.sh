#!/usr/bin/env bash
# What a new user does: an empty package that depends on this one, with the README's first Swift code block as its program.
# It is built in debug and in release, without a warning, and prints what its comments say ("// prints: …"). Then the blocks of the article
# "Getting started", pasted in the order of the page.
#
# And what somebody meets whose module is built without reflection metadata, which tells the names of observed properties: a
# sentence that says so, be it that module alone or every one.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
[ -f README.md ] || fail "there is no README.md to take the example from."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
place=$root/app
mkdir -p "$place/Sources/app" "$root/any name"
# As a user has it: a copy in a folder of another name.
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -P --parents -t "$root/any name"

# readme_block NUMBER: one of the README's Swift code blocks.
readme_block() {
    awk -v wanted="$1" '
        !/^```/ { if (inside == 1) print; next }
        inside { inside = 0; next }
        { inside = /^```swift[[:space:]]*$/ && ++blocks == wanted ? 1 : 2 }' README.md
}
readme_block 1 >"$place/Sources/app/main.swift"
readme_block 2 | sed 's|"../AutoKVO"|"../any name"|' >"$place/Package.swift"
grep -q 'TrackedObject' "$place/Sources/app/main.swift" || fail "README.md does not begin with a program."
grep -q '"../any name"' "$place/Package.swift" || fail "README.md has no manifest that depends on ../AutoKVO."

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

sed -n 's|.*// prints: ||p' "$place/Sources/app/main.swift" >"$place/expected"
[ -s "$place/expected" ] || fail "the README's program does not say what it prints."

# run_app CONFIGURATION PACKAGE SCRATCH
run_app() {
    say "app, $1"
    local build=(swift build --package-path "$2" --scratch-path "$3" -c "$1" --product app)
    "${build[@]}" >"$place/log" 2>&1 || { cat "$place/log" >&2; fail "the README's program does not build."; }
    ! grep -n 'warning:' "$place/log" || fail "the README's program builds with warnings."
    "$("${build[@]}" --show-bin-path)/app" | tee "$place/printed"
    diff "$place/expected" "$place/printed" || fail "the README's program does not print what it says."
}
run_app debug "$place" "$place/.build"
# In release it depends on this folder itself, and is built where the benchmarks are: in CI the library is there already.
mkdir "$root/release" && cp -r "$place/Sources" "$root/release"
readme_block 2 | sed "s|\"../AutoKVO\"|\"$PWD\"|" >"$root/release/Package.swift"
run_app release "$root/release" "$PWD/Benchmarks/.build"

# The article's blocks of Swift, in the order of the page: one program.
article=docs/AutoKVO.docc/Getting-Started.md
say "$article, pasted block by block"
awk '/^```swift/ { inside = 1; next } /^```/ { inside = 0; print ""; next } inside' "$article" >"$place/Sources/app/main.swift"
sed -n 's|.*// prints: ||p' "$place/Sources/app/main.swift" >"$place/expected"
[ -s "$place/expected" ] || fail "the article's program does not say what it prints."
build=(swift build --package-path "$place" --scratch-path "$place/.build")
"${build[@]}" >"$place/log" 2>&1 || { cat "$place/log" >&2; fail "the article's program does not build."; }
! grep -n 'warning:' "$place/log" || fail "the article's program builds with warnings."
"$("${build[@]}" --show-bin-path)/app" | tee "$place/printed"
diff "$place/expected" "$place/printed" || fail "the article's program does not print what it says."

! grep '"identity"' "$place/Package.resolved" 2>/dev/null || fail "a client of AutoKVO has to fetch these packages."

# check_unreflected PATH: what the program at PATH, built without reflection metadata, says.
check_unreflected() {
    "$1/unreflected" | tee "$place/printed"
    grep -q 'the module unreflected was built without reflection metadata' "$place/printed" ||
        fail "a module without reflection metadata is not told that it has none."
}

say "unreflected, its own module"
cat >"$place/Package.swift" <<'EOF'
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "app",
    dependencies: [.package(name: "AutoKVO", path: "../any name")],
    targets: [
        .executableTarget(
            name: "unreflected", dependencies: [.product(name: "AutoKVO", package: "AutoKVO")],
            swiftSettings: [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"])])
    ],
    swiftLanguageModes: [.v6]
)
EOF
swift build --package-path "$place" --scratch-path "$place/.build" --product unreflected >"$place/log" 2>&1 ||
    { cat "$place/log" >&2; fail "it does not build."; }
check_unreflected "$place/.build/debug"
say "unreflected, every module"
swift build --package-path "$place" --scratch-path "$place/.build-all" --product unreflected \
    -Xswiftc -Xfrontend -Xswiftc -disable-reflection-metadata >"$place/log" 2>&1 ||
    { cat "$place/log" >&2; fail "it does not build."; }
check_unreflected "$place/.build-all/debug"
