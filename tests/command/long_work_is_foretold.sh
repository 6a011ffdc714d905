#!/usr/bin/env bash
# long_work_is_foretold.sh ROUNDABOUT - before long work, each engine's estimate is said, whatever the engine tells later; short work says
# nothing.
set -euo pipefail
roundabout=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
unset ROUNDABOUT_QUIET
fail() {
    echo "$0: $*" >&2
    exit 1
}
mkfifo said
# first_line ARGUMENT...: the first line on standard error; the program is ended then.
first_line() {
    local pid line=''
    "$roundabout" "$@" 2>said >/dev/null &
    pid=$!
    IFS= read -r -t 100 line <said || true
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    echo "$line"
}
long=(-m 1TB --platform crossbar:64)
engines=$("$roundabout" list engines | sed -n 's/^  \([a-z]*\) .*/\1/p')
for engine in $engines; do
    [ "$engine" != nccl ] || continue # it computes
    for plan in "--collective bcast -p 64 -n 100000000" "--collective alltoall -p 30000 --ppn 500" \
        "--collective allgather -p 30000 --ppn 500 -n 1000"; do
        # shellcheck disable=SC2086 # words
        line=$(first_line simulate --engine "$engine" "${long[@]}" $plan)
        [[ $line = 'simulate:   0 %, '*' left' ]] || fail "$engine $plan: says first: $line"
    done
done
[ "$(wc -w <<<"$engines")" -ge 4 ] || fail "engines: $engines"
"$roundabout" simulate --engine model -p 64 -n 100 2>err >/dev/null
[ ! -s err ] || fail "$(cat err)"
