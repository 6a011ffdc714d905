#!/usr/bin/env bash
# artefact.sh [--smoke]: runs the commands of packaging/ARTEFACT.md's table, and compares what they print with its last column.
# Needs Debian 12 or 13; installs what is missing as ./roundabout does. ROUNDABOUT=PROGRAM takes a program that is built already.
# Status 1: a claim is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=()
case ${1:-} in
    --smoke) runs=' smoke ' ;;
    '') runs=' smoke | full ' ;;
    *) echo "usage: packaging/artefact.sh [--smoke]" >&2 && exit 2 ;;
esac
[ $# -le 1 ] || { echo "usage: packaging/artefact.sh [--smoke]" >&2 && exit 2; }

for tool in pdflatex:texlive-latex-recommended cadical python3 make c++:g++; do
    command -v "${tool%:*}" >/dev/null || missing+=("${tool#*:}")
done
[ ${#missing[@]} -eq 0 ] || ./roundabout install "${missing[@]}"
if [ -z "${ROUNDABOUT:-}" ]; then
    ./roundabout --version
    ROUNDABOUT=$PWD/build/release/roundabout
fi
export ROUNDABOUT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" results
ln -s "$ROUNDABOUT" "$work/bin/roundabout"
export PATH="$work/bin:$PATH"

right=0 wrong=0
while IFS='|' read -r _ run claim _ command expected _; do
    [[ "|$runs|" == *"|$run|"* ]] || continue
    command=${command#*\`} command=${command%\`*}
    expected=${expected#*\`} expected=${expected%\`*}
    [[ $expected =~ [^\ ] ]] || expected= # the status alone
    begin=$SECONDS
    if bash -c "$command" >"$work/out" 2>"$work/err" &&
        { [ -z "$expected" ] || grep -E -- "$expected" "$work/out" >/dev/null; }; then
        right=$((right + 1))
        printf 'right %4d s %s\n' $((SECONDS - begin)) "$claim"
    else
        wrong=$((wrong + 1))
        printf 'wrong %4d s %s: %s\n' $((SECONDS - begin)) "$claim" "$command"
        tail -n 5 "$work/out" "$work/err"
    fi
done <packaging/ARTEFACT.md
echo "$right claims are right, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$right" -gt 0 ]
