#!/usr/bin/env bash
# Checks a page: replays its examples, the blocks with lines that start with "$ ", and compares the
# output with the text below these lines. Blocks without such lines are ignored.
# Usage: page_examples.sh PROGRAM PAGE
set -euo pipefail
program=$1
page=$2
transcript=$(mktemp)
trap 'rm -f "$transcript"' EXIT

awk 'BEGIN { print "$ ln -s ../data ." } # pages name files of the checkout
     /^```/ { inside = !inside; replayed = 0; next }
     inside && /^\$ / { replayed = 1; print; next }
     inside && replayed { print "> " $0 }' "$page" >"$transcript"
"$(dirname "$0")/../cli/check" "$program" "$transcript"
