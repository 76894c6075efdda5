#!/bin/sh
# The programs of `examples/dotnet`, each under the models that it has expectations for: verdict, executions, time.
set -eu

selvedge="$1"
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT

printf '| program | model | verdict | executions | blocked | seconds |\n|---|---|---|--:|--:|--:|\n'
for source in examples/dotnet/*.cs; do
    name="$(basename "$source" .cs)"
    mcs -debug -d:DEBUG -out:"$dir/$name.exe" "$source" >/dev/null
    for model in $(sed -n 's|^// expect: \([a-z0-9-]*\) .*|\1|p' "$source"); do
        report="$("$selvedge" check "$dir/$name.exe" -m "$model" --time-limit 120 --format json || true)"
        field() {
            printf '%s' "$report" | sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9.]*\).*/\1/p" | head -n 1
        }
        printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$model" "$(field verdict)" "$(field executions)" \
            "$(field blocked)" "$(field seconds)"
    done
done
