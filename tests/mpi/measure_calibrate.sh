#!/bin/bash
# Measures under a real mpirun for a moment, and calibrates with the results. The test ignores the
# times; it checks that rows are complete and that all later steps accept them.
#
# usage: measure_calibrate.sh PROGRAM MPIRUN...
set -eu
program=$1
shift
here=$(dirname "$(realpath "$0")")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

fail() {
    echo "$*" >&2
    exit 1
}

brief=(--least-runs 3 --most-runs 20 --most-time 20ms --precision 20)

# One line from p processes, exit status 2.
refused() {
    local expected=$1
    shift
    status=0
    "$@" >out 2>err || status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, not 2"
    [ "$(grep -c '^roundabout' err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
    grep -qF -- "$expected" err || fail "$*: $(cat err)"
    [ ! -s out ] || fail "$*: prints $(cat out)"
}
refused '"0-3" is not two different ranks below 3' "$@" -n 3 "$program" measure pairs --pairs 0-3
refused '--radix: none of these algorithms has one' "$@" -n 2 "$program" measure collectives --radix 2

"$@" -n 3 "$program" measure pairs --pairs 0-2,2-1 -m 0,8,1KiB,32KiB,256KiB "${brief[@]}" -o pairs.csv
[ "$(wc -l <pairs.csv)" -eq 51 ] || fail "pairs.csv has $(wc -l <pairs.csv) lines, not 51"
# Rows are appended, without another header.
"$@" -n 2 "$program" measure pairs -m 4KiB --tests latency,exchange "${brief[@]}" -o pairs.csv
[ "$(wc -l <pairs.csv)" -eq 53 ] || fail "pairs.csv has $(wc -l <pairs.csv) lines, not 53"
[ "$(grep -c '^test,' pairs.csv)" -eq 1 ] || fail "pairs.csv has two headers"

# Two jobs that begin at the same time write one header.
for _ in 1 2; do
    "$@" -n 2 "$program" measure pairs -m 8,64KiB --tests latency --most-runs 1000000 --most-time 500ms --precision 0.01 -o both.csv &
done
wait
[ "$(grep -c '^test,' both.csv)" -eq 1 ] || fail "both.csv has two headers"
[ "$(wc -l <both.csv)" -eq 5 ] || fail "both.csv has $(wc -l <both.csv) lines, not 5"
[ ! -e both.csv.lock ] || fail "a lock is left"

# Every row has its low quantile, between the least and the median, whatever the order of the rows.
"$here/../cli/columns" min_s,low_s,median_s,test,m_bytes pairs.csv >low
awk -F, 'NR > 1 && !($2 != "" && $1 <= $2 && $2 <= $3) { print; wrong = 1 } END { exit wrong }' low || fail "low_s"
[ "$(cut -d, -f4,5 low | sort | uniq -c | grep -cv ' 2 ')" -eq 3 ] || fail "not each test and size twice: $(cat low)"

# All collectives, p that divides m and one that doesn't, fewer ranks than the job's; --late, because
# this machine may be busy.
"$@" -n 3 "$program" measure collectives -p 2,3 -n 1,3 -m 1000 --late 1s "${brief[@]}" \
    --collective bcast,reduce,allreduce,allgather,reduce-scatter,alltoall,scatter,gather,scan,exscan \
    --algorithm native,circulant,pairwise,flat,dissemination --results here.db >collectives.csv 2>err || fail "$(cat err)"
[ "$(grep -c '^collective,' collectives.csv)" -eq 60 ] ||
    fail "collectives.csv has not 60 rows: $(cat err)"
# Without names, each collective's usual algorithm beside the library's own.
"$@" -n 2 "$program" measure collectives -m 8 --late 1s "${brief[@]}" --collective bcast,alltoall,scan --format csv \
    >usual.csv 2>err || fail "$(cat err)"
[ "$(grep ^collective usual.csv | cut -d, -f2,3 | sort | tr '\n' ' ')" = \
    'alltoall,native alltoall,pairwise bcast,circulant bcast,native scan,dissemination scan,native ' ] || fail "$(cat usual.csv)"
# Radices beside each other and beside the library's own; 4 is more than p.
"$@" -n 3 "$program" measure collectives -m 900 --late 1s "${brief[@]}" --collective alltoall \
    --algorithm native,bruck --radix 2..4 --results here.db -o collectives.csv 2>err || fail "$(cat err)"
grep -q 'left out: .* not 4' err || fail "radix 4 of p = 3: $(cat err)"
[ "$("$here/../cli/columns" radix collectives.csv | tail -n 3 | tr '\n' ' ')" = '0 2 3 ' ] ||
    fail "radices: $(tail -n 3 collectives.csv)"
"$program" tune here.db --what best --format csv -m 900 >best.csv 2>err || fail "$(cat err)"
grep -q ',bruck:r=3,3,900,' best.csv || fail "tune: $(cat best.csv)"

"$program" tune here.db --what decision --format csv >decision.csv 2>err || fail "$(cat err)"
grep -q native decision.csv || fail "tune: $(cat decision.csv)"

# Figures of the results, and of the rows: all times have their intervals.
for file in here.db collectives.csv; do
    rm -rf figures
    "$program" plot "$file" --what time-m --collective alltoall -p 3 --format csv -o figures >list 2>err ||
        fail "plot $file: $(cat err)"
    times=$(cat figures/*.csv | "$here/../cli/columns" time_low_s,time_high_s | tail -n +2)
    [ "$(grep -c '^[0-9].*,[0-9]' <<<"$times")" -eq "$(wc -l <<<"$times")" ] ||
        fail "plot $file: no intervals: $times"
done

# So short a measurement may be of no use, which status 1 says; then a message does too.
status=0
"$program" calibrate pairs.csv collectives.csv -o here --figures - --format csv >errors.csv 2>err || status=$?
if [ "$status" -eq 1 ]; then
    grep -q 'is unusable: do not rely on here.xml' err || status=2
fi
[ "$status" -le 1 ] || fail "$(cat err)"
[ "$(grep -c '^collective,.*,simgrid,' errors.csv)" -eq 44 ] || fail "calibrate: $(cat err)"
grep -q '^collective,alltoall,bruck,3,.*,simgrid,.*,3$' errors.csv || fail "calibrate: no radix 3"
grep -q '^latency.*,fit,1,' errors.csv || fail "nothing was held out"

# Counts of a matrix: its bytes unless -m says otherwise, for plans as for the library; tune has them by name, rows of
# equal counts are another thing, and calibrate divides the data as the row says.
printf '0,3000,10\n500,0,0\n7,8,90000\n' >matrix.csv
uneven=(--collective alltoall --counts file:matrix.csv "${brief[@]}")
refused '--counts: matrix.csv: counts of 3 ranks, where p is 2' "$@" -n 2 "$program" measure collectives "${uneven[@]}"
refused 'the data of bcast are not divided' "$@" -n 2 "$program" measure collectives --counts zipf:1:1
"$@" -n 3 "$program" measure collectives "${uneven[@]}" --algorithm native,pairwise,open-shop,bruck --late 1s \
    --results uneven.db -o uneven.csv >said 2>err || fail "$(cat err)"
grep -q 'rows in uneven.csv. Next: roundabout tune uneven.db$' said || fail "$(cat said)"
[ "$("$here/../cli/columns" m_bytes,counts uneven.csv | sort | uniq -c | tr -s ' ' | grep -c '^ 4 93525,file:matrix.csv#')" -eq 1 ] ||
    fail "counts: $(cat uneven.csv)"
"$program" tune uneven.db --what best --format csv >best.csv 2>err || fail "$(cat err)"
grep -q ',open-shop,3,93525,' best.csv || fail "tune: $(cat best.csv)"
"$@" -n 3 "$program" measure collectives "${uneven[@]}" --algorithm pairwise -m 900 --late 1s >small.csv 2>err || fail "$(cat err)"
grep -q '^collective,alltoall,pairwise,.*,900,' small.csv || fail "-m: $(cat small.csv)"
refused '4 rows of ranks whose counts differ' "$program" audit uneven.csv
"$program" calibrate pairs.csv uneven.csv -o uneven --figures - --format csv >errors.csv 2>err || true
[ "$(grep -c '^collective,alltoall,.*,3,.*,simgrid,' errors.csv)" -eq 3 ] || fail "calibrate: $(cat errors.csv err)"
echo 1 >>matrix.csv
status=0
"$program" calibrate pairs.csv uneven.csv -o uneven --figures - >errors.csv 2>err || status=$?
{ [ "$status" -ne 0 ] && grep -q 'matrix.csv' err; } || fail "a changed matrix: $(cat err)"
"$@" -n 3 "$program" measure collectives --collective allgather,reduce-scatter,scatter --counts degenerate -m 1200 \
    --algorithm native,circulant --late 1s "${brief[@]}" >uneven.csv 2>err || fail "$(cat err)"
grep -q 'scatter, p = 3, m = 1200, is left out: .* no function for counts that differ' err || fail "$(cat err)"
[ "$(grep -c '^collective,.*,degenerate$' uneven.csv)" -eq 4 ] || fail "degenerate: $(cat uneven.csv)"

# What the page says of two ranks.
roundabout() {
    "$program" "$@"
}
"$@" -n 2 "$program" measure pairs -m 0,8,1KiB,32KiB,256KiB "${brief[@]}" -o pairs2.csv >said
grep -q 'rows in pairs2.csv. Next: roundabout calibrate pairs2.csv -o here$' said || fail "$(cat said)"
sed -n '/^roundabout calibrate/s/collectives.csv/--figures -/p; /^roundabout simulate/p' "$here/../../docs/measure.md" |
    sed 's/ pairs.csv/ pairs2.csv/' >lines
[ "$(wc -l <lines)" -eq 2 ] || fail "other lines in the page: $(cat lines)"
while read -r line; do
    status=0
    eval "$line" >out 2>err || status=$?
    case $line in *' calibrate '*) [ "$status" -le 1 ] ;; *) [ "$status" -eq 0 ] ;; esac || fail "$line: $(cat err)"
done <lines
"$program" simulate -p 3 -m 64KiB --platform here.xml --engine-option network/model:SMPI >out
grep -q window out || grep -q blocking out || fail "simulate: $(cat out)"
