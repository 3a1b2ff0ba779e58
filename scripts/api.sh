#!/usr/bin/env bash
# Compares the public interface of the two libraries with docs/public-interface.txt, one line a name. A change of it is meant,
# and so it is written down: with --update, in the commit that makes it.
#
#   scripts/api.sh [SCRATCH]               shows the difference, if there is one, and fails
#   scripts/api.sh --update [SCRATCH]      writes the file
#
# SCRATCH is the scratch path of the build that is used, and brought up to date first; .build
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/symbols.sh

update=no
if [ "${1:-}" = --update ]; then update=yes && shift; fi
scratch=${1:-.build}
file=docs/public-interface.txt

prepare
ensure_command python3 python3
symbol_graphs "$scratch"
python3 scripts/lib/interface.py "$scratch/symbol-graphs" "${libraries[@]}" >"$scratch/public-interface.txt"
if [ $update = yes ]; then
    cp "$scratch/public-interface.txt" "$file"
    say "$file: $(grep -c . "$file") lines"
elif ! diff -u --label "$file" --label "the sources" "$file" "$scratch/public-interface.txt"; then
    fail "the public interface differs from $file. If that is meant: scripts/api.sh --update, and commit the file."
else
    say "the public interface is that of $file"
fi
