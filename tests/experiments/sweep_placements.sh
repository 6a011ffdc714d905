#!/bin/sh
# sweep_placements.sh ROUNDABOUT - placements by files and by search in experiments: results say which
# content a file had, a changed file makes new points, and one that doesn't fit is blamed.
set -eu
roundabout=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}

cat >placed.yaml <<'END'
ranks: 4
bytes: 64
blocks: 2
algorithms: circulant
platforms: crossbar:8
engine: flow
seed: 5
placement: ["file:a,b", search, "search:1:file:a,b"]
END
printf '3\n1\n0\n2\n' >a,b
"$roundabout" sweep placed.yaml --dry-run 2>err >out || fail "$(cat err)"
grep -q '^bcast,circulant,4,2,64,0,crossbar:8,1,"file:a,b#[0-9a-f]\{16\}",flow,' out || fail "$(cat out)"
"$roundabout" sweep placed.yaml --no-plots 2>err >out || fail "$(cat err)"
for placement in '"file:a,b#' 'search:5,' '"search:1:file:a,b#'; do
    [ "$(grep -c -F ",$placement" results/placed.csv)" = 1 ] || fail "$placement: $(cat results/placed.csv)"
done
"$roundabout" sweep placed.yaml --no-plots 2>err >out || fail "$(cat err)"
grep -q "3 of them are in the file already" err || fail "$(cat err)"
printf '1\n3\n0\n2\n' >a,b
"$roundabout" sweep placed.yaml --no-plots 2>err >out || fail "$(cat err)"
grep -q "3 points, 1 of them are in the file already" err || fail "$(cat err)"
[ "$(grep -c ',done,' results/placed.csv)" = 5 ] || fail "$(cat results/placed.csv)"

got=0
printf '1\n3\n0\n' >a,b
"$roundabout" sweep placed.yaml --no-plots 2>err >out || got=$?
[ "$got" = 3 ] || fail "exit status $got with points that fail: $(cat err)"
grep -q 'a,b:3: the file ends after 3 ranks, but there are 4' err || fail "$(cat err)"
got=0
printf '1\n\n3 4\n' >a,b
"$roundabout" sweep placed.yaml --no-plots 2>err >out || got=$?
[ "$got" = 2 ] || fail "exit status $got: $(cat err)"
[ "$(cat err)" = "roundabout sweep: placed.yaml:8:13: placement: a,b:3: '4' behind the host: give one \
host per line" ] || fail "$(cat err)"
