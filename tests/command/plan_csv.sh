#!/bin/sh
# Executes plans from their CSV alone: tokens move between locations, and a reduction joins two
# tokens in the order that the CSV gives. At the end every rank must have the tokens of the
# postcondition, with ranks in order.
#
# usage: plan_csv.sh PROGRAM
set -eu
program=$1

# KIND P ALGORITHM-OPTIONS...: kind is which ranks must have what at the end.
run() {
    kind=$1 p=$2
    shift 2
    "$program" plan -p "$p" -n 2 --format csv "$@" | awk -F, -v kind="$kind" -v p="$p" '
    function fail(what) { print what ": " $0 > "/dev/stderr"; failed = 1; exit 1 }
    function at(rank, buffer, owner, i) { return rank SUBSEP buffer SUBSEP owner SUBSEP i }
    function flush_round(   i, f, key, got, head) {
        for (i = 0; i < sends; i++) { # all of them read the state at the start of the round
            split(send[i], f, ",")
            key = f[2] SUBSEP f[4] SUBSEP f[5]
            wire[key, put[key]++] = held[at(f[2], f[6], f[7], f[8])]
        }
        for (i = 0; i < others; i++) {
            split(other[i], f, ",")
            head = at(f[2], f[6], f[7], f[8])
            if (f[2] == f[4])
                got = held[at(f[2], f[10], f[11], f[12])]
            else {
                key = f[4] SUBSEP f[2] SUBSEP f[5]
                got = wire[key, taken[key]++]
            }
            if (got == "") { print "nothing arrives: " other[i] > "/dev/stderr"; failed = 1; exit 1 }
            if (f[3] == "reduce")
                held[head] = f[13] == "incoming" ? got held[head] : held[head] got
            else
                held[head] = got
        }
        sends = others = 0
    }
    BEGIN {
        for (r = 0; r < p; r++) for (i = 0; i < 2; i++) {
            token = sprintf("<%d>", r)
            if (kind == "allgather") held[at(r, "dst", r, i)] = token
            else if (kind == "exscan") held[at(r, "src", 0, i)] = token
            else if (kind == "bcast") { if (r == 0) held[at(r, "dst", 0, i)] = token }
            else if (kind == "alltoall")
                for (d = 0; d < p; d++) held[at(r, "src", r, 2 * d + i)] = token
            else held[at(r, "dst", 0, i)] = token
        }
    }
    NR == 1 { next }
    $1 != round { flush_round(); round = $1 }
    $3 == "send" { send[sends++] = $0; next }
    { other[others++] = $0 }
    END {
        if (failed) exit 1
        flush_round()
        for (r = 0; r < p; r++) {
            upto = kind == "scan" ? r : kind == "exscan" ? r - 1 : p - 1
            all = ""
            for (j = 0; j <= upto; j++) all = all "<" j ">"
            for (i = 0; i < 2; i++) for (o = 0; o < p; o++) {
                if (kind == "allgather") { is = held[at(r, "dst", o, i)]; want = "<" o ">" }
                else if (kind == "alltoall") { is = held[at(r, "dst", o, 2 * r + i)]; want = "<" o ">" }
                else { is = held[at(r, "dst", 0, i)]; want = kind == "bcast" ? "<0>" : all }
                if (kind == "reduce" && r > 0 || kind == "exscan" && r == 0) continue
                if (is != want) {
                    printf "rank %d, block %d has %s, not %s\n", r, i, is, want > "/dev/stderr"
                    exit 1
                }
            }
        }
    }' || { echo "FAILED: plan -p $p -n 2 $*" >&2; exit 1; }
}

for p in 3 6 8; do
    for ordered in reduce/chain reduce/binomial allreduce/recursive-doubling allreduce/binomial \
        allreduce/ring-exchange allreduce/mesh-exchange scan/chain scan/dissemination scan/mesh \
        scan/hypercube exscan/chain exscan/doubling-123 exscan/census exscan/dissemination exscan/mesh; do
        run "${ordered%/*}" "$p" --collective "${ordered%/*}" --algorithm "${ordered#*/}" --ordered
    done
    for algorithm in circulant chain binomial mesh; do
        run bcast "$p" --collective bcast --algorithm "$algorithm"
    done
    for algorithm in circulant ring dissemination bruck; do
        run allgather "$p" --collective allgather --algorithm "$algorithm"
    done
    run bcast "$p" --collective bcast --algorithm hosts --groups 2,1
    for algorithm in hosts leaders; do
        run allgather "$p" --collective allgather --algorithm "$algorithm" --groups 2,1
    done
    run bcast "$p" --collective bcast --algorithm fan --groups 3
    run alltoall "$p" --collective alltoall --algorithm hosts --groups 3
    run alltoall "$p" --collective alltoall --algorithm hosts --groups 2,1 --radix 2
    for algorithm in bruck linear pairwise xor mesh; do
        run alltoall "$p" --collective alltoall --algorithm "$algorithm"
    done
done
