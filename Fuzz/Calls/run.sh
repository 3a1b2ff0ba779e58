#!/usr/bin/env bash
# Fuzzes sequences of public calls, against the model test's reference: first every input of the corpus, then new ones.
#
#   Fuzz/Calls/run.sh                 30 seconds
#   Fuzz/Calls/run.sh --seconds 300   as long as said
#   Fuzz/Calls/run.sh --long          half an hour
#
# What it finds on the way is kept in Fuzz/Calls/.build/found; an input that fails, in Fuzz/Calls/.build/crash-*.
# To run one again: Fuzz/Calls/.build/fuzz FILE
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
source Fuzz/lib.sh

fuzz Calls fuzz_calls.swift "$@"
