#!/bin/bash
# chakra_traces.sh PROGRAM - Chakra's traces as workloads: collectives of all ranks and of process groups take the times
# of closed forms, nodes wait for others and for nothing else, our own traces take as long as their plans; wrong files.
set -eu
program=$1
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
# takes SECONDS...: a formula of awk's, in which a message of 1 MiB takes a + b.
takes() {
    awk -v t="$(time_of)" -v a=5e-7 -v b=2.097152e-5 "BEGIN { w = $2; exit !(t - w < 1e-9 * w && w - t < 1e-9 * w) }" ||
        fail "$1: $(time_of) s, not $2"
}

# trace.py DIRECTORY RANK|FIRST-LAST NODE...: a node is ID:TYPE:NAME=VALUE,...; data=ID, ctrl=ID, us=N, pg_name=TEXT, and dims=BITS
# beside numbers, which are attributes. VERSION is the schema's.
cat > trace.py << 'END'
import os, sys
def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128]); n >>= 7
    return out + bytes([n])
def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value
def behind_length(message):
    return varint(len(message)) + message
def node(text):
    number, kind, rest = text.split(':')
    out = field(1, int(number)) + field(2, b'## process_group:init ##' if 'groups=' in rest else b'a name') + field(3, int(kind))
    for pair in filter(None, rest.split(',')):
        name, value = pair.split('=')
        if name == 'groups': # as Python writes the list of the one text of this variable
            out += field(8, field(1, str([os.environ[value]]).encode()))
            continue
        if name in ('data', 'ctrl', 'us'):
            out += field({'ctrl': 4, 'data': 5, 'us': 7}[name], int(value))
            continue
        typed = (field(29, value.encode()) if name == 'pg_name' else
                 field(28, field(1, bytes(int(bit) for bit in value))) if name == 'involved_dim' else
                 field({'comm_src': 7, 'comm_dst': 7, 'num_ops': 13}.get(name, 9), int(value)))
        out += field(10, field(1, name.encode()) + typed)
    return out + field(99, b'not known')
os.makedirs(sys.argv[1], exist_ok=True)
first, last = (sys.argv[2] + '-' + sys.argv[2]).split('-')[:2]
for rank in range(int(first), int(last) + 1):
    with open('%s/t.%d.et' % (sys.argv[1], rank), 'wb') as file:
        file.write(behind_length(field(1, os.environ.get('VERSION', '0.0.4').encode())))
        for text in sys.argv[3:]:
            file.write(behind_length(node(text)))
END
trace() { python3 -IS trace.py "$@"; }
all() { trace "$1" "0-$(($2 - 1))" "${@:3}"; } # DIRECTORY RANKS NODE...
network=latency=500ns,bandwidth=50GBps

# ---- Collectives of all ranks ----

# collective TYPE NAME ALGORITHM SECONDS: of 4 ranks, of which each puts in 1 MiB.
collective() {
    all "$2" 4 "1:7:comm_type=$1,comm_size=1048576,involved_dim=11"
    "$program" workload "$2" -o one.yaml 2> said
    [ "$3" = - ] || sed -i "s/graph:/collectives: {$2: {algorithm: $3, blocks: 1}}, graph:/" one.yaml
    simulate one.yaml --platform "crossbar:4,$network" --engine flow
    takes "$2" "$4"
}
collective 0 all_reduce ring '6 * (a + b / 4)'
collective 2 all_gather ring '3 * (a + b)'
collective 7 reduce_scatter ring '3 * (a + b / 4)'
collective 6 all_to_all pairwise '3 * (a + b / 4)'
collective 5 broadcast binomial '2 * (a + b)'
collective 1 reduce binomial '2 * (a + b)'
all barrier 4 1:7:comm_type=9
simulate barrier --platform "crossbar:4,$network" --engine flow
simulate all_reduce/t.0.et --platform "crossbar:4,$network" --engine model

# ---- Process groups ----

# Groups 1 and 2 have no rank in common, 3 has one with each: what its ranks compute comes before, and no other waits.
printf '{"1": [0, 1], "2": [2, 3], "3": [1, 2]}' > "$(mkdir -p groups && echo groups)/comm_group.json"
reduce=comm_type=0,comm_size=1048576
trace groups 0 "1:7:$reduce,pg_name=1"
trace groups 1 "1:7:$reduce,pg_name=1" 5:4:us=100 "7:7:$reduce,pg_name=3,ctrl=5"
trace groups 2 "1:7:$reduce,pg_name=2" "7:7:$reduce,pg_name=3,data=1"
trace groups 3 "1:7:$reduce,pg_name=2"
"$program" workload groups -o groups.yaml 2> said
sed -i 's/graph:/collectives: {all_reduce: {algorithm: ring}}, graph:/' groups.yaml
simulate groups.yaml --platform "crossbar:4,$network" --engine flow
takes groups '1e-4 + 2 * (a + b / 2)'
simulate groups.yaml --platform "crossbar:4,$network" --engine simgrid
takes 'groups, simgrid' '1e-4 + 2 * (a + b / 2)'
# The groups as PyTorch lists them, in each trace those of its rank; 4 is another one of all ranks.
own=groups-of-torch
group() { printf '{"pg_name": "%s", "pg_desc": "d", "ranks": [%s], "group_size": 2}' "$@"; }
ONE="[$(group 0 ''), $(group 1 '0, 1'), $(group 4 '')]" trace $own 0 30:1:groups=ONE "1:7:$reduce,pg_name=1" "9:7:$reduce,pg_name=4,ctrl=1"
ONE="[$(group 0 ''), $(group 1 '0, 1'), $(group 3 '1, 2'), $(group 4 '')]" trace $own 1 30:1:groups=ONE "1:7:$reduce,pg_name=1" \
    5:4:us=100 "7:7:$reduce,pg_name=3,ctrl=5" "9:7:$reduce,pg_name=4,ctrl=7"
ONE="[$(group 2 '2, 3'), $(group 3 '1, 2'), $(group 4 '')]" trace $own 2 30:1:groups=ONE "1:7:$reduce,pg_name=2" \
    "7:7:$reduce,pg_name=3,data=1" "9:7:$reduce,pg_name=4,ctrl=7"
ONE="[$(group 2 '2, 3'), $(group 4 '')]" trace $own 3 30:1:groups=ONE "1:7:$reduce,pg_name=2" "9:7:$reduce,pg_name=4,ctrl=1"
"$program" workload $own -o own.yaml 2> said
sed -i 's/graph:/collectives: {all_reduce: {algorithm: ring}}, graph:/' own.yaml
simulate own.yaml --platform "crossbar:4,$network" --engine flow
takes 'groups of PyTorch' '1e-4 + 2 * (a + b / 2) + 6 * (a + b / 4)'
# What a library takes for them, and rules for it; of a trace of messages there are none.
"$program" recommend --workload groups,speed=1 --platform "crossbar:4,$network" --nodes 4 --library ompi -o rules > printed 2> said
grep -Eq 'groups,speed=1 takes [0-9.]+ us .*Open MPI' printed || fail 'recommend has no answer'
grep -q '^4 ranks, 6 collectives' said || fail 'recommend does not say what was read'
"$program" plan --collective bcast -p 4 -m 1MiB --format chakra -o messages
! "$program" recommend --workload messages,speed=1 --platform crossbar:4 --nodes 4 --library ompi > printed 2> said || fail 'rules for nothing'
grep -q 'there is no algorithm to choose' said || fail 'the reason is not said'
"$program" simulate --workload groups.yaml --engine flow --details > printed 2> said
grep -q 'all_reduce of 1MiB in groups like 3' printed || fail 'the step in group 3 is not in the table'

# ---- Nodes ----

# Both ranks send before they receive, rank 1 after 50 us, and a send waits for nobody; two collectives in opposite orders
# of time are told apart by the file; 1e6 operations take 100 us; a node for memory and an unknown one take no time.
send='comm_size=1048576,comm_tag=3'
trace nodes 0 "8:5:$send,comm_dst=1" "3:6:$send,comm_src=1,data=8" 4:4:num_ops=1000000,data=3 5:2:data=4 6:12:data=5 \
    "20:7:$reduce,data=6" "21:7:comm_type=9,comm_size=8"
trace nodes 1 2:4:us=50 "8:5:$send,comm_dst=0,data=2" "3:6:$send,comm_src=0,data=8" "20:7:$reduce" "21:7:comm_type=9,data=20"
"$program" workload nodes --speed 1e10 -o nodes.yaml 2> said
grep -q 'Left out: 2 nodes' said || fail 'what is left out is not said'
grep -q '1 are of unknown types, such as 12' said || fail 'the unknown type is not said'
sed -i 's/graph:/collectives: {all_reduce: {algorithm: ring}}, graph:/' nodes.yaml
simulate nodes.yaml --platform "crossbar:2,$network" --engine flow
grep -q '1 are of unknown types, such as 12' said || fail 'simulate does not say the unknown type'
awk -v t="$(time_of)" 'BEGIN { exit !(t > 1.934e-4 && t < 1.96e-4) }' || fail "nodes: $(time_of) s"

# ---- Our own traces ----

for algorithm in ring recursive-doubling circulant; do
    "$program" plan --collective allreduce --algorithm $algorithm -p 8 -n 3 -m 300KB --format chakra -o own
    simulate own,speed=1 --platform crossbar:8 --engine flow
    traced=$(time_of)
    "$program" simulate --collective allreduce --algorithm $algorithm -p 8 -n 3 -m 300KB --platform crossbar:8 --engine flow \
        --format json > printed
    awk -v a="$traced" -v b="$(time_of)" 'BEGIN { exit !(a > 0 && (a - b) / a < 1e-9 && (b - a) / a < 1e-9) }' ||
        fail "$algorithm: $(time_of) s, its trace $traced s"
done

# ---- Wrong files ----

# refuse MESSAGE NODE...: of rank 1, beside a right rank 0.
VERSION=1.0.0 trace right 0 1:4:us=1
refuse() {
    rm -rf wrong
    cp -r right wrong
    [ -z "${GROUPS_OF-}" ] || printf '%s' "$GROUPS_OF" > wrong/comm_group.json
    trace wrong 1 "${@:2}"
    refused wrong "$1"
}
refused() {
    "$program" simulate --workload "$1" --engine flow > printed 2> said && fail "$2: not refused"
    grep -qF -e "$2" said || fail "not said: $2"
    [ "$(wc -l < said)" = 1 ] || fail "$2: more than one line"
}
refuse 'wrong/t.1.et: nodes wait for one that is not there' 1:4:us=1,data=2
refuse 'wrong/t.1.et: nodes wait for one another' 1:4:us=1,data=2 2:4:us=1,ctrl=1
refuse 'wrong/t.1.et: two nodes have one number' 1:4:us=1 1:4:us=2
refuse 'wrong/t.1.et: node 4: no such number: comm_size' 4:7:comm_type=0
refuse 'wrong/t.1.et: node 4: no such number: comm_type' 4:7:comm_type=10,comm_size=8
refuse 'wrong/t.1.et: node 4: no such number: comm_dst' 4:5:comm_dst=2,comm_size=8
refuse 'wrong/t.1.et: node 4: leaves out dimensions' 4:7:comm_type=0,comm_size=8,involved_dim=10
refuse 'neither a node process_group:init before it nor comm_group.json beside it has its rank in process group 7' \
    4:7:comm_type=0,comm_size=8,pg_name=7
ONE='[{"pg_name": "7", ' refuse 'node 3: its inputs are no process groups' 3:1:groups=ONE
GROUPS_OF='{"7": [0, 1]}' ONE='[{"pg_name": "7", "ranks": [1]}]' refuse 'node 3: has other ranks than elsewhere in process group 7' 3:1:groups=ONE
GROUPS_OF='{"7": [0, 2]}' refuse 'process group 7' 4:7:comm_type=0,comm_size=8,pg_name=7
GROUPS_OF='{"7": [1, 1]}' refuse 'process group 7' 4:7:comm_type=0,comm_size=8,pg_name=7
GROUPS_OF='{"7": [' refuse 'wrong/comm_group.json:1: ' 4:7:comm_type=0,comm_size=8,pg_name=7
refuse 'wrong/t.1.et: node 4: no other end meets this one' 4:5:comm_dst=0,comm_size=8
refuse 'rank 1 waits in all_reduce of 8B for rank 0' 4:7:comm_type=0,comm_size=8
VERSION=0.0.3 refuse 'not 0.0.3' 1:4:us=1
all wrong 2 1:4:num_ops=5
refused wrong 'all 2 COMP nodes take 0 us: give a speed'
all wrong 2 1:4:us=5
rm wrong/t.0.et
refused wrong 'wrong/t.0.et: No such file'
cp wrong/t.1.et wrong/t.0.et
truncate -s -3 wrong/t.1.et
refused wrong 'wrong/t.1.et: no trace of Chakra'
: > wrong/t.1.et
refused wrong 'wrong/t.1.et: no trace of Chakra'
printf 'jobs: 1' > wrong/t.1.et
refused wrong 'wrong/t.1.et: '
