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
refuse '--colors: not together with --colours' --colours red --colors red
refuse '--colours: "#12345"' --colours '#12345'
refuse '--colours: "black": a list of up to 16 colours' \
    --colours black,blue,brown,cyan,green,magenta,navy,orange,pink,purple,red,teal,yellow,black,blue,brown,black
for size in 12x7x 0x7 1cm 12x1000cm 12x cm "$(printf '%070d' 12)"; do
    refuse "--size: \"$size\" is no size" --size "$size" --what time-m
done
for range in : 5 1us:64KiB 1e19: 1e-13:1 x:1 1:x '*:*' "1:$(printf '%070d' 12)"; do
    refuse "--x-range: \"$range\" is no LOW:HIGH" --x-range "$range"
done
refuse 'a logarithmic axis has numbers above 0 only' --x-range 0:5
refuse 'a logarithmic axis has numbers above 0 only' --y-range=-5:-1
refuse '--focus: ' --focus nobody
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

cat > radix.yaml <<'YAML'
collective: alltoall
ranks: 32
bytes: [1KiB, 64KiB, 1MiB, 16MiB]
algorithms: bruck
radix: [2, 4, 32]
platforms: crossbar:32
engine: model
YAML
"$program" sweep radix.yaml -o radix.db --no-plots > list 2> said

# Counts are lines, regular ones first, and algorithms panels, that in focus first; times are those of simulate.
cat > counts.yaml <<'YAML'
collective: allgather
ranks: [8, 9]
bytes: [64KiB, 1MiB]
counts: [zipf:1:1, regular, degenerate]
platforms: crossbar:16
engine: model
grids: [{algorithms: ring}, {algorithms: circulant, blocks: [1, 8]}]
YAML
"$program" sweep counts.yaml -o counts.db --no-plots > list 2> said
"$program" plot counts.db --what counts --format csv -o counts > list
expect "$(sed -n 's/ figures in counts: .*//p' list)" 2
expect "$(sed -n 's/^names\[.*\] = //p' counts/*-p9-*.gp | tr '\n' ';')" '"circulant";"ring";'
expect "$(titles_of counts/*-p9-*.gp)" 'regular;degenerate;zipf:1:1;'
expect "$(awk 'END { print NR }' counts/*-p9-*.csv)" 13
for counts in regular degenerate; do
    "$program" simulate --collective allgather --algorithm ring -p 9 -m 64KiB --counts $counts --platform crossbar:16 \
        --engine model --format json | tr ',' '\n' | sed -n 's/.*"time_s": \([0-9.e-]*\).*/\1/p' | head -n 1
done | awk '{ printf "%.9g\n", $1 }' > wanted
sed -n 's/^"ring, \(regular\|degenerate\)",ring,[a-z]*,65536,1,\([^,]*\),.*/\2/p' counts/*-p9-*.csv | awk '{ printf "%.9g\n", $1 }' > found
test "$(wc -l < found)" -eq 2
cmp wanted found
"$program" plot two.db --what counts --format csv -o counts > list 2> said || true
grep -q 'counts: skipped for bcast .*: its data are not divided among the ranks$' said
"$program" plot radix.db --what counts --format csv -o counts > list 2> said || true
grep -q 'counts: skipped for alltoall .*: it takes two or more kinds of counts$' said

# Linear axes have multiples of powers of two; an end of a range that would turn the axis round is the data's.
# shellcheck disable=SC2086
draw two.db $one --only algorithm=circulant --log none
grep -q '^x_axis = .*(seen("0 B") 0, seen("512 KiB") 524288, seen("1 MiB") 1048576)' made/*.gp
# shellcheck disable=SC2086
draw two.db $one --only algorithm=circulant --x-range 128KiB:
grep -q '^x_axis = .*set xrange \[131072:11[0-9]*\.[0-9]*\]' made/*.gp
# shellcheck disable=SC2086
draw two.db $one --only algorithm=circulant --x-range 2MiB:
grep -q '^x_axis = .*set xrange \[60[0-9]*\.[0-9]*:11[0-9]*\.[0-9]*\]' made/*.gp
# What --only keeps of sizes and radices.
draw radix.db --only radix=2,4 --only bytes=1KiB,1MiB
expect "$(titles_of made/*.gp)" 'bruck:r=2;bruck:r=4;'
expect "$(sed 1d made/*.csv | cut -d, -f3 | sort -u | tr '\n' ' ')" '1024 1048576 '
draw radix.db --only radix=2,32
expect "$(titles_of made/*.gp)" 'bruck:r=2;bruck:r=32;'
# The best radix of each size is the fastest of them, and the script has where the extreme ones cross.
"$program" plot radix.db --what best-radix,time-radix --format csv -o radix > list
awk -F, '/is_best/ { next } !($2 in least) || $4 < least[$2] { least[$2] = $4; best[$2] = $3 }
    END { for (m in best) print best[m] "," m }' radix/*time-radix*.csv | sort > wanted
sed -n 's/^best r,\([0-9]*,[0-9]*\),.*/\1/p' radix/*best-radix*.csv | sort > found
test "$(wc -l < found)" -eq 4
cmp wanted found
awk -F ' = ' '$1 == "crosses" { crosses = $2 } $1 == "crossing" { at = $2 }
    END { exit !(crosses == 1 && at > 1048576 && at < 16777216) }' radix/*best-radix*.gp
