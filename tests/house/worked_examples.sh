#!/usr/bin/env bash
# Checks docs/extending.md: applies its worked examples to a copy of the sources as the page says, counts the
# files that each changes, and compiles them without optimisation; with EXAMPLES=run builds all that they need, and runs it.
# Usage: worked_examples.sh SOURCE_DIRECTORY C_COMPILER CXX_COMPILER GENERATOR [MPIRUN FLAG...]
set -euo pipefail
source=$1 cc=$2 cxx=$3 generator=$4
mpirun=("${@:5}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

fail() {
    printf '%s\n' "worked_examples: $*" >&2
    exit 1
}

trap 'echo "worked_examples: line $LINENO failed" >&2' ERR

# ---- The page -----------------------------------------------------------------------------------

# Writes each block's text to $work/NUMBER, and to $work/blocks a line NUMBER<tab>HEADING<tab>WHERE.
awk -v work="$work" '
    /^#/ && !fence { heading = $0; sub(/^#+ /, "", heading) }
    fence && $0 == fence { fence = ""; close(work "/" number); next }
    fence { print >(work "/" number); next }
    /^(```|~~~)[a-z]+ / {
        fence = substr($0, 1, 3)
        number++
        where = $0
        sub(/^...[a-z]+ /, "", where)
        print number "\t" heading "\t" where >(work "/blocks")
        next
    }
    /^(```|~~~)/ { fence = substr($0, 1, 3); number++ }' "$source/docs/extending.md"

insert() { # TEXT FILE before|after ANCHOR: at the first line that begins with ANCHOR
    TEXT=$1 ANCHOR=$4 awk -v place="$3" '
        function add(   line) { while ((getline line < ENVIRON["TEXT"]) > 0) print line }
        { here = !done && index($0, ENVIRON["ANCHOR"]) == 1 }
        here && place == "before" { add() }
        { print }
        here && place == "after" { add() }
        here { done = 1 }
        END { exit !done }' "$2" >"$work/new" || fail "$2 has no line that begins with '$4'"
    cat "$work/new" >"$2"
}

apply() { # NUMBER WHERE
    case $2 in
    *' before '* | *' after '*)
        local file=${2%% *} rest=${2#* }
        insert "$work/$1" "$tree/$file" "${rest%% *}" "${rest#* }"
        ;;
    *' at the end')
        (echo && cat "$work/$1") >>"$tree/${2%% *}"
        ;;
    regenerate)
        transcripts=$(grep -c 'tests/cli/regenerate .*\.transcript$' "$work/$1")
        ;;
    *)
        [ ! -e "$tree/$2" ] || fail "$2 is there already"
        mkdir -p "$(dirname "$tree/$2")"
        cp "$work/$1" "$tree/$2"
        ;;
    esac
}

# ---- Files that each example changes ------------------------------------------------------------

mkdir "$tree"
(cd "$source" && tar -c --exclude=./.git --exclude=./build --exclude=./results .) | tar -x -C "$tree"
git_() { git -C "$tree" -c user.name=example -c user.email=example@localhost "$@"; }
git_ init -q
git_ add -A
git_ commit -q -m 'the sources'

example() { # HEADING MOST: applies the example's blocks, which change at most so many files
    local number heading where changed transcripts=0 found=0
    while IFS=$'\t' read -r number heading where; do
        [ "$heading" = "$1" ] || continue
        found=1
        apply "$number" "$where"
    done <"$work/blocks"
    [ "$found" = 1 ] || fail "the page has no example '$1'"
    git_ add -A
    changed=$(($(git_ diff --cached --name-only | wc -l) + transcripts))
    git_ diff --cached --stat | tail -n 1
    [ "$changed" -le "$2" ] || fail "'$1' changes $changed files, more than $2"
    echo "$1: $changed files"
    git_ commit -q -m "$1"
}
example 'Add an algorithm' 2
example 'Add an algorithm to a family' 2
example 'Add a collective' 3
example 'Add a collective with its MPI function' 8
example 'Add a parameter of a point' 12
example 'Add a column of results' 3
example 'Add an engine' 5
example 'Add a platform generator' 2
example 'Add a machine' 2
example 'Add a cost effect' 2
example 'Add a kind of plot' 2
example 'Add a format of rules' 2
example 'Add a verb' 2

# ---- All of them together -----------------------------------------------------------------------

bash "$tree/tests/house/layers.sh" "$tree" >"$work/layers" || fail "$(cat "$work/layers")"
bash "$tree/tests/house/prefixes.sh" "$tree" >"$work/prefixes" || fail "$(cat "$work/prefixes")"
flavour=openmpi other=mpich
case ${mpirun[*]} in *mpich*) flavour=mpich other=openmpi ;; esac
cd "$work"
cmake -S tree -B build -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS=-O0 -DCMAKE_CXX_FLAGS=-O0 -DROUNDABOUT_WERROR=ON "-DMPICC_$other=OFF" >configured
if [ "${EXAMPLES-}" != run ]; then
    git_ diff --name-only "$(git_ rev-list --max-parents=0 HEAD)" HEAD -- '*.c' '*.cpp' >changed
    [ "$(wc -l <changed)" -gt 10 ] || fail "few sources are changed: $(cat changed)"
    sed "s|.*|$tree/&^|" changed | xargs cmake --build build --parallel 2 --target >built 2>&1 || {
        tail -n 40 built
        fail "the examples don't compile"
    }
    exit
fi
targets=(roundabout_cli test_parameters test_rules)
[ "${#mpirun[@]}" = 0 ] || targets+=("mpi_edges_$flavour" "roundabout_preload_$flavour")
cmake --build build --parallel 2 --target "${targets[@]}" >built 2>&1 || {
    tail -n 40 built
    fail "the examples don't build"
}
roundabout() {
    build/roundabout "$@"
}
expect() { # WANTED GOT...
    [ "${*:2}" = "$1" ] || fail "got '${*:2}', not '$1'"
}

# Algorithms and collectives: right for every p, and registered.
for algorithm in 'bcast relay' 'reduce relay' 'pass direct' 'barrier bruck' 'bcast strands'; do
    roundabout verify --collective "${algorithm% *}" --algorithm "${algorithm#* }" -p 1..20,64,65 -n 1,2,7 >verified 2>&1 ||
        fail "$(cat verified)"
done

# The parameter: an option, a member, a column, a key and a filter.
build/tests/test_parameters >tested 2>&1 || fail "$(cat tested)"
expect '0 -> 1 -> 2 ->' "$(roundabout plan --algorithm strands -p 9 --fanout 3 --format csv |
    awk -F, '$3 == "send" && !seen[$2]++ { printf "%s%s ->", n++ ? " " : "", $2 }' | cut -d' ' -f 1-6)"
for fanout in 1 2 3 8; do # of 2 chains, 1 3 5 7 and 2 4 6 8, rank 8 has it after 5 rounds
    roundabout plan --algorithm strands -p 9 --fanout "$fanout" --format json | jq -r '"\(.fanout) \(.rounds)"'
done >rounds
expect '1 8 2 5 3 4 8 8' "$(tr '\n' ' ' <rounds | sed 's/ $//')"
roundabout verify --algorithm strands -p 2..30 --fanout 3 >verified 2>&1 || fail "$(cat verified)"
if roundabout plan --algorithm binomial -p 9 --fanout 3 >refused 2>&1; then
    fail "binomial takes a fanout"
fi
grep -q 'bcast binomial has no fanout, which was to be 3' refused || fail "$(cat refused)"
cat >fanout.yaml <<'Y'
collective: bcast
algorithms: [strands]
ranks: 16
bytes: [1KiB, 64KiB, 1MiB]
fanout: [1, 2, 4]
platforms: 'crossbar:16'
engine: model
Y
roundabout sweep fanout.yaml -o fanout.db --no-plot --quiet >swept 2>&1 || fail "$(cat swept)"
roundabout tune fanout.db --what best --fanout 4 --format csv >tuned 2>&1 || fail "$(cat tuned)"
grep -q fanout tuned || fail "$(cat tuned)"

# The column: in CSV, on the page, and in what simulate prints.
for file in fanout.csv page.html; do
    [ "$file" = fanout.csv ] || roundabout report fanout.db -o page.html >/dev/null 2>&1
    grep -q mean_message_bytes "$file" || fail "$file has no new column"
done
expect '16384 16384' "$(roundabout simulate -p 3 -n 4 -m 64KiB --engine model --format json |
    jq -r '"\(.mean_message_bytes) \(.bytes / .messages)"')"

# The engine agrees with another one, the platform of the new generator with a mesh of one side.
time_of() { # ENGINE PLATFORM
    roundabout simulate -p 16 -n 8 -m 1MiB --engine "$1" --overlap lockstep --platform "$2" --format json |
        jq -r '"\(.time_s * 1e12 | round) \(.messages) \(.bytes)"'
}
expect "$(time_of model crossbar:16)" "$(time_of ideal crossbar:16)"
expect "$(time_of simgrid mesh:16)" "$(time_of simgrid line:16)"

# The machine: its nodes have names and are in groups.
printf 'frontier%05d\n' 128 129 9408 >nodes
expect 'group 3 of 74,' "$(roundabout platform locate frontier --placement file:nodes |
    awk '$1 == "group" && $3 == "of" { print $1, $2, $3, $4 }')"

# The cost: it is fitted, and its parameter is in the table.
expect 's true' "$(roundabout predict tree/data/pico/measurements.csv --system fugaku --what parameters \
    --rows 'nodes<=8' --format json |
    jq -r '.rows[] | select(.parameter == "skew per doubling of hosts") | "\(.unit) \(.value > 0)"')"

# The kind of plot.
roundabout plot fanout.db --what rate-m --format svg -o figures >plotted 2>&1 || fail "$(cat plotted)"
ls figures/bcast-rate-m-p16-*.svg >/dev/null
roundabout plot --help | tr -s ' \n' ' ' >help # grep -q would not read all of it
grep -q 'relative-m, rate-m' help

# The format of rules: a choice of the three verbs, and read as it is written.
build/tests/test_rules >tested 2>&1 || fail "$(cat tested)"
roundabout tune --search -p 8 -m 4KiB --algorithm binomial --format smpi-xml --quiet >rules.xml
expect '<prop id="smpi/bcast" value="binomial_tree"/>' "$(cat rules.xml)"

# The verb.
expect 8 "$(roundabout rounds -p 17 -n 4)"
roundabout --help >help
grep -q '^  rounds  ' help

# The MPI function, and MPI's name for it.
if [ "${#mpirun[@]}" != 0 ]; then
    RB_ONLINE=off "${mpirun[@]}" -n 3 "build/tests/mpi_edges_$flavour" || fail "RB_Barrier"
    nm -D "build/mpi/libroundabout-preload-$flavour.so" >symbols
    grep -q ' T MPI_Barrier$' symbols
fi
echo "the worked examples build, are found and do what they say"
