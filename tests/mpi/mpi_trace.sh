#!/usr/bin/env bash
# mpi_trace.sh MPIRUN ROUNDABOUT PROGRAM - records the MPI library's collectives on five ranks, and proves
# the plan that the messages of each show. MPIRUN is one word with its options.
set -euo pipefail
read -ra mpirun <<<"$1"
roundabout=$(realpath "$2")
program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" TMPDIR=$work/tmp
mkdir tmp

fail() {
    echo "$*"
    cat message
    exit 1
}
trace() {
    "$roundabout" trace "$@" </dev/null 2>message || fail "${collective:-} ${bytes:-}: trace $*: status $?"
}

for collective in bcast reduce allreduce allgather alltoall scatter; do
    for bytes in 40 6000; do
        trace --collective $collective -m $bytes --root 3 --format record -o record -- "${mpirun[@]}" -n 5
        trace --from record --format csv -o plan.csv
        "$roundabout" verify --collective $collective --algorithm file:plan.csv --root 3 >message 2>&1 ||
            fail "$collective of $bytes bytes is no plan"
        grep -q "^1 $collective plan: all right" message || fail "$collective of $bytes bytes: not proved"
        # What moves at least: every other rank gets something, or gives it.
        trace --from record >summary
        [ "$(awk '$1 == "messages" { print $2 }' summary)" -ge 4 ] || fail "$collective: too few messages"
    done
done

# Without one message the rest is no plan. The wrong record differs in one line.
trace --collective bcast -m 40 --format record -o record -- "${mpirun[@]}" -n 5
sed '0,/^send/{/^send/d}' record >less
if "$roundabout" trace --from less --format csv >/dev/null 2>message; then fail "a message that nobody sends"; fi
grep -q 'posts a receive for a message that nobody sends' message || fail "a message that nobody sends"

# A program of the user's: its messages are counted.
trace -- "${mpirun[@]}" -n 3 -- "$program" >counts
[ "$(awk '$1 == "calls" { print $2 }' counts)" -gt 0 ] || fail "no calls of $program"
[ "$(awk '$1 == "messages" { print $2 }' counts)" -gt 0 ] || fail "no messages of $program"
[ -z "$(ls tmp)" ] || fail "left in TMPDIR: $(ls tmp)"
echo "the messages of the library's collectives are plans"
