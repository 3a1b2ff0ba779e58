#!/usr/bin/env bash
# Fuzzes key path parsing and reading, writing and observing by name: first every input of the corpus, then new ones.
#
#   Fuzz/KeyPaths/run.sh                 30 seconds
#   Fuzz/KeyPaths/run.sh --seconds 300   as long as said
#   Fuzz/KeyPaths/run.sh --long          half an hour
#
# What it finds on the way is kept in Fuzz/KeyPaths/.build/found; an input that fails, in Fuzz/KeyPaths/.build/crash-*.
# To run one again: Fuzz/KeyPaths/.build/fuzz FILE
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
source Fuzz/lib.sh

fuzz KeyPaths fuzz_key_paths.swift "$@"
