#!/usr/bin/env bash
# Shows autokvo-monitor on this machine's own figures; installs libbsd-dev first where it is missing.
# Arguments, if any, replace those below, for example: scripts/demo.sh --panels my-panels.json --samples 30
# A file in them is named from the folder in which this is called.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

prepare
say "building autokvo-monitor (release)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build=(swift build --package-path Examples -c release --product autokvo-monitor)
"${build[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
monitor="$(cd "$("${build[@]}" --show-bin-path)" && pwd)/autokvo-monitor"

[ $# -gt 0 ] || set -- --samples 10 --interval 0.5 --close load@6
say "autokvo-monitor $*"
cd "$caller"
"$monitor" "$@"
