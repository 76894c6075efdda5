#!/bin/sh
# Runs all tests, also after one failed, and sums up what cargo says of each test binary. The last line is
# `N passed, N failed[, N skipped]`. Arguments go to cargo.
set -u

# What a first build writes down for the next ones costs more than it saves where there is no next one.
[ -d target/debug ] || export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.code"' EXIT
# A pipe's status is that of its last command: cargo's own goes by a file.
{
    cargo test --workspace --no-fail-fast "$@" 2>&1
    echo $? >"$log.code"
} | tee "$log"
code=$(cat "$log.code" 2>/dev/null || echo 1)

summary=$(awk '
    /^test result: / {
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed/) passed += $(i - 1)
            if ($i ~ /^failed/) failed += $(i - 1)
            if ($i ~ /^ignored/) skipped += $(i - 1)
        }
    }
    # A binary that ended without a result.
    / \(signal: / { failed++ }
    END { printf "%d passed, %d failed", passed, failed; if (skipped) printf ", %d skipped", skipped; print "" }
' "$log")
if [ "$code" != 0 ]; then
    # Something failed that no test result speaks of, a build for example.
    case "$summary" in *", 0 failed"*) summary=$(echo "$summary" | sed 's/, 0 failed/, 1 failed/') ;; esac
fi
echo
echo "$summary"
exit "$code"
