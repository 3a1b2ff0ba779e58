# Shared by the scripts beside this folder; to be sourced, not run. It leaves the shell in the package's root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Swift Testing (6.3) begins all tests at once, which takes twice the processor time of as many as there are processors. A variable and no
# argument: where another version does not know it, nothing fails.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(nproc)}

# A build takes an eighth less without debug information: CI's do without. A test says its own line, and a sanitizer the functions.
quick_build=()
[ "${AUTOKVO_CHECK:-}" != quick ] || quick_build=(-debug-info-format none)

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

require_swift() {
    command -v swift >/dev/null || fail "no swift on the PATH: AutoKVO needs a Swift 6.3 toolchain."
}

# The folder of the toolchain's programs.
toolchain_bin() { dirname "$(readlink -f "$(command -v swift)")"; }

# The toolchain's own clang, which is there wherever Swift is; the system's compiler need not be.
toolchain_clang() {
    local beside
    beside="$(toolchain_bin)/clang"
    if [ -x "$beside" ]; then echo "$beside"; else command -v clang || command -v cc; fi
}

has_libbsd() {
    printf '#include <bsd/stdlib.h>\n#include <bsd/sys/queue.h>\nint main(void) { return (int)(arc4random() & 0); }\n' |
        "$(toolchain_clang)" -x c - -lbsd -o /dev/null 2>/dev/null
}

# apt_install PACKAGE…: as root, or with sudo; says what to do by hand where neither is possible. apt-get cannot run twice at once, as
# two steps of scripts/check.sh would have it.
apt_install() {
    local -a as_root=()
    local turn
    command -v apt-get >/dev/null ||
        fail "$* is missing and there is no apt-get here: install it with this system's package manager, then run again."
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "$* is missing: run 'apt-get install $*' as root, then run again."
        as_root=(sudo)
    fi
    say "installing $* with apt-get"
    mkdir -p .build-check
    exec {turn}>.build-check/apt-get.lock
    flock "$turn"
    local -a quietly=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    # A machine that never ran 'apt-get update' knows no package; one with an old list may know a version that is gone.
    "${as_root[@]}" "${quietly[@]}" update >/dev/null ||
        say "apt-get update failed; trying with the package lists that are here"
    "${as_root[@]}" "${quietly[@]}" install -y --no-install-recommends "$@" >/dev/null ||
        fail "apt-get could not install $*."
    exec {turn}>&-
}

ensure_libbsd() {
    has_libbsd && return
    apt_install libbsd-dev
    has_libbsd || fail "libbsd-dev is installed, and yet a program with <bsd/sys/queue.h> and -lbsd does not link."
}

# ensure_command COMMAND PACKAGE: for tools that only some checks need.
ensure_command() {
    command -v "$1" >/dev/null || apt_install "$2"
}

prepare() {
    require_swift
    ensure_libbsd
}
