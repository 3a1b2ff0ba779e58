#!/usr/bin/env bash
# Runs the C part under valgrind: its plain test program, then the fuzzer's corpus. Any error or leak fails. Before that, the header
# that users' modules read is compiled as C++, as it is where Swift speaks C++: its names must be those of C.
# Installs valgrind and libbsd-dev where they are missing.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
ensure_command valgrind valgrind
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

say "the public header as C++"
"$(toolchain_clang)" -x c++ -Wall -Werror -ISources/CRecording/include -c -o "$build/header.o" - <<'EOF'
#include "CRecording.h"
extern "C" void use() { crc_begin_addressing(); }
EOF
if nm "$build/header.o" | grep "[Uw] _Z"; then fail "CRecording.h declares names of C++."; fi

compiler=$(command -v cc || toolchain_clang)
compile=("$compiler" -std=gnu11 -g -O1 -gdwarf-4 -DDEBUG=1 -Wall -Wextra -ISources/CDeallocHook/include)
"${compile[@]}" Fuzz/CTable/table_test.c Sources/CDeallocHook/*.c -lbsd -pthread -o "$build/table_test"
"${compile[@]}" Fuzz/CTable/replay.c Fuzz/CTable/fuzz_table.c Sources/CDeallocHook/*.c -lbsd -pthread -o "$build/replay"

# --fair-sched: two threads that wait for each other get on evenly, though valgrind runs one at a time.
checked=(valgrind --quiet --leak-check=full --error-exitcode=1 --fair-sched=yes)
say "the plain test program under valgrind"
"${checked[@]}" "$build/table_test"
say "the fuzzer's corpus under valgrind"
"${checked[@]}" "$build/replay" Fuzz/CTable/corpus/*
