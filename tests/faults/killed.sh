#!/usr/bin/env bash
# killed.sh PROGRAM TIMES - worker processes are killed at times that a seed chooses: the program
# says so, loses nothing, and the same command then gives the result of an undisturbed run.
set -euo pipefail
program=$(realpath "$1")
times=$2
RANDOM=${SEED:-7}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
export ROUNDABOUT_QUIET=1
# LeakSanitizer traces a process from a child that it makes at the end. Were it killed, the process
# would wait for it for ever.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# descendant PID: one of its children or their children, or nothing.
descendant() {
    local all
    mapfile -t all < <(children "$1" | while read -r child; do
        echo "$child"
        children "$child"
    done)
    [ ${#all[@]} -eq 0 ] || echo "${all[RANDOM % ${#all[@]}]}"
}
children() {
    { tr ' ' '\n' <"/proc/$1/task/$1/children"; } 2>/dev/null | grep . || :
}
# hung PROCESS: where it and its descendants wait.
hung() {
    local each
    echo "$0: process $1 has not ended after $limit_s s (SEED=${SEED:-7})" >&2
    for each in "$1" $(children "$1" | while read -r child; do
        echo "$child"
        children "$child"
    done); do
        echo "process $each: $(tr '\0' ' ' <"/proc/$each/cmdline") waits in $(cat "/proc/$each/wchan")"
        grep -E '^(State|PPid|SigPnd|ShdPnd)' "/proc/$each/status"
        ls -l "/proc/$each/fd"
    done >&2 || :
    kill -9 "$1"
}
limit_s=300
# disturbed LOG COMMAND...: its status; a descendant was killed some time after it began.
disturbed() {
    local log=$1 process victim='' waited=0
    shift
    "$program" "$@" >"$log.out" 2>"$log" &
    process=$!
    sleep "0.$(printf '%02d' $((RANDOM % 30)))"
    while [ -z "$victim" ] && kill -0 "$process" 2>/dev/null; do
        victim=$(descendant "$process")
        [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null || victim=
    done
    [ -n "$victim" ] && killed=$((killed + 1))
    while kill -0 "$process" 2>/dev/null && ((waited++ < 20 * limit_s)); do
        sleep 0.05
    done
    ((waited <= 20 * limit_s)) || hung "$process"
    wait "$process"
}

cat >grid.yaml <<'END'
ranks: [60, 64, 256]
bytes: 1MiB
blocks: {of-optimum: [0.5, 1, 2], counts: [1, 100]}
algorithms: [circulant, chain, binomial, scatter-allgather]
platforms: crossbar:256
END
"$program" sweep grid.yaml --no-plots --jobs 2 -o whole.db >/dev/null 2>&1
# All columns but those that differ from run to run. No field holds a comma.
lasting() {
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) left_out[i] = $i ~ /^(wall_s|load_s|messages_per_s|peak_bytes)$/ }
        { for (i = 1; i <= NF; i++) if (!left_out[i]) printf "%s,", $i; print "" }'
}
"$program" simulate -p 256 -n 64 -m 1MiB --platform crossbar:256 --format csv | lasting >whole.out
verify=(verify --schedules -p 1..12000 --sample 10 --jobs 2)
"$program" "${verify[@]}" | sed 's/; .*//' >verified.out

killed=0
for ((i = 0; i < times; i++)); do
    status=0
    disturbed sweep.log sweep grid.yaml --no-plots --jobs 2 -o some.db || status=$?
    case $status in
    0) ;; # the worker was idle
    3) grep -q 'points failed .*\(died of signal 9 (Killed)\|a worker died (killed by signal 9\)' sweep.log || fail "sweep: $(cat sweep.log)" ;;
    2) # while the platform was looked at, before anything ran: it may have been the platform's fault
        grep -q 'platforms: SimGrid died of signal 9 (Killed)' sweep.log || fail "sweep: $(cat sweep.log)" ;;
    *) fail "sweep: status $status: $(cat sweep.log)" ;;
    esac
    "$program" sweep grid.yaml --no-plots --jobs 2 -o some.db --retry-failed >/dev/null 2>sweep.log ||
        fail "sweep, tried again: $(cat sweep.log)"
    cmp whole.csv some.csv || fail "sweep: other rows (SEED=${SEED:-7}, time $i)"
    rm -f some.*

    status=0
    disturbed simulate.log simulate -p 256 -n 64 -m 1MiB --platform crossbar:256 --format csv || status=$?
    case $status in
    0) lasting <simulate.log.out | cmp - whole.out || fail "simulate: other output" ;;
    3)
        [ ! -s simulate.log.out ] || fail "simulate: $(cat simulate.log.out)"
        grep -q '^roundabout simulate: SimGrid died of signal 9 (Killed)' simulate.log ||
            fail "simulate: $(cat simulate.log)"
        ;;
    *) fail "simulate: status $status: $(cat simulate.log)" ;;
    esac

    status=0
    disturbed verify.log "${verify[@]}" || status=$?
    case $status in
    0) sed 's/; .*//' verify.log.out | cmp - verified.out || fail "verify: other output" ;;
    3) grep -q '^roundabout verify: .*worker.* died' verify.log || fail "verify: $(cat verify.log)" ;;
    *) fail "verify: status $status: $(cat verify.log)" ;;
    esac
done
[ "$killed" -gt 0 ] || fail "none was killed"
echo "$killed processes killed"
