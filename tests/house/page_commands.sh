#!/usr/bin/env bash
# Runs the commands of a page in their order, in one empty directory with the checkout's data and
# experiments, and compares what the page shows of their output:
#
#   ```sh             every line is a command, which must end with status 0
#   ```yaml FILE      the file is there before the first command; likewise c and python
#   a line "$ ..."    in another block: a command, whose output stands below it
#
# Comments before a block, which readers do not see, make exceptions:
#
#   <!-- not run: REASON -->           about the whole block, or
#   <!-- not run, "TEXT": REASON -->   about its commands with this text
#   <!-- slow: REASON -->              or with a text: run only if the third argument is `slow`
#   <!-- before: COMMAND -->           a command that readers need not see, run here
#
# few.yaml is an experiment of a second, and results/default.db has its points.
# Usage: page_commands.sh PROGRAM PAGE [slow]
set -euo pipefail
program=$1
page=$2
slow=${3-}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/files"

# shellcheck disable=SC2016 # awk's
awk -v page="$page" -v files="$room/files" -v with_slow="$slow" '
function fail(line, text) {
    print page ":" line ": " text >"/dev/stderr"
    failed = 1
}
# What becomes of a command: "not run", "slow" or "".
function mark_of(command,   i, found) {
    for (i = 1; i <= marks; i++)
        if (text[i] == "" || index(command, text[i])) {
            used[i] = 1
            found = kind[i]
        }
    return found
}
function silently(command) {
    print "$ { " command "; } >../log 2>&1 || { tail -n 20 ../log; false; }"
}
function take(command,   mark) {
    mark = mark_of(command)
    sub(/ +# .*/, "", command)
    if (mark == "" || mark == "slow" && with_slow)
        silently(command)
}
function end_of_block(   i) {
    for (i = 1; i <= marks; i++)
        if (!used[i])
            fail(line[i], "the next block has no command with \"" text[i] "\"")
    marks = 0
    split("", used)
}
BEGIN { print "$ cp -r " files "/. . && ln -s ../data ../examples ../experiments ../bin/roundabout ." }
fence == "" && /^<!-- (not run|slow)(, ".*")?: .* -->$/ {
    kind[++marks] = /^<!-- slow/ ? "slow" : "not run"
    text[marks] = match($0, /, ".*": /) ? substr($0, RSTART + 3, RLENGTH - 6) : ""
    line[marks] = FNR
    next
}
fence == "" && /^<!-- before: .* -->$/ {
    silently(substr($0, 14, length($0) - 17))
    next
}
/^ *(```|~~~)/ {
    if (fence == "") {
        fence = substr($1, 1, 3)
        language = substr($1, 4)
        file = language ~ /^(yaml|c|python)$/ && NF == 2 && $2 !~ /\// ? files "/" $2 : ""
        shown = 0
        next
    } else if (substr($1, 1, 3) == fence) {
        fence = ""
        end_of_block()
        next
    }
}
fence != "" && file != "" { print >file }
fence != "" && language == "sh" && !/^ *(#|$)/ {
    command = command $0
    if (sub(/\\$/, "", command))
        next
    take(command)
    command = ""
    next
}
fence != "" && /^\$ / { shown = 1; print; next }
fence != "" && shown { print "> " $0; next }
/^ *([A-Z_]+=[^ ]* )*(\.\/)?(roundabout|s?mpirun[^ ]*) / && (fence == "" ? /^    / && before ~ /^(    .*)?$/ : language == "") {
    fail(FNR, "a command in a block that is not ```sh")
}
{ before = $0 }
END {
    end_of_block()
    exit failed
}' "$page" >"$room/transcript"

cat >"$room/files/few.yaml" <<'END'
name: default
collective: bcast
element-bytes: 4
bytes: [64KiB, 1MiB, 16MiB]
ranks: [64, 256, 1024]
platforms: [fat-tree:1024, dragonfly:1056]
engine: flow
grids:
  - algorithms: circulant
    blocks: {of-optimum: [0.5, 1, 2]}
  - algorithms: [binomial, scatter-allgather, scatter-doubling]
END
if grep -q '^\$ .*results/default\.db' "$room/transcript"; then
    sed -i '1a $ mkdir results && roundabout sweep few.yaml -o results/default.db --no-plots >../log 2>&1' "$room/transcript"
fi
"$(dirname "$0")/../cli/check" "$program" "$room/transcript"
