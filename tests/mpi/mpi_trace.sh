#!/usr/bin/env bash
# mpi_trace.sh MPIRUN ROUNDABOUT PROGRAM - records the MPI library's collectives on few ranks, and proves
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

# All that can be traced, and no other.
"$roundabout" trace --collective scan -- "${mpirun[@]}" -n 2 2>message && fail "scan can't be traced"
collectives=$(sed -n 's/.*unknown "scan": it must be one of //p' message | tr '|' ' ')
[ "$(wc -w <<<"$collectives")" -eq 8 ] || fail "not 8 collectives: $collectives"
for collective in $collectives; do
    ranks=5 root=3
    case $collective in
    reduce-scatter) ranks=4 ;; # docs/traced.md
    gather) ranks=2 root=0 ;;
    esac
    for bytes in 40 6000; do
        trace --collective "$collective" -m "$bytes" --root $root --format record -o record -- "${mpirun[@]}" -n $ranks
        trace --from record --format csv -o plan.csv
        "$roundabout" verify --collective "$collective" --algorithm file:plan.csv >message 2>&1 ||
            fail "$collective of $bytes bytes is no plan"
        grep -q "^1 plan is right: $collective by" message || fail "$collective of $bytes bytes: not proved"
        # What moves at least: every other rank gets something, or gives it.
        trace --from record >summary
        [ "$(awk '$1 == "messages" { print $2 }' summary)" -ge $((ranks - 1)) ] || fail "$collective: too few messages"
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

# What can't be recorded is said in one line, and of a call that can't be made it is the user's fault.
refused() {
    local status=0 wanted=$1 line=$2
    shift 2
    "$roundabout" trace "$@" </dev/null >out 2>message || status=$?
    [ "$status" -eq "$wanted" ] || fail "trace $*: status $status, not $wanted"
    [ "$(cat message)" = "roundabout trace: $line" ] || fail "trace $*: not: $line"
}
refused 2 '--root: 7 is not one of the ranks 0 to 2' --root 7 -- "${mpirun[@]}" -n 3
refused 2 'the record: empty: no rank started MPI under the library that records' -- "${mpirun[@]}" -n 2 -- true
refused 2 'the record: empty: no rank started MPI under the library that records' --format record -- \
    "${mpirun[@]}" -n 2 -- true

# Values of the environment are on one line. Neither library has such a variable.
MPIR_CVAR_NO_ALGORITHM=$'a\nrank 5' OMPI_MCA_coll_no=$'b\nend' trace --format record -o record -- "${mpirun[@]}" -n 2
grep -qxF 'setting MPIR_CVAR_NO_ALGORITHM=a\x0arank 5' record || fail "a line end in a setting"
grep -qxF 'setting OMPI_MCA_coll_no=b\x0aend' record || fail "a line end in a setting"
trace --from record >summary

# A signal that ends the command ends its ranks and removes what they wrote.
running() { # of the processes whose numbers name files in `started`
    local file
    for file in started/*; do
        [ "$(ps -o stat= -p "${file#*/}" | cut -c 1)" = S ] && return 0
    done
    return 1
}
for signal in INT TERM HUP; do
    rm -rf started
    mkdir started
    # shellcheck disable=SC2016 # the ranks' shells expand it
    env --default-signal="$signal" "$roundabout" trace -- "${mpirun[@]}" -n 2 -- \
        sh -c 'echo >"$ROUNDABOUT_TRACE/rank-$$" && echo >"$0/$$" && exec sleep 100' "$work/started" </dev/null 2>message &
    command=$!
    until [ "$(find started -type f | wc -l)" -eq 2 ]; do
        kill -0 $command || fail "$signal: it ended by itself"
        sleep 0.1
    done
    kill "-$signal" $command
    status=0
    wait $command || status=$?
    [ "$status" -gt 128 ] || fail "$signal: status $status"
    [ -z "$(find tmp -name '.roundabout*')" ] || fail "$signal: left in TMPDIR: $(ls -A tmp)"
    for ((i = 0; i < 600; i++)); do
        running || break
        sleep 0.1
    done
    if running; then fail "$signal: ranks are left"; fi
done
[ -z "$(ls -A tmp)" ] || fail "left in TMPDIR: $(ls -A tmp)"
echo "the messages of the library's collectives are plans"
