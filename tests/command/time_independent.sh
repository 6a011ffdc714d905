#!/bin/bash
# time_independent.sh PROGRAM [SMPICC] - time-independent traces as workloads. With SMPI's compiler: three programs are
# traced, and the traces take as long as in SMPI's replay with the same algorithms. Wrong files.
set -eu
program=$1
source=$(realpath "$(dirname "$0")")/traced_programs.c
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
near() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN { exit !(a > 0 && a - b <= by * b && b - a <= by * b) }'; }

# ---- By hand ----

# 10 flops at 1e9 per second, 1 us asleep, then 8 MB at 8 GB/s, and rank 0 computes 1 ms beside it: it waits 1.01001 ms.
printf '%s\n' '0 init' '0 compute 1e4' '0 sleep 1e-6' '0 isend 1 5 1e6 0' '0 compute 1000000' '0 location init.c 5' \
    '0 test 0 1 5' '0 wait 0 1 5' '0 finalize' '1 init' '1 recv 0 5 1000001 0' '1 finalize' > hand.txt
simulate hand.txt,speed=1e9 --platform crossbar:2,latency=0s,bandwidth=8GBps --engine flow
near "$(time_of)" 0.001011 1e-12 || fail "by hand: $(time_of) s"
"$program" workload hand.txt --speed 1e9 -o hand.yaml 2> said
grep -q 'Left out: 2 actions' said || fail "what is left out is not said"
simulate hand.yaml --platform crossbar:2,latency=0s,bandwidth=8GBps --engine flow
near "$(time_of)" 0.001011 1e-12 || fail "by hand, kept: $(time_of) s"
# A list of one file for all ranks, and of a file for each, from another directory.
mkdir -p there
echo hand.txt > one.list
grep '^0' hand.txt > there/zero && grep '^1' hand.txt > there/rank-1 && printf '%s\n' zero rank-1 > there/list
for file in one.list there/list; do
    simulate "$file,speed=1e9" --platform crossbar:2,latency=0s,bandwidth=8GBps --engine flow
    near "$(time_of)" 0.001011 1e-12 || fail "$file: $(time_of) s"
done

# Names that YAML would read otherwise, and tabs.
tr ' ' '\t' < hand.txt > 'a"b\c d'
"$program" workload 'a"b\c d' --speed 1e9 -o odd.yaml 2> said
printf 'num_ranks 1\nrank 0 {\nl1: calc 5000000\n}\n' > '"goal'
"$program" workload '"goal' -o goal.yaml
simulate odd.yaml --platform crossbar:2,latency=0s,bandwidth=8GBps --engine flow
near "$(time_of)" 0.001011 1e-12 || fail "an odd name: $(time_of) s"
simulate goal.yaml --platform crossbar:2 --engine flow
near "$(time_of)" 0.005 1e-12 || fail "an odd name in GOAL: $(time_of) s"

# Nothing is written over what is read, also through a list or a workload.
cp hand.txt kept
for command in 'workload hand.txt --speed 1e9' 'workload one.list --speed 1e9' 'workload hand.yaml --format goal' \
    'recommend --workload hand.yaml --platform crossbar:2 --library ompi'; do
    # shellcheck disable=SC2086 # words
    "$program" $command -o hand.txt > printed 2> said && fail "$command is written over its input"
    grep -qE '"hand.txt" is read as (FILE|trace|graph); give another name' said || fail "$command: not said"
    cmp hand.txt kept || fail "$command has written over its input"
done

# Collectives of a trace can be chosen, between its messages.
printf '%s\n' '0 init' '0 isend 1 0 1e6' '0 allreduce 1e6 0' '0 wait 0 1 0' '0 bcast 1e6 1' '0 finalize' \
    '1 init' '1 recv 0 0 1e6' '1 allreduce 1e6 0' '1 bcast 1e6 1' '1 finalize' > mixed.txt
"$program" tune --search --workload mixed.txt --platform crossbar:2 > printed 2> said || fail "tune mixed.txt"
grep -q '^  allreduce .*circulant' printed || fail "no choice for the allreduce of mixed.txt"
grep -q '^  bcast ' printed || fail "no choice for the bcast of mixed.txt"

# ---- Mistakes ----

# refuse MESSAGE LINE...: a trace of these lines between the inits of ranks 0 and 1 and their finalizes.
refuse_file() {
    "$program" simulate --workload "$1,speed=1e9" --engine flow > printed 2> said && fail "$2: not refused"
    grep -qF -e "$2" said || fail "not said: $2"
    [ "$(wc -l < said)" = 1 ] || fail "$2: more than one line"
}
refuse() {
    local message=$1
    shift
    printf '%s\n' '0 init' '1 init' "$@" '0 finalize' '1 finalize' > wrong.txt
    refuse_file wrong.txt "$message"
}
refuse 'wrong.txt:3: send: a rank from 0 to 1 is required, not 2' '0 send 2 0 8'
refuse 'wrong.txt:3: send: a rank from 0 to 1 is required, not -1' '0 send -1 0 8'
refuse 'wrong.txt:3: send: a number from 0 to 9.0072e+15 is required, not 1e30' '0 send 1 0 1e30'
refuse 'wrong.txt:3: send: a number from 0 to 9.0072e+15 is required, not ' '0 send 1 0'
refuse 'wrong.txt:3: send: a number from 0 to 9.0072e+15 is required, not 8x' '0 send 1 0 8x'
refuse 'wrong.txt:3: send: a datatype from 0 to 59 is required, not 60' '0 send 1 0 8 60'
refuse 'wrong.txt:3: send: too many arguments: 9' '0 send 1 0 8 6 9'
refuse 'wrong.txt:3: send: from a rank to itself' '0 send 0 0 8'
refuse 'wrong.txt:3: no other end meets this one' '0 send 1 0 8'
refuse 'wrong.txt:3: no other end meets this one' '0 recv 1 0 8'
refuse 'wrong.txt:3: more bytes than are received' '0 send 1 0 9' '1 recv 0 0 8'
refuse 'wrong.txt:3: wait: no such message is in flight' '0 wait 0 1 5'
refuse 'wrong.txt:3: an action: SMPI replays none of this name: ibcast' '0 ibcast 8'
refuse 'wrong.txt:3: send: not of a rank of the trace, or of this file: 2' '2 send 1 0 8'
refuse 'wrong.txt:3: init: actions stand between init and finalize' '0 init'
refuse 'wrong.txt:3: comm_split: a trace does not say' '0 comm_split'
refuse 'wrong.txt:3: sleep: longer than' '0 sleep 1e9'
refuse 'wrong.txt:4: bcast: other ranks call another collective, or with other bytes or root: bcast' '0 bcast 8' '1 bcast 9'
refuse 'wrong.txt:4: bcast: other ranks call another collective' '0 barrier' '1 bcast 9'
refuse 'deadlock: rank 0 waits in bcast of 8B (line 3) for rank 1, which has ended' '0 bcast 8'
refuse 'deadlock: rank 0 waits in message of 100KB (line 3) for rank 1' '0 recv 1 0 100000' '1 recv 0 0 100000' \
    '0 send 1 0 100000' '1 send 0 0 100000'
printf '%s\n' '0 init' '0 compute 5' > cut.txt
refuse_file cut.txt 'cut.txt: cut off: rank 0 has no finalize'
printf '%s\n' there/zero there/zero > twice
refuse_file twice 'there/zero:1: init: not of a rank of the trace, or of this file: 0'
printf '%s\n' there/zero nowhere > missing
refuse_file missing 'missing:2: no such file: nowhere'
: > nothing && echo nothing > empty
refuse_file empty 'empty: no rank has an init'
echo self > self
refuse_file self 'self: no rank has an init'
"$program" simulate --workload hand.txt --engine flow 2> said > printed && fail "no speed is fine"
grep -qF 'hand.txt:2: compute: a speed is required: FILE,speed=1e9, say, or --speed 1e9' said || fail "a speed is not required"
for keys in 'collectives: {reduce: {algorithm: chain}}' 'collectives: {bcast: {bytes: 8}}' \
    'collectives: {bcast: {algorithm: chian}}' 'speed: -1'; do
    printf '%s\n' '0 init' '0 bcast 8' '0 finalize' > bcast.txt
    echo "jobs: {ranks: 1, graph: bcast.txt, $keys}" > wrong.yaml
    "$program" simulate --workload wrong.yaml --engine flow > printed 2> said && fail "$keys: not refused"
    grep -q '^roundabout simulate: wrong.yaml:1:' said || fail "$keys: no place"
done

# ---- Workloads as traces and as GOAL ----

# Steps of all ranks and of some, in rows and columns, roots that move, loops in loops, a job that starts later.
cat > blocking.yaml << 'EOF'
jobs:
  - ranks: 16
    communicators: {rows: {grid: [4, 4], along: 1}, columns: {grid: [4, 4], along: 0}}
    program:
      - repeat: 2
        do:
          - repeat: 3
            do:
              - bcast: {in: rows, bytes: 1MiB, root: step, algorithm: circulant, blocks: 8}
              - {only: 0..7, compute: {normal: [100us, 20us]}}
          - allreduce: {in: columns, bytes: 300kB, algorithm: rabenseifner}
          - halo: {grid: [4, 4], bytes: 50kB, periodic: yes}
      - alltoall: {bytes: 1MiB, algorithm: bruck}
  - {ranks: 4, start: 100us, program: [{bcast: {bytes: 0, algorithm: binomial}}, {gather: {bytes: 4MB, root: 3}}]}
EOF
sed 's/- bcast: {in: rows/- {start: panels, bcast: {in: rows/; s/blocks: 8}/blocks: 8}}/; s/^          - allreduce: \(.*\)/          - wait: panels\n          - {queue: sums, allreduce: \1}/
    s/^      - alltoall/      - wait: sums\n      - alltoall/' blocking.yaml > started.yaml
cat > several.yaml << 'EOF'
jobs:
  ranks: 4
  program:
    - {start: both, bcast: {bytes: 4MB, algorithm: binomial, blocks: 1}}
    - {start: both, bcast: {bytes: 1, algorithm: binomial}}
    - wait: both
    - compute: 1ms
EOF
hundred=fat-tree:32,latency=100ns
for file in blocking started several; do
    simulate $file.yaml --platform $hundred --engine flow
    wanted=$(time_of)
    "$program" workload $file.yaml --platform $hundred --format goal -o $file.goal
    simulate $file.goal --platform $hundred --engine flow
    near "$(time_of)" "$wanted" 1e-5 || fail "$file: $wanted s, as GOAL $(time_of) s"
done
"$program" workload blocking.yaml --platform $hundred --format ti -o blocking
# not MESSAGE FORMAT FILE: it can't be written.
not() {
    "$program" workload "$3" --format "$2" -o not 2> said && fail "$3 is written as $2"
    grep -qF "$1" said || fail "not said: $1"
    [ ! -e not ] || fail "$3 left a file"
}
not 'job 1: bcast in rows (line 9) is started, and in a trace it is waited for' ti started.yaml
not 'job 1: a graph, which is no program' goal hand.txt,speed=1e9
echo 'jobs: [{ranks: 2, program: [{bcast: {bytes: 1}}]}, {ranks: 2, until: others, program: [{bcast: {bytes: 1}}]}]' > until.yaml
not 'job 2: until: others, which has no end' ti until.yaml
echo 'jobs: {ranks: 2, program: [{start: a, compute: 1us}, {wait: a}]}' > beside.yaml
not 'job 1: compute (line 1) is started, and in GOAL' goal beside.yaml

# ---- SMPI as a witness ----

[ $# -ge 2 ] || exit 0
"$2" -O1 "$source" -o traced 2> said || fail "does not compile"
"$program" platform generate crossbar:8 -o platform.xml
seq -f 'host-%g' 0 7 > hosts
smpi() { smpirun -no-privatize -np 8 -platform platform.xml -hostfile hosts --cfg=smpi/test:0 "$@" 2> said || fail "smpirun $*"; }

# The workload's messages, one after another, take as long in SMPI if its ranks wait for all; by default they don't, and
# our reader of traces neither. SMPI's loader has latencies elsewhere.
seq -f 'host-%g' 0 31 > hosts32
"$program" platform generate fat-tree:32,latency=0 -o fat-tree.xml
for of in blocking.yaml:0 blocking/traces:65536; do
    simulate "${of%:*}" --platform fat-tree:32,latency=0 --engine flow
    smpirun -no-privatize -np 20 -platform fat-tree.xml -hostfile hosts32 --cfg=network/model:CM02 \
        --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0 --cfg=surf/precision:1e-12 \
        --cfg=smpi/send-is-detached-thresh:"${of#*:}" -replay blocking/traces 2> said || fail "SMPI takes no such trace"
    theirs=$(sed -n 's/.*Simulation time //p' said)
    near "$(time_of)" "$theirs" 0.001 || fail "$of: $(time_of) s, SMPI $theirs s"
done

# compare NAME WITHIN OURS SMPI...: the program's trace takes as long here, with these collectives, as in SMPI's replay.
compare() {
    local name=$1 within=$2 ours=$3
    shift 3
    smpi --cfg=smpi/simulate-computation:no -trace-ti --cfg=tracing/filename:"$name.trace" ./traced "$name"
    smpi --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0 --cfg=surf/precision:1e-12 "$@" \
        -replay "$name.trace"
    theirs=$(sed -n 's/.*Simulation time //p' said)
    echo "jobs: {ranks: 8, graph: $name.trace, speed: 1e9, collectives: {$ours}}" > w.yaml
    simulate w.yaml --platform crossbar:8 --engine flow
    near "$(time_of)" "$theirs" "$within" || fail "$name: $(time_of) s, SMPI $theirs s"
}
# SMPI prints microseconds.
compare stencil 0.001 'allreduce: {algorithm: recursive-doubling}' --cfg=smpi/allreduce:rdb
compare wavefront 0.001 ''
# The rest is in unequal counts, which are equal ones here, and in scatters, whose subtrees SMPI serves in another order.
compare collectives 0.05 'bcast: {algorithm: binomial, blocks: 1}, reduce: {algorithm: binomial, blocks: 1},
    allgather: {algorithm: ring}, alltoall: {algorithm: pairwise}, barrier: {algorithm: recursive-doubling},
    gather: {algorithm: binomial}, scatter: {algorithm: binomial}, allgatherv: {algorithm: ring},
    reducescatter: {algorithm: ring}, alltoallv: {algorithm: pairwise}, allreduce: {algorithm: recursive-doubling}' \
    --cfg=smpi/bcast:binomial_tree --cfg=smpi/reduce:binomial --cfg=smpi/allgather:ring --cfg=smpi/alltoall:ring \
    --cfg=smpi/barrier:ompi_recursivedoubling --cfg=smpi/gather:ompi_binomial --cfg=smpi/scatter:ompi_binomial \
    --cfg=smpi/allgatherv:ring --cfg=smpi/reduce_scatter:ompi_ring --cfg=smpi/alltoallv:ring --cfg=smpi/allreduce:rdb
