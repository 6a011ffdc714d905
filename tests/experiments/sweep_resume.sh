#!/bin/sh
# sweep_resume.sh ROUNDABOUT COUNT_ROWS - a sweep that is killed, stopped, locked out, sharded, or out of disk
# ends with the same rows as an undisturbed one, and repeats nothing.
set -eu
roundabout=$1
count_rows=$2
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}

# About a second on two cores; the first points take the longest.
cat >grid.yaml <<'END'
ranks: [60, 64, 256]
bytes: 1MiB
blocks: {of-optimum: [0.5, 1, 2, 4], counts: [1, 200]}
algorithms: [circulant, chain, binomial, scatter-allgather]
platforms: [crossbar:256, fat-tree:256]
END
sweep() {
    "$roundabout" sweep grid.yaml --no-plots --jobs 2 "$@"
}
rows() {
    "$count_rows" "$1"
}
wait_for_rows() { # FILE COUNT PROCESS
    while [ "$(rows "$1")" -lt "$2" ] && kill -0 "$3" 2>/dev/null; do
        sleep 0.02
    done
    [ "$(rows "$1")" -ge "$2" ] || fail "the sweep ended before it had $2 rows"
}

sweep -o whole.db 2>whole.log >whole.out
grep -qx 'Results  whole.db, whole.csv' whole.out || fail "paths made: $(cat whole.out)"
all=$(rows whole.db)
[ "$all" -gt 50 ] || fail "only $all points"

# Killed three times, each time when there are a few rows more.
for more in 1 5 20; do
    goal=$(($(rows killed.db) + more))
    "$roundabout" sweep grid.yaml --no-plots --jobs 2 -o killed.db 2>killed.log >/dev/null &
    process=$!
    wait_for_rows killed.db "$goal" "$process"
    kill -9 "$process" 2>/dev/null || :
    wait "$process" 2>/dev/null || :
done
before=$(rows killed.db)
[ "$before" -lt "$all" ] || fail "no sweep was killed in the middle"
sweep -o killed.db 2>killed.log >/dev/null
grep -q "$all points, $before of them are in the file already" killed.log || fail "$(cat killed.log)"
cmp whole.csv killed.csv || fail "killed and resumed, the rows differ"
[ "$(ls)" = "grid.yaml
killed.csv
killed.db
killed.log
whole.csv
whole.db
whole.log
whole.out" ] || fail "left behind: $(ls)"

# Nothing is left to do: nothing is run, and the rows stay.
sweep -o killed.db 2>killed.log >/dev/null
grep -q "$all points, $all of them are in the file already" killed.log || fail "$(cat killed.log)"
cmp whole.csv killed.csv

# Another writer is refused, and named; then a signal ends the first in order.
"$roundabout" sweep grid.yaml --no-plots --jobs 2 -o stopped.db 2>stopped.log >/dev/null &
process=$!
wait_for_rows stopped.db 1 "$process"
status=0
sweep -o stopped.db 2>second.log || status=$?
[ "$status" = 2 ] || fail "the second writer's exit status is $status"
grep -q "stopped.db: process $process is writing it" second.log || fail "$(cat second.log)"
kill -TERM "$process"
status=0
wait "$process" || status=$?
[ "$status" = 143 ] || fail "exit status $status after SIGTERM"
grep -q "stopped by signal 15: .* of $all points are in stopped.db" stopped.log ||
    fail "$(cat stopped.log)"
sweep -o stopped.db 2>/dev/null >/dev/null
cmp whole.csv stopped.csv

# Three shards, merged.
for shard in 1 2 3; do
    sweep -o "shard$shard.db" --shard "$shard/3" 2>/dev/null >/dev/null
done
"$roundabout" sweep --merge shard1.db shard2.db shard3.db -o merged.db 2>merge.log >/dev/null
cmp whole.csv merged.csv || fail "shards merged differ from the whole"
[ "$(($(rows shard1.db) + $(rows shard2.db) + $(rows shard3.db)))" = "$all" ] ||
    fail "shards overlap"

# A file that is cut while it is written is not called done.
cp shard1.db cut.db
"$roundabout" sweep grid.yaml --no-plots --jobs 2 -o cut.db 2>cut.log >/dev/null &
process=$!
wait_for_rows cut.db "$(($(rows shard1.db) + 1))" "$process"
truncate -s 20480 cut.db
status=0
wait "$process" || status=$?
[ "$status" = 3 ] || fail "exit status $status of a sweep whose file was cut: $(cat cut.log)"
grep -q "cut.db: damaged" cut.log || fail "$(cat cut.log)"

# Files can't grow beyond 64 KiB: that stops the sweep, and costs nothing.
status=0
(trap '' XFSZ && ulimit -f 128 && sweep -o full.db 2>full.log >/dev/null) || status=$?
[ "$status" = 3 ] || fail "exit status $status on a full disk: $(cat full.log)"
grep -q "full.db: .*the points finished so far are kept" full.log || fail "$(cat full.log)"
sweep -o full.db 2>full.log >/dev/null
grep -q " of them are in the file already" full.log || fail "$(cat full.log)"
cmp whole.csv full.csv

# Merging where it doesn't fit names the file that can't be written, and leaves nothing of it.
status=0
(trap '' XFSZ && ulimit -f 48 && "$roundabout" sweep --merge shard?.db -o cramped.db 2>full.log) ||
    status=$?
[ "$status" = 3 ] || fail "exit status $status of a merge on a full disk: $(cat full.log)"
grep -q "cramped.db: " full.log || fail "$(cat full.log)"
[ -z "$(ls | grep cramped)" ] || fail "left behind: $(ls)"
