# Building and running a fuzzer; to be sourced after scripts/lib/common.sh.
#
# The package's own manifest has no unsafe flags, so for a fuzzer in Swift the library is built here with swiftc,
# with the parts of the test support that a fuzzer needs.

# fuzzing_seconds FOLDER [--seconds N] [--long]: how long to fuzz.
fuzzing_seconds() {
    local folder=$1 seconds=30
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        --seconds)
            [[ ${2:-} =~ ^[0-9]+$ ]] || fail "--seconds needs a number"
            seconds=$2
            shift
            ;;
        --long) seconds=1800 ;;
        *) fail "unknown argument '$1'; see the first lines of $folder/run.sh" ;;
        esac
        shift
    done
    echo "$seconds"
}

# fuzz FOLDER SOURCE [--seconds N] [--long]
fuzz() {
    local folder=Fuzz/$1 source=$2 seconds
    shift 2
    seconds=$(fuzzing_seconds "$folder" "$@")
    prepare
    mkdir -p "$folder/.build/found" "$folder/corpus"
    build_fuzzer "$folder" "$source"
    say "fuzzing with $source for $seconds seconds"
    SWIFT_BACKTRACE=enable=no "$folder/.build/fuzz" -max_total_time="$seconds" -error_exitcode=1 -max_len=600 -timeout=20 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="$folder/.build/" "$folder/.build/found" "$folder/corpus"
}

# The C targets with clang, AutoKVO, the test support and the fuzzer with swiftc, all with the address sanitizer and libFuzzer's
# coverage. The libraries are the same for all fuzzers, and made again only after a change.
build_fuzzer() {
    local folder=$1 source=$2 build=Fuzz/.build clang
    local -a modules=(CDeallocHook CSwiftRuntime CRecording) includes=() maps=()
    local module file
    for module in "${modules[@]}"; do
        includes+=(-I "Sources/$module/include")
        maps+=(-Xcc "-fmodule-map-file=$build/$module.modulemap")
    done
    local -a swift=(
        -swift-version 6 -g -Onone -D DEBUG -package-name autokvo -parse-as-library -sanitize=fuzzer,address -Xcc -DDEBUG=1
        "${includes[@]}" -I "$build" "${maps[@]}")
    if [ ! -f "$build/whole" ] ||
        [ -n "$(find Sources Tests/AutoKVOTestSupport Fuzz/lib.sh -newer "$build/whole" -print -quit)" ]; then
        build_libraries
    fi
    # The toolchain's own linker, since the system's may not know the sanitizers' symbols.
    swiftc "${swift[@]}" -use-ld=lld "$folder/$source" "$build"/lib{Support,AutoKVO}.a "$build"/objects/*.o -lbsd -ldispatch -o "$folder/.build/fuzz"
}

# With the variables of build_fuzzer. Each library is compiled as a whole, since swiftc would start a compiler for each file.
build_libraries() {
    clang=$(toolchain_clang)
    rm -rf "$build"
    mkdir -p "$build/objects"
    for module in "${modules[@]}"; do
        printf 'module %s { header "%s" export * }\n' "$module" "$PWD/Sources/$module/include/$module.h" >"$build/$module.modulemap"
        for file in "Sources/$module"/*.c; do
            "$clang" -std=c11 -g -O1 -DDEBUG=1 -fsanitize=fuzzer-no-link,address "${includes[@]}" -c "$file" \
                -o "$build/objects/$(basename "$file" .c).o"
        done
    done
    local -a library=(swiftc "${swift[@]}" -whole-module-optimization -emit-module -emit-library -static)
    "${library[@]}" -module-name AutoKVO -emit-module-path "$build/AutoKVO.swiftmodule" -o "$build/libAutoKVO.a" \
        $(find Sources/AutoKVO -name '*.swift')
    "${library[@]}" -module-name AutoKVOTestSupport -emit-module-path "$build/AutoKVOTestSupport.swiftmodule" -o "$build/libSupport.a" \
        Tests/AutoKVOTestSupport/Model/*.swift Tests/AutoKVOTestSupport/{Models,SplitMix64,LifetimeTracker}.swift
    touch "$build/whole"
}
