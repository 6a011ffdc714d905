#!/usr/bin/env bash
# budgets.sh SOURCE_DIRECTORY - prints the lines of C of each top-level folder beside its budget (the file budgets beside this one).
# A folder above its budget gets a warning; only a folder without a budget is an error.
set -euo pipefail
cd "$1"
declare -A budget
while read -r folder lines; do
    budget[$folder]=$lines
done < <(grep -v '^#' tests/house/budgets)
all=0 status=0
while read -r folder; do
    lines=$(find "$folder" \( -name '*.[ch]' -o -name '*.cpp' \) -exec cat {} + | wc -l)
    all=$((all + lines))
    if [ -z "${budget[$folder]:-}" ]; then
        echo "$folder has $lines lines and no budget: give it a line in budgets"
        status=1
    elif [ "$lines" -gt "${budget[$folder]}" ]; then
        printf '%-16s %6d of %6d  warning: %d above its budget\n' "$folder" "$lines" "${budget[$folder]}" \
            $((lines - budget[$folder]))
    else
        printf '%-16s %6d of %6d\n' "$folder" "$lines" "${budget[$folder]}"
    fi
done < <(grep -v '^#' tests/house/layers | sed 's/[:/].*//' | sort -u)
printf '%-16s %6d\n' all "$all"
exit "$status"
