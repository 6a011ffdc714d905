#!/usr/bin/env bash
# slurm_sweep.sh ROUNDABOUT - a sweep as a job array of a real Slurm with four nodes: the merged rows are those of a sweep
# in one piece, also if one shard is put back into the queue near its time limit, one is killed, and one is canceled.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
roundabout=$1
# shellcheck source=tests/cluster/start_slurm.sh
. "$here/start_slurm.sh"
directory=$(mktemp -d)
trap 'stop_slurm; rm -rf "$directory"' EXIT
mkdir "$directory/slurm" "$directory/jobs"
cd "$directory/jobs"

fail() {
    tail -n 30 ./*/shards/*.log ./*/merge.log >&2 || :
    echo "$0: $*" >&2
    exit 1
}

start_slurm "$directory/slurm"

# Names that Slurm, shells and YAML read in their own ways. A shard takes seconds, and each point a moment.
scripts=$'sh%a "rds\' of $j\n#SBATCH --hold'
cat >'my experiment.yaml' <<'END'
name: small
ranks: 1024..1047
bytes: 1MiB
blocks: [6000, 5900, 5800, 5700, 5600]
algorithms: circulant
platforms: crossbar:2048
engine: model
END
"$roundabout" sweep 'my experiment.yaml' --no-plots -o whole.db >/dev/null 2>&1
"$roundabout" sweep 'my experiment.yaml' --slurm "$scripts" --shards 4 --slurm-option=--partition=short \
    --no-plots >/dev/null 2>&1 || fail "--slurm: exit status $?"
# What becomes of the file later is of no concern to the shards.
mv 'my experiment.yaml' moved.yaml

# The array starts at once, two shards on each of two nodes. As soon as one of the first three has points it is frozen: a
# shard may be done sooner than Slurm delivers a signal.
signal_shard() { # SIGNAL SHARD
    pkill "-$1" -f -- "--shard $2/4 -o $PWD/"
}
freeze() { # SHARD
    local try
    for ((try = 0; try < 6000; try++)); do
        [ ! -s "$scripts/shards/$1.db-wal" ] || break
        sleep 0.01
    done
    signal_shard STOP "$1"
}
freezers=()
for shard in 1 2 3; do
    freeze $shard &
    freezers+=($!)
done
"$scripts/submit.sh" >submitted || fail "submit.sh: exit status $?"
array=$(sed -n 's/^job \([0-9]*\): shards 1,2,3,4$/\1/p' submitted)
[ -n "$array" ] || fail "submit.sh prints $(cat submitted)"
for freezer in "${freezers[@]}"; do
    wait "$freezer" || fail "a shard ended before it was frozen"
done
# Near the time limit: as Slurm does, but not after 13 minutes. Then a node that dies; and what scancel does.
scancel --signal=USR1 --batch "${array}_1"
scancel --signal=KILL --full "${array}_2"
scancel "${array}_3"
signal_shard CONT 1 || fail "shard 1 is not there"
signal_shard CONT 3 || : # scancel has let it go on, too
status=0
"$scripts/submit.sh" 2>err >out || status=$?
[ "$status" -eq 1 ] || fail "submitted twice: exit status $status"
grep -qx "job $array of this sweep is in the queue; wait for its end, or scancel $array" err || fail "$(cat err)"
for ((try = 0; try < 200; try++)); do
    [ "$(squeue --noheader --jobs="${array}_1" --format=%T)" != PENDING ] || break
    sleep 0.05
done
grep -q 'back into the queue' "$scripts/shards/1.log" || fail "shard 1 was not put back into the queue"
# Slurm lets a job wait two minutes before it is started again. Two seconds are enough for a node to see that this is
# not the job that it ended.
scontrol update "jobid=${array}_1" starttime=now+3seconds || fail "scontrol: exit status $?"
wait_for_jobs || fail "the array does not end"

goes_on() { # SHARD: it was stopped in order, and the next job begins where it stopped
    local points
    points=$(sed -n "s/.*stopped by signal.* \([0-9]*\) of [0-9]* points.*/\1/p" "$scripts/shards/$1.log")
    [ -n "$points" ] || fail "shard $1 was not stopped in order"
    [ "$points" -eq 0 ] || grep -q "points, $points of them are in the file already" "$scripts/shards/$1.log" ||
        fail "shard $1 did not go on from $points points"
}
goes_on 1
[ "$(cd "$scripts/shards" && echo ./*.done)" = './1.done ./4.done' ] || fail "not shards 1 and 4 are complete"
for shard in 2 3; do
    grep -q "shard $shard of 4: .*; this command runs them: roundabout sweep .* --shard $shard/4 -o " \
        "$scripts/merge.log" || fail "the merge does not name shard $shard"
done
grep -q 'bash submit.sh runs what is missing' "$scripts/merge.log" || fail "the merge says nothing of submit.sh"

# The lost shards go on where they stopped, the others are left alone.
cp "$scripts/shards/1.log" "$scripts/shards/4.log" .
"$scripts/submit.sh" >submitted || fail "submit.sh: exit status $?"
grep -q '^job [0-9]*: shards 2,3$' submitted || fail "submit.sh prints $(cat submitted)"
wait_for_jobs || fail "the second array does not end"
for shard in 1 4; do
    cmp "$shard.log" "$scripts/shards/$shard.log" || fail "shard $shard was complete and ran again"
done
cmp whole.csv "$scripts/small.csv" || fail "the merged rows differ from the whole sweep's: $(diff whole.csv "$scripts/small.csv" | head -n 4)"
goes_on 3

# All is there: only the merge runs.
"$scripts/submit.sh" >submitted || fail "submit.sh: exit status $?"
sed -i 's/[0-9][0-9]*/N/' submitted
[ "$(cat submitted)" = 'job N: merge' ] || fail "submit.sh prints $(cat submitted)"
wait_for_jobs || fail "the merge does not end"
cmp whole.csv "$scripts/small.csv"
