#!/usr/bin/env bash
# mpi_preload.sh MPIRUN PRELOAD PROGRAM COMMUNICATORS [FORTRAN...] - unmodified programs under the preloaded library:
# right results, the algorithms of a decision file, the report, no run with wrong settings, and as
# many communicators as without the library. MPIRUN and COMMUNICATORS are one word with their
# arguments; FORTRAN are programs in that language.
set -euo pipefail
read -ra mpirun <<< "$1"
preload=$2
program=$3
read -ra communicators <<< "$4"
shift 4
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

fail() {
    echo "$*"
    cat report.csv message 2> /dev/null || true
    exit 1
}
# run RANKS VARIABLE=VALUE...: its exit status is run's.
run() {
    local ranks=$1
    shift
    "${mpirun[@]}" -n "$ranks" env "$@" LD_PRELOAD="$preload" "$program"
}
# A line of the report, by its first columns and what it ends with before the columns that name the
# makers.
has() {
    grep -Eq "^$1,[0-9].*,\"$2\",[^,]*,\"[^\"]*\",5\$" report.csv || fail "no line $1 ... $2"
}

# The program's vectors of 120000 bytes; sqrt(120000 / 4 * 3) = 300, over 50: n = 6.
cat > decisions.txt <<END
roundabout-decisions 1
bcast      5  64KiB.. chain:n=F:50,window=2
bcast      *  *       native
allreduce  *  *       circulant:n=2
reduce     5  64KiB.. circulant:n=3
allgather/irregular * * ring
alltoall   *  *       pairwise
alltoall/irregular * * bruck
gather     *  *       flat
exscan     5  ..1000  chain:n=2
END
run 5 RB_DECISIONS=decisions.txt RB_REPORT=report.csv || fail "with decisions: status $?"
has bcast,5,65536,131071,chain,6,6,2,5,5,1,1 ""
has bcast,3,65536,131071,native,,,,3,3,1,1 setting
has bcast,,,,native,,,,5,5,1,1 inter-communicator
has bcast,5,4,7,native,,,,5,5,1,1 "wrong argument"
has reduce,5,65536,131071,circulant,3,3,4,5,5,1,1 ""
has reduce,5,4,7,native,,,,5,5,1,1 "operator does not commute"
has allreduce,5,65536,131071,circulant,2,2,4,5,5,1,1 ""
has allreduce,5,4,7,recursive-doubling,1,1,4,5,5,1,1 "" # circulant keeps no order
has allgather,5,128,255,dissemination,1,1,4,5,5,1,1 ""  # equal counts: no rule
has allgather,5,1024,2047,ring,1,1,4,5,5,1,1 ""
has alltoall,5,256,511,pairwise,1,1,4,5,5,1,1 ""
has alltoall,5,,,pairwise,1,1,4,5,5,1,1 "" # bruck passes data on
has scatter,5,128,255,binomial,1,1,4,5,5,1,1 ""
has gather,5,128,255,flat,1,1,4,5,5,1,1 ""
has scan,5,32,63,dissemination,1,1,4,5,5,1,1 ""
has exscan,5,32,63,chain,2,2,4,5,5,1,1 ""
has reduce-scatter,5,256,511,dissemination,1,1,4,5,10,2,2 ""
test "$(wc -l < report.csv)" -gt 20 || fail "halves are missing"

# A variable counts more than the file; the report as text, on rank 0's output.
run 3 RB_DECISIONS=decisions.txt RB_BCAST=binomial RB_ALLTOALL=bruck RB_REPORT=- > report.csv ||
    fail "status $?"
grep -Eq '^bcast +3 +64KiB\.\. +binomial +1 +4 +3 +1 ' report.csv || fail "not RB_BCAST's"
grep -Eq '^alltoall +3 +32B\.\. +bruck ' report.csv || fail "alltoallv" # its counts were told

# Nothing wrong is run, and it is said once.
refused() {
    local status=0 wanted=$1
    shift
    run 3 "$@" > /dev/null 2> message || status=$?
    test "$status" -eq 2 || fail "status $status, not 2"
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "not one line"
    grep -q "^roundabout: $wanted" message || fail "not: $wanted"
}
cp decisions.txt before.txt
refused "RB_REPORT: './decisions.txt': RB_DECISIONS names the same file" RB_DECISIONS=decisions.txt \
    RB_REPORT=./decisions.txt
cmp decisions.txt before.txt
echo 'bcast * * rung' >> decisions.txt
refused "RB_DECISIONS: decisions.txt:11: 'rung'" RB_DECISIONS=decisions.txt
refused 'RB_DECISIONS: nowhere.txt: No such file' RB_DECISIONS=nowhere.txt
mkfifo pipe
: > empty
refused 'RB_DECISIONS: /dev/zero: it must be a regular file' RB_DECISIONS=/dev/zero
refused 'RB_DECISIONS: pipe: it must be a regular file' RB_DECISIONS=pipe
refused 'RB_DECISIONS: empty:1: empty: the first line is' RB_DECISIONS=empty
refused 'RB_REMEMBER: /dev/full: it must be a regular file' RB_ONLINE=exact RB_REMEMBER=/dev/full
refused 'RB_REMEMBER: : No such file' RB_ONLINE=exact RB_REMEMBER=
refused 'RB_REPORT: .nowhere/report.csv.: No such file' RB_REPORT=nowhere/report.csv
refused "RB_REPORT: 'report.json'" RB_REPORT=report.json
refused "RB_REPORT: 'pipe': a pipe that nobody reads" RB_REPORT=pipe
refused "RB_REPORT: '/dev/full': No space left" RB_REPORT=/dev/full
refused "RB_REPORT: '': No such file" RB_REPORT=
refused "RB_REPORT: '.': Is a directory" RB_REPORT=.
refused "RB_REPORT: './new.txt': RB_REMEMBER names the same file" RB_ONLINE=exact RB_REPORT=./new.txt RB_REMEMBER=new.txt
test ! -e new.txt || fail "a refused report is there"

# A report replaces the file that a link leads to, and keeps its mode; also if the program is elsewhere by then. Nothing else is left.
mkdir place
echo old > place/real.csv
chmod 600 place/real.csv
ln -s place/real.csv link.csv
"${mpirun[@]}" -n 2 env RB_REPORT=link.csv LD_PRELOAD="$preload" "$program" --elsewhere || fail "elsewhere: status $?"
test -L link.csv || fail "the link is a file"
test "$(stat -c %a place/real.csv)" = 600 || fail "not its mode"
grep -q '^bcast,2,' place/real.csv || fail "the link's target is old"
test "$(ls -A place)" = real.csv || fail "left: $(ls -A place)"
# A pipe gets it; one whose reader has gone is said, and is not the program's failure.
cat pipe > report.csv &
run 2 RB_REPORT=pipe || fail "to a pipe: status $?"
wait
grep -q '^bcast  *2 ' report.csv || fail "to a pipe"
{ : < pipe && : > gone; } &
"${mpirun[@]}" -n 2 env RB_REPORT=pipe LD_PRELOAD="$preload" "$program" --after gone 2> message || fail "to nobody: status $?"
wait
test "$(grep '^roundabout: ' message)" = "roundabout: RB_REPORT: 'pipe': rank 0: Broken pipe" || fail "to nobody"
# One rank has a setting of its own, or another decision file. (mpirun with two programs would do, but that of Open MPI 5.0.7 crashes on it.)
# shellcheck disable=SC2016 # the ranks' shells expand it
differ='[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" != 1 ] || export "$1"; shift; LD_PRELOAD=$0 exec "$@"'
printf 'roundabout-decisions 1\nbcast * * chain\n' > here.txt
printf 'roundabout-decisions 1\nbcast * * chain:n=2\n' > there.txt
# differ VARIABLE=VALUE LINE: of rank 1 alone; the line begins like this.
differ() {
    local status=0
    RB_DECISIONS=here.txt RB_REPORT=report.csv "${mpirun[@]}" -n 3 sh -c "$differ" "$preload" "$1" "$program" 2> message ||
        status=$?
    test "$status" -eq 2 || fail "ranks differ: status $status"
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "ranks differ: not one line"
    grep -qF "roundabout: $2" message || fail "ranks differ: not: $2"
}
same='the ranks have different settings:'
differ RB_BCAST=chain "$same RB_BCAST is 'chain' at rank 1, and not set at rank 0; it must be the same at all ranks"
differ RB_REDUCE_SCATTER=ring "$same RB_REDUCE_SCATTER is 'ring' at rank 1, and not set at rank 0"
differ RB_ONLINE=exact "$same RB_ONLINE is 'exact' at rank 1, and 'off' at rank 0"
differ RB_HOSTS=2 "$same RB_HOSTS is '2' at rank 1, and not set at rank 0"
differ RB_RAILS=2 "$same RB_RAILS is '2' at rank 1, and not set at rank 0"
differ RB_REPORT=other.csv "$same RB_REPORT is 'other.csv' at rank 1, and 'report.csv' at rank 0"
differ RB_REMEMBER=other "$same RB_REMEMBER is 'other' at rank 1, and not set at rank 0"
differ RB_DECISIONS=there.txt "$same RB_DECISIONS is 'there.txt' at rank 1, with another text than 'here.txt' at rank 0"
differ RB_DECISIONS=nowhere.txt 'rank 1: RB_DECISIONS: nowhere.txt: No such file'
# The same text under another name is no difference; nor is a file that changes between the readings of two ranks.
cp here.txt copy.txt
RB_DECISIONS=here.txt "${mpirun[@]}" -n 3 sh -c "$differ" "$preload" RB_DECISIONS=copy.txt "$program" || fail "a copy: status $?"
python3 - here.txt there.txt now.txt << 'END' &
import os, sys, time
for i in range(10**9):
    os.link(sys.argv[1 + i % 2], 'next.txt')
    os.rename('next.txt', sys.argv[3])
    time.sleep(0.0003)
END
changing=$!
until [ -e now.txt ]; do sleep 0.01; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
    "${mpirun[@]}" -n 3 env RB_DECISIONS=now.txt LD_PRELOAD="$preload" "$program" --nothing || fail "a file that changes: status $?"
done
kill $changing

# Ranks without the library: the others do without it, too.
# shellcheck disable=SC2016 # the ranks' shells expand it
partly='[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = "$0" ] || export LD_PRELOAD=$1; shift; exec "$@"'
for without in 0 1 2; do
    RB_REPORT=partly.csv timeout 60 "${mpirun[@]}" -n 3 sh -c "$partly" $without "$preload" "$program" 2> message ||
        fail "rank $without has no library: status $?"
    test "$(grep '^roundabout: ' message)" = "roundabout: rank $without runs without this library; preload it (LD_PRELOAD) on all ranks or on none: the MPI library serves all calls" ||
        fail "rank $without has no library"
done
test ! -e partly.csv || fail "a report of some ranks"
# A copy under another name is the library, too.
cp "$preload" library.so
"${mpirun[@]}" -n 3 env LD_PRELOAD="$PWD/library.so" RB_REPORT=report.csv "$program" 2> message || fail "a copy: status $?"
grep -q ',recursive-doubling,' report.csv || fail "a copy is not seen to be the library"
# MPICH's ranks are seen if they have one parent. Where not all are, the job ends.
if [[ $preload == *mpich* ]]; then
    status=0
    # shellcheck disable=SC2016
    timeout 60 "${mpirun[@]}" -n 3 sh -c "${partly/exec \"\$@\"/[ \"\$PMI_RANK\" = 2 ] || exec \"\$@\"; \"\$@\"; exit \$?}" 1 "$preload" \
        "$program" 2> message || status=$?
    test "$status" -eq 2 || fail "not all are seen: status $status"
    test "$(grep '^roundabout: ' message)" = "roundabout: rank 1 runs without this library; preload it (LD_PRELOAD) on all ranks or on none: the job ends" ||
        fail "not all are seen"
fi

"${mpirun[@]}" -n 3 env RB_REPORT=- LD_PRELOAD="$preload" "$program" --threads > report.csv ||
    fail "threads: status $?"
grep -Eq '^allreduce +3 +64KiB\.\. +circulant .* 9  ' report.csv || fail "threads: not 9 calls"

# Many communicators, and none of their collectives left to the MPI library.
"${mpirun[@]}" -n 2 env RB_REPORT=report.csv LD_PRELOAD="$preload" "${communicators[@]}" ||
    fail "communicators: status $?"
grep -Eq '^bcast,2,8,15,binomial' report.csv || fail "communicators: no broadcast"
! grep -q ',native,' report.csv || fail "communicators: left to the MPI library"

for program; do
    run 3 RB_REPORT=- > report.csv || fail "$program: status $?"
    for collective in bcast reduce allreduce allgather alltoall scatter gather scan exscan; do
        grep -Eq "^$collective +3 +[0-9]" report.csv || fail "$program: no $collective"
    done
    test "$(wc -l < report.csv)" -eq 11 || fail "$program: other rows"
done
