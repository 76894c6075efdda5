#!/bin/sh
# Makes sure that the commands given as COMMAND:PACKAGE are there. Installs what is missing with apt
# where that is allowed, and otherwise prints the command to run.
set -eu

if ! command -v cargo >/dev/null 2>&1; then
    echo "Rust is missing: install it from https://rustup.rs, then run this again." >&2
    exit 1
fi

missing=""
for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo"
else
    echo "These packages are missing:$missing" >&2
    echo "Run this, then try again:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y$missing" >&2
    exit 1
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "These packages are missing, and there is no apt-get to install them with:$missing" >&2
    exit 1
fi
echo "Installing:$missing"
$as_root apt-get update -q
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends $missing
