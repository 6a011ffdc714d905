#!/usr/bin/env bash
# mpi_hosts.sh MPIRUN PRELOAD PROGRAM RANKS [few] - plans by hosts under a program that checks its results:
# rules and decision files take them where ranks share hosts, and only there; operators that do not
# commute and inter-communicators stay with the MPI library; RB_HOSTS that makes no sense is refused.
# RANKS is at least 3. few: leave out what no MPI library is concerned with. MPIRUN is one word with its options.
set -euo pipefail
read -ra mpirun <<< "$1"
preload=$2
program=$3
ranks=$4
few=${5:-}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

fail() {
    echo "$*"
    cat report.txt message 2> /dev/null || true
    exit 1
}
# run VARIABLE=VALUE...: its exit status is run's.
run() {
    "${mpirun[@]}" -n "$ranks" env "$@" LD_PRELOAD="$preload" "$program" --times "$times"
}
# has COLLECTIVE BYTES ALGORITHM: calls of all ranks with so many bytes have run so.
has() {
    grep -Eq "^$1 +$ranks +$2\\.\\. +$3( |\$)" report.txt || fail "$1 of $2 bytes: not $3"
}

times=5
large='(64|128|256|512)KiB|1MiB'
run RB_ONLINE=off RB_HOSTS=2,1 RB_REPORT=report.txt || fail "by rule: status $?"
has bcast 8B fan
has reduce 8B fan
has bcast 64KiB hosts
has reduce 64KiB hosts
has allgather "($large)" hosts
has reduce-scatter "($large)" hosts
has allreduce 64KiB hosts
has alltoall "($large)" pairwise
for hosts in 1 1073741824,1073741824; do
    test -z "$few" || break
    run RB_ONLINE=off RB_HOSTS="$hosts" RB_REPORT=report.txt || fail "hosts of $hosts by rule: status $?"
    if grep -Eq ' (hosts|fan) ' report.txt; then fail "hosts of $hosts: plans by hosts"; fi
done

# A decision holds where ranks share hosts, and a setting holds everywhere. Both can say n.
printf 'roundabout-decisions 1\nbcast * * hosts:n=3\nreduce * * leaders:n=F:70\n' > decisions.txt
run RB_ONLINE=off RB_HOSTS=2,1 RB_REPORT=report.txt RB_DECISIONS=decisions.txt || fail "decided: status $?"
has bcast 8B 'hosts +3'
has reduce 64KiB leaders
run RB_ONLINE=off RB_HOSTS=1 RB_REPORT=report.txt RB_DECISIONS=decisions.txt || fail "not decided: status $?"
has bcast 8B binomial
has bcast 64KiB circulant
# An operator that does not commute, in the same run.
run RB_ONLINE=off RB_HOSTS=1 RB_REPORT=report.txt RB_BCAST=hosts:n=3 RB_REDUCE=hosts RB_ALLREDUCE=hosts || fail "set: status $?"
has bcast 8B 'hosts +3'
has allreduce 64KiB hosts
for collective in reduce allreduce; do
    grep -Eq "^$collective +$ranks +4B\\.\\. +native .*operator does not commute\$" report.txt ||
        fail "$collective in order: not native"
done
# Hosts of different sizes have no lanes: the MPI library serves, and by a decision file another plan.
printf 'roundabout-decisions 1\nreduce * * chain-in-lanes\n' > decisions.txt
run RB_ONLINE=off RB_HOSTS=2,1 RB_REPORT=report.txt RB_DECISIONS=decisions.txt RB_BCAST=chain-in-lanes ||
    fail "in lanes: status $?"
has bcast 8B "native .* algorithm can't serve it"
has reduce 8B fan

test -z "$few" || exit 0
# The online choice has right results, whatever it takes; what was tried depends on the machine.
times=100
run RB_ONLINE=exact RB_HOSTS=2,1 || fail "online: status $?"

# refused RB_HOSTS MESSAGE
times=1
refused() {
    local status=0
    run RB_HOSTS="$1" > /dev/null 2> message || status=$?
    test "$status" -eq 2 || fail "RB_HOSTS=${1:0:50}: status $status, not 2"
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "RB_HOSTS=${1:0:50}: not one line"
    grep -q '^roundabout: RB_HOSTS: .* such as 4 or 3,1,4' message || fail "RB_HOSTS=${1:0:50}: another line"
}
long=$(printf '1,2,%.0s' {1..20000})
for wrong in "" 0 -4 "$long"; do # test_groups has other texts
    refused "$wrong"
done
# As many as an environment has room for.
run RB_ONLINE=off RB_HOSTS="${long}1" RB_REPORT=report.txt || fail "a long list: status $?"
