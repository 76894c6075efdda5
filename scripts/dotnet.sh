#!/bin/sh
# The programs of `examples/dotnet`, each under the models that it has expectations for, and those of [Huynh07] Table 2 under
# `dotnet-ecma` and `dotnet` in any case: verdict, executions, time of the check, and processor time of the whole command.
set -eu

selvedge="$1"
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
paper=" peterson tbarrier dc rw-vol rowo po iw1 iw2 rw bb "

printf '| program | model | verdict | executions | blocked | seconds | processor time |\n|---|---|---|--:|--:|--:|--:|\n'
for source in examples/dotnet/*.cs; do
    name="$(basename "$source" .cs)"
    mcs -debug -d:DEBUG -out:"$dir/$name.exe" "$source" >/dev/null
    flags="$(sed -n 's|^// check: ||p' "$source")"
    models="$(sed -n 's|^// expect: \([a-z0-9-]*\) .*|\1|p' "$source")"
    case "$paper" in *" $name "*) models="$models dotnet-ecma dotnet" ;; esac
    for model in $(printf '%s\n' $models | awk '!seen[$0]++'); do
        # shellcheck disable=SC2086 # flags are words
        report="$(command time -o "$dir/time" -f '%U %S' "$selvedge" check "$dir/$name.exe" $flags -m "$model" --time-limit 120 --format json || true)"
        whole="$(tail -n 1 "$dir/time" | awk '{ printf "%.2f", $1 + $2 }')"
        field() {
            printf '%s' "$report" | sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9.]*\).*/\1/p" | head -n 1
        }
        printf '| %s | %s | %s | %s | %s | %.3f | %s |\n' "$name" "$model" "$(field verdict)" "$(field executions)" \
            "$(field blocked)" "$(field seconds)" "$whole"
    done
done

# All states of the same programs, as the paper counts them; seconds are processor time of the whole command.
printf '\n| program | model | verdict | states | transitions | longest list | seconds | all steps: states | transitions |\n'
printf '|---|---|---|--:|--:|--:|--:|--:|--:|\n'
for name in $paper barrier-four; do
    for model in sc dotnet-ecma; do
        [ "$name $model" != "barrier-four dotnet-ecma" ] || continue
        field() {
            printf '%s' "$report" | sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9.]*\).*/\1/p" | head -n 1
        }
        search() {
            "$selvedge" check "$dir/$name.exe" --engine states -m "$model" --time-limit 120 --format json "$@" || true
        }
        report="$(search)"
        line="$(field verdict) | $(field states) | $(field transitions) | $(field longest_list)"
        seconds="$( { command time -f '%U' "$selvedge" check "$dir/$name.exe" --engine states -m "$model" \
            --time-limit 120 >/dev/null; } 2>&1 | tail -n 1)"
        report=""
        [ "$name" = barrier-four ] || report="$(search --all-steps --max-states 2000000)"
        printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$model" "$line" "$seconds" "$(field states)" "$(field transitions)"
    done
done
