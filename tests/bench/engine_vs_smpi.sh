#!/bin/sh
# The simgrid engine against SMPI's trace replay: the same plan on the same platform, the same clean
# network, in interleaved runs. Rates are messages per second of the whole command, so that both
# sides pay for starting, loading the platform and reading the plan or its traces.
#
# engine_vs_smpi.sh BUILD_DIRECTORY [RUNS]      (5 runs; about 3 s each)
set -eu

build=${1:?usage: engine_vs_smpi.sh BUILD_DIRECTORY [RUNS]}
runs=${2:-5}
p=1024 n=64 bytes=8MiB

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
"$build/roundabout" plan -p $p -n $n -m $bytes --format ti -o "$scratch"
i=0
while [ $i -lt $p ]; do echo host-$i; i=$((i + 1)); done >"$scratch/hosts"

engine() { # PLATFORM -> "variant time messages replay_s ..."
    "$build/roundabout" simulate --engine simgrid --platform "$1" -p $p -n $n -m $bytes --format csv | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["variant"], $at["time_s"], $at["messages"], $at["wall_s"], $at["messages_per_s"], $at["load_s"],
            $at["peak_bytes"] / 1e6 }'
}

smpi() { # XML -> simulated time
    smpirun -no-privatize -replay "$scratch/traces" -np $p -platform "$1" \
        -hostfile "$scratch/hosts" --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
        --cfg=network/TCP-gamma:0 --cfg=surf/precision:1e-12 --cfg=smpi/simulate-computation:no \
        --cfg=smpi/send-is-detached-thresh:0 2>"$scratch/log" ||
        { cat "$scratch/log" >&2; exit 3; }
    sed -n 's/.*Simulation time //p' "$scratch/log"
}

now() { date +%s.%N; }

# Without latency the platform is the same for both: SMPI's loader doesn't know where ours puts it.
agree() { # PLATFORM
    "$build/roundabout" platform generate "$1" -o "$scratch/agree.xml"
    ours=$(engine "$1")
    theirs=$(smpi "$scratch/agree.xml")
    echo "$1: simulated: engine $(echo "$ours" | cut -d' ' -f2) s, SMPI $theirs s"
}
agree crossbar:$p
agree fat-tree:$p,latency=0

"$build/roundabout" platform generate fat-tree:$p -o "$scratch/fat-tree.xml"
run=0
while [ $run -lt "$runs" ]; do
    t0=$(now)
    line=$(engine fat-tree:$p)
    t1=$(now)
    smpi "$scratch/fat-tree.xml" >/dev/null
    t2=$(now)
    echo "$t0 $t1 $t2 $line"
    run=$((run + 1))
done | awk '
function report(name, value, count,    i, j, swap) {
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && value[j] < value[j - 1]; j--) {
            swap = value[j]; value[j] = value[j - 1]; value[j - 1] = swap
        }
    printf "%s: median %.3g, from %.3g to %.3g\n", name, value[int((count + 1) / 2)], value[1],
        value[count]
}
{
    ours[NR] = $6 / ($2 - $1); theirs[NR] = $6 / ($3 - $2); ratio[NR] = ours[NR] / theirs[NR]
    replay[NR] = $8; memory = $10; variant = $4
}
END {
    report("engine (" variant "), messages/s", ours, NR)
    report("engine, replay alone, messages/s", replay, NR)
    report("SMPI trace replay, messages/s", theirs, NR)
    report("ratio", ratio, NR)
    printf "engine, peak memory: %s MB\n", memory
}'
