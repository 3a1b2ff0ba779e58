#!/bin/bash
# Counts blocks of memory and instructions for each operation of AutoKVO, and fails when thresholds.json is exceeded.
# Unlike times, the counts are the same on a busy machine, so that a change for the worse is seen at once.
set -euo pipefail
cd "$(dirname "$0")"
wanted=
for package in valgrind binutils libbsd-dev pkg-config; do
  dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'install ok installed' || wanted="$wanted $package"
done
if [ -n "$wanted" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get -qq update || true
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted > /dev/null
fi
swift build -c release --product counts-autokvo
swift build -c release --product counts
# This valgrind cannot read the debugging information that this compiler writes; the names stay.
strip --strip-debug -o .build/counts-autokvo .build/release/counts-autokvo
exec .build/release/counts .build/counts-autokvo thresholds.json
