#!/bin/bash
# large_requests.sh PROGRAM - requests of a few bytes that stand for very much are refused before they are expanded,
# and what is said of long words and full disks is short and true.
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
fail() {
    echo "$0: $*"
    head -c 2000 said
    exit 1
}
# In 256 MiB: what is expanded first does not fit.
refuses() {
    local status=0 text=$1
    shift
    (ulimit -v 262144 && "$program" "$@" > printed 2> said) || status=$?
    [ $status = 2 ] || fail "$*: status $status, not 2"
    grep -qF -e "$text" said || fail "not said: $text"
}
head='{name: x, engine: model, platforms: "crossbar:8", algorithms: circulant'
echo "$head, ranks: [2..8], bytes: [1..100000], blocks: [1..100000]}" > many.yaml
echo "$head, ranks: [8], bytes: [1..1000], blocks: [1..1000], roots: 0, ports: 1, element-bytes: 1, grids: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}" > grids.yaml
for name in many grids; do
    refuses 'the experiment has more than 10000000 points' sweep --dry-run $name.yaml
done

# The count is that of the points: as many as one more would be too many.
echo "$head, ranks: [4, 8], bytes: [1..10], blocks: [1, 2, 3]}" > few.yaml
"$program" sweep --dry-run few.yaml > printed 2> said || fail "a small experiment"
[ "$(wc -l < printed)" = 61 ] || fail "points: $(wc -l < printed)"

# What the rounds in flight need is not there.
status=0
(ulimit -v 1048576 && "$program" simulate -p 20 -n 2000000000 -m 2000000000 --algorithm chain --overlap window:2000000000 \
    --engine flow > printed 2> said) || status=$?
[ $status = 3 ] || fail "a window of 2000000000: status $status, not 3"
grep -q 'out of memory to replay 20 ranks with a window of 2000000000$' said || fail "a window of 2000000000"

word=$(head -c 100000 /dev/zero | tr '\0' x)
for command in 'simulate -p 4 --engine-option' bench list check; do
    # shellcheck disable=SC2086
    "$program" $command "$word" > printed 2> said && fail "$command: a word of 100 KB"
    [ "$(wc -c < said)" -lt 1000 ] || fail "$command: $(wc -c < said) bytes"
done

[ -w /dev/full ] || exit 0
for command in 'plan -p 1000 -n 10' 'simulate -p 400 -n 20 -m 1MiB --links 1000 --format json'; do
    # shellcheck disable=SC2086
    "$program" $command > /dev/full 2> said && fail "$command > /dev/full"
    grep -qF 'No space left on device' said || fail "$command: not the reason"
done
