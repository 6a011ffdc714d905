#!/usr/bin/env bash
# sweep_shards.sh ROUNDABOUT - merging the shards of an experiment: complete shards end as the whole sweep does, and a
# shard that is lost, unfinished, damaged or still being written is named with the command that runs it.
set -euo pipefail
roundabout=$1
directory=$(mktemp -d)
writer=
trap '[ -z "$writer" ] || kill "$writer" 2>/dev/null || :; rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# merge STATUS ARGUMENT...: the merge's exit status; messages in err, paths in out.
merge() {
    local expected=$1 status=0
    shift
    "$roundabout" sweep --merge "$@" >out 2>err || status=$?
    [ "$status" -eq "$expected" ] || fail "sweep --merge $*: exit status $status: $(cat err)"
}

# The file's name says how a command must be quoted.
experiment=$'it\'s a\nsweep.yaml'
cat >"$experiment" <<'END'
name: small
ranks: 4..9
bytes: [1KiB, 1MiB]
blocks: [1, 4]
algorithms: [binomial, circulant]
platforms: crossbar:16
engine: model
END
"$roundabout" sweep "$experiment" --no-plots -o whole.db >/dev/null 2>&1
for shard in 1 2 4; do
    "$roundabout" sweep "$experiment" --shard "$shard/4" -o "shard $shard.db" >/dev/null 2>&1
done

# The third shard is lost: its command stands on one line, and works.
parts=(shard\ {1..4}.db)
merge 3 --experiment "$experiment" "${parts[@]}" -o all.db
[ "$(wc -l <err)" -eq 2 ] || fail "a lost shard: $(cat err)"
grep -qF 'shard 3 of 4: 9 of 9 points are missing; this command runs them: roundabout sweep ' err ||
    fail "a lost shard: $(cat err)"
grep -qF '9 of 36 points are missing, of 1 of 4 shards; run these shards and merge again' err ||
    fail "a lost shard: $(cat err)"
[ "$(cat out)" = $'all.db\nall.csv' ] || fail "a lost shard: paths $(cat out)"
[ ! -e all.tune.txt ] || fail "an incomplete merge made a report"
command=$(sed -n 's/.*this command runs them: roundabout //p' err)
eval "\"\$roundabout\" $command" >/dev/null 2>&1 || fail "$command: exit status $?"
merge 0 --experiment "$experiment" "${parts[@]}" -o all.db --no-plots
[ ! -s err ] || fail "complete shards: $(cat err)"
cmp whole.csv all.csv || fail "shards merged differ from the whole"
[ ! -e all.tune.txt ] || fail "--no-plots made a report"

# A damaged shard is named, the others count.
cp 'shard 2.db' intact.db
LC_ALL=C sed -i 's/binomial/binomiax/' 'shard 2.db'
merge 3 --experiment "$experiment" "${parts[@]}" -o damaged.db --no-plots
grep -q 'shard 2.db: damaged, or changed by hand' err || fail "a damaged shard: $(cat err)"
grep -q 'shard 2 of 4: 9 of 9 points are missing' err || fail "a damaged shard: $(cat err)"
mv intact.db 'shard 2.db'

# So is one that another process is still writing.
cat >long.yaml <<'END'
ranks: 65536
bytes: 1MiB
blocks: 1000
algorithms: circulant
platforms: torus:256x256 # half an hour, so no signal comes too late
engine: flow
END
"$roundabout" sweep long.yaml --jobs 1 --no-plots -o 'shard 5.db' >/dev/null 2>long.log &
writer=$!
until [ -e 'shard 5.db.lock' ]; do
    kill -0 "$writer" || fail "the sweep that was to be interrupted has ended"
    sleep 0.02
done
merge 3 --experiment long.yaml 'shard 5.db' -o long.db
grep -q "shard 5.db: process $writer is writing it" err || fail "a shard in the making: $(cat err)"
# A batch system ends all processes of a job, and a script passes the signal on: two signals end a sweep as one does.
while kill "$writer" 2>/dev/null; do
    :
done
status=0
wait "$writer" || status=$?
writer=
[ "$status" -eq 143 ] || fail "SIGTERM twice: exit status $status"
grep -q 'stopped by signal 15: 0 of 1 points' long.log || fail "SIGTERM twice: $(cat long.log)"

# Results of another experiment are of no use.
sed 's/crossbar:16/crossbar:16,latency=3us/' "$experiment" >other.yaml
"$roundabout" sweep other.yaml --no-plots -o other.db >/dev/null 2>&1
merge 3 --experiment "$experiment" other.db -o wrong.db
grep -q 'shard 1 of 1: 36 of 36 points are missing' err || fail "another experiment: $(cat err)"

merge 2 --experiment none.yaml 'shard 1.db' -o x.db
merge 2 --experiment "$experiment" 'shard 1.db' -o x.db --jobs 3
[ "$(cat err)" = 'roundabout sweep: --jobs: has no meaning with --merge' ] || fail "$(cat err)"
merge 2 --experiment "$experiment" 'shard 1.db' -o "$experiment"
status=0
"$roundabout" sweep "$experiment" --experiment "$experiment" 2>err || status=$?
[ "$status" -eq 2 ] || fail "--experiment alone: exit status $status"
[ "$(cat err)" = 'roundabout sweep: --experiment: has no meaning without --merge' ] || fail "$(cat err)"
