#!/usr/bin/env bash
# mpi_flavour.sh MPIRUN OTHERS_PRELOAD OTHER OWN_PRELOAD PROGRAM LATE PART - programs of one MPI
# library with the preload library for another one: one line says so. PROGRAM runs as without it;
# LATE, which loads PART, and so MPI, after its start, ends with status 2. MPIRUN is one word with
# its options.
set -euo pipefail
read -ra mpirun <<< "$1"
others_preload=$2
other=$3
own_preload=$4
program=$5
late=$6
part=$7
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

fail() {
    echo "$*"
    cat message output
    exit 1
}
# run STATUS PRELOAD PROGRAM...: three ranks of it.
run() {
    local status=0 wanted=$1 preload=$2
    shift 2
    timeout 60 "${mpirun[@]}" -n 3 env RB_REPORT=report.csv LD_PRELOAD="$preload" "$@" > output 2> message || status=$?
    test "$status" -eq "$wanted" || fail "$*: status $status, not $wanted"
}
says() {
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "not one line"
    grep -Eq "^roundabout: this library is built for $other, but the program uses (Open MPI|MPICH) .*[0-9]: $1" message ||
        fail "not: $1"
}

run 0 "$others_preload" "$program"
says 'it runs without Roundabout'
test ! -e report.csv || fail "it ran with Roundabout"
run 0 "$own_preload:$others_preload" "$program"
says 'it runs without Roundabout'
# The rank that says it comes last, and mpirun ends all ranks when one has failed.
# shellcheck disable=SC2016 # the ranks' shells expand it
run 2 "$others_preload" sh -c '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" != 0 ] || sleep 0.5; exec "$@"' sh \
    "$late" "$part"
says 'preload the library that is built for it'
run 0 "$own_preload" "$late" "$part"
test "$(grep -c '^roundabout: ' message)" -eq 0 || fail "a line too many"
test -s report.csv || fail "no report"
