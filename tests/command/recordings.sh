#!/usr/bin/env bash
# recordings.sh PROGRAM - recordings that the test makes: where what is started moves, in memory that ranks share, is
# found by what was measured.
set -euo pipefail
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
    echo "$*"
    cat said w.yaml
    exit 1
}
# 20 broadcasts of 250,000 bytes that two ranks start before 100 us of computing, and then wait for.
record() { # DIRECTORY NANOSECONDS
    python3 - "$@" << 'END'
import os, struct, sys
os.mkdir(sys.argv[1])
for rank in range(2):
    with open(f"{sys.argv[1]}/rank-{rank}", "wb") as file:
        file.write(struct.pack("8siiQqq96s", b"rb-rec1\n", rank, 2, 1, 0, 0, b"none"))
        file.write(struct.pack("IIiiii", 2, 3, 0, 2, 0, 1)) # the members of MPI_COMM_WORLD
        now = 0
        def call(bytes, root, how, inside):
            global now
            file.write(struct.pack("IIqqqQiiBBBBBBhii", 1, 8, now, now + inside, bytes, 1, 0, root, 0, how, 0, 1, 1, 0, -1, 0, 0))
            now += inside
        for _ in range(20):
            call(250000, 0, 1, 100)
            now += 100000
            call(0, -1, 2, int(sys.argv[2]))
        file.write(struct.pack("IIqq4q", 6, 7, now, 0, 0, 0, 0, 0))
END
}

workload() { "$program" workload "$@" --platform crossbar:2,bandwidth=5GBps -o w.yaml 2> said || fail "refused: $1"; }
record shared 52000 # the message takes 51 us
workload shared
tr '\n' ' ' < said > line
grep -Eq 'measured were 1.04 ms: -[0-3] %.*progress: waits.*calls\) it is -100 %' line || fail "calls"
grep -q '^    progress: waits$' w.yaml || fail "not in the file"
record hidden 1000
workload hidden
grep -q waits said && fail "waits, and nobody waited"
grep -q '^    progress: calls$' w.yaml || fail "not as it was"
echo "what is started moves where it was measured to"
