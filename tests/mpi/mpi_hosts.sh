#!/usr/bin/env bash
# mpi_hosts.sh MPIRUN PRELOAD PROGRAM RANKS [few] - plans by hosts under a program that checks its results:
# rules and decision files take them where ranks share hosts, and only there; operators that do not
# commute and inter-communicators stay with the MPI library; RB_HOSTS that makes no sense is refused.
# Where each rank of a host has a network interface of its own (RB_RAILS), rules take plans for that.
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

# interfaces COUNT BY: what the report says of them.
interfaces() {
    head -n 1 report.txt | grep -F ", network interfaces of a host: $1 by $2; " >/dev/null || fail "not $1 interfaces by $2"
}

times=5
large='(64|128|256|512)KiB|1MiB'
run RB_ONLINE=off RB_HOSTS=2,1 RB_REPORT=report.txt || fail "by rule: status $?"
has bcast 8B fan
has reduce 8B fan
has bcast 64KiB two-leaders
has reduce 64KiB hosts
has allgather "($large)" exchange
has reduce-scatter "($large)" exchange
has allreduce 64KiB exchange
has alltoall "($large)" pairwise
for collective in scatter gather; do
    has $collective '(16|32|64)B' fan
    has $collective "($large)" flat
done
for hosts in 1 1073741824,1073741824; do
    test -z "$few" || break
    run RB_ONLINE=off RB_HOSTS="$hosts" RB_REPORT=report.txt || fail "hosts of $hosts by rule: status $?"
    if grep -Eq ' (hosts|fan) ' report.txt; then fail "hosts of $hosts: plans by hosts"; fi
done

# Leaf switches, whose hosts have a rank each: all ranks but the last on the first one, as RB_HOSTS says and as Slurm does.
cat > placed << 'END'
#!/usr/bin/env bash
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
test "$rank" -eq $(($1 - 1)) && leaf=far || leaf=near
SLURM_TOPOLOGY_ADDR=top.$leaf.host$rank exec "${@:2}"
END
chmod +x placed
for hosts in "1/$((ranks - 1))" 1; do
    "${mpirun[@]}" -n "$ranks" ./placed "$ranks" env RB_ONLINE=off RB_HOSTS="$hosts" RB_REPORT=report.txt \
        LD_PRELOAD="$preload" "$program" --times "$times" || fail "leaves, hosts of $hosts: status $?"
    has bcast 8B binomial
    has bcast 64KiB hosts
    has reduce 64KiB turns
    has allgather "($large)" exchange
    has allreduce 64KiB exchange
done

# A decision holds where ranks share hosts, and a setting holds everywhere. Both can say n.
printf 'roundabout-decisions 1\nbcast * * hosts:n=3\nreduce * * hosts:n=F:70\n' > decisions.txt
run RB_ONLINE=off RB_HOSTS=2,1 RB_REPORT=report.txt RB_DECISIONS=decisions.txt || fail "decided: status $?"
has bcast 8B 'hosts +3'
has reduce 64KiB hosts
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

# Network interfaces of its own for each rank of two hosts of 2 and 3 ranks, and for less than that.
trio=$ranks
ranks=5
run RB_ONLINE=off RB_HOSTS=2,3 RB_RAILS=3 RB_REPORT=report.txt || fail "an interface each: status $?"
for collective in bcast reduce; do
    has $collective 8B spread
    has $collective 64KiB rails
done
for collective in allgather reduce-scatter allreduce; do
    has $collective "($large)" rails
done
has alltoall "($large)" pairwise
interfaces 3 RB_RAILS
printf 'roundabout-decisions 1\nbcast * * hosts:n=3\n' > decisions.txt
run RB_ONLINE=off RB_HOSTS=2,3 RB_RAILS=3 RB_REPORT=report.txt RB_DECISIONS=decisions.txt RB_REDUCE=hosts ||
    fail "an interface each, decided: status $?"
has bcast 64KiB 'hosts +3'
has reduce 8B hosts
has allreduce 64KiB rails
run RB_ONLINE=off RB_HOSTS=3,2 RB_RAILS=2 RB_REPORT=report.txt || fail "shared interfaces: status $?"
has bcast 8B fan
has allreduce 64KiB exchange
interfaces 2 RB_RAILS
ranks=$trio
run RB_ONLINE=off RB_HOSTS=2,1 RB_RAILS=2 RB_REPORT=report.txt || fail "a host of one: status $?"
has bcast 8B binomial
has bcast 64KiB circulant
interfaces 2 RB_RAILS
run RB_ONLINE=off RB_HOSTS=2,1 RB_RAILS=off RB_REPORT=report.txt || fail "one interface: status $?"
has bcast 8B fan
interfaces 1 RB_RAILS

test -z "$few" || exit 0
# The online choice has right results, whatever it takes; what was tried depends on the machine.
times=100
run RB_ONLINE=exact RB_HOSTS=2,1 || fail "online: status $?"
ranks=5
run RB_ONLINE=exact RB_HOSTS=2,3 RB_RAILS=3 || fail "online, an interface each: status $?"
ranks=$trio

# refused VARIABLE VALUE MESSAGE
times=1
refused() {
    local status=0 setting=$1=${2:0:50}
    run "$1=$2" > /dev/null 2> message || status=$?
    test "$status" -eq 2 || fail "$setting: status $status, not 2"
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "$setting: not one line"
    grep -q "^roundabout: $1: .*$3" message || fail "$setting: another line"
}
for wrong in "" 0 -1 1025 99999999999999999999 2x on "2 3" "$(printf '%01000d' 3)x"; do
    refused RB_RAILS "$wrong" ' 1 to 1024, off or hwloc, not "'
done
long=$(printf '1,2,%.0s' {1..20000})
for wrong in "" 0 -4 2/0 4/8/16 1@0 "$long"; do # test_groups has other texts
    refused RB_HOSTS "$wrong" ' such as 4 or 3,1,4, and behind a slash those of leaf switches, as in 4/40'
done
# As many as an environment has room for.
run RB_ONLINE=off RB_HOSTS="${long}1" RB_REPORT=report.txt || fail "a long list: status $?"
