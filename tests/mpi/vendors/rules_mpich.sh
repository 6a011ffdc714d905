#!/usr/bin/env bash
# rules_mpich.sh MPIRUN PROGRAM - MPICH does what a selection file says. Its algorithms are not visible, but their
# messages are: a call under the file must send the same messages as the same call with the algorithm forced by its
# variable; and each algorithm must differ from all others in some call, so that this says something. Outside of what
# the rules were made of ("own") the messages are those without a file.
set -euo pipefail
read -ra mpirun <<< "$1"
program=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

# MPICH's own choice above this tree, and memory shared by ranks, are switched off.
run() { # RANKS VARIABLE...
    local ranks=$1
    shift
    timeout 100 "${mpirun[@]}" -n "$ranks" env MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_NOLOCAL=1 "$@" "$program" run rules.json < /dev/null
}
"$program" write rules.json
run 9 MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=rules.json > by_rules
while read -r set; do
    variables=()
    for choice in $set; do
        call=${choice%%:*}
        variables+=("MPIR_CVAR_${call^^}_INTRA_ALGORITHM=${choice#*:}")
    done
    run 4 "${variables[@]}" > forced
    # The algorithm that was forced, in place of the one that the rules name.
    for choice in $set; do
        call=${choice%%:*}
        awk -v call="$call" -v name="MPIR_${call^}_intra_${choice#*:}" '$1 == call { $4 = name; print }' forced
    done
done > by_variables << 'SETS'
bcast:binomial reduce:binomial allreduce:recursive_doubling allgather:brucks alltoall:brucks reduce_scatter_block:recursive_halving
bcast:scatter_recursive_doubling_allgather reduce:reduce_scatter_gather allreduce:reduce_scatter_allgather allgather:recursive_doubling alltoall:pairwise reduce_scatter_block:pairwise
bcast:scatter_ring_allgather reduce:binomial allreduce:recursive_doubling allgather:ring alltoall:scattered reduce_scatter_block:recursive_doubling
SETS
run 9 | grep ' own ' >> by_variables

awk '
    FNR == NR { hash[$1, $2, $3, $4] = $5; names[$1] = names[$1] ($4 == "own" ? "" : " " $4); next }
    {
        calls++
        if (!(($1, $2, $3, $4) in hash)) {
            print "no messages are known of: " $0
            failed = 1
        } else if (hash[$1, $2, $3, $4] != $5) {
            print "other messages than by " $4 ": " $0
            failed = 1
        }
        if ($4 == "own") {
            own++
            next
        }
        tried[$1 " " $4] = 1
        alone = 1
        n = split(names[$1], name, " ")
        for (i = 1; i <= n; i++)
            if (name[i] != $4 && hash[$1, $2, $3, name[i]] == $5)
                alone = 0
        if (alone)
            known[$1 " " $4] = 1
    }
    END {
        for (one in tried)
            if (!(one in known)) {
                print "never distinguished: " one
                failed = 1
            }
        printf "%d calls, %d outside\n", calls, own
        exit(failed || calls - own < 50 || own < 30)
    }' by_variables by_rules
