#!/usr/bin/env bash
# table.sh ROUNDABOUT [openmpi|mpich]... - the table of docs/traced.md, as CSV: records every algorithm that
# an MPI library can be told to use, proves the plan that its messages show, and counts and times it beside
# ours of the same name. The environment sets COLLECTIVES, RANKS, and PART: bytes for each rank.
set -euo pipefail
roundabout=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- openmpi mpich
read -ra collectives <<<"${COLLECTIVES:-bcast reduce allreduce allgather alltoall}"
read -ra ranks <<<"${RANKS:-2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17}"
read -ra parts <<<"${PART:-512 16384}"
segment=4096
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# LIBRARY COLLECTIVE ALGORITHM OURS: what the library calls it, and what we do; - if we have none.
algorithms() {
    cat <<'A'
openmpi bcast 1 flat
openmpi bcast 2 chains
openmpi bcast 3 chain
openmpi bcast 4 split-binary
openmpi bcast 5 binary
openmpi bcast 6 binomial
openmpi bcast 7 knomial
openmpi bcast 8 scatter-doubling
openmpi bcast 9 scatter-allgather
openmpi reduce 1 flat
openmpi reduce 2 chains
openmpi reduce 3 chain
openmpi reduce 4 binary
openmpi reduce 5 binomial
openmpi reduce 6 in-order-binary
openmpi reduce 7 rabenseifner-doubling
openmpi allreduce 1 flat
openmpi allreduce 2 nonoverlapping
openmpi allreduce 3 recursive-doubling
openmpi allreduce 4 ring
openmpi allreduce 5 segmented-ring
openmpi allreduce 6 rabenseifner-doubling
openmpi allgather 1 gather-bcast
openmpi allgather 2 dissemination
openmpi allgather 3 recursive-doubling
openmpi allgather 4 ring
openmpi allgather 5 neighbour-exchange
openmpi allgather 6 pairwise
openmpi alltoall 1 linear
openmpi alltoall 2 pairwise
openmpi alltoall 3 bruck
openmpi alltoall 4 linear-sync
openmpi alltoall 5 pairwise
mpich bcast binomial binomial
mpich bcast scatter_recursive_doubling_allgather scatter-doubling
mpich bcast scatter_ring_allgather scatter-allgather
mpich bcast smp -
mpich bcast nb -
mpich reduce binomial binomial
mpich reduce reduce_scatter_gather rabenseifner-doubling
mpich reduce smp -
mpich reduce nb -
mpich allreduce recursive_doubling recursive-doubling
mpich allreduce reduce_scatter_allgather rabenseifner-doubling
mpich allreduce smp -
mpich allreduce nb -
mpich allgather brucks dissemination
mpich allgather recursive_doubling recursive-doubling
mpich allgather ring ring
mpich allgather nb -
mpich alltoall brucks bruck
mpich alltoall pairwise pairwise
mpich alltoall scattered linear
mpich alltoall pairwise_sendrecv_replace -
mpich alltoall nb -
A
}

# measure COLLECTIVE ALGORITHM P N BYTES: rounds, messages, bytes and microseconds by the model; or nothing.
measure() {
    "$roundabout" simulate --engine model --collective "$1" --algorithm "$2" -p "$3" -n "$4" -m "$5" --format csv \
        2>/dev/null | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { printf "%s,%s,%s,%.3f", $at["rounds"], $at["messages"], $at["bytes"], $at["time_s"] * 1e6 }' || true
}

one() { # LIBRARY COLLECTIVE ALGORITHM OURS P BYTES
    local n verdict=right command=("mpirun.$1" -n "$5")
    if [ "$1" = openmpi ]; then
        command+=(--oversubscribe --mca coll_tuned_use_dynamic_rules 1 --mca "coll_tuned_$2_algorithm" "$3"
            --mca "coll_tuned_$2_algorithm_segmentsize" "$segment")
    else
        command+=(-genv "MPIR_CVAR_${2^^}_INTRA_ALGORITHM" "$3")
    fi
    printf '%s,%s,%s,%s,%s,' "$1" "$2" "$3" "$5" "$6"
    if ! timeout 60 "$roundabout" trace --collective "$2" -m "$6" --format record -o record -- "${command[@]}" </dev/null 2>message; then
        echo 'refused by the library,,,,,,,,,,'
        return
    fi
    if ! "$roundabout" trace --from record --format csv -o plan.csv 2>message; then
        echo "$(sed 's/.*: //; s/,/;/g' message | head -n 1),,,,,,,,,,"
        return
    fi
    read -r m n < <("$roundabout" trace --from record | awk '$1 == "plan" { gsub(",", ""); print $4, $8 }')
    "$roundabout" verify --collective "$2" --algorithm file:plan.csv >message 2>&1 || verdict=wrong
    local our_n=$n
    case $4 in # n is of each half, or of each rank's part
    split-binary) our_n=$(((n + 1) / 2)) ;;
    segmented-ring) our_n=$(((n + $5 - 1) / $5)) ;;
    esac
    echo "$verdict,$n,$(measure "$2" file:plan.csv "$5" "$n" "$m"),$4,$(measure "$2" "$4" "$5" "$our_n" "$m")"
}

echo library,collective,algorithm,p,m_bytes,verdict,n,rounds,messages,bytes,model_us,ours,our_rounds,our_messages,our_bytes,our_model_us
for library; do
    for collective in "${collectives[@]}"; do
        while read -r _ _ algorithm ours; do
            for p in "${ranks[@]}"; do
                for part in "${parts[@]}"; do
                    one "$library" "$collective" "$algorithm" "$ours" "$p" $((p * part))
                done
            done
        done < <(algorithms | grep "^$library $collective ")
    done
done
