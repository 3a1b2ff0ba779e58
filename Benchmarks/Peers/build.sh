#!/bin/bash
# Builds the peers that are not Swift into .build/peers. A peer that does not build is named in .build/peers/missing.txt
# with the reason, and left out. .build/peers/flags.txt says with which flags, for the report.
set -u
cd "$(dirname "$0")/.."
out=.build/peers
mkdir -p "$out"
: > "$out/missing.txt"

cxx=${CXX:-g++}
cxx_flags="-O2 -std=c++17 -pthread -Wall"
c_flags="-O2 -std=gnu11 -pthread"
flags="$cxx_flags -ISources/CBenchSupport/include -IPeers"

missing() {  # name, reason
  printf '%s: %s\n' "$1" "$2" >> "$out/missing.txt"
  rm -f "$out/bench-$3"
  printf 'left out: %s (%s)\n' "$1" "$2" >&2
}

build() {  # title, name, package, command…
  local title=$1 name=$2 package=$3
  shift 3
  if [ -x "$out/bench-$name" ] && [ -z "$(find Peers Sources/CBenchSupport -newer "$out/bench-$name" -type f)" ]; then
    return
  fi
  if ! dpkg-query -W -f='${Status}' "$package" 2> "$out/$name.log" | grep -q 'install ok installed'; then
    missing "$title" "$package is not installed" "$name"
  elif ! "$@" > "$out/$name.log" 2>&1; then
    missing "$title" "it does not compile: $(grep -m1 -i error "$out/$name.log")" "$name"
  fi
}

gcc $c_flags -ISources/CBenchSupport/include -c Sources/CBenchSupport/CBenchSupport.c \
  -o "$out/support.o" || exit 1

qt() {
  local moc
  moc="$(pkg-config --variable=libexecdir Qt6Core)/moc"
  [ -x "$moc" ] || moc=/usr/lib/qt6/libexec/moc
  "$moc" Peers/qt.cpp -o "$out/qt.moc" &&
    $cxx $flags -fPIC -I"$out" $(pkg-config --cflags Qt6Core) Peers/qt.cpp "$out/support.o" -o "$out/bench-qt" \
      $(pkg-config --libs Qt6Core)
}
qtgraphs() {
  $cxx $flags -fPIC $(pkg-config --cflags Qt6Core) Peers/qtgraphs.cpp "$out/support.o" -o "$out/bench-qtgraphs" \
    $(pkg-config --libs Qt6Core)
}
gnustep_flags() {
  echo "$(gnustep-config --objc-flags | sed 's/-MMD -MP//') -std=gnu11"
}
gnustep() {
  gcc $(gnustep_flags) -IPeers -c Peers/gnustep.m -o "$out/gnustep.o" &&
    $cxx $flags Peers/gnustep.cpp "$out/gnustep.o" "$out/support.o" -o "$out/bench-gnustep" $(gnustep-config --base-libs)
}

cxx_line="C++: \`$cxx $cxx_flags\` ($($cxx -dumpfullversion -dumpversion)), for Qt \`-fPIC\` too; the clock, in C: \`gcc $c_flags\`"
# What another compiler has built is built again: the line is to be true of every peer.
[ "$(head -n 1 "$out/flags.txt" 2> /dev/null)" = "$cxx_line" ] || rm -f "$out"/bench-*
{
  echo "$cxx_line"
  [ "${1:-}" = --quick ] || ! command -v gnustep-config > /dev/null ||
    echo "GNUstep's Objective-C: \`gcc $(gnustep_flags | tr ' ' '\n' | grep -v '^-I' | paste -sd ' ')\`"
} > "$out/flags.txt"

build "Qt 6" qt qt6-base-dev qt
build "Qt 6 QProperty, derived values" qtgraphs qt6-base-dev qtgraphs
build "boost::signals2" boost libboost-dev \
  $cxx $flags Peers/boost.cpp "$out/support.o" -o "$out/bench-boost"
if [ "${1:-}" != --quick ]; then
  build "sigc++" sigc libsigc++-2.0-dev \
    $cxx $flags $(pkg-config --cflags sigc++-2.0) Peers/sigc.cpp "$out/support.o" -o "$out/bench-sigc" \
    $(pkg-config --libs sigc++-2.0)
  build "GObject" gobject libglib2.0-dev \
    $cxx $flags $(pkg-config --cflags gobject-2.0) Peers/gobject.cpp "$out/support.o" -o "$out/bench-gobject" \
    $(pkg-config --libs gobject-2.0)
  build "GNUstep KVO" gnustep libgnustep-base-dev gnustep
fi
exit 0
