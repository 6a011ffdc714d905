#!/bin/bash
# outputs.sh PROGRAM - the outputs of commands: names that gnuplot or a shell would interpret are
# used literally, files that are read or already written are refused, a file is replaced only when
# everything is written, no temporary files are left, and gnuplot ends with the program.
# shellcheck disable=SC2010,SC2012,SC2015,SC2016,SC2094,SC2034,SC2263
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail() {
    echo "$0: $*"
    cat said 2> /dev/null
    exit 1
}
# expect STATUS ARGUMENT...
expect() {
    local wanted=$1 got=0
    shift
    "$program" "$@" > printed 2> said || got=$?
    [ "$got" = "$wanted" ] || fail "$*: status $got, not $wanted"
}
says() { grep -qF -e "$1" said || fail "not said: $1"; }
# Only these files, and those of this script.
holds() {
    [ "$(ls -A "$1" | grep -vxE 'printed|said' | tr '\n' ' ')" = "$2" ] ||
        fail "$1 holds: $(ls -A "$1")"
}
no_harm() { ! find . -name 'PWN*' | grep . || fail "a name ran a command"; }

cat > x.yaml << 'END'
name: x
platforms: 'crossbar:8'
engine: model
ranks: [4, 8]
bytes: [64KiB, 1MiB]
grids: [{algorithms: circulant, blocks: [1, 4]}, {algorithms: binomial}]
END
expect 0 sweep x.yaml -o a.db --no-plots

# A reader that goes away is no error of ours: no word, and the end by SIGPIPE (141), as of other tools; but an output
# that is named, or who calls with SIGPIPE ignored, is told.
python3 - "$program" << 'END' || fail "standard output without a reader"
import os, signal, subprocess, sys
def run(arguments, ignored=False):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.argv[1], *arguments], stdout=write, stderr=subprocess.PIPE, text=True,
                          restore_signals=not ignored, pass_fds=[write])
    return done.returncode, done.stderr.replace(str(write), 'N')
silent = (-signal.SIGPIPE, '')
for words in ('list', 'list --format json', '--version', 'help tune', 'help --man', 'platform list', 'plan -p 9 -n 4',
              'schedule -p 1000', 'simulate -p 8 --format json', 'tune a.db'):
    assert run(words.split()) == silent, (words, run(words.split()))
told = 'not all was written: Broken pipe'
for words in ('list -o /dev/stdout', 'tune a.db -o /dev/stdout'):
    status, said = run(words.split())
    assert status == 3 and said.count('\n') == 1 and told in said, (words, status, said)
status, said = run(['list'], ignored=True)
assert status == 3 and said == f'roundabout list: standard output: {told}\n', (status, said)
END
expect 0 platform generate crossbar:4 -o h.xml
awk 'BEGIN {
    print "test,p,m_bytes,rank_a,rank_b,same_host,median_s,cpu,mpi_library"
    for (i = 0; i < 16; i++)
        printf "latency,2,%d,0,1,0,%.9g,a `touch PWN` cpu,an MPI\nexchange,2,%d,0,1,0,%.9g,a `touch PWN` cpu,an MPI\n",
            2 ^ i, 1e-6 + 2 ^ i / 2e9, 2 ^ i, 2e-6 + 2 ^ i / 2e9
}' > pairs.csv

# ---- Names that would be commands ---------------------------------------------------------------
mkdir names
cd names
for name in '|touch PWN;' '<touch PWN;' '$x' '`touch PWN`' "';system('touch PWN')#" '-e'; do
    expect 0 simulate -p 4 --engine model --diagram "./$name.svg"
    "$program" simulate -p 4 --engine model "--diagram=$name.svg" > printed 2> said || fail "$name"
    "$program" simulate -p 4 --engine flow "--contention=$name-links.svg" > printed 2> said || fail "$name"
    "$program" plot ../a.db "--output=$name" --what time-m -p 4 --format svg > printed 2> said || fail "$name"
    no_harm
    for script in "$name.gp" "$name-links.gp" "$name"/*.gp; do # run again, as its first line says
        command=$(sed -n '1s/.*: gnuplot /gnuplot /p' < "$script")
        (cd "$(dirname "./$script")" && sh -c "$command" 2> /dev/null) || fail "$command"
    done
    no_harm
done
expect 0 calibrate ../pairs.csv -o '<touch PWN;'
[ -s '<touch PWN;-fit.png' ] && [ -s '<touch PWN;.xml' ] || fail "calibrate made no figure"
(cd . && gnuplot -d './<touch PWN;-fit.gp') 2> /dev/null
expect 0 redistribute -P 2 -Q 2 -s 3 -r 2 --gantt -o '`touch PWN`'
no_harm
cd ..

# ---- What is read, or written already -----------------------------------------------------------
ln a.db hard.db
ln -s a.db soft.db
ln -s nowhere.json dangling.json
cp a.db before.db
cp h.xml before.xml
cp pairs.csv pairs.json
same() { cmp -s "$1" "$2" || fail "$1 was changed"; }
for name in a.db ./a.db hard.db soft.db "$place/a.db" names/../a.db; do
    expect 2 tune a.db -o "$name"
    says "--output: \"$name\" is read as RESULTS"
done
"$program" tune a.db >> a.db 2> said && fail "tune a.db >> a.db"
says '--output: "standard output" is read as RESULTS ("a.db")'
expect 2 platform describe h.xml -o ./h.xml
says '--output: "./h.xml" is read as PLATFORM ("h.xml"); give another name'
for option in --output --trace --diagram --contention; do
    cp h.xml h.svg.xml
    case $option in
    --trace) input=h.json ;;
    --diagram | --contention) input=h.gp output=h.svg ;;
    *) input=h.xml ;;
    esac
    [ -e $input ] || cp h.xml $input
    expect 2 simulate -p 4 --engine flow --platform $input $option "${output-$input}"
    says "$option: "
    says 'is read as --platform'
    same $input before.xml
done
expect 2 tune --search -p 4 -m 1MiB --platform h.xml -o h.xml
says '--output: "h.xml" is read as --platform'
expect 2 simulate -p 4 --trace q.json -o q.json
says '--output: "q.json" is also written by --trace; give another name'
expect 2 simulate -p 4 --trace nowhere.json -o dangling.json
says '--output: "dangling.json" is also written by --trace ("nowhere.json")'
expect 2 simulate -p 4 --diagram q.svg -o ./q.dat
says 'roundabout simulate: --diagram: "./q.dat" is also written by --output'
expect 2 calibrate pairs.json -o pairs
says '--output: "pairs.json" is read as FILE.csv'
expect 2 sweep --merge a.db hard.db -o soft.db
says '--output: "soft.db" is read as FILE ("a.db")'
cp a.db m.csv
expect 2 sweep --merge m.csv -o m.db # m.csv is the export of m.db
says '--output: "m.csv" is read as FILE'
same m.csv before.db
[ ! -e m.db ] && [ ! -e q.json ] && [ ! -e nowhere.json ] || fail "a refused command wrote something"
same a.db before.db
same h.xml before.xml
same pairs.json pairs.csv
expect 0 simulate -p 4 -o /dev/null --trace trace.json
cp a.db figures.db
expect 0 tune a.db --platform figures.db:8 --platform crossbar -o figures.db # a filter is no file
expect 0 tune a.db --platform figures.db --platform crossbar -o figures.db

# ---- A good old file --------------------------------------------------------------------------------
mkdir old
cd old
for name in plain.txt target.txt; do echo good > $name; done
chmod 640 target.txt
ln -s target.txt link.txt
(umask 027 && "$program" schedule -p 17 -o new.txt)
expect 0 schedule -p 17 -o link.txt
[ -L link.txt ] && grep -q recvblock target.txt || fail "a link was replaced, or not followed"
[ "$(stat -c %a new.txt target.txt | tr '\n' ' ')" = "640 640 " ] || fail "modes: $(ls -l)"
"$program" schedule -p 17 -o /dev/stdout > stdout.txt
"$program" schedule -p 17 -o /dev/fd/1 >> stdout.txt
"$program" schedule -p 17 -o >(cat > pipe.txt) && wait $!
ln -s /dev/stdout to-stdout
"$program" schedule -p 17 -o to-stdout | cmp - target.txt

# Standard input is a file that is read, another one than standard output.
printf '%s\n' '# roundabout: machine=here algorithm=binomial p=8' '# OSU MPI Broadcast Latency Test v7.4' \
    '1024 10' '4096 20' > osu.txt
"$program" predict - --hold-out bytes --format csv < osu.txt > printed 2> said || fail "predict -"
grep -q '^here,bcast' printed || fail "no prediction"
! "$program" predict - --hold-out bytes --format csv < osu.txt >> osu.txt 2> said || fail "its own input"
says '"standard output" is read as FILE ("standard input")'
rm osu.txt
cmp pipe.txt target.txt
[ "$(grep -c 'recvblock\[0\]' stdout.txt)" = 1 ] || fail "/dev/stdout was replaced"
rm new.txt link.txt target.txt to-stdout stdout.txt pipe.txt

cp plain.txt f.csv
cp plain.txt ../good
expect 2 simulate -p 4 --platform none.xml -o plain.txt --trace t.json
for option in --diagram --contention; do
    (PATH=/nowhere "$program" simulate -p 4 --engine flow -o plain.txt $option d.svg --trace t.json) 2> said && fail "no gnuplot"
    says "roundabout simulate: $option: gnuplot is not installed"
done
holds . "f.csv plain.txt "
(ulimit -f 8 && "$program" plan -p 1000 -n 10 -o plain.txt) 2> said && fail "no limit"
says '"plain.txt": not all was written: File too large'
(ulimit -f 8 && "$program" plan -p 1000 -n 10 -m 1MB --format ti -o traces) 2> said && fail "no limit"
says 'cannot write'
holds . "f.csv plain.txt "
mkdir figures
expect 0 plot ../a.db --what time-n --format svg,png -o figures
find figures -type f -exec cp plain.txt {} ';'
(ulimit -f 8 && "$program" plot ../a.db --what time-n --format svg,png -o figures --force) > printed 2> said && fail "no limit"
for file in figures/*; do same "$file" plain.txt; done
[ "$(ls -A figures | wc -l)" = 8 ] || fail "left: $(ls -A figures)"
expect 0 plot ../a.db --what time-n --format svg,png -o figures --force
for file in figures/*; do cmp -s "$file" plain.txt && fail "$file stayed as it was"; done
(ulimit -f 1 && "$program" sweep ../x.yaml -o f.db --no-plots --force) 2> said && fail "no limit"
same f.csv plain.txt
rm -f f.db*

# Ended by a signal: the old file, and no other. A program that is called gnuplot goes on until it is killed.
mkdir bin out
cat > bin/gnuplot << 'END'
#!/bin/sh
case $2 in
-e) exit ;;
esac
touch half.svg
echo $$ > "$OLDPLACE/pid"
exec sleep 1000
END
chmod +x bin/gnuplot
export OLDPLACE=$PWD
for signal in TERM HUP KILL; do
    rm -f pid
    PATH=$PWD/bin:$PATH "$program" plot ../a.db --what time-m --format svg -o out > printed 2> said &
    started=$!
    until [ -s pid ]; do kill -0 $started || fail "plot ended"; sleep 0.05; done
    kill -$signal $started
    wait $started 2> /dev/null && fail "$signal was survived"
    gone=no
    for try in $(seq 100); do
        kill -0 "$(cat pid)" 2> /dev/null || { gone=yes; break; }
        sleep 0.1
    done
    [ $gone = yes ] || fail "gnuplot outlives a plot killed by $signal"
    [ $signal = KILL ] || holds out ""
done
expect 0 plot ../a.db --what time-n --format svg -o out # what a kill left does no harm
"$program" plan -p 1000000 -n 1000 -o plain.txt 2> said &
started=$!
until ls -A | grep '^[.]roundabout' >/dev/null; do kill -0 $started || fail "plan ended"; sleep 0.05; done
kill $started
wait $started 2> /dev/null && fail "a signal was survived"
same plain.txt ../good
! ls -A | grep '^[.]roundabout' || fail "a file was left"

# ---- Terminals ------------------------------------------------------------------------------------
cd ..
escape=$(printf 'e\033[31m\007\302\233x')
shown='e\x1b[31m\x07\xc2\x9bx'
cp h.xml "$escape.xml"
expect 0 platform describe "$escape.xml"
cat said >> printed
grep -qF "$shown" printed || fail "a platform's name isn't shown"
expect 0 simulate -p 4 --platform "$escape.xml"
grep -qF "$shown" printed || fail "a platform's name isn't shown"
cp printed all
for command in "tune $escape.db" "plot $escape.db" "simulate -p 4 --algorithm $escape" "sweep $escape.yaml" \
    "$escape" "plan --$escape" "verify --collective $escape"; do
    # shellcheck disable=SC2086 # words on purpose
    expect 2 $command
    says "$(printf '%s' "$shown" | cut -c 1-12)"
    cat printed said >> all
done
! LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" all || fail "control characters"
expect 0 simulate -p 4 --platform "$escape.xml" --format csv

# ---- Names that are no UTF-8 ----------------------------------------------------------------------
# JSON takes nothing else: it shows the other bytes, as tables do.
latin=$(printf 'caf\351')
cp h.xml "$latin.xml"
for command in "platform describe" "platform check" "simulate -p 4 --links 2 --diagnose --platform" \
    "tune --search --algorithm binomial --what best -p 4 -m 1KiB --platform"; do
    for format in table json csv; do
        [ "$command $format" != "simulate -p 4 --links 2 --diagnose --platform csv" ] || continue
        # shellcheck disable=SC2086 # words on purpose
        expect 0 $command "$latin.xml" --format $format
        ! LC_ALL=C grep -q "$(printf '\351')" printed || [ $format = csv ] || fail "$command: no UTF-8"
        [ $format != json ] || grep -qF 'caf\\xe9.xml' printed || fail "$command: no such name"
    done
done
expect 0 simulate -p 4 --platform "$latin.xml" --trace "$latin.json" -o "$latin.txt"
grep -qF 'caf\\xe9.xml' "$latin.json" || fail "the trace doesn't name its platform"
expect 0 simulate -p 4 --engine model --diagram "$latin.svg"
sed "s/,a .touch PWN. cpu,an MPI/,$latin,$latin/" pairs.csv > "$latin.csv"
LC_ALL=C grep -q "$latin" "$latin.csv" || fail "no such cpu"
expect 0 calibrate "$latin.csv" -o "$latin-model" --figures - --format json
grep -qF 'caf\\xe9' printed || fail "calibrate doesn't name the cpu"
expect 0 platform check "$latin-model.xml"
