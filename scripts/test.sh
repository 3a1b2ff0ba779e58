#!/usr/bin/env bash
# Builds the package and runs all its tests; installs libbsd-dev first where it is missing.
# Arguments go to 'swift test', for example: scripts/test.sh --filter Lifetime
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
say "swift test"
# All tests are Swift Testing's; XCTest would only add that it executed none.
exec swift test --disable-xctest "$@"
