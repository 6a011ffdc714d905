#!/bin/sh
# sweep_natives.sh ROUNDABOUT - SMPI's own algorithms in a sweep: one row per p and m beside
# Roundabout's, with known times; the sweep continues, is summarised, and refuses unknown names.
set -eu
roundabout=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# refuse MESSAGE: what mistake.yaml gets.
refuse() {
    got=0
    "$roundabout" sweep mistake.yaml >out 2>err || got=$?
    [ "$got" = 2 ] || fail "exit status $got: $(cat err)"
    [ "$(cat err)" = "roundabout sweep: mistake.yaml:$1" ] || fail "$(cat err)"
}

cat >natives.yaml <<'END'
engine: smpi
ranks: [8, 13]
bytes: [1000, 100000]
blocks: [1, 4]
algorithms: [circulant, 'native:binomial_tree', 'native:ompi']
platforms: crossbar:16
END
"$roundabout" sweep natives.yaml -o natives.db --no-plots >/dev/null 2>err
"$(dirname "$0")/../cli/columns" collective,algorithm,p,n,m_bytes,engine,status,time_s,rounds,bound_rounds natives.csv |
awk -F, '$1 == "bcast" {rows[$2]++; if ($6 != "smpi" || $7 != "done") bad = 1
        if ($2 ~ /^native/ && ($4 != 1 || $9 != "" || $10 != "")) bad = 1}
    $2 == "native:binomial_tree" {
        rounds = $3 == 8 ? 3 : 4; known = rounds * (1e-6 + ($5 + 16) * 8e-11)
        if ($8 < known * 0.999999 || $8 > known * 1.000001) bad = 1}
    END {exit !(!bad && rows["circulant"] == 8 && rows["native:binomial_tree"] == 4 &&
                rows["native:ompi"] == 4)}' || fail "rows: $(cat natives.csv)"

cp natives.csv before.csv
"$roundabout" sweep natives.yaml -o natives.db --no-plots >/dev/null 2>err
grep -q "16 of them are in the file already" err || fail "not gone on with: $(cat err)"
cmp -s before.csv natives.csv || fail "other results the second time"
"$roundabout" tune natives.db >tuned 2>err
grep -q "native:binomial_tree\|native:ompi" tuned || fail "natives are no rivals: $(cat tuned)"

# Other engines run the plans that follow them; what has none fails, and the others run.
sed 's/^engine.*/engine: simgrid/; s/native:ompi/native:SMP_binary/' natives.yaml >plans.yaml
got=0
"$roundabout" sweep plans.yaml -o plans.db --no-plots >/dev/null 2>err || got=$?
[ "$got" = 3 ] || fail "exit status $got: $(cat err)"
grep -q "no plan that follows SMPI's bcast SMP_binary for 8 ranks, 1 per host: use --engine smpi" err ||
    fail "no plan: $(cat err)"
"$(dirname "$0")/../cli/columns" algorithm,status plans.csv | sort | uniq -c >statuses
[ "$(sed 's/^ *//' statuses)" = '1 algorithm,status
8 circulant,done
4 native:SMP_binary,failed
4 native:binomial_tree,done' ] || fail "rows: $(cat statuses)"
sed 's/native:ompi/native:ompj/' natives.yaml >mistake.yaml
refuse '5:49: algorithms: SMPI has no bcast "ompj" of its own; did you mean native:ompi?'
