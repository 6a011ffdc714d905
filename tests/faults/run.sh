#!/usr/bin/env bash
# run.sh PROGRAM FAULTY FAIL_CALL few|paths|all [COMMAND...] - each of the commands in the file `commands` (or those
# named), again and again, each time with another fault: an allocation that our code asks for fails, or it and
# all later ones (FAULTY, see fail_allocation.c), or a system call does (fail_call.c). Whatever fails:
# - the program ends by itself, with status 0 and the right output, or with status 3 (2: an input can't be
#   opened, but not for want of memory) and one line more on standard error than usual, which says what failed;
# - each file is there as it was, to the byte, and nothing else is left behind. Each output whose name in
#   `commands` begins with old stood there before, with other contents;
# - the same command, with nothing failing, then makes what it always does.
# A signal that comes while handlers are set ends the program with nothing changed or left, either.
# few: some five faults per command; paths: of the allocations the first of each path of calls in the program, and every
# call; all: every one. few are evenly spread over the paths, which are the same on every machine, as the number of
# allocations is not.
set -u
here=$(dirname "$(realpath "$0")")
program=$(realpath "$1")
faulty=$(realpath "$2")
fail_call=$(realpath "$3")
level=$4
shift 4
room=$(realpath "$(mktemp -d)")
trap 'rm -rf "$room"' EXIT
export LC_ALL=C ROUNDABOUT_QUIET=1 SQLITE_TMPDIR="$room/tmp" TMPDIR="$room/tmp"
export ASAN_OPTIONS=detect_leaks=1:exitcode=98:allocator_may_return_null=1 UBSAN_OPTIONS=exitcode=98
mkdir "$room/bin" "$room/faulty" "$room/tmp" "$room/seed"
ln -s "$program" "$room/bin/roundabout"
ln -s "$faulty" "$room/faulty/roundabout"
runs=0 wrong=0 untried='What would help was not tried.*'

# ---- What the commands find ----------------------------------------------------------------------------

prepare() {
    local count
    cd "$room/seed" || exit 3
    PATH=$room/bin:$PATH
    roundabout platform generate crossbar:8 -o crossbar.xml || exit 3
    printf '%s\n' 'ranks: [3, 4]' 'bytes: [4KiB, 8KiB]' 'blocks: [1, 2, 4]' \
        'algorithms: [circulant, binomial]' 'platforms: crossbar:8' 'engine: model' >more.yaml
    sed '1s/.*/ranks: 3/' more.yaml >grid.yaml
    sed '1s/.*/ranks: 4/' more.yaml >grid-2.yaml
    roundabout sweep grid.yaml --no-plots -o kept.db >/dev/null 2>&1 || exit 3
    roundabout sweep grid-2.yaml --no-plots -o kept-2.db >/dev/null 2>&1 || exit 3
    awk 'BEGIN {
        print "test,p,m_bytes,rank_a,rank_b,same_host,median_s,ci_low_s,ci_high_s,cpu,mpi_library"
        for (i = -1; i <= 20; i++) {
            m = i < 0 ? 0 : 2 ^ i; t = (m <= 4096 ? 1e-6 + m / 2e9 : 5e-6 + m / 8e9) * (1 + (i % 3) * 0.01)
            printf "latency,2,%d,0,1,1,%.6g,%.6g,%.6g,a computer,an MPI\n", m, t, t * 0.98, t * 1.03
        } }' >pairs.csv
    awk -F, 'NR == 1 || ($1 == "leonardo" && $3 <= 32 && $7 == "allgather" && $10 <= 2048)' \
        "$here/../../data/pico/measurements.csv" >rows.csv
    roundabout tune rows.csv --system leonardo --format ompi -o rules.ompi 2>/dev/null || exit 3
    roundabout plan -p 5 -n 2 --format csv -o plan.csv || exit 3
    roundabout plan -p 5 -n 2 --format json -o plan.json || exit 3
    roundabout plan -p 5 -n 2 --format goal -o plan.goal || exit 3
    roundabout plan --collective allreduce --algorithm ring -p 4 --format msccl -o plan.xml || exit 3
    roundabout plan --collective allgather -p 4 --format mscclpp -o plan.mscclpp || exit 3
    cp "$here/../../examples/two-servers.topology" cables
    awk -F, 'NR == 1 || /mare_nostrum.*NCCL/' "$here/../../data/pico/gpu.csv" >gpu.csv
    for count in 2 4; do
        awk -v n=$count 'BEGIN { print "# OSU MPI Broadcast Latency Test"; for (m = 1024; m <= 16384; m *= 2) print m, m * (n + 8) / 1024 }' \
            >osu.${count}nodes.txt
    done
    printf '%s\n' jobs: '- name: one' '  ranks: 4' '  program:' '  - compute: 1ms' '  - allreduce: {bytes: 64KiB}' \
        '- name: two' '  ranks: 2' '  program:' '  - bcast: {bytes: 1KiB, blocks: best}' >jobs.yaml
    cp "$here/../fuzz/seeds/calibration/all.json" model.json
    cp kept.db again.db
    printf '%s\n' MPI_Rank,allocation 0,lrdn0003 1,lrdn0064.here >hosts.csv
}
# plant: old files by the names of those that the command makes.
plant() {
    local file
    rm -rf "$room/planted"
    [[ " $command" = *" old"* ]] || return
    fresh
    run "$room/here" env PATH="$room/bin:$PATH"
    mkdir "$room/planted"
    (cd "$room/here" && find old* -type f ! -name '*.db*' 2>/dev/null) | while read -r file; do
        mkdir -p "$(dirname "$room/planted/$file")"
        (cd "$room/here" && head -c 3000 "$file" && printf '\nold\n' && tail -c 500 "$file") >"$room/planted/$file"
    done
    [ -n "$(ls "$room/planted")" ] || complain "no old file to plant"
}

# Files and their checksums, but for what has times in it (PDF, pages), and databases, of which all shows in
# the CSV beside them: into a file. Of a PDF or a page that is no planted one only that it is there.
contents() { # DIRECTORY FILE
    (cd "$1" && {
        find . -type f ! -name '*.db*' ! -name '*.pdf' ! -name '*.html' ! -name out ! -name err -exec cksum {} +
        find . -name '*.html' -size -16 -exec cksum {} + -o -name '*.html' -printf 'made page %p\n'
        find . -name '*.pdf' -size 1 -exec cksum {} + -o -name '*.pdf' -printf 'made pdf %p\n'
        find . -type d -name '.roundabout-*' -printf 'unfinished directory %p\n'
    } | sort) >"$2"
}
# Standard output without the times that things took, of which redistribute has a column, and the directories' names.
normal() {
    sed -E -e 's/( [0-9]+) +[0-9]+\.[0-9]{3}$/\1/' -e '/wall|took|^replay|^peak memory|seconds|checked in|simulations in/d' -e 's/; [0-9.]+ s$//' -e "s|$room/[a-z]*||g" "$room/here/out"
}

# ---- One command with one fault ------------------------------------------------------------------------

run() { # DIRECTORY WORDS-BEFORE... : runs $command in a fresh copy, or in what is there; status
    local work=$1
    shift
    (cd "$work" && exec "$@" sh -c "exec $command" </dev/null >out 2>err)
}
complain() {
    wrong=$((wrong + 1))
    echo "WRONG: $name with $fault: $*"
    echo "    $command"
    sed 's/^/    ! /' "$room/here/err" | head -n 5
    if [ -n "$where" ]; then
        echo "    asked for at $(addr2line -s -f -e "$faulty" "$where" 2>/dev/null | tr '\n' ' ')"
    fi
}
# Without the table of a sweep that says which points of it failed.
recorded() {
    local table
    table=$(sed -n 's/.*points failed (status and error in \([^;]*\);.*/\1/p' "$room/here/err")
    grep -vE " \./${table:-/}\$"
}
# judge STATUS TRUTH: what came out in $room/here.
judge() {
    local status=$1 truth=$2 said
    runs=$((runs + 1))
    if grep -q 'Sanitizer\|runtime error' "$room/here/err"; then
        complain "$(grep -m 1 'Sanitizer\|runtime error' "$room/here/err")"
        return
    fi
    said=$(grep -vxFf "$room/usual" "$room/here/err")
    contents "$room/here" "$room/got"
    case $status in
    0)
        # A verdict may say that it could not try what would help; nothing else is left out in silence.
        normal | cmp -s - "$room/expected-out" || grep -qE "$untried($truth)" "$room/here/out" ||
            complain "status 0, other output"
        cmp -s "$room/got" "$room/expected" ||
            complain "status 0, other files: $(diff "$room/expected" "$room/got" | tr '\n' ' ')"
        return
        ;;
    2 | 3) ;;
    143) [[ $fault = *SIGTERM* ]] || complain "status $status" ;;
    *)
        complain "status $status"
        return
        ;;
    esac
    [ "$status" -ne 2 ] || [[ $fault != allocation* ]] || complain "lost memory is blamed on the input"
    [ "$status" -eq 143 ] || [ "$(grep -vc ': note: ' <<<"$said")" -eq 1 ] || complain "status $status, not one line"
    [ "$status" -eq 143 ] || grep -q '^roundabout.*: ' <<<"$said" || complain "the line is not ours"
    [ "$status" -eq 143 ] || grep -qiE "$truth" <<<"$said" || complain "the line doesn't say what failed"
    # Every file is as before; one that takes up where it was is longer, or as it should be.
    if [ $resumes = no ]; then
        cmp -s "$room/before" "$room/got" ||
            complain "changed: $(diff "$room/before" "$room/got" | tr '\n' ' ')"
    elif grep -vxFf "$room/before" "$room/got" | grep -vxFf "$room/expected" | recorded >"$room/odd"; then
        complain "neither old nor whole: $(tr '\n' ' ' <"$room/odd")"
    fi
    if cut -d ' ' -f 3 "$room/before" | grep -vxFf <(cut -d ' ' -f 3 "$room/got") >"$room/odd"; then
        complain "lost: $(tr '\n' ' ' <"$room/odd")"
    fi
    [ -z "$(ls -A "$room/tmp")" ] || complain "left behind: $(ls -A "$room/tmp")"
    rm -rf "$room/tmp"/*
    # With nothing failing it goes on.
    if [ $resumes = yes ]; then
        local command=$command
        [[ $name != sweep* ]] || command+=" --retry-failed"
        run "$room/here" env PATH="$room/bin:$PATH" || complain "afterwards: status $?"
        contents "$room/here" "$room/got"
        cmp -s "$room/got" "$room/expected" ||
            complain "afterwards: $(diff "$room/expected" "$room/got" | tr '\n' ' ')"
    fi
}
fresh() {
    rm -rf "$room/here"
    cp -a "$room/seed" "$room/here"
    [ ! -d "$room/planted" ] || cp -a "$room/planted/." "$room/here"
}
# numbers FROM TO: those of all the faults that are tried.
numbers() {
    local step=1
    if [ "$level" = few ]; then
        step=$((($2 - $1) / few + 1))
    fi
    seq "$1" "$step" "$2"
}
# allocations COUNT: those of the allocations that are tried, after a run with RB_FAULT_PATHS.
allocations() {
    local path k
    if [ "$level" = all ]; then
        numbers 1 "$1"
        return
    fi
    mapfile -t path < <(od -An -v -tu8 -w16 -j24 "$room/count" | awk '$1 != 0 { print $2, $1 }' | sort -n | cut -d ' ' -f 2)
    for k in $(numbers 1 "${#path[@]}"); do
        echo "#${path[k - 1]}"
    done
}

# ---- All faults of one command -------------------------------------------------------------------------

try_command() {
    local k count start kind error status turn=only
    resumes=no
    case $name in sweep | sweep_more) resumes=yes ;; esac
    where=
    fault=nothing
    plant
    fresh
    contents "$room/here" "$room/before"
    rm -f "$room/count"
    run "$room/here" env PATH="$room/faulty:$PATH" RB_FAULT_COUNT="$room/count" RB_FAULT_PATHS=1
    status=$?
    [ $status -eq 0 ] || complain "status $status"
    contents "$room/here" "$room/expected"
    normal >"$room/expected-out"
    cat "$room/here/err" - <<<"no such line" >"$room/usual"
    count=$(od -An -td8 -N8 "$room/count" | tr -d ' ')

    for k in $(allocations "$count"); do
        # Alone, and with all later ones: both, or in turn.
        [ "$turn" = only ] && turn=later || turn=only
        for all in only later; do
            [ "$level" != few ] || [ "$all" = "$turn" ] || continue
            [ "$all" = only ] && all='' || all=+
            fault="allocation $k$all of $count failing"
            fresh
            run "$room/here" env PATH="$room/faulty:$PATH" RB_FAULT_COUNT="$room/count" RB_FAULT="$k$all"
            status=$?
            where=$(printf '%x' "$(od -An -td8 -j8 -N8 "$room/count" | tr -d ' ')")
            judge $status 'out of memory'
            where=
        done
    done

    [ -n "$calls_work" ] || return
    fresh
    run "$room/here" env PATH="$room/bin:$PATH" "$fail_call" all EIO 0 "$room/calls"
    for kind in write:ENOSPC:'No space|disk is full|earlier write failed' write:EIO:'I/O error|Input/output|earlier write failed' sync:EIO:'I/O error|Input/output' \
        rename:ENOSPC:'No space' open:EMFILE:'Too many open|Unable to open' fork:EAGAIN:'temporarily' \
        sigaction:SIGTERM:'signal 15|Terminated' pipe:EMFILE:'Too many open' mmap:ENOMEM:'memory|I/O error'; do
        IFS=: read -r kind error truth <<<"$kind"
        [ "$level" != few ] || [[ $kind:$error = @(write:ENOSPC|sync:EIO|fork:EAGAIN|pipe:EMFILE|sigaction:SIGTERM) ]] || continue
        start=1
        # Signals matter where a file may be left.
        [ "$kind" != sigaction ] || [ "$level" != few ] || [[ $name = @(schedule|plan_ti|calibrate) ]] || continue
        # Those that gnuplot makes are not ours, and it doesn't always notice; full_disk.sh is about its disk.
        if [[ $name = *gantt || $name = *diagram || $name = *contention || $name = plot ]]; then
            case $kind in fork | pipe) ;; *) continue ;; esac
        fi
        case $kind in # those of the loader are not ours
        open | mmap) start=$(($(started "$kind") + 1)) ;;
        esac
        count=$(sed -n "s/^$kind //p" "$room/calls")
        [ "$count" -ge "$start" ] || continue
        for k in $(few=$few_calls numbers "$start" "$count"); do
            fault="$kind $k of $count failing with $error"
            fresh
            run "$room/here" env PATH="$room/bin:$PATH" "$fail_call" "$kind" "$error" "$k" "$room/count"
            judge $? "$truth|memory"
        done
    done
}
# started KIND: how many such calls there are until main runs.
started() {
    env PATH="$room/bin:$PATH" "$fail_call" "$1" EIO 0 "$room/started" \
        sh -c 'exec roundabout --version' >/dev/null
    cat "$room/started"
}

few=2 few_calls=1
prepare
calls_work=yes
if ! "$fail_call" write EIO 0 "$room/count" true; then
    echo "system calls can't be made to fail here: only allocations are"
    calls_work=
fi
while IFS=: read -r name command; do
    case $name in '#'* | '') continue ;; esac
    [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
    before=$wrong
    try_command
    echo "$name: $runs runs so far, $((wrong - before)) wrong"
done <"$here/commands"
echo "$runs runs with a fault, $wrong wrong"
[ $wrong -eq 0 ]
