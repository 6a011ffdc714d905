#!/usr/bin/env bash
# slurm_scripts.sh ROUNDABOUT - the scripts of sweep --slurm without Slurm: what is refused, that nothing of others is
# overwritten, and that shards and merge run by themselves and by GNU parallel, if that is there.
set -euo pipefail
roundabout=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# refuse STATUS MESSAGE ARGUMENT...: exit status, and the one line on standard error.
refuse() {
    local expected=$1 message=$2 status=0
    shift 2
    "$roundabout" sweep "$@" >out 2>err || status=$?
    [ "$status" -eq "$expected" ] || fail "sweep $*: exit status $status, not $expected: $(cat err)"
    [ "$(cat err)" = "roundabout sweep: $message" ] || fail "sweep $*: $(cat err)"
    [ ! -s out ] || fail "sweep $*: prints $(cat out)"
}

mkdir jobs
cat >jobs/small.yaml <<'END'
ranks: 4..9
bytes: [1KiB, 1MiB]
blocks: [1, 4]
algorithms: [binomial, circulant]
platforms: here.xml
engine: flow
END
cd jobs
"$roundabout" platform generate crossbar:16 -o here.xml

for number in 0 -1 x; do
    refuse 2 "--shards: \"$number\" is not a whole number from 1 to 1000000" small.yaml --slurm new --shards "$number"
done
refuse 2 '--shards: 37 shards, but the experiment has 36 points; give at most that many' \
    small.yaml --slurm new --shards 37
refuse 2 '--shards: has no meaning without --slurm' small.yaml --shards 2
refuse 2 '--slurm-option: has no meaning without --slurm' small.yaml --slurm-option=--partition=a
refuse 2 '--output: has no meaning with --slurm' small.yaml --slurm new -o x.db
refuse 2 '--slurm: has no meaning with --merge' --merge x.db -o y.db --slurm new
refuse 2 '--time-limit: "4min" is less than 5 min' small.yaml --slurm new --time-limit 4min
refuse 2 "--point-timeout: at most 120s: a shard's time limit is 5 min; --time-limit sets another" \
    small.yaml --slurm new --time-limit 5min --point-timeout 3min
refuse 2 '--slurm-option: --array is set by the scripts; use --shards N' small.yaml --slurm new --slurm-option=--array=1-3
refuse 2 '--slurm-option: -t is set by the scripts; use --time-limit TIME' small.yaml --slurm new --slurm-option=-t10
refuse 2 '--slurm-option: --signal is set by the scripts' small.yaml --slurm new --slurm-option='--signal 3'
refuse 2 '--slurm-option: "partition=long" is not an option of sbatch on one line, such as --partition=long' \
    small.yaml --slurm new --slurm-option=partition=long
refuse 2 '--slurm-option: "--comment=a\x0arm" is not an option of sbatch on one line, such as --partition=long' \
    small.yaml --slurm new --slurm-option=$'--comment=a\nrm'
refuse 2 'none.yaml: No such file or directory' none.yaml --slurm new
refuse 2 '--slurm: cannot make "no/new": No such file or directory' small.yaml --slurm no/new
refuse 2 '--slurm: "small.yaml" is not a directory' small.yaml --slurm small.yaml
[ ! -e new ] || fail "a refused request made a directory"

# A directory with other files stays as it is; also if a file has the name of a script.
refuse 2 '--slurm: "." has other files; give a new directory' small.yaml --slurm .
mkdir others
echo '# mine' | tee others/sweep.sbatch >mine
refuse 2 '--slurm: "others" has other files; give a new directory' small.yaml --slurm others
cmp mine others/sweep.sbatch
# Files that can't be written leave nothing.
sed 's/here.xml/crossbar:16/' small.yaml >other.yaml
status=0
text=$( (trap '' XFSZ && ulimit -f 0 && "$roundabout" sweep other.yaml --slurm new) 2>&1) || status=$?
[ "$status" -eq 3 ] || fail "exit status $status on a full disk: $text"
[[ $text == *'not all was written'* ]] || fail "a full disk: $text"
[ ! -e new ] || fail "a full disk: left behind $(ls -R new)"

"$roundabout" sweep small.yaml --no-plots -o whole.db >/dev/null 2>&1
scripts=$'it\'s "a" $HOME\n%j'
"$roundabout" sweep small.yaml --slurm "$scripts" --shards 5 --jobs 2 --time-limit 26h --slurm-option --partition=long \
    --slurm-option='--account=a b' >out 2>err || fail "exit status $?: $(cat err)"
[ "$(wc -l <out)" -eq 4 ] || fail "paths: $(cat out)"
[ "$(wc -l <err)" -eq 3 ] || fail "messages: $(cat err)"
grep -q '^roundabout sweep: small: 36 points in 5 shards of 2 cores; about .* time limit 1560 min$' err || fail "$(cat err)"
for line in --array=1-5 --cpus-per-task=2 --time=26:00:00 --signal=B:USR1@90 --requeue --partition=long '--account=a b'; do
    grep -qx "#SBATCH $line" "$scripts/sweep.sbatch" || fail "sweep.sbatch has no $line"
done
grep -qx '#SBATCH --partition=long' "$scripts/merge.sbatch" || fail "merge.sbatch has not the partition"
[ -x "$scripts/submit.sh" ] || fail "submit.sh cannot be executed"
if command -v shellcheck >/dev/null; then
    shellcheck "$scripts"/*.sbatch "$scripts"/*.sh
fi

# The message's commands work as they stand, from everywhere. One shard is left out first.
without=$(sed -n 's/^roundabout sweep: without: //p' err)
merge=${without##*; }
run_merge() { # STATUS
    local status=0
    (cd / && eval "$merge") >merged 2>err || status=$?
    [ "$status" -eq "$1" ] || fail "$merge: exit status $status: $(cat err)"
}
for shard in 1 2 4 5; do
    (cd / && SLURM_ARRAY_TASK_ID=$shard bash "$directory/jobs/$scripts/sweep.sbatch") || fail "shard $shard fails"
done
run_merge 3
grep -q 'shard 3 of 5: 7 of 7 points are missing' err || fail "$(cat err)"
if command -v parallel >/dev/null; then
    rm -r "$scripts"/shards/*
    (cd / && eval "${without%; *}") 2>err || fail "$without: $(cat err "$scripts"/shards/*.log)"
else
    SLURM_ARRAY_TASK_ID=3 bash "$scripts/sweep.sbatch"
fi
run_merge 0
cmp whole.csv "$scripts/small.csv" || fail "the merged rows differ from the whole sweep's"
[ -s "$scripts/small.tune.txt" ] || fail "the merge made no report: $(cat err)"

# Written again, scripts are new and results stay; other shards don't go into this directory.
"$roundabout" sweep small.yaml --slurm "$scripts" --shards 5 --no-plots >/dev/null 2>&1 || fail "again: exit status $?"
grep -q -- --no-plots "$scripts/merge.sbatch" || fail "the scripts are not written again"
[ -s "$scripts/small.db" ] && [ -s "$scripts/shards/3.db" ] || exit 1
refuse 2 "--slurm: \"it's \"a\" \$HOME\\x0a%j\" has shards of another experiment, or another number of shards; give a new directory" \
    small.yaml --slurm "$scripts" --shards 4
echo 'seed: 2' >>small.yaml
refuse 2 "--slurm: \"it's \"a\" \$HOME\\x0a%j\" has shards of another experiment, or another number of shards; give a new directory" \
    small.yaml --slurm "$scripts" --shards 5

# A signal near the time limit: the sweep ends in order, and the job asks to be put back into the queue.
cat >long.yaml <<'END'
ranks: 65536
bytes: 1MiB
blocks: [1000, 1001]
algorithms: circulant
platforms: torus:256x256 # half an hour a point, so no signal comes too late
engine: flow
END
mkdir bin
cat >bin/scontrol <<'END'
#!/bin/sh
echo "scontrol $*" >>scontrol.log
END
chmod +x bin/scontrol
"$roundabout" sweep long.yaml --slurm long --shards 1 >/dev/null 2>&1
PATH=$PWD/bin:$PATH SLURM_JOB_ID=71 SLURM_ARRAY_TASK_ID=1 bash long/sweep.sbatch &
job=$!
until [ -s long/shards/1.db-wal ]; do
    kill -0 "$job" || fail "the shard has ended: $(cat long/shards/1.log)"
    sleep 0.02
done
kill -USR1 "$job"
status=0
wait "$job" || status=$?
[ "$status" -eq 143 ] || fail "exit status $status near the time limit: $(cat long/shards/1.log)"
[ "$(cat scontrol.log)" = 'scontrol requeue 71' ] || fail "$(cat scontrol.log)"
grep -q 'stopped by signal 15: 0 of 2 points' long/shards/1.log || fail "$(cat long/shards/1.log)"
[ ! -e long/shards/1.done ] || fail "a stopped shard counts as complete"
