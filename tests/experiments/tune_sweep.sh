#!/bin/sh
# tune_sweep.sh PROGRAM DECISION_OF - from a simulated sweep to the fitted F and figures: on an
# uncontended crossbar F and G equal the closed form's to one percent, and the regret of their n is
# less than 1 %.
set -eu
program=$1
decision_of=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

cat > experiment.yaml <<END
name: crossbar
collective: bcast
element-bytes: 4
bytes: [64KiB, 1MiB]
ranks: [16, 17, 33, 64]
platforms: ['crossbar:64', 'crossbar:64,latency=4us']
progress: [blocking, lockstep]
grids:
  - algorithms: circulant
    blocks: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
  - algorithms: binomial
END
"$program" sweep experiment.yaml -o crossbar.db --no-plots > /dev/null 2>&1

# check_fits FILE FITS: the analytic constant to 2 %, and what it costs.
check_fits() {
sed 's/"[^"]*"/quoted/' "$1" | awk -F, -v wanted="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["platform"] != "all" {
        ratio = $column["f"] / $column["analytic_f"]
        if (ratio < 0.98 || ratio > 1.02) { print "F over analytic F: " ratio; wrong = 1 }
        if ($column["worst_regret"] > 0.01) { print "regret: " $column["worst_regret"]; wrong = 1 }
        if ($column["points"] != 8 || $column["outside"] != 0) { print "points: " $0; wrong = 1 }
        fits++
    }
    END { if (fits != wanted) { print fits " fits, not " wanted; wrong = 1 }; exit wrong }'
}
"$program" tune crossbar.db --what fit --format csv -o fit.csv
check_fits fit.csv 4

# Degenerate counts make an allgather a broadcast: G is what F is. With --constant F nothing is left.
sed -e 's/^collective: bcast/collective: allgather/' -e 's/^name.*/counts: [regular, degenerate]/' \
    -e '/binomial/d' experiment.yaml > allgather.yaml
"$program" sweep allgather.yaml -o allgather.db --no-plots > /dev/null 2>&1
"$program" tune allgather.db --constant G --counts degenerate --what fit --format csv -o fit.csv
check_fits fit.csv 4
grep -q '^allgather,.*,degenerate,,circulant,G,' fit.csv
test "$("$program" tune allgather.db --constant F --what fit --format csv 2> note | wc -l)" -eq 1
grep -q 'no F: ' note

# A figure for the kinds of counts: of each platform and rule, for three of the four p.
"$program" plot allgather.db --what counts --format svg -o counts > list 2> skipped
test "$(grep -c '\.svg$' list)" -eq 12
test ! -s skipped
grep -q '>regular<' counts/allgather-counts-p64-crossbar_64-lockstep.svg
grep -q '>degenerate<' counts/allgather-counts-p64-crossbar_64-lockstep.svg
status=0
"$program" plot crossbar.db --what counts -o counts 2> skipped || status=$?
test "$status" -eq 3

# A decision file: at what was run, the MPI library takes what the table of decisions says, with one
# round in flight as under `blocking`; ranges of p end halfway, sqrt(17 * 33) = 23.7 and so on.
"$program" tune crossbar.db --platform crossbar:64,latency=4us --overlap blocking --what decision \
    --format csv > decision.csv
"$program" tune crossbar.db --platform crossbar:64,latency=4us --overlap blocking --format decisions \
    --tolerance 1e-6 --everywhere -o decisions.txt
sed -e 's/"[^"]*"/quoted/' decision.csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { print $column["p"], $column["m_bytes"], $column["choice"], $column["blocks"] }' |
    while read -r p m algorithm n; do
    test "$("$decision_of" decisions.txt bcast "$p" "$m")" = "$algorithm,$n,1"
done
test "$(wc -l < decision.csv)" -eq 9
for range in '\.\.16' '17\.\.23' '24\.\.45' '46\.\.'; do
    grep -q "^bcast  *$range  *[.*]" decisions.txt
done
test "$("$decision_of" decisions.txt bcast 23 1048576)" = \
    "$("$decision_of" decisions.txt bcast 17 1048576)"
test "$("$decision_of" decisions.txt bcast 64 1)" = circulant,1,1
test "$("$decision_of" decisions.txt reduce 64 1)" = rule
grep -q '^# engine: simgrid$' decisions.txt
# Without --everywhere no rule says anything below half the least and above twice the largest p and m.
"$program" tune crossbar.db --platform crossbar:64,latency=4us --overlap blocking --format decisions \
    --tolerance 1e-6 -o limited.txt
while read -r p m answer; do
    test "$("$decision_of" limited.txt bcast "$p" "$m" | sed 's/.*,.*/chosen/')" = "$answer"
done <<END
8 32768 chosen
128 2097152 chosen
7 32768 rule
129 1048576 rule
16 32767 rule
64 2097153 rule
6400 1 rule
END
"$program" tune allgather.db --platform crossbar:64,latency=4us --overlap blocking --format decisions \
    -o decisions.txt
test "$("$decision_of" decisions.txt allgather 16 1048576)" = circulant,1,1
grep -q '^allgather/irregular .* circulant:n=F:' decisions.txt
refuse_decisions() {
    status=0
    "$program" tune crossbar.db --format decisions "$@" > nothing 2> message || status=$?
    test "$status" -eq 2
    test ! -s nothing
}
refuse_decisions
grep -q -e 'crossbar:64 and crossbar:64,latency=4us: choose by --platform' message
refuse_decisions --what best
grep -q -e '--what' message

# Plans by groups: a rule if the groups are the hosts, which the library finds itself; not otherwise.
cat > experiment.yaml <<END
name: grouped
engine: model
collective: bcast
platforms: 'crossbar:6'
ppn: 4
ranks: 24
bytes: [64, 1MiB]
progress: window:4
groups: [host, '8']
algorithms: [hosts, circulant]
blocks: [1, 64]
END
"$program" sweep experiment.yaml -o grouped.db --no-plots > /dev/null 2>&1
"$program" tune grouped.db --format decisions -o decisions.txt
grep -q '^bcast .* hosts:n=F:.*,window=4$' decisions.txt
test "$("$decision_of" decisions.txt bcast 24 1048576)" = hosts,64,4
sed "s/host, '8'/'8'/" experiment.yaml > eight.yaml
"$program" sweep eight.yaml -o eight.db --no-plots > /dev/null 2>&1
"$program" tune eight.db --format decisions -o decisions.txt
test "$("$decision_of" decisions.txt bcast 24 1048576)" = circulant,64,4

# Filters, and a request that nothing fits, which names the option and what there is.
test "$("$program" tune crossbar.db --what best --format csv -p 16,33 -m 1MiB --overlap lockstep \
    --platform crossbar | wc -l)" -eq 9
status=0
"$program" tune crossbar.db --platform torus 2> message || status=$?
test "$status" -eq 2
grep -q -e '--platform: no point.*crossbar:64' message
status=0
"$program" tune crossbar.db --format csv 2> message || status=$?
test "$status" -eq 2
grep -q -e '--what best' message
status=0
"$program" plot crossbar.db --what time-m,heet 2> message || status=$?
test "$status" -eq 2
grep -q 'did you mean heat?' message

for verb in tune plot; do
    status=0
    "$program" $verb crossbar.db --focus circulnat 2> message || status=$?
    test "$status" -eq 2
    grep -q 'no point is of this algorithm; there are binomial, circulant' message
done

"$program" plot crossbar.db --what regret,time-m -p 64 --overlap blocking --format svg -o figures \
    --details > list
test "$(grep -c '\.svg$' list)" -eq 4
for picture in $(grep svg list); do test -s "$picture"; done
status=0
"$program" tune crossbar.db -o /dev/full 2> message || status=$?
test "$status" -eq 3
