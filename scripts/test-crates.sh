#!/bin/sh
# Verifies the clients of crates in examples/rust/crates: all but those whose names begin with `wrong`.
set -eu
cd "$(dirname "$0")/../examples/rust/crates"
found=$(mktemp)
trap 'rm -f "$found"' EXIT
cargo selvedge test --test clients "$@" -- --max-executions 5000 | tee "$found" || true
grep -q '^test .* \.\.\. ' "$found"
if grep '^test .* \.\.\. ' "$found" | grep -v '^test wrong' | grep -v '\.\.\. ok' | grep -v '\.\.\. ignored'; then
    echo "error: these are not verified" >&2
    exit 1
fi
if grep '^test wrong' "$found" | grep -v '\.\.\. FAILED'; then
    echo "error: these are wrong, and that is not found" >&2
    exit 1
fi
