#!/usr/bin/env bash
# options_take_what_keys_take.sh ROUNDABOUT PARAMETERS - what an experiment file takes as a parameter's only value, the option takes, and the
# reverse; and what both refuse, they refuse with status 2. PARAMETERS is docs/formats.md: each of its rows with an option
# and a key is tried here.
set -euo pipefail
roundabout=$1
parameters=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
wrong=0

# try KEY OPTION PRESET VALUE...: PRESET are words KEY=VALUE of other parameters.
try() {
    local key=$1 option=$2 presets=$3 value preset in_file in_option
    shift 3
    sed -i "/^| .*\`--$option [A-Z]*\` .*| \`$key\` |/d" left
    for value in "$@"; do
        local options=(--quiet "--$option" "$value")
        printf "%s: '%s'\n" "$key" "$value" >one.yaml
        for preset in $presets collective/collective=bcast algorithms/algorithm=circulant ranks/ranks=8 bytes/bytes=8KiB \
            platforms/platform=crossbar:16 engine/engine=model blocks/blocks=2; do
            [[ " $presets " != *" -${preset%%/*} "* && $preset != -* ]] || continue
            ! grep -q "^${preset%%/*}:" one.yaml || continue
            echo "${preset%%/*}: ${preset#*=}" >>one.yaml
            preset=${preset#*/}
            options+=("--${preset%%=*}" "${preset#*=}")
        done
        in_file=0 in_option=0
        "$roundabout" sweep one.yaml --no-plots --force -o one.db >/dev/null 2>file.err || in_file=$?
        "$roundabout" simulate "${options[@]}" >/dev/null 2>option.err || in_option=$?
        rm -f one.db one.csv
        if [ "$in_file" -ne "$in_option" ]; then
            echo "$key '$value': the file $in_file: $(tail -n 1 file.err); the option $in_option: $(tail -n 1 option.err)"
            wrong=1
        fi
    done
}

# shellcheck disable=SC2016 # the backquotes are the page's
grep -E '^\| `[a-z_]+` \| `--[a-z-]+ [A-Z]+` \|' "$parameters" | grep -v '| - | [^|]* | [^|]* |$' >left
try collective collective '' bcast Bcast MPI_Bcast foo all
try algorithms algorithm -blocks native:ompi native:foo
try algorithms algorithm '' circulant chain foo file:no circulant:r=2
try ranks ranks '' 1 8 0 -1 2^3 1e1 8KiB 2147483648 x
try blocks blocks '' 1 0 2 2^10 99999999999999999999 x -1
try bytes bytes blocks/blocks=1 1 0 8KiB 1MB 1.5KiB 2^10 x -1 1e3
try roots root '' 0 7 8 -1 last x
try ports ports 'collective/collective=alltoall algorithms/algorithm=bruck' 1 2 0 1025 x
try radix radix 'collective/collective=alltoall algorithms/algorithm=bruck' 2 8 1 0 x p
try groups groups 'algorithms/algorithm=hosts' 2 4 1 0 host node router leaf all x
try instances instance 'collective/collective=shift algorithms/algorithm=direct' q=1 q=9 q= x q=1,q=2
try instances instance '' q=1
try element-bytes element '' 1 4 0 4KiB 2MiB 1GiB 2^11 3 x -1
try counts counts 'collective/collective=allgather' regular mod3 degenerate random random:1 random: random:x random:-1 foo
try counts counts '' regular mod3 random:1
# The option knows the ranks, and so takes a generator without a size; a file has several numbers of ranks.
try platforms platform '' crossbar:16 crossbar:16,latency=1us fat-tree:16 leonardo foo no.xml crossbar:0
try ppn ppn '' 1 2 8 0 x 2147483648
# A file of ranks may fit some of a sweep's numbers of ranks: there a point fails.
try placement placement '' block cyclic gray random random:1 random:x search search:1 search:1:random search:1:random:2 \
    search:random search:x search: file:absent foo
try engine engine '' model flow simgrid simgrid:actors simgrid:foo model:waves flow:x foo all MODEL
try overlap overlap '' lockstep blocking window:4 window:0 window data window:x foo random
try engine-options engine-option engine/engine=simgrid network/model:LV08 foo seed:1
try jitter jitter '' 1 9 0 1001 x
try arrival arrival engine/engine=flow together late:1:5us late:8:5us:3 late:9:5us late:1:5us:rank7 late:1:5us:rank8 late:1:-5us \
    uniform:5us uniform:5us:x exponential:5us:2 sorted:5us sorted:5us:1 file:absent foo
try arrival arrival 'engine/engine=flow placement/placement=search:1' together late:1:5us
try arrival arrival engine/engine=nccl together late:1:5us
try program program engine/engine=flow alone absent.yaml
try program program engine/engine=nccl alone
[ ! -s left ] || { echo "not tried: $(cat left)" && wrong=1; }
exit $wrong
