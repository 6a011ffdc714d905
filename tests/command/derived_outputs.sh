#!/bin/bash
# derived_outputs.sh PROGRAM - outputs whose names the command line does not say, of every verb that has any: a second
# run of a command replaces them; a foreign file at such a place stays unless --force is given; a symbolic link there is
# not followed out of the directory; and an input is never replaced, wherever it is named.
# shellcheck disable=SC2010,SC2012,SC2015
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
    echo "$0: $*"
    cat "$place/said" 2> /dev/null
    exit 1
}
# try STATUS WORDS: the status, or "not 0"
try() {
    local got=0
    eval "set -- '$1' $2"
    local wanted=$1
    shift
    "$program" "$@" > "$place/printed" 2> "$place/said" || got=$?
    [ "$wanted" = any ] || [ "$got" = "$wanted" ] || { [ "$wanted" = bad ] && [ "$got" != 0 ]; } ||
        fail "$*: status $got, not $wanted"
}
says() { grep -qF -e "$1" "$place/said" || fail "not said: $1"; }

# foreign KIND OURS: what is not ours, whatever of ours it says: zeros; words of ours where no mark stands; a file of
# ours inside another text.
foreign() {
    case $1 in
    zeros) head -c 100 /dev/zero ;;
    words) printf '%s\n' 'my notes' 'made by roundabout' '# figure made by roundabout and me' '% made by roundabout?' \
        '"platform_basis": "mine"' 'collective,algorithm,p,n,m_bytes,root,' 'calibrated by roundabout' \
        ' # roundabout sweep --slurm: no' 'and more' ;;
    moved) yes mine | head -n 30 && cat "$2" && echo mine ;;
    esac
}

mkdir in
cat > in/x.yaml << 'END'
name: x
platforms: 'crossbar:8'
engine: model
ranks: [4, 8]
bytes: [64KiB, 1MiB]
grids: [{algorithms: circulant, blocks: [1, 4]}, {algorithms: binomial}]
END
try 0 'sweep in/x.yaml -o in/a.db --no-plots'
awk 'BEGIN {
    print "test,p,m_bytes,rank_a,rank_b,same_host,median_s,cpu,mpi_library"
    for (i = 0; i < 16; i++)
        printf "latency,2,%d,0,1,0,%.9g,a cpu,an MPI\nexchange,2,%d,0,1,0,%.9g,a cpu,an MPI\n",
            2 ^ i, 1e-6 + 2 ^ i / 2e9, 2 ^ i, 2e-6 + 2 ^ i / 2e9
}' > in/pairs.csv
awk 'BEGIN {
    print "collective,algorithm,p,m_bytes,time_s"
    for (p = 4; p <= 32; p *= 2)
        for (i = 4; i < 20; i += 3)
            printf "bcast,binomial,%d,%d,%.9g\nbcast,chain,%d,%d,%.9g\n", p, 2 ^ i,
                (1e-6 + 2 ^ i / 1e9) * log(p) / log(2), p, 2 ^ i, (1e-6 + 2 ^ i / 1e9) * (p - 1)
}' > in/measured.csv

# ---- Every verb that has such outputs -------------------------------------------------------------
# The command; the outputs that it names (and the file by which it knows its directory).
cat > table << 'END'
sweep ../in/x.yaml -o n.db --pictures csv | n.db
sweep ../in/x.yaml --pictures csv |
sweep --merge ../in/a.db -o n.db | n.db
sweep --slurm jobs ../in/x.yaml --shards 2 | jobs/sweep.sbatch
plot ../in/a.db --what time-n -p 4 --format pdf,svg,tikz,csv |
simulate -p 4 --engine flow --diagram n.svg --contention q-tikz.tex | n.svg q-tikz.tex
calibrate ../in/pairs.csv -o n --pictures svg |
predict ../in/measured.csv --machine here --figures figures --pictures csv |
redistribute -P 2 -Q 2 -s 3 -r 2 --gantt -o figures --pictures svg |
plan -p 3 -n 2 -m 8 --format ti -o traces |
END
verbs=$("$program" --help | sed -n 's/^  \([a-z-]*\)  *[A-Z].*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 18 ] || fail "verbs: $verbs"
for verb in $verbs; do
    try 0 "$verb --help --details"
    grep -q -e '--force' printed && want=yes || want=no
    grep -q "^$verb " table && have=yes || have=no
    [ "$want" = "$have" ] || fail "$verb: --force: $want; in the table: $have"
done

replaced=0 kinds=(zeros words moved)
while IFS='|' read -r command named; do
    rm -rf run outside
    mkdir run outside
    cd run
    try 0 "$command"
    try 0 "$command" # the same again
    made=$(find . -type f | sed 's/^..//' | sort | # one of a kind
        awk '{ kind = $0; sub(/[^\/]*$/, "", kind); match($0, /(-tikz|-cairo)?([.][a-z.]+)?$/)
            if (!seen[kind substr($0, RSTART)]++) print }')
    for file in $made; do
        case " $named results/x.db " in
        *" $file "*) continue ;;
        esac
        cp "$file" ../kept
        kind=${kinds[replaced % 3]} # in turn: the test marks_of_our_files has all
        case $kind:$file in moved:*.svg | moved:*.pdf | moved:*.png | moved:*.tex) kind=words ;; esac # gnuplot's
        foreign "$kind" ../kept > "$file"
        cp "$file" ../mine
        try bad "$command"
        cmp -s "$file" ../mine || fail "$command: $file ($kind) was replaced"
        printf 'a,b\n1,2\n' > "$file"
        cp "$file" ../mine
        try bad "$command"
        cmp -s "$file" ../mine || fail "$command: $file was replaced"
        says "$file"
        ! find . -name '.roundabout*' | grep . || fail "$command: left files"
        try 0 "$command --force"
        ! cmp -s "$file" ../mine || fail "$command --force: $file was not replaced"
        cp ../mine ../outside/mine
        ln -sf "$place/outside/mine" "$file"
        try bad "$command --force"
        [ -L "$file" ] && cmp -s ../outside/mine ../mine || fail "$command: the link $file was followed"
        says "$file"
        rm "$file"
        cp ../kept "$file"
        replaced=$((replaced + 1))
    done
    try 0 "$command"
    cd ..
done < table
[ $replaced -gt 30 ] || fail "only $replaced outputs were looked at"

# ---- Pictures that the user draws again by our script -----------------------------------------------
plot='plot in/a.db -o figures --what time-n -p 4 --format pdf,png,svg,tikz,cairolatex'
try 0 "$plot"
(cd figures && for script in *.gp; do gnuplot "$script"; done)
try 0 "$plot"

# ---- What SQLite keeps beside a database, and its lock ----------------------------------------------
mkdir beside
cd beside
cp ../in/a.db a.db
for ending in -wal -shm -journal .lock; do
    for name in a.db new.db; do
        echo precious > "$name$ending"
        for command in "sweep ../in/x.yaml -o $name --no-plots" "sweep --merge ../in/a.db -o $name" "tune $name" \
            "sweep --merge $name -o other.db"; do
            try any "$command"
            [ "$(cat "$name$ending" 2> /dev/null)" = precious ] || fail "$command: $name$ending is lost"
        done
        rm -f "$name$ending" new.db other.db ./*.csv
    done
    # Zeros are a journal that is no longer valid, and nothing else.
    head -c 100 /dev/zero > "a.db$ending"
    try any 'sweep ../in/x.yaml -o a.db --no-plots'
    if [ $ending = -journal ]; then
        [ ! -e a.db-journal ] || fail "a dead journal stays: $(cat "$place/said")"
    else
        head -c 100 /dev/zero | cmp -s - "a.db$ending" || fail "a.db$ending of zeros is lost"
    fi
    rm -f "a.db$ending"
done
cd ..

# ---- Inputs that other files and values name ---------------------------------------------------------
mkdir inputs
cd inputs
printf 'node-%d.simgrid.org\n' 0 1 2 3 > alloc.csv
try 0 'platform generate crossbar:4 -o h.xml'
try 0 'simulate -p 4 --platform h.xml --write-placement hosts --placement-format csv'
try 0 'calibrate ../in/pairs.csv -o c --figures -'
cp hosts alloc.csv
cp h.xml h.csv
cp c.json c.csv
mkdir before
echo "<system><pci link_speed='8 GT/s' link_width='16'><gpu/></pci><net speed='1000'/></system>" > t.csv
cp alloc.csv h.csv c.csv t.csv before
write() { printf 'name: %s\nplatforms: %s\nengine: %s\nranks: 4\nbytes: 1KiB\nalgorithms: binomial\n%s\n' "$@"; }
write alloc h.xml simgrid 'placement: "file:alloc.csv"' > a.yaml
write h h.csv simgrid '' > h.yaml
write c crossbar:4 model 'engine-options: "calibration:c.csv"' > c.yaml
write t rails:4,topology=t.csv flow '' > t.yaml
for name in alloc h c t; do
    for force in '' --force; do
        try 2 "sweep ${name:0:1}.yaml -o $name.db $force"
        says "--output: \"$name.csv\" is read as "
    done
done
try 2 'simulate -p 4 --platform h.xml --placement file:alloc.csv -o alloc.csv'
says 'is read as placement'
try 2 'simulate -p 4 --platform h.xml --placement file:alloc.csv --diagram alloc.csv'
try 2 'simulate -p 4 --engine model --engine-option calibration:c.csv -o c.csv'
try 2 'tune --search -p 4 -m 1MiB --platform h.csv -o h.csv'
says 'is read as '
try 2 'platform locate h.xml --placement file:alloc.csv -o alloc.csv'
try 2 'platform generate rails:4,topology=t.csv -o t.csv'
says '--output: "t.csv" is read as topology'
try 2 'platform describe rails:4,topology=./t.csv -o t.csv'
for file in alloc.csv h.csv c.csv t.csv; do cmp "$file" "before/$file" || fail "$file was replaced"; done
[ ! -e alloc.db ] || fail "a refused sweep left a database"
