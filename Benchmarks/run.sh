#!/bin/bash
# Builds and measures AutoKVO and its peers side by side, in one interleaved sweep, and judges the bars.
#
#   Benchmarks/run.sh            everything; writes Benchmarks/results, docs/performance.md and docs/performance-tables.md
#   Benchmarks/run.sh --quick    AutoKVO, the floor, CurrentValueSubject, Qt and boost, in under ten minutes;
#                                writes to Benchmarks/.build/quick, so that the full sweep's figures stay
#
# Other options go to the sweep, --only W2, --rounds 6, --one-thread and --output DIR among them, and with them nothing is
# written but below .build/part or DIR. The exit code is 1 when a cell failed; a missed bar is printed, and is no failure.
set -euo pipefail
cd "$(dirname "$0")"

quick=
rest=()
written=(--output results --page ../docs/performance-tables.md --users ../docs/performance.md)
for argument in "$@"; do
  case $argument in
    --quick)
      quick=--quick
      written=(--output .build/quick)
      ;;
    *)
      rest+=("$argument")
      [ -n "$quick" ] || written=(--output .build/part)
      ;;
  esac
done

# What the peers need. A package that cannot be had leaves its peer out, and the report says so.
packages="libbsd-dev pkg-config g++ qt6-base-dev libboost-dev"
[ -n "$quick" ] || packages="$packages libgnustep-base-dev gobjc libglib2.0-dev libsigc++-2.0-dev"
wanted=
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'install ok installed' || wanted="$wanted $package"
done
if [ -n "$wanted" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get -qq update || true
  for package in $wanted; do
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$package" > /dev/null ||
      echo "cannot be installed: $package" >&2
  done
fi

swift build -c release --product sweep
systems="autokvo floor opencombine"
[ -n "$quick" ] || systems="$systems observation notificationcenter"
Peers/build.sh $quick
executables=()
for system in $systems; do
  if swift build -c release --product "bench-$system" > ".build/bench-$system.log" 2>&1; then
    executables+=(".build/release/bench-$system")
  else
    reason=$(grep -m1 'error:' ".build/bench-$system.log" | sed 's/.*error: //' || true)
    echo "bench-$system: it does not compile: $reason" | tee -a .build/peers/missing.txt >&2
  fi
done
for name in qt qtgraphs boost sigc gobject gnustep; do
  case "$quick$name" in --quicksigc | --quickgobject | --quickgnustep) continue ;; esac
  [ ! -x ".build/peers/bench-$name" ] || executables+=(".build/peers/bench-$name")
done

# What the report says of the peers: the packages' versions and the flags.
{
  echo "Packages: $(dpkg-query -W -f='${db:Status-Abbrev}${Package} ${Version}\n' $packages 2> /dev/null |
    sed -n 's/^ii *//p' | paste -sd , | sed 's/,/, /g')"
  cat .build/peers/flags.txt
  echo "Swift: \`swift build -c release\`, $(swift --version 2> /dev/null | head -1), its Foundation and Observation," \
    "OpenCombine $(sed -n '/"identity" : "opencombine"/,/"version"/s/.*"version" : "\(.*\)".*/\1/p' Package.resolved)"
} > .build/peers/built.txt

revision=${REVISION:-$(git describe --always --dirty --exclude "*" 2> /dev/null || echo unknown)}
exec .build/release/sweep "${executables[@]}" "${written[@]}" --missing .build/peers/missing.txt --built .build/peers/built.txt \
  --revision "$revision" $quick ${rest[@]+"${rest[@]}"}
