#!/bin/bash
# graphs.sh PROGRAM - files in GOAL as workloads: the times of LogGOPSim, which the first lines of the files in graphs/
# say (L o g G O S, then nanoseconds); a workload file that names one; wrong files.
set -eu
program=$1
files=$(realpath "$(dirname "$0")")/graphs
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
    echo "$0: $*"
    cat said 2> /dev/null
    exit 1
}
simulate() { "$program" simulate --workload "$@" --format json > printed 2> said || fail "simulate --workload $*"; }
time_of() { sed -n 's/^  "time_s": \(.*\),/\1/p' printed; }

for file in "$files"/*.goal; do
    sed -n 's,// LogGOPSim ,,p' "$file" > known
    [ -s known ] || fail "$file: no time is known"
    while read -r L o g G O S wanted; do
        simulate "$file" --platform crossbar:8 --engine model --engine-option "L:${L}ns" --engine-option "o:${o}ns" \
            --engine-option "g:${g}ns" --engine-option "G:${G}ns" --engine-option "O:${O}ns" --engine-option "S:$S"
        got=$(time_of | awk '{ printf "%.0f", $1 * 1e9 }')
        [ "$got" = "$wanted" ] || fail "$file, L o g G O S = $L $o $g $G $O $S: $got ns, LogGOPSim $wanted ns"
    done < known
    # A workload file that names it says the same.
    simulate "$file" --platform fat-tree:16 --engine flow
    flow=$(time_of)
    "$program" workload "$file" -o kept.yaml
    simulate kept.yaml --platform fat-tree:16 --engine flow
    [ "$flow" = "$(time_of)" ] || fail "$file: $flow s, in a workload file $(time_of) s"
    simulate kept.yaml --platform fat-tree:16 --engine simgrid
    awk -v a="$flow" -v b="$(time_of)" 'BEGIN { exit !(a > 0 && (a - b) / a < 1e-9 && (b - a) / a < 1e-9) }' ||
        fail "$file: flow $flow s, simgrid $(time_of) s"
done

# Two chains of 2 ms that wait for nothing of each other, of computing and of a message, take 2 ms together; the
# processor of a rank does one computing after another.
printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: send 10000000b to 1' 'b: calc 1000000' 'c: calc 1000000' '}' \
    'rank 1 {' 'a: recv 10000000b from 0' '}' > two.goal
simulate two.goal --platform crossbar:2,latency=0s,bandwidth=5GBps --engine flow
[ "$(time_of | awk '{ printf "%.6f", $1 }')" = 0.002000 ] || fail "two chains took $(time_of) s"
simulate two.goal --platform crossbar:2,latency=0s,bandwidth=10GBps --engine flow
[ "$(time_of | awk '{ printf "%.6f", $1 }')" = 0.002000 ] || fail "computing took $(time_of) s"

# refuse MESSAGE LINE...: a file of these lines.
refuse() {
    local message=$1
    shift
    printf '%s\n' "$@" > wrong.goal
    "$program" simulate --workload wrong.goal --engine flow > printed 2> said && fail "$message: not refused"
    grep -qF -e "$message" said || fail "not said: $message"
    [ "$(wc -l < said)" = 1 ] || fail "$message: more than one line"
}
refuse 'wrong.goal:3: no other end' 'num_ranks 2' 'rank 0 {' 'a: send 8b to 1' '}'
refuse 'wrong.goal:3: no other end' 'num_ranks 2' 'rank 0 {' 'a: recv 8b from 1' '}'
refuse 'wrong.goal:3: other bytes' 'num_ranks 2' 'rank 0 {' 'a: send 8b to 1' '}' 'rank 1 {' 'a: recv 9b from 0' '}'
refuse 'wrong.goal:4: a rank sends to itself' 'num_ranks 2' 'rank 0 {' 'a: send 8b to 0' 'b: recv 8b from 0' '}'
refuse 'wrong.goal:3: the operation requires itself' 'num_ranks 2' 'rank 0 {' 'a: calc 8' 'a requires a' '}'
refuse 'wrong.goal:3: the file ends before }' 'num_ranks 2' 'rank 0 {' 'a: calc 8'
refuse 'wrong.goal:1: no rank does anything' 'num_ranks 2'
refuse 'missing: num_ranks RANKS' 'num_ranks many'
refuse 'deadlock: rank 0 waits in message of 8B (line 3) for rank 1, which waits in message of 8B (line 8) for' 'num_ranks 2' \
    'rank 0 {' 'a: recv 8b from 1' 'b: send 8b to 1' 'b requires a' '}' \
    'rank 1 {' 'a: recv 8b from 0' 'b: send 8b to 0' 'b requires a' '}'
printf 'jobs: [{ranks: 3, graph: two.goal}]\n' > three.yaml
"$program" simulate --workload three.yaml --engine flow 2> said && fail "three ranks: not refused"
grep -qF 'three.yaml:1:26: graph: two.goal is of 2 ranks, the job has 3' said || fail "three ranks"
