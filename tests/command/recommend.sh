#!/bin/bash
# recommend.sh PROGRAM - the verb recommend: the platform that words mean, the file of rules beside the page, readers of
# other programs' output, refused words, and files that stay away from a run that fails.
# shellcheck disable=SC2016
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

# Without measured rows times are those of flow, and a fit takes seconds: those that ship come at the end.
mkdir -p data/pico
: > data/pico/measurements.csv
export ROUNDABOUT_DATA=$place
fail() {
    echo "$0: $*"
    cat said 2> /dev/null
    exit 1
}
# expect STATUS ARGUMENT...
expect() {
    local wanted=$1 got=0
    shift
    "$program" recommend --quick "$@" > printed 2> said || got=$?
    [ "$got" = "$wanted" ] || fail "$*: status $got, not $wanted"
}
says() { grep -qF -e "$1" said || fail "not said: $1"; }
prints() { grep -qF -e "$1" printed || fail "not printed: $1"; }
# refuse MESSAGE ARGUMENT...
refuse() {
    local message=$1
    shift
    expect 2 "$@"
    says "$message"
    [ "$(wc -l < said)" = 1 ] || fail "$*: more than one line"
}
# means PLATFORM ARGUMENT...
means() {
    local platform=$1
    shift
    expect 0 --format json "$@"
    prints "\"platform\": \"$platform\""
}

# Words to platforms: the smallest shape that holds the nodes.
means fat-tree:4,bandwidth=25GB/s,latency=2us --nodes 4 --nic 25GB/s --latency 2us
means fat-tree:14 --nodes 13
means torus:2x2x2 --network torus --nodes 7
means torus:3x3x2 --network torus --nodes 13
means mesh:3x2 --network mesh --nodes 5
means hypercube:8 --network hypercube --nodes 6
means dragonfly:16 --network dragonfly --nodes 13
means crossbar:2 --network crossbar --nodes 1 --ppn 2
means leonardo:3 --platform leonardo:3

# The rules file, read by hand as Open MPI does, has what the page says, at all p and sizes.
expect 0 --nodes 6 --ppn 4 --network crossbar --collective bcast,allreduce --format json -o rules
head -n 1 rules | grep 'simulations of crossbar:6 by flow' > /dev/null || fail 'the rules do not say where they are from'
cp printed first
[ "$(grep -c '"collective"' printed)" -ge 40 ] || fail "few calls"
sed -n 's/^{"collective": "\([a-z]*\)", "p": \([0-9]*\), "size": \([0-9]*\),.*"choice": "\([^"]*\)", "segment": \([a-z0-9]*\),.*/\1 \2 \3 \4 \5/p' \
    printed | sed "s/the library's own/own/" > calls
awk '
    BEGIN { # numbers of coll_tuned_*_decision.c
        split("basic_linear chain pipeline split_binary_tree binary_tree binomial knomial scatter_allgather scatter_allgather_ring", b)
        split("basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner", a)
    }
    FNR == NR { sub(/ *#.*/, ""); for (i = 1; i <= NF; i++) word[++words] = $i; next }
    FNR == 1 {
        for (at = 2; at <= words;) {
            name = word[at++] == 7 ? "bcast" : "allreduce"
            ranks[name] = word[at++]
            for (i = 1; i <= ranks[name]; i++) {
                low[name, i] = word[at++]; rules[name, i] = word[at++]
                for (k = 1; k <= rules[name, i]; k++) {
                    from[name, i, k] = word[at]; number[name, i, k] = word[at + 1]; segment[name, i, k] = word[at + 3]; at += 4
                }
            }
        }
    }
    {
        for (i = ranks[$1]; low[$1, i] > $2; i--);
        for (k = rules[$1, i]; from[$1, i, k] > $3; k--);
        n = number[$1, i, k]
        name = n == 0 ? "own" : $1 == "bcast" ? b[n] : a[n]
        s = segment[$1, i, k] == 0 ? "null" : segment[$1, i, k]
        if (name != $4 || (s != $5 && n != 0)) { print "p = " $2 ", " $3 ": the file has " name " " s ", the page " $4 " " $5; wrong = 1 }
    }
    END { exit wrong }' rules calls || fail "file and page differ"

# The same with other numbers of processes.
expect 0 --nodes 6 --ppn 4 --network crossbar --collective bcast,allreduce --format json -j 1
cmp -s printed first || fail "results depend on -j"

# Each command that is printed runs, and simulates the time of the page.
"$program" platform generate crossbar:4 -o "it's <b>&.xml"
expect 0 --platform "it's <b>&.xml" --ppn 2 --details
grep '^  roundabout simulate' printed > commands
[ -s commands ] || fail "no commands"
sed "s|^  roundabout|$program|" commands > run.sh
sh run.sh > ran || fail "a printed command fails"
[ "$(grep -c '^[0-9.]* [mu]*s for a' ran)" = 2 ] || fail "not two runs"
expect 0 --platform "it's <b>&.xml" --ppn 2 --format json
grep -o '"size": 67108864.*"time_s": [0-9.e-]*' printed | tail -n 1 | sed 's/.*: //' > page
# shellcheck disable=SC2046
"$program" simulate --format json $(sed -n '1s/.*simulate \(.*\) --platform.*/\1/p' commands) --platform "it's <b>&.xml" \
    --engine flow | tr ',' '\n' | sed -n 's/.*"time_s": //p' | head -n 1 > run
[ "$(awk '{ printf "%.9g\n", $1 }' page)" = "$(awk '{ printf "%.9g\n", $1 }' run)" ] ||
    fail "page: $(cat page), simulate: $(cat run)"
expect 0 --platform "it's <b>&.xml" --ppn 2 --format html
prints '&lt;b&gt;&amp;.xml'
! grep -F "<b>&" printed || fail "HTML with unescaped words"
prints 'prefers-color-scheme: dark'
prints '<div class="rows"><table>'

# Measured rows: what was measured counts, as the fastest of the library, not of others; the rest is predicted.
{
    echo system,nodes,ranks_per_node,library,library_version,collective,algorithm,bytes,median_s
    for p in 4 8 16; do
        for times in '1024 20 21 30 41' '65536 70 160 69 50' '1048576 900 2500 905 200'; do
            # shellcheck disable=SC2086
            set -- $times
            for way in default:$2 binomial:$3 knomial:$4 scatter_allgather_ring:$5; do
                echo "here,$p,1,OMPI,4.1.5,bcast,${way%:*}_ompi,$1,${way#*:}e-6"
            done
            echo "here,$p,1,OMPI,4.1.5,bcast,scatter_allgather_over,$1,9e-6"
        done
    done
} > here.csv
expect 0 --rows here.csv --format json -o rules
awk '/"m_bytes": 65536,/ && /"choice": "scatter_allgather_ring"/ && /"source": "measured"/ { count++ } END { exit count != 3 }' printed ||
    fail "the fastest measured choice is not recommended"
prints '"machine": "here"'
prints '"source": "predicted"'
awk '/"m_bytes": 1024,/ && /"choice": "the library/ { count++ } END { exit count != 3 }' printed ||
    fail "the faster default does not stay"
expect 0 --rows here.csv --where 'nodes<16' --nodes 16 --format json
grep '"p": 16,.*"m_bytes": 1048576,.*"choice": "[a-z_]*".*"source": "predicted"' printed > found || fail "no prediction"
! grep -E '"choice": "(binomial|knomial)"' found || fail "a slow choice is recommended"
refuse '--ppn: here.csv has no rows' --rows here.csv --ppn 3
refuse '--platform: --rows says it already' --rows here.csv --platform crossbar:4
refuse '--system: only with --rows' --nodes 4 --system here
refuse 'the options leave none' --rows here.csv --where 'nodes>16'
sed 's/^here,8/there,8/' here.csv > two.csv
refuse 'rows of several machines, such as here and there' --rows two.csv

# What other programs print.
printf 'NODELIST CPUS\nn1 8\nn2 6\nn2 6\nn3 8\n' > sinfo
expect 0 --topology sinfo
prints '3 nodes of 6 ranks'
head -n 1 printed | grep '^By these rules Open MPI.s bcast is [0-9.]* times as fast' >/dev/null || fail "the first line is no answer"
[ "$(wc -l < printed)" -le 24 ] || fail "more than one screen"
tail -n 1 printed | grep '^More: .*--details' >/dev/null || fail "nothing says where more is"
expect 0 --topology sinfo --ppn 2
prints '3 nodes of 2 ranks'
printf 'Machine1 2\nMachine2 2\n' > sinfo
expect 0 --topology sinfo --nic '25 GB/s'
prints '2 nodes of 2 ranks on fat-tree:4,bandwidth=25 GB/s'
printf 'Machine (6746MB total)\n  Package L#0\n    L2 L#0 (1MB) + Core L#0 + PU L#0 (P#0)\n    Core L#1\n      PU L#1 (P#2)\n' > lstopo
printf '%s\n' '<?xml version="1.0"?>' '<topology version="2.0">' '<object type="Machine">' \
    '<object type="Core" os_index="0">' '<object type="Core"><object type="PU"/></object></object>' > lstopo.xml
link() { printf '[%s]\t"H-%s"[1](%s) \t\t# "%s HCA-1" lid 4 4xHDR\n' "$1" "$2" "$2" "$3"; }
{
    printf '#\n# Topology file: generated on Mon\n#\nvendid=0x2c9\n'
    for switch in 1 2; do
        printf 'Switch\t24 "S-%s"\t\t# "MT" base port 0 lid 3 lmc 0\n' $switch
        for port in 1 2; do link $port $switch$port node$switch$port; done
        printf '[9]\t"S-3"[1]\t\t# "spine" lid 9 4xHDR\n[8]\t"H-9"[1](9)\t# "Mellanox Technologies Aggregation Node" lid 5 4xHDR\n\n'
    done
    for node in 11 12 21 22 21b; do
        printf 'Ca\t1 "H-%s"\t\t# "node%s HCA-1"\n[1](%s)\t"S-1"[1]\t# lid 1 lmc 0 "MT" lid 3 4xHDR\n' $node ${node%b} $node
    done
    printf 'Ca\t1 "H-9"\t\t# "Mellanox Technologies Aggregation Node"\n'
} > ibnetdiscover
for file in lstopo lstopo.xml; do
    means fat-tree:4,down=2x2,bandwidth=200Gbps --topology ibnetdiscover --topology $file
    prints '"ppn": 2'
done
if command -v lstopo-no-graphics > /dev/null; then
    lstopo-no-graphics --of console > real
    expect 0 --topology real --nodes 2
    prints "2 nodes of $(grep -o 'Core L#' real | wc -l) ranks"
fi
: > empty
refuse 'empty: has no nodes or cores' --topology empty
head -c 4096 /dev/urandom > noise
expect 2 --topology noise
printf 'n1 8\nn2 many\n' > odd
refuse 'odd, line 2: processors: "many"' --topology odd
printf 'n1 8\nn2\n' > odd
refuse 'odd, line 2: a line of sinfo' --topology odd
refuse 'No such file' --topology none

# A program: what it takes before and after is what simulate says of the library's own choices and of
# the rules that were written.
printf '%s\n' 'values: {algorithm: circulant}' 'jobs:' '  - ranks: 12' '    communicators: {fours: {blocks: 4}}' \
    '    program:' '      - compute: 300us' '      - bcast: {bytes: 8MiB, algorithm: $algorithm}' \
    '      - bcast: {in: fours, bytes: 1MiB, algorithm: $algorithm}' > program.yaml
time_of() { # ALGORITHM -> seconds
    "$program" simulate --workload "program.yaml,algorithm=$1" --platform fat-tree:16 --engine flow \
        --format json | sed -n 's/.*"time_s": \([^,]*\),.*/\1/p' | head -n 1
}
of_json() { sed -n "s/.*\"$1\": \([^,]*\),.*/\1/p" printed | head -n 1; }
equal() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) / a < 1e-12 && (b - a) / a < 1e-12) }'; }
expect 0 --workload program.yaml --platform fat-tree:16 --format json -o program.rules
equal "$(of_json before_s)" "$(time_of native:ompi)" || fail "before_s is not the time of native:ompi"
equal "$(of_json after_s)" "$(time_of rules:program.rules)" || fail "after_s is not the time of the rules"
prints '"worth": true'
awk -v b="$(of_json before_s)" -v a="$(of_json after_s)" 'BEGIN { exit !(a < 0.9 * b) }' || fail "nothing is saved"
sed -i 's/300us/3s/' program.yaml
expect 0 --workload program.yaml --platform fat-tree:16 -o no.rules
prints 'Nothing worth changing: program.yaml takes 3 s'
[ ! -e no.rules ] || fail "rules that are not worth it were written"
refuse '--nodes: 11, and program.yaml needs 12' --workload program.yaml --platform fat-tree:16 --nodes 11
refuse '--collective: --workload says it' --workload program.yaml --platform fat-tree:16 --collective bcast

# Refused words.
refuse '--nodes: missing' --ppn 4
refuse '--nodes: "0" is not' --nodes 0
refuse '--ppn: "1e9" is not' --nodes 4 --ppn 1e9
refuse '--ppn: 1 rank in all' --nodes 1 --ppn 1
refuse '--ppn: 68719476736 ranks in all' --nodes 1048576 --ppn 65536
refuse '--network: there is no "fat-treee": did you mean fat-tree?' --nodes 4 --network fat-treee
refuse '--network: there is no "fat-tree:8,radix=2"' --nodes 4 --network fat-tree:8,radix=2
refuse '--nic: "25" is not a bandwidth' --nodes 4 --nic 25
refuse '--nic: "25GB/s,latency=1s" is not' --nodes 4 --nic 25GB/s,latency=1s
refuse '--latency: "1" has no unit' --nodes 4 --latency 1
refuse '--nic: --platform says it already' --platform crossbar:4 --nic 25GB/s
refuse '--nodes: 5, and crossbar:4 has 4' --platform crossbar:4 --nodes 5
refuse '--library: unknown "cray": it must be one of ompi|' --nodes 4 --library cray
refuse '--library mpich: add --base' --nodes 4 --library mpich
refuse '--base: has no meaning' --nodes 4 --base sinfo
refuse 'no gather' --nodes 4 --collective gather --library impi

# Files that stay away: -o where nothing can be written, over an input, and of a run that is ended.
refuse '--output' --nodes 4 -o none/rules
refuse 'sinfo' --topology sinfo -o sinfo
"$program" recommend --nodes 64 --ppn 16 -o late > printed 2> said &
sleep 0.3
kill "$!"
wait "$!" || true
[ -z "$(find . -name late -o -name '.roundabout*')" ] || fail "a run that was ended left files"
expect 0 --nodes 2 -o - --network crossbar
prints '# Open MPI'

# Times are corrected by measured rows, where these are there, whole, and know the library.
expect 0 --nodes 4 --details
prints 'not corrected by measured ones'
others() { # MACHINE DEFAULT BINOMIAL KNOMIAL CHAIN: microseconds of 1 KiB on 4 ranks
    for p in 4 8 16; do
        for bytes in 1024 65536 1048576; do
            for way in default:$2 binomial:$3 knomial:$4 chain:$5; do
                awk -v head="$1,$p,1,OMPI,4.1.5,bcast,${way%:*}_ompi,$bytes," -v us="${way#*:}" -v p="$p" -v b="$bytes" \
                    'BEGIN { printf "%s%.4fe-6\n", head, us * log(p) * (1 + b / 65536) }'
            done
        done
    done
}
rows=$place/data/pico/measurements.csv
heading=system,nodes,ranks_per_node,library,library_version,collective,algorithm,bytes,median_s
{
    echo $heading
    others one 40 30 10 60
    others two 44 32 12 70
    others three 40 11 44 50
} > all.csv
cp all.csv "$rows"
expect 0 --nodes 8 --details
prints 'fitted to 81 measured rows (one, two, three)'
expect 0 --nodes 8 --format json
grep '"source": "predicted"' printed > /dev/null || fail "nothing is corrected"
expect 0 --nodes 8 --format json --model flow
! grep '"source": "predicted"\|fitted' printed > /dev/null || fail "--model flow is corrected"
expect 0 --nodes 1 --ppn 4 --details
prints 'those that Roundabout has are between nodes'
for network in torus mesh hypercube tofu ring; do
    expect 0 --nodes 8 --network $network --details
    prints 'are of switched networks'
done
expect 0 --nodes 8 --collective allreduce --details
prints "simulated, as these don't know them: allreduce"
grep '^system\|,chain' all.csv > "$rows"
expect 0 --nodes 8 --library ucc --details
prints "simulated, as these don't know them: bcast"
expect 0 --nodes 8 --library nccl --collective allreduce
! grep 'fitted' printed > /dev/null || fail "NCCL's times are corrected"
refuse "--model: NCCL's cost model says its times" --nodes 8 --library nccl --collective allreduce --model flow
refuse '--model: --rows has times' --rows here.csv --model fitted
sed '5s/[^,]*$/soon/' all.csv > "$rows"
expect 0 --nodes 4 --details
prints 'measurements.csv:5'
echo $heading > "$rows"
expect 0 --nodes 4 --details
prints 'not corrected by measured ones'

# A machine that is judged has no part in the fit: its rows there may say anything, or be missing. Those of others count.
judge() { # as expect, of the machine three
    expect 0 --judge three.csv --system three --format json "$@"
    grep '"choice_mean"' printed > judged || fail "nothing is judged"
}
grep "^system\|^three" all.csv > three.csv
cp all.csv "$rows"
judge
prints 'without those of three'
cp judged whole
grep -v '^three' all.csv > "$rows"
judge
cmp -s judged whole || fail "a judged machine's rows are fitted"
sed '/^three.*chain/s/,[^,]*$/,1e-9/' all.csv > "$rows"
judge
cmp -s judged whole || fail "a judged machine's times are fitted"
sed '/^two.*knomial/s/,[^,]*$/,1/; /^one.*knomial/s/,[^,]*$/,1/' all.csv > "$rows"
judge
! cmp -s judged whole || fail "other machines' times do not count"
# Knomial is the best elsewhere, and takes four times as long as binomial here; the default takes 40 / 11.
grep '"collective": "all", "points": 9,.*"choice_worst": 4.0000' whole > /dev/null || fail "the choices' times: $(cat whole)"
grep '"own_mean": 3.636' whole > /dev/null || fail "the default's times: $(cat whole)"
judge --model flow
! grep 'fitted' printed > /dev/null || fail "--model flow is fitted"
cp all.csv "$rows"
expect 0 --judge three.csv
prints 'three from words, fat-tree:16'
grep '^  all  *9  *[0-9.]*  *4.00  *3.64  *3.64$' printed > /dev/null || fail "another table"
refuse 'is no system of these rows' --judge three.csv --system four
refuse 'several machines' --judge all.csv
refuse 'no point has rows of these collectives by the own choice of Open MPI' --judge three.csv --where 'algorithm!=default_ompi'
refuse 'no point has rows' --judge three.csv --collective allreduce
refuse 'only with --rows or --judge' --nodes 4 --system three
refuse '--nodes: --judge has the nodes' --judge three.csv --nodes 4
refuse '--format html: with --judge' --judge three.csv --format html
refuse 'three.csv' --judge nowhere/three.csv
sed '5s/[^,]*$/soon/' three.csv > torn.csv
refuse 'torn.csv:5' --judge torn.csv
: > empty.csv
refuse 'empty.csv' --judge empty.csv
