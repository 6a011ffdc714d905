#!/usr/bin/env bash
# tables_fit_terminals.sh PROGRAM - verbs' tables on a terminal of 80 columns: no line is longer, a line says what was left out,
# --details shows it, and what is no terminal gets all columns.
set -euo pipefail
program=$(realpath "$1")
data=$(dirname "$(realpath "$0")")/../../data/pico/measurements.csv
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
export ROUNDABOUT_QUIET=1 LC_ALL=C.UTF-8
unset COLUMNS

fail() {
    echo "$0: $*" >&2
    exit 1
}
# on_terminal WORD...: what the program shows on a terminal of 80 columns.
on_terminal() {
    script -qec "stty cols 80 rows 24; $(printf '%q ' "$program" "$@")" /dev/null </dev/null | tr -d '\r'
}
# fits COMMAND...: no line of its tables is longer than the terminal; sentences are.
fits() {
    on_terminal "$@" >shown || fail "$*: $(cat shown)"
    [ -s shown ] || fail "$*: shows nothing"
    grep -vE '^(Grama, Gupta|ts|roundabout|contention|C1|steps|platform|rounds|in sequence|in all of these|regret|single|[a-z]+, .* held out|Note)\b' shown >lines
    ! grep -qE '^.{81,}' lines || fail "$*: longer than 80: $(grep -E '^.{81,}' lines)"
}
# leaves_out COMMAND...: it fits, says so, and --details equals what is no terminal.
leaves_out() {
    fits "$@"
    grep -q '(left out: ' shown || fail "$*: does not say what it left out: $(cat shown)"
    "$program" "$@" 2>&1 | sed -E 's/ in [0-9.e-]+ s[.]?$//; s/ [0-9]+\.[0-9] s$//' >whole
    on_terminal "$@" --details | sed -E 's/ in [0-9.e-]+ s[.]?$//; s/ [0-9]+\.[0-9] s$//' | diff whole - >&2 ||
        fail "$*: --details differs from what is no terminal"
    grep -qE '^.{81,}' whole || fail "$*: is not wide"
}
leaves_out tune --search -p 16,32 -m 64KiB,4MiB --what all
fits tune --search -p 16,32 -m 64KiB,4MiB
leaves_out tune --search -p 16 -m 64KiB --what decision
fits verify --collective all --algorithm all -p 1..3
leaves_out verify --claims -p 1..33
leaves_out audit "$data" --system leonardo --what losses
leaves_out audit "$data" --system leonardo --what points
fits redistribute --instance P=3,r=1,Q=2,s=2 --method best,greedy,matching,stepwise
fits check formulas -p 4 -m 1KiB
for what in errors choices rows; do
    leaves_out predict "$data" --system leonardo --rows 'collective=bcast & bytes>=64MiB' --what $what
done
fits platform describe dragonfly:72
fits tune --search --collective alltoall --algorithm bruck --radix 2..16 -p 16 -m 128KiB
fits simulate -p 4 -n 2 -m 1KiB --links 3 --finish
fits schedule -p 33
fits plan -p 4 -n 2

# Prose is broken at words, and long names are kept: without line breaks the text is that for a file.
for verb in list doctor; do
    on_terminal $verb >shown || fail "$verb: $(cat shown)"
    ! grep -E '^.{81,}' shown | grep -v ' /[^ ]*$' >&2 || fail "$verb: a line longer than 80"
    diff <("$program" $verb | tr -s ' \n' ' ') <(tr -s ' \n' ' ' <shown) >&2 || fail "$verb: another text"
done
mapfile -t verbs < <("$program" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-][a-z-]*\) .*/\1/p')
[ ${#verbs[@]} -gt 15 ] || fail "verbs: ${verbs[*]}"
"$program" help >shown
! grep -E '^.{81,}' shown >&2 || fail "help: a line longer than 80"
for verb in "${verbs[@]}"; do
    "$program" help "$verb" --details | sed '/^Examples:/,/^$/d' >shown
    ! grep -E '^.{81,}' shown >&2 || fail "help $verb: a line longer than 80"
done

# COLUMNS goes before the terminal's width; a file is no terminal, and rubbish is no width.
COLUMNS=60 "$program" verify --claims -p 1..3 | grep '(left out: ' >/dev/null
for columns in '' 0 x -5 1000000000000000000000 80x 500; do
    COLUMNS=$columns "$program" verify --claims -p 1..3 | grep 'nearest to the bound' >/dev/null ||
        fail "COLUMNS=$columns leaves something out"
done
COLUMNS=60 "$program" verify --claims -p 1..3 -o file
grep -q 'nearest to the bound' file || fail "a file has not all columns"
status=0
"$program" list --details --details 2>err || status=$?
{ [ $status -eq 2 ] && grep -q -- '--details: given twice' err; } || fail "--details --details: $status: $(cat err)"

# Progress is gone from the line where an answer begins.
printf '%s\n' 'collective: bcast' 'algorithms: chain' 'ranks: [64, 128, 256]' 'bytes: 16MiB' 'blocks: [2000, 4000]' 'platforms: crossbar:256' 'engine: simgrid' >busy.yaml
script -qec "stty cols 80 rows 24; env -u ROUNDABOUT_QUIET $(printf '%q ' "$program") sweep busy.yaml --no-plots --jobs 1" /dev/null </dev/null >shown
tr '\r' '\n' <shown | sed 's/\x1b\[K//g' >lines
grep -q ' %, ' lines || fail "no progress is shown: $(cat lines)"
grep -qE '^6 points in ' lines || fail "the answer does not begin a line: $(cat -v shown)"
