#!/bin/sh
# sweep_requests.sh ROUNDABOUT - sweep's messages for impossible requests and for points that fail.
set -eu
roundabout=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# expect STATUS MESSAGE ARGUMENT...: exit status, and the one line on standard error.
expect() {
    status=$1 message=$2 got=0
    shift 2
    "$roundabout" sweep "$@" >out 2>err || got=$?
    [ "$got" = "$status" ] || fail "sweep $*: exit status $got, not $status: $(cat err)"
    [ "$(cat err)" = "roundabout sweep: $message" ] || fail "sweep $*: $(cat err)"
}

cat >good.yaml <<'END'
ranks: 4
bytes: 64
blocks: 2
algorithms: circulant
platforms: crossbar:8
END
sed 's/^ranks/rnaks/' good.yaml >typo.yaml

expect 2 "typo.yaml:1:1: rnaks: no such key; did you mean ranks?" typo.yaml
expect 2 "none.yaml: No such file or directory" none.yaml
expect 2 "\"b.yaml\": give one experiment at a time (--merge merges results files)" \
    good.yaml b.yaml
for shard in 0/2 3/2 2 1/0 a/b; do
    expect 2 "--shard: \"$shard\" is not I/N with 1 <= I <= N, such as 1/4 ... 4/4" good.yaml \
        --shard "$shard"
done
expect 2 "--point-timeout: \"0\" is not above 0" good.yaml --point-timeout 0
expect 2 "--merge: missing results files" --merge -o x.db
expect 2 "--merge: missing -o FILE.db, the file to write" --merge good.db
expect 2 "--dry-run: has no meaning with --merge" --merge good.db --dry-run -o x.db
expect 2 "none.db: No such file or directory; roundabout sweep makes results files" \
    --merge none.db -o x.db
[ ! -e x.db ] || fail "a merge that failed left a file"
expect 2 "--output: \"good.yaml\" is read as FILE; give another name" good.yaml -o good.yaml
cp good.yaml other.yaml
expect 2 "other.yaml: not a results file of roundabout sweep" good.yaml -o other.yaml

# Names that can be no results file, and are left as they are.
expect 2 "--output: cannot write \"no/x.db\": there is no directory \"no\"" good.yaml -o no/x.db
mkdir directory
for name in directory /dev/null; do
    expect 2 "$name: not a file; give another with -o" good.yaml -o "$name"
done
for name in - :memory: file:x; do
    expect 2 "$name: not allowed as a name of a results file; if you mean it, write ./$name" good.yaml -o "$name"
done
expect 2 "x.csv: the results file is a database, such as FILE.db; FILE.csv is made beside it" \
    good.yaml -o x.csv

# Mistakes in an experiment are blamed on the key that has them.
expect 2 "directory: Is a directory" directory
long=$(printf '%0300d' 0)
{ echo "name: $long" && cat good.yaml; } >long.yaml
expect 2 "long.yaml:1:7: name: longer than 200 letters" long.yaml
{ echo "engine-options: [a:1, b]" && cat good.yaml; } >option.yaml
expect 2 "option.yaml:1:23: engine-options: \"b\" is not KEY:VALUE, such as network/model:LV08" \
    option.yaml
sed 's|crossbar:8|/dev/zero|' good.yaml >device.yaml
expect 2 "device.yaml:5:12: platforms: /dev/zero: not a file" device.yaml
# Nothing that is deep, long or endless takes for ever.
deep=$(printf '%0100000d' 0 | tr 0 '[')
echo "ranks: $deep" >deep.yaml
expect 2 "deep.yaml:1:39: lists and mappings are nested more than 32 deep" deep.yaml
printf 'name: &a [x]\nranks: &b [*a, *a]\n' >alias.yaml
expect 2 "alias.yaml:2:12: an alias may not be inside a value that has an anchor" alias.yaml
{ echo "name: &a [$(yes x, | head -n 20000 | tr -d '\n')]" && yes 'ranks: *a' | head -n 100; } >alias.yaml
expect 2 "alias.yaml:54:8: aliases expand to too many values; write the values out" alias.yaml
{ sed /ranks/d good.yaml && echo "ranks: [$(yes 4, | head -n 300000 | tr -d '\n')]"; } >many.yaml
expect 2 "many.yaml:5:200009: ranks: takes a list of at most 100000 values, not 300000" many.yaml
expect 2 "/dev/zero: too long for an experiment file" /dev/zero
got=0
"$roundabout" calibrate -o calibrated /dev/zero 2>err || got=$?
[ "$got" = 2 ] || fail "calibrate from an endless line: exit status $got"
grep -q "/dev/zero:1: a zero byte: this is no text file" err || fail "$(cat err)"
sed 's/^bytes.*/bytes: 2^62/; s/^blocks.*/blocks: {of-F: 1e-9}/' good.yaml >factor.yaml
expect 2 "factor.yaml:3:9: blocks: n must be in 1..4294967296, not 3037000499976049664" factor.yaml

expect 0 "1 point, 0 repeats left out; about 0 s on 1 core" good.yaml --dry-run --jobs 1
[ "$(sed -n 2p out)" = 'bcast,circulant,4,2,64,0,crossbar:8,1,block,simgrid,blocking,0.010' ] ||
    fail "$(cat out)"
"$roundabout" sweep good.yaml --dry-run --jobs 4096 2>err >out
grep -q " on $(nproc) core" err || fail "more jobs than cores: $(cat err)"
"$roundabout" platform generate crossbar:8 -o 'a"b,c.xml'
sed "s|crossbar:8|'a\"b,c.xml'|" good.yaml >quote.yaml
"$roundabout" sweep quote.yaml --dry-run 2>err >out
grep -q '^bcast,circulant,4,2,64,0,"a""b,c.xml",1,' out || fail "no CSV: $(cat out)"
[ ! -e results ] || fail "a dry run left a file"

# A point that takes too long fails, those that are there already don't; tried again, it succeeds. It
# takes some two seconds, ten times the limit.
cat >slow.yaml <<'END'
ranks: [4, 640]
bytes: 1MiB
blocks: 3
algorithms: scatter-allgather
platforms: crossbar:640
END
mkdir quick
sed 's/^ranks.*/ranks: 4/' slow.yaml >quick/slow.yaml
"$roundabout" sweep quick/slow.yaml --no-plots 2>err >out || fail "a quick point: $(cat err)"
got=0
"$roundabout" sweep slow.yaml --no-plots --point-timeout 200ms 2>err >out || got=$?
[ "$got" = 3 ] || fail "exit status $got with a failed point: $(cat err)"
grep -q "1 of 2 points failed .* first bcast scatter-allgather, p = 640, .*: took longer than 0.2 s" \
    err || fail "$(cat err)"
grep -qx 'Results  results/slow.db, results/slow.csv' out || fail "$(cat out)"
[ "$(grep -c ',failed,took longer than 0.2 s,' results/slow.csv)" = 1 ] || fail "no failed row"
[ "$(grep -c ',done,' results/slow.csv)" = 1 ] || fail "a good point is missing"
got=0
"$roundabout" sweep slow.yaml --no-plots 2>err >out || got=$?
[ "$got" = 3 ] || fail "exit status $got: a point that failed earlier is forgotten"
"$roundabout" sweep slow.yaml --no-plots --retry-failed 2>err >out ||
    fail "a failed point, tried again: $(cat err)"
[ "$(grep -c ',done,' results/slow.csv)" = 2 ] || fail "not all are done"

# What an option refuses, the file refuses in the same words, with the key and its place.
while read -r key option value; do
    printf '%s\n' 'collective: redistribute' 'ranks: 8' 'bytes: 4KiB' 'blocks: 1' 'platforms: crossbar:8' \
        'engine: model' "$key: '$value'" | awk -F: '{ last[$1] = $0 } !seen[$1]++ { key[++n] = $1 }
            END { for (i = 1; i <= n; i++) print last[key[i]] }' >same.yaml
    set -- "--$option" "$value"
    for given in ranks=8 bytes=4KiB blocks=1 platform=crossbar:8 engine=model; do
        case $option:$given in
        "${given%%=*}:"* | instance:ranks*) ;; # an instance says it by itself
        *) set -- "$@" "--$given" ;;
        esac
    done
    "$roundabout" simulate --collective redistribute "$@" 2>err >/dev/null && fail "--$option $value"
    words=$(tail -n 1 err | sed "s/^roundabout simulate: //; s/^--$option: //")
    "$roundabout" sweep same.yaml --dry-run 2>err >/dev/null && fail "$key: $value"
    line=$(grep -n "^$key:" same.yaml | cut -d : -f 1)
    [ "$(tail -n 1 err)" = "roundabout sweep: same.yaml:$line:$((${#key} + 3)): $key: $words" ] ||
        fail "not \"$words\", but $(cat err)"
done <<'END'
instances instance bogus
instances instance P=15,r=4,Q=0,s=3
instances instance P=-1,r=2,Q=2,s=2
roots root -1
ranks ranks 0
ranks ranks x
bytes bytes -1
bytes bytes 4QB
ports ports 0
ports ports 1025
ppn ppn x
placement placement sideways
placement placement random:x
placement placement file:none
radix radix 1
overlap overlap window:0
overlap overlap never
counts counts random:x
jitter jitter 0
engine engine foo
engine-options engine-option foo
engine-options engine-option a:b
platforms platform foo:3
platforms platform crossbar:0
platforms platform none.xml
END

# A damaged file is refused by all that read it, and never called safe.
"$roundabout" sweep good.yaml -o sound.db --no-plots 2>err >out || fail "$(cat err)"
LC_ALL=C sed s/circulant/circulbnt/g sound.db >damaged.db
for arguments in "good.yaml -o damaged.db" "--merge damaged.db -o new.db"; do
    # shellcheck disable=SC2086 # words
    expect 2 "damaged.db: damaged, or changed by hand: row 1 of points doesn't match its checksum; \
sweep into a new file instead" $arguments
done
for verb in tune plot; do
    got=0
    "$roundabout" "$verb" damaged.db 2>err >/dev/null || got=$?
    [ "$got" = 2 ] || fail "$verb of a damaged file: exit status $got"
    grep -q "damaged, or changed by hand" err || fail "$(cat err)"
done
[ ! -e new.db ] || fail "a merge that failed left a file"
