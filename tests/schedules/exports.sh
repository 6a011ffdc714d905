#!/usr/bin/env bash
# The shared libraries export what their headers declare, and nothing else.
# Usage: exports.sh HEADER LIBRARY [HEADER LIBRARY]...
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
while [ $# -gt 0 ]; do
    # Without comments, inline functions and preprocessor lines: functions, and arrays that are extern.
    sed -e 's,//.*,,' "$1" | tr '\n' '\r' | sed -e 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' | tr '\r' '\n' |
        sed -e '/^static inline/,/^}/d' -e '/^typedef/d' -e '/^#/d' |
        sed -n -e 's/^[a-z].*[ *]\([Rr][Bb]_[A-Za-z0-9_]*\)(.*/\1/p' -e 's/^\([Rr][Bb]_[A-Za-z0-9_]*\)(.*/\1/p' \
            -e 's/^extern .*[ *]\([Rr][Bb]_[A-Za-z0-9_]*\)\[.*/\1/p' |
        sort >"$work/declared"
    nm -D --defined-only "$2" | awk '$2 ~ /[A-Z]/ && $3 !~ /^__/ { print $3 }' | sort >"$work/exported"
    if [ "$(wc -l <"$work/declared")" -lt 10 ]; then
        echo "$1: declarations are not recognised"
        failed=1
    elif ! diff "$work/declared" "$work/exported" >"$work/differences"; then
        echo "$2 differs from $1 (<: declared, not exported; >: exported, not declared):"
        cat "$work/differences"
        failed=1
    fi
    shift 2
done
exit "$failed"
