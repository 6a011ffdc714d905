#!/usr/bin/env bash
# Installs a build into a directory, moves this to another place, and uses everything there: the program with
# its files, the libraries by CMake and by pkg-config, and those of each MPI library on two ranks. Then it
# installs again and uninstalls. An installation builds what it needs.
# Usage: installed.sh BUILD [FLAVOUR MPICC MPIRUN]...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
work=$(cd "$work" && pwd -P)
unset ROUNDABOUT_DATA

# The build's own list of installed files is the user's.
mkdir "$work/lists"
find "$build" -maxdepth 1 -name 'install_manifest*.txt' -exec mv {} "$work/lists/" \;
clean_up() {
    rm -f "$build"/install_manifest*.txt
    find "$work/lists" -name '*.txt' -exec mv {} "$build/" \;
    rm -rf "$work"
}
trap clean_up EXIT

fail() {
    echo "$*"
    exit 1
}

expect() { # expect TEXT COMMAND...: the output of the command has the text
    local text=$1
    shift
    "$@" >"$work/output" 2>&1 || true
    grep -qF -e "$text" "$work/output" || {
        printf 'no "%s" in the output of %s:\n' "$text" "$*"
        cat "$work/output"
        exit 1
    }
}

# Nothing is built yet.
cmake -S "$here/../.." -B "$work/core" -DROUNDABOUT_CORE_ONLY=ON -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=None >/dev/null
cmake --install "$work/core" --prefix "$work/core only" >"$work/output" 2>&1 || fail "$(tail -n 5 "$work/output")"
[ -n "$(find "$work/core only" -name 'libroundabout.so.*')" ] || fail "no library was built and installed"

cmake --install "$build" --prefix "$work/first place" >/dev/null
mv "$work/first place" "$work/moved"
prefix=$work/moved
program=$prefix/bin/roundabout
release=$(sed -nE 's/^#define RB_VERSION "([0-9.]+)"$/\1/p' "$prefix/include/roundabout.h")
share=$prefix/share/roundabout
mkdir "$work/empty"
cd "$work/empty"

# ---- The program ----
expect 'points,' "$program" sweep --dry-run
cat >small.yaml <<'YAML'
name: small
bytes: [64KiB, 1MiB]
ranks: 16
algorithms: [circulant, chain]
blocks: [1, 4, 16]
platforms: crossbar:16
engine: model
YAML
if command -v gnuplot >/dev/null; then
    "$program" sweep small.yaml --quiet >output 2>&1 || fail "sweep: $(cat output)"
    [ -s results/small.db ] || fail "sweep: no results/small.db in the current directory"
    grep -q 'time-m.*pdf' output || fail "sweep drew no figure: $(cat output)"
    "$program" plot results/small.db --what time-n -o figures >output 2>&1 || fail "plot: $(cat output)"
    "$program" redistribute -P 6 -r 2 -Q 6 -s 3 --gantt >output 2>&1 || fail "--gantt: $(cat output)"
    "$program" simulate -p 17 -n 10 -m 1MB --engine model --diagnose --diagram d.pdf >output 2>&1 ||
        fail "--diagram: $(cat output)"
    "$program" simulate -p 16 -n 4 -m 1MB --platform fat-tree:16 --engine flow --contention c.pdf \
        >output 2>&1 || fail "--contention: $(cat output)"
fi
expect 'own choices on leonardo lose more than 10 %' "$program" audit "$share/data/pico/measurements.csv" --system leonardo --collective bcast
[ -s "$prefix/share/doc/roundabout/tutorial.md" ] || fail "the pages of docs/ are not installed"
mv "$share/plots/style.gp" "$share/plots/style.moved"
expect "plots/style.gp: this file of Roundabout is not in $share; the environment variable ROUNDABOUT_DATA" \
    "$program" redistribute -P 6 -r 2 -Q 6 -s 3 --gantt
mv "$share" "$work/elsewhere"
mv "$work/elsewhere/plots/style.moved" "$work/elsewhere/plots/style.gp"
expect "experiments/default.yaml: this file of Roundabout is not in $share" "$program" sweep
expect 'points,' env ROUNDABOUT_DATA="$work/elsewhere" "$program" sweep --dry-run
mv "$work/elsewhere" "$share"
mv "$prefix/lib/roundabout/libroundabout-simgrid.so" "$work"
expect 'a broadcast of 1 MiB to 16 ranks' "$program" simulate -p 16 -n 4 -m 1MiB --platform fat-tree:16 --engine flow
expect 'libroundabout-simgrid.so: this library of Roundabout is not in' "$program" simulate -p 16 -n 4 -m 1MiB --platform fat-tree:16 --engine simgrid
mv "$work/libroundabout-simgrid.so" "$prefix/lib/roundabout"

# ---- The core and redistribution ----
"$here/../schedules/use_installed_core.sh" "$prefix"

# ---- On MPI ----
cat >user.c <<'C'
#include <mpi.h>
#include <roundabout-mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank == 0 ? 42 : 0;
    if (RB_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS || value != 42)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 1)
        puts("rank 1 has it");
    MPI_Finalize();
    return 0;
}
C
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name roundabout.pc)")
export PKG_CONFIG_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 RB_ONLINE=off
libdir=$(dirname "$PKG_CONFIG_PATH")
# compiles NAME MPICC: the commands of pages that compile NAME make programs that run as they are. The static library is in
# one whose command names it, or that is static as a whole.
compiles() {
    local line run=("${@:3}")
    grep -hE "^(mpi)?cc(.openmpi)? $1 " "$here"/../../docs/{install,tasks,mpi}.md >commands
    while read -r line; do
        [[ $line != *' -static '* ]] || [ -n "$static_libc" ] || continue
        line=${line% && *}
        line=${line% -o rounds}
        line=${line/#mpicc*([^ ])/$2}
        [[ $(pkg-config --libs --static "roundabout-mpi-$flavour" 2>&1) = *-lhwloc* ]] || line=${line/-lhwloc /}
        rm -f a.out
        env lib="$libdir" bash -ec "${line//openmpi/$flavour}" </dev/null || fail "$line"
        "${run[@]}" ./a.out >output 2>&1 </dev/null || fail "$line: $(cat output)"
        if [[ $line = *.a\"* || $line = *static* ]] && readelf -d a.out | grep 'NEEDED.*libroundabout'; then
            fail "$line: the program needs the shared library"
        fi
    done <commands
    [ -s commands ] || fail "no page compiles $1"
}
shopt -s extglob
static_libc='' flavour=''
! echo 'int main(void) { return 0; }' | cc -x c -static -o static - 2>/dev/null || static_libc=yes
# shellcheck disable=SC2016 # the backquotes are the page's
sed -n '/^```c rounds.c/,/^```/{/^```/!p;}' "$here/../../docs/tasks.md" >rounds.c
cp rounds.c planner.c
compiles rounds.c cc
compiles planner.c cc
cp user.c solver.c
cp user.c program.c

while [ $# -gt 0 ]; do
    flavour=$1 mpicc=$2 mpirun=$3
    shift 3
    run=("$mpirun" -n 2)
    [ "$flavour" = mpich ] || run+=(--oversubscribe)
    # shellcheck disable=SC2046 # the flags are words
    "$mpicc" user.c -o "user-$flavour" $(pkg-config --cflags --libs "roundabout-mpi-$flavour") \
        -Wl,-rpath,"$libdir"
    expect 'rank 1 has it' "${run[@]}" "./user-$flavour"
    for source in solver.c program.c; do
        compiles $source "$mpicc" "${run[@]}"
    done
    mkdir "cmake-$flavour"
    cp user.c "cmake-$flavour/"
    cat >"cmake-$flavour/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(roundabout ${release%.*} REQUIRED COMPONENTS mpi-$flavour)
add_executable(shared user.c)
target_link_libraries(shared PRIVATE roundabout::mpi-$flavour)
add_executable(static user.c)
target_link_libraries(static PRIVATE roundabout::mpi-$flavour-static)
C
    cmake -S "cmake-$flavour" -B "cmake-$flavour/build" -DCMAKE_C_COMPILER="$mpicc" \
        -DCMAKE_PREFIX_PATH="$prefix" >output 2>&1 || fail "$(cat output)"
    cmake --build "cmake-$flavour/build" >output 2>&1 || fail "$(cat output)"
    expect 'rank 1 has it' "${run[@]}" "cmake-$flavour/build/shared"
    expect 'rank 1 has it' "${run[@]}" "cmake-$flavour/build/static"
    "${run[@]}" "$program" measure pairs --tests latency -m 0,64 --least-runs 3 --most-runs 3 \
        --precision 100 -o "pairs-$flavour.csv" >output 2>&1 || true
    [ -s "pairs-$flavour.csv" ] || fail "measure on $flavour: $(cat output)"
    expect 'bcast of 65536 bytes, n = 1, 1 rounds' "$program" trace -- "${run[@]}"
    preload=$("$program" mpi-library "$flavour" 2>output)
    [ "$preload" -ef "$libdir/roundabout/libroundabout-preload-$flavour.so" ] || fail "mpi-library: $preload"
    grep -q "to use it: mpirun.*LD_PRELOAD.*$preload -n 4 PROGRAM" output || fail "mpi-library: $(cat output)"
    RB_REPORT=$PWD/report-$flavour "${run[@]}" env LD_PRELOAD="$preload" "./user-$flavour" >output 2>&1 ||
        fail "preloaded on $flavour: $(cat output)"
    [ -s "report-$flavour" ] || fail "preloaded on $flavour: no report"
    rm -r "$prefix/libexec/roundabout/roundabout-measure-$flavour"
    expect "this program of Roundabout is not in $prefix/libexec/roundabout" "${run[@]}" "$program" measure pairs
done

# ---- Uninstalling ----
cmake --install "$build" --prefix "$work/second" >/dev/null
echo mine >"$work/second/bin/other"
cmake --build "$build" --target uninstall >output 2>&1 || fail "uninstall: $(cat output)"
grep -qF -- "-- Removed: $work/second/bin/roundabout" output || fail "uninstall says: $(cat output)"
left=$(find "$work/second" ! -type d)
[ "$left" = "$work/second/bin/other" ] || fail "uninstall left: $left"
[ ! -e "$work/second/share/roundabout" ] || fail "uninstall left directories of Roundabout's"
if cmake --build "$build" --target uninstall >output 2>&1; then
    fail "a second uninstall did not refuse"
fi
tr -s ' \n' ' ' <output | grep 'nothing was installed from here' >/dev/null || fail "a second uninstall says: $(cat output)"
echo "the installed tree works, and goes"
