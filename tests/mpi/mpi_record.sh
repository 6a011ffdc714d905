#!/usr/bin/env bash
# mpi_record.sh MPIRUN PRELOAD COUNTER PROGRAM LARGE ROUNDABOUT [FORTRAN...] - RB_RECORD: the recording has the calls,
# bytes, communicators and messages that a library apart from ours counts; loops and shapes are
# found; what can't be recorded is said; a killed job's recording is good up to its end.
set -euo pipefail
read -ra mpirun <<< "$1"
preload=$2
counter=$3
program=$4
large=$5
command=$6
shift 6
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
# Sanitizers look for leaks where all calls are recorded: to know those of MPI libraries takes long.
leaks="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
roundabout() {
    ASAN_OPTIONS='' "$command" "$@"
}

fail() {
    echo "$*"
    cat said counted message w.yaml 2> /dev/null || true
    exit 1
}
run() { # WORD VARIABLE=VALUE...: on 4 ranks
    local word=$1
    shift
    "${mpirun[@]}" -n 4 env "$@" "$program" "$word"
}
has() { # FILE PATTERN
    grep -Eq -- "$2" "$1" || fail "$1 has no $2"
}
equals() { # FILE COUNT
    tr '\n' ' ' < "$1" | tr -s ' ' | grep -F "$2" > /dev/null || fail "not equal to the count"
}

# ---- Equal to an independent count ----------------------------------------------------------------
for word in plain odd; do
    run $word LD_PRELOAD="$counter" > counted
    run $word ASAN_OPTIONS="$leaks" LD_PRELOAD="$preload" RB_RECORD=$word
    roundabout workload $word -o w.yaml 2> said
    count=$(sed -n 's/^counted: //p' counted)
    [ -n "$count" ] || fail "nothing was counted"
    equals said "$count"
    plain=${plain:-$count}
done
has said 'Not recorded: 4 calls on inter-communicators'
# The program with large counts, which the counter does not know.
"${mpirun[@]}" -n 4 env LD_PRELOAD="$preload" RB_RECORD=large "$large" plain
roundabout workload large -o large.yaml 2> said
equals said "$plain"
roundabout workload plain -o w.yaml 2> said
moved() { sed -En 's/, algorithm[^}]*//; /compute|arrival/!s/^ *- //p' "$1"; } # by whatever algorithm
cmp <(moved w.yaml) <(moved large.yaml) || fail "other data with large counts"
roundabout workload odd -o w.yaml 2> said
has w.yaml 'set-[0-9]+: \{lists: \[\[1, 0\], \[3, 2\]\]\}'
run threads LD_PRELOAD="$preload" RB_RECORD=threads
roundabout workload threads -o w.yaml 2> said
has said 'Not recorded: 300 calls of other threads'
[ "$(grep -c '^Not recorded' said)" -eq 1 ] || fail "what another thread waited for is taken to be in flight"

if run session LD_PRELOAD="$preload" RB_RECORD=session > /dev/null 2> message; then
    has message 'RB_RECORD: MPI is started by a session; nothing is recorded before MPI_Init'
    has large.yaml 'matrix: \{messages: \[\[0, 1, 16\]\]\}' # in two parts
fi

# The same program in Fortran by each of its interfaces: what the counter finds under MPICH, whose
# interface for Fortran calls the functions for C.
for fortran; do
    "${mpirun[@]}" -n 3 env LD_PRELOAD="$preload" RB_RECORD="$(basename "$fortran")" "$fortran" > /dev/null
    roundabout workload "$(basename "$fortran")" -o w.yaml 2> said
    tr '\n' ' ' < said | grep -F "27 calls of collectives, 240184 bytes, on 1 communicators" > /dev/null || fail "$fortran"
done

# ---- Loops and shapes -----------------------------------------------------------------------------
roundabout workload plain -o w.yaml --platform crossbar:4 2> said
has w.yaml '^      set-1: \{grid: \[2, 2\], along: \[1\]\}'
has w.yaml '^      set-2: \{grid: \[2, 2\], along: \[0\]\}'
[ "$(grep -c '^      - repeat: 6$' w.yaml)" -eq 2 ] || fail "not two loops of six passes"
# Two exchanges between two reductions, each after its computing, not one of twice as many messages.
grep -E -B 1 '^              - matrix: \{messages: \[\[0, 1, 4096\], \[0, 3, 4096\]' w.yaml > exchange || fail 'no exchange'
has exchange '^              - \{?compute:'
[ "$(grep -c '^          - repeat: 2$' w.yaml)" -eq 1 ] || fail "not one loop of two passes"
has w.yaml 'start: started-0, bcast: \{in: set-1, bytes: 16384, element-bytes: 8, root: step\}'
has w.yaml 'start: started-1, bcast: \{in: set-2, bytes: 16384, element-bytes: 8, root: step\}'
has w.yaml '^      - \{reduce-scatter: \{bytes: 40'
has w.yaml 'wait: \[started-0, started-1\]'
has said 'Replayed on crossbar:4'
has said 'Waiting for late ranks: .*, measured were [0-9.]+ [mu]?s at least; starting and moving messages'
has said 'Most of the difference is in [a-z]+ .*, measured were'
roundabout simulate --workload plain --platform crossbar:4 --engine flow > simulated
has simulated '^recorded takes'

# ---- Other ranks ----------------------------------------------------------------------------------
run summa LD_PRELOAD="$preload" RB_RECORD=summa
roundabout workload summa --ranks 16 -o w.yaml 2> said
has w.yaml '^    ranks: 16$'
has w.yaml '^      set-1: \{grid: \[4, 4\], along: \[1\]\}'
has said 'Weak scaling from 4 to 16 ranks'

# ---- What is refused ------------------------------------------------------------------------------
refused() { # PATTERN COMMAND...: status 2, one line
    local pattern=$1 status=0
    shift
    "$@" > /dev/null 2> message || status=$?
    if [ $status -ne 2 ] || [ "$(wc -l < message)" -ne 1 ]; then
        fail "not refused: $*"
    fi
    has message "$pattern"
}
refused 'messages between two ranks have no shape' roundabout workload plain --ranks 16
refused 'a set of communicators has no shape that fits' roundabout workload summa --ranks 8
refused 'absent: No such file or directory' roundabout workload absent
mkdir empty missing
refused 'no file rank-0 is in it' roundabout workload empty
cp plain/rank-[012] missing
refused 'missing/rank-3: .*the job had 4 ranks' roundabout workload missing
cp odd/rank-3 missing
refused 'missing/rank-3: of another job than rank-0' roundabout workload missing
cp plain/rank-3 missing
printf 'abcdefgh' | dd of=missing/rank-3 bs=1 seek=400 conv=notrunc status=none
refused 'missing/rank-3: not what RB_RECORD writes, from byte [0-9]+ on' roundabout workload missing
if run plain LD_PRELOAD="$preload" RB_RECORD=plain > /dev/null 2> message; then
    fail "a recording was written over"
fi
has message 'there is a recording already; give a new directory'

# ---- Cut off, killed, on a full disk --------------------------------------------------------------
cp plain/rank-3 missing
truncate -s -300 missing/rank-3
roundabout workload missing -o w.yaml 2> said
has said '1 of 4 ranks have not come to MPI_Finalize'
run die LD_PRELOAD="$preload" RB_RECORD=die > /dev/null 2>&1 || true
roundabout workload die -o w.yaml 2> said
has said '[1-4] of 4 ranks have not come to MPI_Finalize'
has w.yaml 'repeat: 6'
echo "recordings are what was counted, and workloads"
