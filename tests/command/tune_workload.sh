#!/usr/bin/env bash
# tune_workload.sh PROGRAM - tune --search --workload: its times are those of simulate --workload with the choices; no
# other algorithm alone, and nothing that was tried, is faster; rules that it writes are taken by a workload.
set -euo pipefail

roundabout=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "tune_workload.sh: $*" >&2
    exit 1
}

# Broadcasts in rows and columns at once, then an allreduce of all; % is the broadcasts' algorithm.
program() {
    sed "s/%/$1/" <<'END'
jobs:
  - name: both
    ranks: 16
    communicators:
      rows: {grid: [4, 4], along: 1}
      columns: {grid: [4, 4], along: 0}
    program:
      - repeat: 3
        do:
          - {start: a, bcast: {in: rows, bytes: 256KiB, root: step%}}
          - {start: a, bcast: {in: columns, bytes: 256KiB%}}
          - compute: 10us
          - wait: a
          - {allreduce: {bytes: 64KiB}}
END
}
time_of() {
    "$roundabout" simulate --workload "$1" --platform dragonfly:72 --format json | jq .time_s
}

same() {
    jq -en "($1 - $2 | fabs) <= 1e-12 * $2" >/dev/null
}

program '' >said.yaml
"$roundabout" tune --search --workload said.yaml --platform dragonfly:72 --format json >tuned.json
after=$(jq .after_s tuned.json)
[ "$(jq .settled tuned.json)" = true ] || fail "not settled"
same "$(jq .before_s tuned.json)" "$(time_of said.yaml)" || fail "the file's own time"
jq -e '.decision | length == 2 and all(.[]; .time_s == $after and .next_best_s >= $after and .own_s >= $after)' \
    --argjson after "$after" tuned.json >/dev/null || fail "a time below that of the choice"

# What simulate says of the choices.
choice_of() {
    jq -r ".decision[] | select(.collective == \"$1\") | \", algorithm: \(.choice), blocks: \(.blocks // 1), groups: host\"" \
        tuned.json
}
program "$(choice_of bcast)" | sed "s/64KiB/64KiB$(choice_of allreduce)/" |
    sed -E 's/algorithm: (hosts|exchange[a-z-]*|turns|leaders[a-z-]*), blocks: ([0-9]+), groups: host/algorithm: \1, blocks: \2/; s/, groups: host//' \
        >chosen.yaml
same "$(time_of chosen.yaml)" "$after" || fail "the choices take $(time_of chosen.yaml), not $after"

# No other algorithm of the broadcasts makes the whole faster.
for algorithm in chain binomial circulant scatter-allgather binary; do
    program ", algorithm: $algorithm" | sed "s/64KiB/64KiB$(choice_of allreduce | sed 's/, groups: host//')/" >other.yaml
    jq -en "$(time_of other.yaml) >= $after * (1 - 1e-12)" >/dev/null || fail "$algorithm is faster"
done

# The same again; and rules, of algorithms that the library has.
"$roundabout" tune --search --workload said.yaml --platform dragonfly:72 --format json | cmp - tuned.json
"$roundabout" tune --search --workload said.yaml --platform dragonfly:72 --format ompi -o rules.conf 2>/dev/null
program ", algorithm: 'rules:rules.conf'" | sed "s/64KiB/64KiB, algorithm: 'rules:rules.conf'/" >ruled.yaml
jq -en "$(time_of ruled.yaml) >= $after * (1 - 1e-12)" >/dev/null || fail "rules are faster than the best"

refuse() {
    local message=$1 status=0
    shift
    "$roundabout" tune "$@" >out 2>&1 || status=$?
    [ "$status" -eq 2 ] || fail "$*: status $status, not 2"
    grep -qF -- "$message" out || fail "$*: no \"$message\" in $(cat out)"
    [ "$(wc -l <out)" -eq 1 ] || fail "$*: more than a line"
}
refuse '--workload: only with --search' --workload said.yaml
refuse '--ranks: leave it out: said.yaml says what runs' --search --workload said.yaml -p 4
refuse '16 hosts needed' --search --workload said.yaml --platform crossbar:2
refuse 'nothing.yaml' --search --workload nothing.yaml
refuse '--format decisions' --search --workload said.yaml --format decisions
printf 'jobs: [{ranks: 4, program: [{compute: 1us}]}]\n' >idle.yaml
refuse 'no step is a collective' --search --workload idle.yaml
