#!/bin/sh
# series.sh PROGRAM - several settings and several results in one figure, lists of values, what is
# drawn only, how it looks, and what plot says of what it does not draw.
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

cat > two.yaml <<END
ranks: [16, 32]
bytes: [64KiB, 1MiB]
platforms: ["crossbar:32,latency=1us", "crossbar:32,latency=2us"]
progress: [blocking, lockstep]
engine: model
grids:
  - algorithms: circulant
    blocks: [1, 8, 64]
  - algorithms: [binomial, flat]
END
"$program" sweep two.yaml -o two.db --no-plots > said 2>&1
cp two.db other.db

# titles_of SCRIPT: "a;b;c;"
titles_of() { sed -n 's/^titles\[.*\] = "\(.*\)"$/\1/p' "$@" | tr '\n' ';'; }
# draw OPTION...: one figure of time against m, as a script and a table.
draw() {
    rm -rf made
    "$program" plot --what time-m -p 32 --format csv -o made "$@" > list 2> said
    test ! -s said
    test "$(grep -c '\.csv$' list)" -eq 1
}
expect() {
    if [ "$1" != "$2" ]; then
        echo "expected $2, got $1"
        exit 1
    fi
}
one='--platform crossbar:32,latency=2us --overlap blocking'

# Lists: commas separate values, but not the options of a platform; repeating is the same.
# shellcheck disable=SC2086
draw two.db $one --algorithm circulant,flat
expect "$(titles_of made/*.gp)" 'circulant;flat;'
# shellcheck disable=SC2086
draw two.db $one --algorithm circulant --algorithm flat
expect "$(titles_of made/*.gp)" 'circulant;flat;'
"$program" plot two.db --what time-m,relative-m --what best-n --format csv -p 16,32 -o lists \
    --platform crossbar:32,latency=1us,crossbar:32,latency=2us --overlap blocking,lockstep > list
expect "$(sed -n 's/ figures in lists: .*//p' list)" 20
expect "$(wc -l < list)" 20 # a title, sixteen names, how many more

# Settings as series: what differs is in the legend, and one algorithm's name is not.
draw two.db --series platform --overlap blocking --only algorithm=circulant
expect "$(titles_of made/*.gp)" 'crossbar:32,latency=1us;crossbar:32,latency=2us;'
draw two.db --series platform,progress --only algorithm=circulant,binomial --only progress=blocking
expect "$(titles_of made/*.gp)" \
    'circulant, crossbar:32,latency=1us;circulant, crossbar:32,latency=2us;binomial, crossbar:32,latency=1us;binomial, crossbar:32,latency=2us;'
grep -q '^# series differ in platform, platform_hash$' made/*.dat
# The rivals of a line are those of its own platform, also if they are not drawn.
draw two.db --series platform --overlap blocking --only algorithm=circulant --labels 'crossbar:32,latency=1us=near'
"$program" plot two.db --what time-m -p 32 --format csv -o single --overlap blocking > list
grep '^near,\|^"' made/*.csv | sed 's/^"[^"]*"/S/; s/^near/S/' | sort > together
grep -h '^circulant,' single/*.csv | sed 's/^circulant/S/' | sort > apart
test -s apart
cmp apart together
expect "$(titles_of made/*.gp)" 'near;crossbar:32,latency=2us;'

# Results as series. The same points in two files are two lines.
# shellcheck disable=SC2086
draw two.db other.db $one --only algorithm=circulant
expect "$(titles_of made/*.gp)" 'two;other;'
grep -q '^# from two.db, other.db$' made/*.dat
test -e "$(echo made/*-by-file.csv)"

# The look is in the script, before the style that has the defaults.
# shellcheck disable=SC2086
draw two.db $one --size 12x7cm --title 'A "b" #1' --labels 'circulant=ours, mostly,y=t' --log x \
    --colours '#112233,orange' --legend none --no-notes --x-range 64KiB:2MiB --y-range 1us:1ms
for line in 'width = 12 # cm' 'asked_height = 7 # cm' 'title_text = "A \\0042b\\0042 \\00431"' \
    'asked_y = "t"' 'series_colours = "#112233 #ffa500"' 'legend = "none"' 'notes = 0' \
    'titles\[1\] = "ours, mostly"'; do
    grep -q "^$line\$" made/*.gp || { echo "no line $line"; exit 1; }
done
grep -q '^x_axis = .*set logscale x; set xrange \[65536:2097152\]' made/*.gp
grep -q '^y_axis = .*unset logscale y; set yrange \[1:1000\]' made/*.gp

# Only what was asked for by name is said to be skipped.
"$program" plot two.db --format csv -o all > list 2> said
test ! -s said
"$program" plot two.db --what counts,heat --format csv -o all > list 2> said || true
test "$(grep -c 'heat: skipped' said)" -eq 0

# A cell of heat is around its n and ends where the next one begins; a closed form of one block is drawn.
"$program" plot two.db --what heat --format csv -o heat > list
awk -F, 'FNR == 1 { row = ""; next }
    $(NF - 4) >= $(NF - 5) || $(NF - 5) >= $(NF - 3) || ($(NF - 7) == row && $(NF - 4) != end) { wrong = 1 }
    { row = $(NF - 7); end = $(NF - 3); cells++ } END { exit wrong || cells != 48 }' heat/*heat*.csv
sed -e 's/64KiB, 1MiB/64, 128/' -e 's/1, 8, 64/1, 2/' two.yaml > short.yaml
"$program" sweep short.yaml -o short.db --no-plots > said 2>&1
"$program" plot short.db --what best-n --format csv -o short > list
expect "$(cut -d, -f 6 short/*best-n*.csv | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 16 1; 4 closed_form_n;'

# refuse PART OPTION...: exit status 2, with this in the message.
refuse() {
    part=$1
    shift
    status=0
    "$program" plot two.db "$@" -o refused > list 2> said || status=$?
    expect "$status" 2
    grep -qF -- "$part" said || { cat said; exit 1; }
    test ! -e refused
}
refuse '--size: "12m" is no size' --size 12m --what time-m
refuse '"two.db": given twice' two.db
refuse '--series: "speed": there are' --series speed
refuse '--only: "x" is no KEY=VALUE' --only x
refuse '--only: no point has these values' --only p=77
refuse '--colours: "blu"' --colours red,blu
refuse '--labels: "circulant": a label is NAME=TEXT' --labels circulant
refuse '--x-range: "5:1" is no LOW:HIGH' --x-range 5:1
refuse '--format: "tik": did you mean tikz?' --format pdf,tik
"$program" plot two.db --what time-m --format csv -o unused --labels nobody=me > list 2> said
grep -q 'labels: nothing is called "nobody=me" in these figures' said
"$program" plot two.db --what time-m --format csv -o unused --colours '#0000ff,#0101ff' > list 2> said
grep -q 'colours: #0000ff and #0101ff look alike' said

# The map of decisions says what `tune` says: who wins each cell, and by how much over the second best.
rm -rf made
"$program" plot two.db --what decisions,regret-map --format csv --algorithm binomial,circulant,flat -o made --platform crossbar:32,latency=1us --overlap blocking > list
"$program" tune two.db --what decision --format csv --platform crossbar:32,latency=1us --overlap blocking |
    sed 's/"[^"]*"/-/g' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%d %d %s %.6g\n", $at["p"], $at["m_bytes"], $at["choice"], $at["lead"] }' | sort > wanted
test -s wanted
sed 1d made/*decisions*.csv | awk -F, '$9 == 1 { printf "%d %d %s %.6g\n", $4, $5, $6, $10 }' | sort > found
cmp wanted found
# Of two that are as fast one wins the cell; the other map has both. The key has an entry for each that wins, and no line more.
cat > tie.yaml <<'YAML'
ranks: [2, 8]
bytes: [1KiB, 16MiB]
platforms: crossbar:8
engine: model
algorithms: [binomial, chain]
YAML
"$program" sweep tie.yaml -o tie.db --no-plots > list 2> said
"$program" plot tie.db --what decisions,regret-map --format csv -o tie > list
test "$(cut -d, -f9 tie/*regret-map*.csv | grep -cx 1)" -eq 6
test "$(cut -d, -f9 tie/*decisions*.csv | grep -cx 1)" -eq 4
test "$(grep -c 'title show' tie/*decisions*.gp)" -eq 1
# With an algorithm in focus, the gain is over that; in the other map a cell has the loss of each algorithm.
"$program" plot two.db --what decisions --format csv --focus flat -o focused --platform crossbar:32,latency=1us --overlap blocking > list
sed 1d made/*regret-map*.csv | awk -F, '$6 == "flat" { printf "%d %d %.6g\n", $4, $5, $9 }' | sort > wanted
test -s wanted
sed 1d focused/*decisions*.csv | awk -F, '$9 == 1 { printf "%d %d %.6g\n", $4, $5, $10 }' | sort > found
cmp wanted found
