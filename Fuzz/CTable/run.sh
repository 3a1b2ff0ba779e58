#!/usr/bin/env bash
# Fuzzes the C table: first every input of the corpus, then new ones. Installs a clang with libFuzzer where there is none.
#
#   Fuzz/CTable/run.sh                 30 seconds
#   Fuzz/CTable/run.sh --seconds 300   as long as said
#   Fuzz/CTable/run.sh --long          half an hour
#
# What it finds on the way is kept in Fuzz/CTable/.build/found; an input that fails, in Fuzz/CTable/.build/crash-*.
# To run one again: Fuzz/CTable/.build/fuzz_table FILE
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
source Fuzz/lib.sh

seconds=$(fuzzing_seconds Fuzz/CTable "$@")
prepare
build=Fuzz/CTable/.build
mkdir -p "$build/found"

# compile CLANG [arguments…]
compile() {
    "$@" -std=c11 -g -O1 -DDEBUG=1 -Wall -Wextra -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -ISources/CDeallocHook/include Fuzz/CTable/fuzz_table.c Sources/CDeallocHook/*.c -lbsd -o "$build/fuzz_table"
}

# The toolchain's clang with its own linker, since the system's may not know the sanitizers' symbols; then Debian's.
if ! compile "$(toolchain_clang)" -fuse-ld=lld 2>"$build/log" && ! compile "$(toolchain_clang)" 2>>"$build/log"; then
    command -v clang-14 >/dev/null && [ -n "$(ls /usr/lib/llvm-14/lib/clang/*/lib/linux/*fuzzer* 2>/dev/null)" ] ||
        apt_install clang-14 libclang-rt-14-dev
    compile clang-14 || { cat "$build/log"; fail "no clang here can build a fuzzer."; }
fi

say "fuzzing the table for $seconds seconds"
"$build/fuzz_table" -max_total_time="$seconds" -error_exitcode=1 -max_len=1024 -timeout=20 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$build/" "$build/found" Fuzz/CTable/corpus
