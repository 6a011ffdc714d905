#!/usr/bin/env bash
# full_disk.sh PROGRAM - every output on a disk that is too small: status 3 and one line that says
# so, existing files are unchanged, and no file is left. Skipped (77) where no small file system can
# be made.
set -euo pipefail
program=$(realpath "$1")
room=$(mktemp -d)
mkdir "$room/disk" "$room/old"
if ! mount -t tmpfs -o size=64k none "$room/disk" 2>/dev/null; then
    echo "a small file system needs root: skipped"
    rm -rf "$room"
    exit 77
fi
trap 'umount "$room/disk" && rm -rf "$room"' EXIT
cd "$room"
export ROUNDABOUT_QUIET=1

fail() {
    echo "$0: $*" >&2
    exit 1
}
# try COMMAND...: on a disk with 4 KiB left, of which a good old file by each name in disk/ takes its part.
try() {
    local status=0 word
    rm -rf disk/*
    for word; do
        [[ $word != disk/* ]] || echo "a good old $word" >"$word"
    done
    cp -a disk/. old
    head -c 1M /dev/zero >disk/other 2>/dev/null || true
    truncate -s -4096 disk/other
    "$program" "$@" >out 2>err || status=$?
    [ "$status" -eq 3 ] || fail "$*: status $status: $(cat err)"
    grep -q '^roundabout.*\(No space left\|disk is full\|earlier write failed\)' err || fail "$*: $(cat err)"
    rm disk/other
    diff -r old disk || fail "$*: not as it was before"
    rm -rf old/*
}

try plan -p 100 -n 10 --format csv -o disk/plan
try plan -p 100 -n 10 --format json -o disk/plan
try plan -p 100 -n 10 --format goal -o disk/plan
try schedule -p 200 -o disk/schedule
try platform generate mesh:16x16 -o disk/xml
try simulate -p 4000 -n 4 -m 1MiB --engine model --finish --format csv -o disk/csv
try simulate -p 64 -n 8 -m 1MiB --engine model --trace disk/q.json
try simulate -p 64 -n 64 -m 1MiB --engine model --diagram disk/q.svg
try simulate -p 64 -n 64 -m 1MiB --engine flow --contention disk/q.svg
try simulate -p 64 -n 8 -m 1MiB --engine model --report disk/run.html
try plan -p 100 -n 10 --format ti -o disk
cat >grid.yaml <<'END'
ranks: 2..40
bytes: [4KiB, 8KiB]
blocks: [1, 2, 4]
algorithms: [circulant, binomial, chain]
platforms: crossbar:64
engine: model
END
"$program" sweep grid.yaml --no-plots -o whole.db >/dev/null 2>&1
try tune whole.db --what decision --format csv -o disk/best
try report whole.db -o disk/sweep.html
# A results file is no text of ours.
rm -rf disk/*
head -c 61440 /dev/zero >disk/other
status=0
"$program" sweep --merge whole.db -o disk/merged.db >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "merge: status $status: $(cat err)"
[ "$(ls -A disk)" = other ] || fail "merge: left behind: $(ls -A disk)"
# What a sweep had finished stays, and goes on elsewhere.
rm -rf disk/*
mount -o remount,size=256k "$room/disk"
status=0
"$program" sweep grid.yaml --no-plots -o disk/new.db >out 2>err || status=$?
[ "$status" -eq 3 ] || fail "sweep: status $status: $(cat err)"
grep -q '^roundabout.*disk is full.*points finished so far are kept' err || fail "sweep: $(cat err)"
cp disk/new.db* .
"$program" sweep grid.yaml --no-plots -o new.db >out 2>err || fail "sweep, gone on: $(cat err)"
grep -q ' [1-9][0-9]* of them are in the file already' err || fail "sweep, gone on: $(cat err)"
cmp whole.csv new.csv || fail "sweep, gone on: other rows"
