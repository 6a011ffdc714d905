#!/usr/bin/env bash
# mpi_memory.sh PROGRAM few|all MPIRUN... - the library with a failure of each (or a few) of one
# rank's allocations: that rank reports that there is no memory, and the job ends; after the last
# allocation nothing fails.
set -euo pipefail
program=$1
level=$2
shift 2
count=$(timeout 120 "$@" -n 3 "$program" 1000000000)
step=1
[ "$level" = all ] || step=$((count / 5 + 1))
for ((k = 1; k <= count; k += step)); do
    status=0
    timeout 120 "$@" -n 3 "$program" "$k" >out.$$ 2>&1 || status=$?
    said=$(cat out.$$)
    rm -f out.$$
    # Status 0: without the memory for a report or for keeping a plan the call can do its work.
    # Status 42: refused. MPICH's mpirun sometimes loses what a rank said just before it aborted.
    if [ "$status" -ne 0 ] && [ "$status" -ne 42 ] && ! grep -q 'no memory' <<<"$said" ||
        [ "$status" -ge 124 ]; then
        echo "allocation $k of $count failing: status $status: $said" >&2
        exit 1
    fi
done
echo "$count allocations"
