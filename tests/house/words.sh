#!/usr/bin/env bash
# words.sh SOURCE - pages keep to the words of docs/README.md: it has at most 40, in order, and no page has a word of
# tests/house/words, in one line or over two. Headings, tables and lists are prose as well; code in blocks and backquotes,
# comments and the targets of links are not. Nor has any text in the program's source.
set -euo pipefail
cd "$1"

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
sed -n '/^## Words/,$s/^| \([^|]*[^ |]\) *|.*/\1/p' docs/README.md | sed 1,2d >"$room/terms"
wrong=0
if [ "$(wc -l <"$room/terms")" -gt 40 ] || ! LC_ALL=C sort -fc "$room/terms"; then
    echo "docs/README.md: more than 40 words, or not in order"
    wrong=1
fi

# A paragraph becomes one line: PAGE:LINE: TEXT.
# shellcheck disable=SC2016 # awk's
prose='
function end() {
    if (text != "")
        print page ":" first ":" tolower(text) " "
    text = ""
}
FNR == 1 { end(); code = 0 }
/^ *(```|~~~)/ { end(); code = !code; next }
code || /^ *$/ || /^    / && text == "" || /^<!--/ { end(); next }
/^ *([-*|#]|[0-9]+\.) ?/ { end() }
{
    if (text == "") {
        page = FILENAME
        first = FNR
    }
    text = text " " $0
}
END { end() }'
# shellcheck disable=SC2016 # the backquotes are the pages'
awk "$prose" README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md {examples,data}/*/README.md packaging/*.md python/README.md |
    sed -E 's/`[^`]*`/code/g; s/\]\([^)]*\)/]/g' | tr -s ' ' >"$room/prose"
[ "$(wc -l <"$room/prose")" -gt 2000 ] || { echo "only $(wc -l <"$room/prose") paragraphs were found"; wrong=1; }
# What the program says: literals of several words, with those that continue them on the next lines.
# shellcheck disable=SC2016 # awk's
literals='
function end() {
    if (split(text, words, " ") > 2)
        print place ":" tolower(text) " "
}
/^[^:]*:[0-9]+:".* / {
    match($0, /^[^:]*:[0-9]+:/)
    split($0, part, ":")
    if (part[1] != file || part[2] > line + 1) {
        end()
        text = ""
        place = part[1] ":" part[2]
    }
    file = part[1]
    line = part[2]
    text = text substr($0, RLENGTH + 2, length($0) - RLENGTH - 2)
}
END { end() }'
grep -rnoE '"([^"\\]|\\.)*"' --include='*.[ch]' command experiments interchange mpi platforms plots schedules sim studies support |
    awk "$literals" | sed 's/\\n/ /g' | tr -s ' ' >"$room/said"
[ "$(wc -l <"$room/said")" -gt 2000 ] || { echo "only $(wc -l <"$room/said") texts of the program were found"; wrong=1; }
cat "$room/said" >>"$room/prose"

while IFS=$'\t' read -r word instead; do
    case $word in '' | '#'*) continue ;; esac
    while IFS=: read -r page line text; do
        echo "$page:$line: \"$(grep -oE "(^|[^a-z])($word)([^a-z]|$)" <<<"$text" | head -n 1)\": $instead"
        wrong=1
    done < <(grep -E ":.*[^a-z]($word)([^a-z]|$)" "$room/prose")
done <tests/house/words
exit $wrong
