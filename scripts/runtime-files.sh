#!/bin/sh
# Lowers the parts of the library that are written in C (crates/vm/src/runtime/*.c) to the bytecode that is linked
# into programs. To be run after a change of them; needs selvedge-lower, or $LOWER.
set -eu
cd "$(dirname "$0")/../crates/vm/src/runtime"
lower=${LOWER:-../../../../target/release/selvedge-lower}
for file in files input pmem stdio words; do
    {
        echo "; Made from $file.c by scripts/runtime-files.sh: change that."
        # Without places, types and signatures: what the library does is known by where it is called.
        "$lower" --disable all "$file.c" | sed -E \
            -e '/^(file|type|note|signature) /d' \
            -e 's/ ![0-9]+:[0-9]+:[0-9]+(:[0-9]+)?//g' \
            -e 's/ signature [0-9]+//' \
            -e 's/^(global .*) type [0-9]+/\1/' \
            -e 's/(call\.[0-9]+)\.as\.[0-9]+/\1/' \
            -e "s/@\.str(\.([0-9]+))?/@__selvedge_${file}_text\2/g" |
            # Declared elsewhere.
            grep -vE '^func &(pthread_mutex_lock|pthread_mutex_unlock|memcpy|memmove|memset|strlen|__selvedge_(print|choose))\([^{]*$' |
            case $file in
            files) grep -vE '^func &__selvedge_input_bytes\([^{]*$' ;;
            input) cat ;;
            pmem) grep -vE '^func &__selvedge_(path|map|disk|call_failed)\([^{]*$' ;;
            stdio) grep -vE '^func &(__VERIFIER_nondet_bool|__selvedge_(call_failed|text_[a-z]+|input(_[a-z]+)?)|atexit|open|close|read|write|lseek|fcntl|unlink)\([^{]*$' ;;
            words) grep -vE '^func &(__selvedge_errno|strtod|strncasecmp)\([^{]*$' ;;
            esac
    } > "$file.ir"
done
