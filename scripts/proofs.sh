#!/bin/sh
# Proves everything in proofs/ and prints a table, with the times that Malkis & Banerjee report (in other tools, on other
# machines, for one call and safety only). The first argument is the command.
set -u
selvedge="${1:-target/release/selvedge}"

published() {
    case "$1" in
    central) echo "Jahob 724 s" ;;
    central-weak) echo "CheckFence 189 s, 8 threads" ;;
    sense-reversing) echo "VCC 2.9 s" ;;
    static-tree) echo "Jahob and MONA 15 s" ;;
    combining-tree) echo "Jahob and MONA 1721 s, 3 threads" ;;
    dissemination) echo "Boogie 1.03 s, with lemmas" ;;
    tournament) echo "Boogie 712 s, with lemmas" ;;
    dotnet) echo "Spin 5720 s, 4 threads, 4 calls" ;;
    *) echo "-" ;;
    esac
}

echo "| proof | verdict | obligations | time | processor | published |"
echo "|---|---|---|---|---|---|"
printed=$(mktemp)
spent=$(mktemp)
trap 'rm -f "$printed" "$spent"' EXIT
for file in proofs/*.par; do
    name=$(basename "$file" .par)
    # Processor time with the solvers': the second line of `times`, as `0m1.23s 0m0.04s`.
    processor=$(
        "$selvedge" prove "$file" >"$printed" 2>&1
        times >"$spent"
        tail -n 1 "$spent" | tr 'ms' '  ' | awk '{ printf "%.1f", 60 * ($1 + $3) + $2 + $4 }'
    )
    # The last two lines: the verdict, and `  N obligations, …, N.NN s`.
    tail -n 2 "$printed" | awk -v name="$name" -v paper="$(published "$name")" -v processor="$processor" '
        NR == 1 { verdict = $0 }
        NR == 2 { n = $1; t = $(NF - 1) " s" }
        END { printf "| %s | %s | %s | %s | %s s | %s |\n", name, verdict, n, t, processor, paper }'
done
