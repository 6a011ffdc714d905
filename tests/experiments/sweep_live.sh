#!/usr/bin/env bash
# sweep_live.sh ROUNDABOUT - the page that follows a sweep: while points run, after a signal, when it continues and at the
# end, in the way of other files, and when it cannot be written.
set -euo pipefail
roundabout=$1
directory=$(mktemp -d)
sweeps=()
trap '[ ${#sweeps[@]} -eq 0 ] || kill -9 "${sweeps[@]}" 2>/dev/null || :; rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# told PAGE WORD: the value of WORD in what a page says of its sweep; nothing if it says nothing.
told() {
    sed -n 's/.*"live":{\([^}]*\)}.*/\1/p' "$1" | tr , '\n' | sed -n "s/^\"$2\"://p"
}
# after_a_while COMMAND...: succeeds within a minute.
after_a_while() {
    local i
    for ((i = 0; i < 600; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "not so after a minute: $*"
}
some_are_done() { [ -e "$1" ] && [ "$(told "$1" 'done')" -ge 1 ]; }
# refused STATUS MESSAGE ARGUMENT...
refused() {
    local expected=$1 message=$2 status=0
    shift 2
    "$roundabout" sweep "$@" >out 2>err || status=$?
    { [ "$status" -eq "$expected" ] && grep -qF -- "$message" err; } || fail "sweep $*: status $status: $(cat err)"
}

# Many points of some tenths of a second.
cat >long.yaml <<'END'
engine: simgrid
platforms: fat-tree:1024
bytes: 1MiB
blocks: 64
ranks: 64..1023
algorithms: circulant
END

# Three at once, each for a test below: a page comes every two seconds.
for name in a b e; do
    "$roundabout" sweep long.yaml --live --no-plots -o $name.db --jobs 1 >$name.out 2>$name.err &
    sweeps+=($!)
done

# A signal: the page says so, with the points that are in the file, and is not written again.
after_a_while some_are_done a/index.html
[ "$(told a/index.html state)" = '"running"' ] || fail "$(told a/index.html state)"
[ "$(told a/index.html points)" -ge 900 ] || fail "$(told a/index.html points) points"
grep -q '"left_s":[1-9]' a/index.html || fail "no time left: $(told a/index.html left_s)"
kill -TERM "${sweeps[0]}"
status=0
wait "${sweeps[0]}" || status=$?
[ "$status" -eq 143 ] || fail "status $status after SIGTERM: $(cat a.err)"
{ [ "$(told a/index.html state)" = '"stopped"' ] && [ "$(told a/index.html again_s)" = 0.0 ]; } || fail "the page goes on"
grep -q ": $(($(told a/index.html 'done') + $(told a/index.html failed))) of $(told a/index.html points) points are in a.db" a.err ||
    fail "the page has $(told a/index.html 'done') points: $(cat a.err)"

# Killed: a whole page stays, and it says when it was made.
after_a_while some_are_done b/index.html
kill -9 "${sweeps[1]}"
wait "${sweeps[1]}" || :
[ "$(tail -n 1 b/index.html)" = "</html>" ] || fail "half a page"
grep -q '"made":"20' b/index.html || fail "it does not say when"

# A page that cannot be written does not keep points from running.
after_a_while some_are_done e/index.html
rm e/index.html
mkdir e/index.html
after_a_while grep -q "e/index.html.*; the sweep continues without its page" e.err
kill -0 "${sweeps[2]}" || fail "the sweep ended: $(cat e.err)"
kill -9 "${sweeps[2]}"
wait "${sweeps[2]}" || :
sweeps=()

# To the end: the page that `report` makes, but for what made it; with a point that failed. The second
# time nothing is left to run.
cat >short.yaml <<'END'
engine: model
platforms: crossbar:64
ranks: [3, 5]
bytes: [64KiB, 1MiB]
algorithms: [circulant, 'native:impi']
collective: allgather
counts: degenerate
blocks: [1, 4]
END
same_as_report() {
    "$roundabout" report "$1.db" -o report.html >out
    for page in "$1/index.html" report.html; do
        sed 's/"origin":{[^}]*}//; s/nonce[-=]"*[0-9a-f]*//g' "$page" >"$page.text"
    done
    cmp "$1/index.html.text" report.html.text || fail "$1/index.html is not as report makes it"
}
for _ in 1 2; do
    status=0
    "$roundabout" sweep short.yaml --live --no-plots -o c.db >out 2>err || status=$?
    { [ "$status" -eq 0 ] || [ "$status" -eq 3 ]; } || fail "status $status: $(cat err)"
    grep -qx "Page     c/index.html" out || fail "the page's path is not printed: $(cat out)"
    [ -z "$(told c/index.html state)" ] || fail "the last page is written again"
    same_as_report c
done
for shard in 1 2; do
    "$roundabout" sweep short.yaml --live --shard $shard/2 -o s$shard.db >out 2>err || [ $? -eq 3 ]
    same_as_report s$shard
done

# Other files stay.
mkdir d
echo mine >d/index.html
refused 2 '"d/index.html" was not made by roundabout' short.yaml --live -o d.db
[ "$(cat d/index.html)" = mine ] || fail "d/index.html was replaced"
refused 2 "not allowed" short.yaml --live -o - || :
for other in --dry-run "--slurm jobs" --merge; do
    # shellcheck disable=SC2086 # an option and its value
    refused 2 "--live: has no meaning with ${other%% *}" short.yaml --live $other
done
