#!/bin/sh
# verify_resume.sh ROUNDABOUT - a verification that is killed, stopped, locked out or out of disk
# space and then run again checks each remaining p once and summarises all of them.
set -eu
roundabout=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}

# About two seconds on two cores, in 32 pieces or more.
verify() {
    "$roundabout" verify --schedules -p 1..20000 --sample 10 --jobs 2 "$@"
}
lines() {
    grep -c ' right$' "$1" 2>/dev/null || :
}
wait_for_lines() { # FILE COUNT PROCESS
    while [ "$(lines "$1" | grep . || echo 0)" -lt "$2" ] && kill -0 "$3" 2>/dev/null; do
        sleep 0.01
    done
    [ "$(lines "$1")" -ge "$2" ] || fail "the run ended before it had noted $2 pieces"
}
# Nothing is checked twice: the ranks noted are those of the request.
check_ranks() { # FILE
    awk 'NR > 1 { ranks += $5 } END { exit ranks != 259922 }' "$1" || fail "$1: $(cat "$1")"
}

verify | sed 's/; .*//' >whole.out
[ "$(head -n 1 whole.out)" = \
    "20000 values of p, 259922 ranks: all four conditions hold for these" ] ||
    fail "$(cat whole.out)"

# Killed three times, each time when there are some pieces more.
for more in 1 3 6; do
    goal=$(($(lines killed.txt | grep . || echo 0) + more))
    "$roundabout" verify --schedules -p 1..20000 --sample 10 --jobs 2 --record killed.txt \
        2>killed.log >/dev/null &
    process=$!
    wait_for_lines killed.txt "$goal" "$process"
    kill -9 "$process" 2>/dev/null || :
    wait "$process" 2>/dev/null || :
    [ "$(lines killed.txt)" -lt 32 ] || fail "no run was killed in the middle"
done
printf '%s' "$(tail -n 1 killed.txt | cut -c 1-40)" >>killed.txt # a write that was cut short
verify --record killed.txt 2>killed.log | sed 's/; .*//' >killed.out
grep -q ' of 20000 values of p are there already$' killed.log || fail "$(cat killed.log)"
grep -q '^of these, .* values of p were checked earlier: killed.txt$' killed.out ||
    fail "$(cat killed.out)"
grep -v '^of these' killed.out | cmp - whole.out || fail "killed and resumed: $(cat killed.out)"
check_ranks killed.txt

# Nothing is left to do.
verify --record killed.txt 2>killed.log >/dev/null
grep -q ' 20000 of 20000 values of p are there already$' killed.log || fail "$(cat killed.log)"
check_ranks killed.txt

# Another writer is refused, and named; then a signal ends the first.
"$roundabout" verify --schedules -p 1..20000 --sample 10 --jobs 2 --record stopped.txt \
    2>/dev/null >/dev/null &
process=$!
wait_for_lines stopped.txt 1 "$process"
status=0
verify --record stopped.txt 2>second.log >/dev/null || status=$?
[ "$status" = 2 ] || fail "the second writer's exit status is $status"
grep -q "\"stopped.txt\": process $process is writing it" second.log || fail "$(cat second.log)"
kill -TERM "$process"
wait "$process" 2>/dev/null || :
verify --record stopped.txt 2>/dev/null >/dev/null
check_ranks stopped.txt

# Files can't grow beyond 1 KiB: that ends the run with a message, and what is noted counts.
status=0
(trap '' XFSZ && ulimit -f 2 && verify --record full.txt 2>full.log >/dev/null) || status=$?
[ "$status" = 3 ] || fail "exit status $status on a full disk: $(cat full.log)"
grep -q 'full.txt": not all was written' full.log || fail "$(cat full.log)"
verify --record full.txt 2>full.log >/dev/null
grep -q ' of 20000 values of p are there already' full.log || fail "$(cat full.log)"
check_ranks full.txt

# A worker that a limit ends says which one.
status=0
(ulimit -t 1 && "$roundabout" verify -p 1..100000 --jobs 1 2>limit.log >/dev/null) || status=$?
[ "$status" = 3 ] || fail "exit status $status at the limit on CPU time: $(cat limit.log)"
grep -q "a worker died (it reached the limit on CPU time, ulimit -t)" limit.log ||
    fail "$(cat limit.log)"
