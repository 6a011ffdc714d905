#!/bin/sh
# The engine model with LogGOPS's parameters against LogGOPSim (https://github.com/spcl/LogGOPSim): the
# same plans, exported as GOAL. First the times, which must be equal to the nanosecond; then the
# speed, in interleaved runs: LogGOPSim on a binary file that exists already, the engine from the
# plan, by LogGOPS and by alpha + beta m.
#
# loggopsim.sh BUILD_DIRECTORY LOGGOPSIM_DIRECTORY [RUNS]      (with LogGOPSim and txt2bin in it)
set -eu

roundabout=${1:?usage: loggopsim.sh BUILD_DIRECTORY LOGGOPSIM_DIRECTORY [RUNS]}/roundabout
theirs=${2:?usage: loggopsim.sh BUILD_DIRECTORY LOGGOPSIM_DIRECTORY [RUNS]}
runs=${3:-5}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

export_goal() { # OPTIONS OF PLAN
    "$roundabout" plan "$@" --format goal -o "$scratch/goal"
    "$theirs/txt2bin" -i "$scratch/goal" -o "$scratch/bin" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2; exit 3; }
}

loggopsim() { # L o g G O S -> nanoseconds
    "$theirs/LogGOPSim" -f "$scratch/bin" --batchmode -L "$1" -o "$2" -g "$3" -G "$4" -O "$5" \
        -S "$6" | sed -n 's/^Maximum finishing time at host [0-9]*: \([0-9]*\) .*/\1/p'
}

simulate() { # OPTIONS OF SIMULATE -> "seconds messages wall_s"
    "$roundabout" simulate --engine model --format csv "$@" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                 NR == 2 { print $at["time_s"], $at["messages"], $at["wall_s"] }'
}

engine() { # L o g G O S OPTIONS -> nanoseconds
    L=$1 o=$2 g=$3 G=$4 O=$5 S=$6
    shift 6
    simulate "$@" --engine-option "L:${L}ns" --engine-option "o:${o}ns" \
        --engine-option "g:${g}ns" --engine-option "G:${G}ns" --engine-option "O:${O}ns" \
        --engine-option "S:$S" | awk '{ printf "%.0f\n", $1 * 1e9 }'
}

compared=0 different=0
compare() { # COLLECTIVE ALGORITHM
    for size in "2 1 1000" "7 3 10000" "16 5 40001" "33 4 100000"; do
        for progress in blocking window:3 data; do
            # shellcheck disable=SC2086 # three numbers
            set -- "$1" "$2" $size
            plan="--collective $1 --algorithm $2 -p $3 -n $4 -m $5 --overlap $progress"
            # shellcheck disable=SC2086 # options
            export_goal $plan
            for machine in "2500 1500 1000 6 0 65535" "1000 0 0 1 0 1000000000" \
                "5000 700 3000 2 1 1000000000" "2000 100 50 3 0 0"; do
                # shellcheck disable=SC2086 # numbers and options
                a=$(loggopsim $machine) b=$(engine $machine $plan)
                compared=$((compared + 1))
                [ "$a" = "$b" ] && continue
                different=$((different + 1))
                echo "$plan, L o g G O S = $machine: LogGOPSim $a ns, engine $b ns"
            done
        done
    done
}

for pair in bcast:circulant bcast:chain bcast:binary bcast:binomial reduce:circulant \
    allgather:ring allgather:circulant allreduce:ring reduce-scatter:circulant alltoall:pairwise \
    alltoall:bruck scan:chain scatter:binomial; do
    compare "${pair%:*}" "${pair#*:}"
done
echo "times compared: $compared, different: $different"

# Random graphs with computing, as workloads.
graph=0
while [ $graph -lt "${GRAPHS:-300}" ]; do
    graph=$((graph + 1))
    python3 "$(dirname "$0")/random_goal.py" $graph >"$scratch/random.goal"
    "$theirs/txt2bin" -i "$scratch/random.goal" -o "$scratch/bin" >"$scratch/log" 2>&1
    for machine in "2500 1500 1000 6 0 65535" "1000 0 0 1 0 1000000000" \
        "5000 700 3000 2 1 1000000000" "2000 100 50 3 0 0"; do
        # shellcheck disable=SC2086 # numbers
        a=$(loggopsim $machine) b=$(engine $machine --workload "$scratch/random.goal" --platform crossbar:8)
        [ "$a" = "$b" ] && continue
        different=$((different + 1))
        echo "graph $graph, L o g G O S = $machine: LogGOPSim $a ns, engine $b ns"
    done
done
echo "random graphs: $graph"

machine="2500 1500 1000 6 0 65535"
for progress in blocking data; do
    plan="-p 1024 -n 1000 -m 64MB --overlap $progress"
    # shellcheck disable=SC2086 # options
    export_goal $plan
    run=0
    while [ $run -lt "$runs" ]; do
        t0=$(date +%s.%N)
        # shellcheck disable=SC2086 # numbers
        loggopsim $machine >"$scratch/log"
        t1=$(date +%s.%N)
        # shellcheck disable=SC2086 # options
        line=$(simulate $plan)
        # shellcheck disable=SC2086 # options
        ops=$(simulate $plan --engine-option o:1500ns --engine-option g:1us)
        echo "$progress $line $ops $t0 $t1" |
            awk '{ printf "%s: LogGOPSim %.2f, engine by LogGOPS %.2f, by alpha + beta m %.2f million messages/s; ratio %.1f, %.1f\n",
                   $1, $3 / ($9 - $8) / 1e6, $6 / $7 / 1e6, $3 / $4 / 1e6,
                   $6 / $7 * ($9 - $8) / $3, ($9 - $8) / $4 }'
        run=$((run + 1))
    done
done
[ $different = 0 ]
