#!/usr/bin/env bash
# Keeps a page true: replays its examples, the blocks with lines that start with "$ ", and compares
# with what the page shows below these. Blocks without such lines are left alone.
# Usage: page_examples.sh PROGRAM PAGE
set -euo pipefail
program=$1
page=$2
transcript=$(mktemp)
trap 'rm -f "$transcript"' EXIT

awk '/^```/ { inside = !inside; replayed = 0; next }
     inside && /^\$ / { replayed = 1; print; next }
     inside && replayed { print "> " $0 }' "$page" >"$transcript"
"$(dirname "$0")/cli/check" "$program" "$transcript"
