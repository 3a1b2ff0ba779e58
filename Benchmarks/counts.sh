#!/bin/bash
# Counts blocks of memory and instructions for each operation of AutoKVO, and fails when thresholds.json is exceeded.
# Unlike times, the counts are the same on a busy machine, so that a change for the worse is seen at once.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/common.sh"

prepare
ensure_command valgrind valgrind
ensure_command strip binutils
cd Benchmarks
swift build -c release --product counts-autokvo
swift build -c release --product counts
# This valgrind cannot read the debugging information that this compiler writes; the names stay.
strip --strip-debug -o .build/counts-autokvo .build/release/counts-autokvo
exec .build/release/counts .build/counts-autokvo thresholds.json
