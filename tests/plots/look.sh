#!/bin/sh
# look.sh PROGRAM DATA - the options for a figure's look in each verb that draws: they reach the script, and
# one that would do nothing is refused. The formats are tables only, which takes no gnuplot.
set -eu
program=$1
data=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ROUNDABOUT_QUIET=1

# has LINE FILE...: each file has this line.
has() {
    line=$1
    shift
    for file; do
        grep -qxF -- "$line" "$file" || { echo "$file has no line $line"; exit 1; }
    done
}
# looks SCRIPT...: each has the look that all verbs below are asked for.
looks() {
    test -e "$1"
    has 'width = 12 # cm' "$@"
    has 'asked_height = 7 # cm' "$@"
    has 'title_text = "A \0042b\0042"' "$@"
    has 'notes = 0' "$@"
    has 'asked_x = "across"' "$@"
}
# draw VERB OPTION...: asks for it; nothing is complained of.
draw() {
    "$program" "$@" --size 12x7cm --title 'A "b"' --labels x=across --no-notes > list 2> said
    if grep '^roundabout [a-z]*: --' said; then
        exit 1
    fi
}

draw redistribute -P 6 -r 2 -Q 6 -s 3 --gantt --pictures csv -o timetable --labels 'sender=from,message=all of it' \
    --colours '#0000ff,orange'
looks timetable/*.gp
has 'sender_text = "from"' timetable/*.gp
has 'whole_text = "all of it"' timetable/*.gp
has 'series_colours = "#0000ff #ffa500"' timetable/*.gp
test "$(grep -c '^timetable/' list)" -eq 1
test ! -e timetable/*.pdf

draw simulate -p 17 -n 4 -m 1MB --engine model --diagram run/time.csv --colours grey
looks run/time.gp
has 'grey = 1' run/time.gp
draw simulate -p 17 -n 4 -m 1MB --engine flow --platform fat-tree:32 --contention run/load.csv --labels 'host up=to the switch'
looks run/load.gp
has 'level_names[1] = "to the switch"' run/load.gp

awk 'BEGIN {
    print "test,p,m_bytes,rank_a,rank_b,same_host,median_s,ci_low_s,ci_high_s,cpu,mpi_library"
    for (i = 0; i <= 24; i++) {
        t = 1e-6 + 2 ^ i / 2e9
        printf "exchange,2,%d,0,1,1,%.6g,%.6g,%.6g,a computer,an MPI\n", 2 ^ i, t, 0.98 * t, 1.03 * t
    }
}' > pairs.csv
draw calibrate pairs.csv -o here --figures fit --pictures csv --log x --spread none --labels 'exchange=both ways'
looks fit/here-fit.gp fit/here-predicted.gp
has 'titles[1] = "both ways"' fit/here-fit.gp
has 'spread = "none"' fit/here-fit.gp
grep -q '^y_axis = .*unset logscale y' fit/here-fit.gp

draw predict "$data/pico/measurements.csv" --system lumi --rows 'collective=allreduce & nodes<=32' --figures model \
    --pictures csv --x-range 1KiB:1MiB --legend none --labels "library's choice=default"
looks model/*.gp
has 'panel_names[2] = "default"' model/*-regret.gp
grep -q '^x_axis = .*set xrange \[1024:1048576\]' model/predict-lumi-allreduce-16.gp

cat > small.yaml <<'YAML'
ranks: [16, 32]
bytes: [64KiB, 1MiB]
platforms: crossbar:32
engine: model
blocks: [1, 8]
algorithms: [circulant, binomial]
YAML
draw sweep small.yaml -o small.db --pictures csv --details
looks small/*.gp
grep -q '^x_axis = .*seen("64 KiB") 2.0\*\*16' small/*time-m-p32*.gp
test "$(grep -c '/.*\.csv$' list)" -ge 5
test "$(grep -c '\.p[dn][fg]$' list)" -eq 0

# A small height has few ticks, wide ticks a wide margin, and one that has no room for curves is complained of.
"$program" plot small.db --what time-m -p 16 --format csv -o low --size 8.6x5cm > list 2> said
test ! -s said
ticks=$(sed -n 's/^y_axis = //p' low/*.gp | grep -o 'seen(' | wc -l)
test "$ticks" -ge 2
test "$ticks" -le 4
"$program" plot small.db --what time-m -p 16 --format csv -o low --size 8.6x3cm > list 2> said
grep -q 'leave no room for the curves: give a larger --size, --legend none, or --no-notes$' said
"$program" calibrate pairs.csv -o here --figures usual --pictures csv > list 2> said
has 'left = larger(left, across(1.85)) # for ticks of 5 letters' usual/here-fit.gp
# A title that is too long is cut off.
long=$(printf 'Long %.0s' $(seq 20))
"$program" plot small.db --what time-m -p 16 --format csv -o low --title "$long" > list 2> said
has 'roundabout plot: --title: is cut off after 45 letters: choose a larger --size' said
has 'title_text = "Long Long Long Long Long Long Long Long Lo..."' low/*.gp
"$program" plot small.db --what time-m -p 16 --format csv -o low --title "$long" --size text > list 2> said
test "$(grep -c 'cut off' said)" -eq 1
"$program" plot small.db --what time-m -p 16 --format csv -o low --title "$long" --size 24cm > list 2> said
test ! -s said
# Without gnuplot the points are computed and all but the pictures is there; that is a failure unless pictures are
# not asked for.
status=0
PATH=$place "$program" sweep small.yaml -o without.db > list 2> said || status=$?
test "$status" -eq 3
test "$(grep -c 'no figures: gnuplot is not installed' said)" -eq 1
test -s without.csv
test -s without/bcast-time-m-p32-crossbar_32-blocking-model.csv
# Its command draws them, whatever the directory is called.
status=0
PATH=$place "$program" plot small.db --what time-m -o "it's" > list 2> said || status=$?
test "$status" -eq 3
command=$(sed 's/.*nox; \(cd .*\) && for .*/\1/' said)
sh -c "$command && ls *-p16-*.gp" > list
PATH=$place "$program" sweep small.yaml -o without.db --pictures csv > list 2> said
PATH=$place "$program" redistribute -P 6 -r 2 -Q 6 -s 3 --gantt --pictures csv -o without > list 2> said
if command -v gnuplot > found; then
    # Viewers show nothing of an SVG with a matrix that has no inverse, as of points of size 0.
    "$program" calibrate pairs.csv -o here --figures drawn --pictures svg > list 2> said
    if grep 'scale(0\.00*)' drawn/here-fit.svg; then
        exit 1
    fi
fi

# refuse STATUS PART VERB OPTION...: this status, one line with this part, and nothing made.
refuse() {
    part=$1
    shift
    status=0
    "$program" "$@" > list 2> said || status=$?
    test "$status" -eq 2 || { echo "$*: status $status"; exit 1; }
    test "$(wc -l < said)" -eq 1
    grep -qF -- "$part" said || { cat said; exit 1; }
    test ! -e figures
}
refuse '--title: only with --gantt' redistribute -P 6 -r 2 -Q 6 -s 3 --title x
refuse '--pictures: only with --gantt' redistribute -P 6 -r 2 -Q 6 -s 3 --pictures svg
refuse '--log: redistribute has no such option' redistribute -P 6 -r 2 -Q 6 -s 3 --gantt --log x
refuse '--pictures: "sgv": did you mean svg?' redistribute -P 6 -r 2 -Q 6 -s 3 --gantt --pictures sgv
refuse '--size: only with --diagram, --contention or --network-map' simulate -p 4 --size column
refuse '--colours: "red": only grey has a meaning for these pictures' \
    simulate -p 4 --engine model --diagram run/red.csv --colours red
refuse '--title: only with --figures' predict "$data/pico/measurements.csv" --title x
refuse '--title: has no meaning with --figures -' calibrate pairs.csv -o other --figures - --title x
refuse '--title: has no meaning with --no-plots, which draws no figures' sweep small.yaml --no-plots --title x
refuse '--pictures: has no meaning with --shard, which draws no figures' sweep small.yaml --shard 1/2 --pictures svg
refuse '--legend: has no meaning for heat' plot small.db --what heat --legend none
refuse '--y-range: has no meaning for heat, regret' plot small.db --what heat,regret --y-range 1:2
refuse '--log y: the y axis of heat cannot be logarithmic' plot small.db --what heat --log y
refuse '--colours: "tol": only grey has a meaning for heat' plot small.db --what heat --colours tol
refuse '--y-range: "0:1": a logarithmic axis has numbers above 0 only' plot small.db --what time-m --y-range 0:1
refuse '--x-range: "-1:": a logarithmic axis has numbers above 0 only' plot small.db --what time-m --x-range=-1:
"$program" plot small.db --what time-m --y-range 0:1 --log x --format csv -o linear > list
