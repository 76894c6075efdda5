#!/bin/sh
# Makes sure that what is given as COMMAND:PACKAGE or /PATH/TO/FILE:PACKAGE is there. Installs what is missing with apt
# where that is allowed, and otherwise prints the command to run. What has a `?` in front is not needed: it is installed
# if that works.
set -eu

if ! command -v cargo >/dev/null 2>&1; then
    echo "Rust is missing: install it from https://rustup.rs, then run this again." >&2
    exit 1
fi

is_there() {
    case "$1" in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing=""
useful=""
for pair in "$@"; do
    what="${pair%%:*}"
    package="${pair#*:}"
    case "$what" in
    \?*) is_there "${what#?}" || useful="$useful $package" ;;
    *) is_there "$what" || missing="$missing $package" ;;
    esac
done
[ -n "$missing$useful" ] || exit 0

can_install=yes
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    can_install=no
fi
command -v apt-get >/dev/null 2>&1 || can_install=no

install() {
    DEBIAN_FRONTEND=noninteractive $as_root apt-get -o Acquire::http::Timeout=20 install -y -q \
        --no-install-recommends "$@"
}

if [ -n "$missing" ]; then
    if [ $can_install = no ]; then
        echo "These packages are missing:$missing" >&2
        echo "Run this, then try again:" >&2
        echo "    sudo apt-get update && sudo apt-get install -y$missing" >&2
        exit 1
    fi
    echo "Installing:$missing"
    $as_root apt-get update -q
    # shellcheck disable=SC2086
    install $missing
fi

if [ -n "$useful" ]; then
    # shellcheck disable=SC2086
    if [ $can_install = no ] || ! install $useful >/dev/null 2>&1; then
        echo "Not needed, but faster with it:$useful (sudo apt-get install$useful)"
    fi
fi
