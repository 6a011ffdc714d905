#!/usr/bin/env bash
# wrapper.sh ROUNDABOUT - the command at the repository's root in checkouts that were copied, moved,
# shared or left half-configured. The tools are simulated: a build directory is as valid as its
# cache, and a program prints the sources from which it was built.
set -euo pipefail
wrapper=$(realpath "$1")
room=$(realpath "$(mktemp -d)")
trap 'rm -rf "$room"' EXIT
chmod 755 "$room"
cd "$room"
unset ROUNDABOUT_BUILD OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK

fail() {
    echo "$0: $*" >&2
    exit 1
}

# ---- The tools ---------------------------------------------------------------------------------------

mkdir tools
cat >tools/cmake <<'END'
#!/usr/bin/env bash
# Configures: refuses another place's cache, as the real one does. Builds: where the cache says, from
# the sources that the cache names.
fresh=no
while [ $# -gt 0 ]; do
    case $1 in
    --fresh) fresh=yes ;;
    -S) source=$2 ;;
    -B) build=$2 ;;
    --build) build=$2 action=build ;;
    --target) target=$* ;;
    esac
    shift
done
cache=$build/CMakeCache.txt
cached() {
    sed -n "s/^$1:INTERNAL=//p" "$cache"
}
if [ "${action:-}" = build ]; then
    there=$(cached CMAKE_CACHEFILE_DIR)
    mkdir "$there/building" || { echo "error: two build at once" && exit 1; }
    sleep 0.05
    case ${target:-} in
    *roundabout_preload_*) mkdir -p "$there/mpi" && echo >"$there/mpi/libroundabout-preload-${target##*_}.so" ;;
    esac
    case ${target:-} in
    *roundabout_measures*) echo >"$there/roundabout-measure-openmpi" ;;
    esac
    printf '#!/bin/sh\necho "%s: $*"\n' "$(cat "$(cached CMAKE_HOME_DIRECTORY)/stamp")" >"$there/roundabout"
    chmod +x "$there/roundabout"
    rmdir "$there/building"
    exit
fi
echo "configure fresh=$fresh" >>"$source/configured"
[ $fresh = no ] || rm -f "$cache"
if [ -e "$cache" ]; then
    [ "$(cached CMAKE_HOME_DIRECTORY)" = "$source" ] && [ "$(cached CMAKE_CACHEFILE_DIR)" = "$build" ] &&
        [ "$(cached CMAKE_GENERATOR)" = Ninja ] || { echo "CMake Error: another cache" && exit 1; }
fi
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$source" >"$cache"
[ ! -e "$source/refuse" ] || { echo "CMake Error: refused" && exit 1; }
[ ! -e "$source/interrupt" ] || kill -INT 0
echo "CMAKE_CACHEFILE_DIR:INTERNAL=$build" >>"$cache"
echo "CMAKE_GENERATOR:INTERNAL=Ninja" >>"$cache"
echo >"$build/build.ninja"
END
# shellcheck disable=SC2016 # the tool expands it
printf '#!/bin/sh\necho "ctest in $PWD: $*"\n' >tools/ctest
for tool in ninja pkg-config cc c++ gnuplot protoc-c clang mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich; do
    printf '#!/bin/sh\nexit 0\n' >tools/$tool
done
chmod 755 tools/*
PATH=$room/tools:$PATH

# checkout DIRECTORY: sources that say DIRECTORY.
checkout() {
    mkdir -p "$1"
    cp "$wrapper" "$1/roundabout"
    basename "$1" >"$1/stamp"
}
# says EXPECTED COMMAND...: standard output of a command that succeeds.
says() {
    local expected=$1 got
    shift
    got=$("$@" 2>err) || fail "$*: exit status $?: $(cat err)"
    [ "$got" = "$expected" ] || fail "$*: \"$got\", not \"$expected\": $(cat err)"
}
# configured DIRECTORY TIMES: so often, the copied times included.
configured() {
    [ "$(wc -l <"$1/configured")" -eq "$2" ] || fail "$1 is configured: $(cat "$1/configured")"
}

# ---- What is copied, moved or linked -----------------------------------------------------------------

checkout one
says "one: list -p 3" one/roundabout list -p 3
says "one: a b" one/roundabout "a b"
configured one 1
grep -q 'building in' err && fail "it says so again: $(cat err)"

for kind in "copy" "copy of another"; do # with a blank, too
    cp -a one "$kind"
    echo "$kind" >"$kind/stamp"
    says "$kind: list" "$kind/roundabout" list
    grep -q "configuring $room/$kind/build/release anew" err || fail "$(cat err)"
    says "$kind: list" "$kind/roundabout" list
    configured "$kind" 2
done
echo changed >copy/stamp
says "one: list" one/roundabout list
says "changed: list" copy/roundabout list
cp -a one tested
says "ctest in $room/tested/build/release: -j $(nproc) --output-on-failure -R x" tested/roundabout test -R x
configured tested 2
# Under mpirun a copy runs nothing of the original's either, and what is built here as it is.
cp -a one ranks
echo ranks >ranks/stamp
says "ranks: measure" env PMI_RANK=1 ranks/roundabout measure
echo later >ranks/stamp
says "ranks: measure" env PMI_RANK=1 ranks/roundabout measure
says "ranks: list" env PMI_RANK=1 ranks/roundabout list
# What `measure` becomes is built when it is asked for, also where the program is there already.
rm ranks/build/release/roundabout-measure-openmpi
says "later: list" ranks/roundabout list
[ ! -e ranks/build/release/roundabout-measure-openmpi ] || fail "every verb builds what measures"
says "later: measure" env PMI_RANK=1 ranks/roundabout measure
[ -e ranks/build/release/roundabout-measure-openmpi ] || fail "measure does not build what measures"

# What came after the configuration is found by the verbs that need it.
checkout early
says "early: measure" early/roundabout measure
printf '#!/bin/sh\nexit 1\n' >tools/mpiicc
chmod 755 tools/mpiicc
says "early: list" early/roundabout list
configured early 1
for verb in measure trace doctor; do
    says "early: $verb" early/roundabout $verb
    configured early 2
done
rm tools/mpiicc
says "early: trace" early/roundabout trace
configured early 3

mv copy moved
echo moved >moved/stamp
says "moved: list" moved/roundabout list
says "moved: list" moved/roundabout list
configured moved 3

# Links lead to the same place.
ln -s one link
ln -s ../one/roundabout tools/roundabout-of-one
says "one: list" link/roundabout list
says "one: list" tools/roundabout-of-one list
configured one 1

# ---- The build directory -----------------------------------------------------------------------------

mkdir elsewhere
says "one: list" env -C elsewhere ROUNDABOUT_BUILD=sub/build ../one/roundabout list
[ -x elsewhere/sub/build/roundabout ] || fail "a relative ROUNDABOUT_BUILD is not where the caller is"
says "ctest in $room/elsewhere/sub/build: -j $(nproc) --output-on-failure -LE slow" \
    env -C elsewhere ROUNDABOUT_BUILD=sub/build ../one/roundabout test
configured one 2
# A directory that is another checkout's or has other files stays as it is, to the byte: also one whose configuration
# was interrupted, and under mpirun. A copied one of this checkout's is made anew.
mkdir other
echo mine >other/notes
mkdir begun
echo "$room/one" >begun/.lock
for directory in elsewhere/sub/build one/build/release begun other; do
    state=$(find $directory -type f -exec md5sum {} + -o -printf '%p\n' | sort)
    for rank in '' 1; do
        status=0
        env PMI_RANK=$rank ROUNDABOUT_BUILD=$directory moved/roundabout list -p 3 >out 2>err || status=$?
        { [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]; } || fail "$directory: status $status: $(cat out err)"
        grep -qE "ROUNDABOUT_BUILD=$directory (is a build directory of $room/one|has files that are not of $room/moved): name" err ||
            fail "$(cat err)"
        [ "$(find $directory -type f -exec md5sum {} + -o -printf '%p\n' | sort)" = "$state" ] || fail "$directory has changed"
    done
done
says "one: list" env ROUNDABOUT_BUILD=begun one/roundabout list
mkdir empty
says "moved: list" env ROUNDABOUT_BUILD=empty moved/roundabout list
says "moved: list" env ROUNDABOUT_BUILD=empty moved/roundabout list
checkout first
checkout second
mkdir both
status=0
ROUNDABOUT_BUILD=both first/roundabout list >/dev/null 2>&1 &
ROUNDABOUT_BUILD=both second/roundabout list >/dev/null 2>&1 || status=$?
wait $! && [ "$status" -eq 2 ] || { [ "$status" -eq 0 ] && [ "$(cat first/configured second/configured 2>/dev/null | wc -l)" -eq 1 ]; } ||
    fail "two checkouts built in one directory"
cp -a elsewhere/sub/build elsewhere/copy
echo two >one/stamp
says "two: list" env ROUNDABOUT_BUILD=elsewhere/copy one/roundabout list
grep -q one elsewhere/sub/build/roundabout || fail "the copied build directory's original was built"
mkdir -p moved/build
cp -a elsewhere/copy moved/build/mine
says "moved: list" env ROUNDABOUT_BUILD=moved/build/mine moved/roundabout list

sed -i 's/Ninja/Unix Makefiles/' one/build/release/CMakeCache.txt
says "two: list" one/roundabout list

# ---- Names that CMake cannot build in ------------------------------------------------------------------

for name in 'a;b' 'a#b' 'a"b' 'a\b'; do
    checkout "$name"
    status=0
    "$name/roundabout" list >out 2>err || status=$?
    { [ "$status" -eq 3 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e "$name/build" ]; } ||
        fail "$name: status $status: $(cat out err)"
    grep -qF "roundabout: cannot build in $room/$name: CMake takes no path" err || fail "$(cat err)"
done
for name in "it's" 'a,b' 'a(b'; do
    checkout "$name"
    says "$name: list" "$name/roundabout" list
    mv "$name" "moved $name"
    echo moved >"moved $name/stamp"
    says "moved: list" "moved $name/roundabout" list
done
# Configuring fails, with a hint.
checkout failing
touch failing/refuse
status=0
failing/roundabout list >out 2>err || status=$?
{ [ "$status" -eq 3 ] && [ ! -s out ]; } || fail "failing: status $status: $(cat out err)"
grep -q "configuring failed.*remove that directory and call again" err || fail "$(cat err)"

# ---- Interrupted, twice at once, failed --------------------------------------------------------------

checkout broken
touch broken/interrupt
status=0
setsid -w broken/roundabout list >out 2>err || status=$?
{ [ "$status" -ne 0 ] && [ ! -s out ]; } || fail "an interrupted configuration: status $status: $(cat out)"
rm broken/interrupt
says "broken: list" broken/roundabout list

checkout twice
twice/roundabout "at once" >out.1 2>err &
says "twice: too" twice/roundabout too
wait $!
[ "$(cat out.1)" = "twice: at once" ] || fail "$(cat out.1)"
configured twice 1

# ---- A directory that can't be written ---------------------------------------------------------------

as_another=()
[ "$(id -u)" -ne 0 ] || as_another=(setpriv --reuid=65534 --regid=65534 --clear-groups)
# refused COMMAND...: status 3, one line with the way out, nothing of bash or mkdir.
refused() {
    local status=0
    "${as_another[@]}" "$@" >out 2>err || status=$?
    { [ "$status" -eq 3 ] && [ ! -s out ]; } || fail "$*: status $status: $(cat out err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
    grep -q "^roundabout: cannot write in $room/theirs.*ROUNDABOUT_BUILD=DIR theirs/roundabout list -p 3" \
        err || fail "$(cat err)"
}
checkout theirs
chmod a-w theirs
refused theirs/roundabout list -p 3
chmod u+w theirs
says "theirs: list" theirs/roundabout list
chmod -R a-w theirs
refused theirs/roundabout list -p 3
chmod -R u+w theirs
mkdir -m 777 own
says "theirs: list" "${as_another[@]}" env ROUNDABOUT_BUILD=own/build theirs/roundabout list
rm -f theirs/configured

# ---- The library to be preloaded ---------------------------------------------------------------------

checkout preloading
found_in=$PATH
# library FLAVOUR ARGUMENT...: builds it, and the program is asked for this one.
library() {
    local flavour=$1 path=$room/preloading/build/release/mpi/libroundabout-preload-$1.so
    shift
    rm -f "$path"
    says "preloading: mpi-library $flavour" env PATH="$found_in" preloading/roundabout mpi-library "$@"
    [ -e "$path" ] || fail "$path was not built"
}
library openmpi openmpi
library mpich mpich
library openmpi # which is found first
printf '#!/bin/sh\necho "HYDRA build details:"\n' >tools/mpirun
chmod 755 tools/mpirun
library mpich
printf '#!/bin/sh\necho "mpirun (Open MPI) 4.1.4"\n' >tools/mpirun
library openmpi
# Without Debian's names: of mpicc's MPI library.
printf '#!/bin/sh\nexit 1\n' >tools/mpirun
mkdir plain
for tool in tools/*; do
    [[ $tool = *mpi[cr]* ]] || ln -s "$room/$tool" plain/
done
for tool in bash env sed grep cat mkdir rm chmod dirname basename readlink stat id flock sleep rmdir wc nproc find; do
    ln -s "$(command -v "$tool")" plain/
done
printf '#!/bin/sh\necho "#define MPICH_VERSION \\"4.0\\""\n' >plain/mpicc
chmod 755 plain/mpicc
found_in=$room/plain
library mpich
library mpich mpich
printf '#!/bin/sh\necho "#define OPEN_MPI 1"\n' >plain/mpicc
library openmpi
rm tools/mpirun
says "preloading: mpi-library lam" preloading/roundabout mpi-library lam # the program refuses it
says "preloading: mpi-library --help" preloading/roundabout mpi-library --help

# ---- What pages need beside the build ------------------------------------------------------------------

# install NAME...: asks apt-get for those that dpkg does not have, and builds nothing.
checkout lacking
# shellcheck disable=SC2016 # the tools expand it
printf '#!/bin/sh\n[ "$(eval echo \\${$#})" = cadical ] || echo "install ok installed"\n' >tools/dpkg-query
printf '#!/bin/sh\necho "$*" >>"%s"\n' "$room/asked" >tools/apt-get
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = -n ] && shift\nexec "$@"\n' >tools/sudo
chmod 755 tools/dpkg-query tools/apt-get tools/sudo
says "" lacking/roundabout install cadical make
grep -q -- 'install -y --no-install-recommends cadical$' asked || fail "install asked for: $(cat asked)"
rm asked
says "" lacking/roundabout install make
{ [ ! -e asked ] && [ ! -e lacking/build ]; } || fail "install of what is there: $(cat asked)"
rm tools/dpkg-query tools/apt-get tools/sudo

# ---- Tests ------------------------------------------------------------------------------------------

says "ctest in $room/moved/build/release: -j $(nproc) --output-on-failure -C long --timeout 36000 -R x" \
    moved/roundabout test long -R x
says "ctest in $room/moved/build/release: -j $(nproc) --output-on-failure -R x" \
    moved/roundabout test all -R x
says "ctest in $room/moved/build/release: -j $(nproc) --output-on-failure -L mpi -R x" \
    moved/roundabout test mpi -R x
says "ctest in $room/moved/build/release: -j $(nproc) --output-on-failure -R x" moved/roundabout test -R x
says "ctest in $room/moved/build/release: -j $(nproc) --output-on-failure -LE slow" moved/roundabout test
[ "$(tail -n 1 moved/configured)" = "configure fresh=no" ] || fail "$(cat moved/configured)"

# ---- Coverage ---------------------------------------------------------------------------------------

checkout counted
status=0
env PATH="$room/plain" counted/roundabout coverage 2>err || status=$?
{ [ $status -eq 3 ] && [ "$(cat err)" = "roundabout: coverage needs gcovr: sudo apt-get install gcovr" ]; } ||
    fail "coverage without gcovr: status $status: $(cat err)"
# The rows of all files of a wing are added; a folder within a wing is no wing.
# shellcheck disable=SC2016 # the tool expands it
printf '%s\n' '#!/bin/sh' 'while [ "$1" != --csv ]; do shift; done' \
    'printf "%s\n" filename,line_total,line_covered sim/a.c,10,5,.5,4,1,.2,1,1,1 sim/plots/b.c,30,25,.8,4,1,.2,1,1,1 >"$2"' >tools/gcovr
chmod 755 tools/gcovr
mkdir -p counted/build/coverage
touch counted/build/coverage/old.gcda
counted/roundabout coverage -o pages -- -R x >out 2>err || fail "coverage: $(cat err)"
[ ! -e counted/build/coverage/old.gcda ] || fail "coverage adds to an older run's counts"
grep -qx "ctest in $room/counted/build/coverage: -j $(nproc) --output-on-failure -R x" err || fail "coverage: $(cat err)"
{ [ "$(wc -l <out)" -eq 11 ] && grep -qx 'sim  *40  *75.0 %  *8  *25.0 %' out && grep -qx 'plots  *0  *-  *0  *-' out; } ||
    fail "coverage: $(cat out)"
counted/roundabout coverage >out 2>err || fail "coverage: $(cat err)"
[ "$(grep -o 'output-on-failure.*' err)" = "output-on-failure -LE slow
output-on-failure -L covers" ] || fail "coverage of all tests: $(cat err)"
touch pages/mine
for words in '-o pages' '-R x' -o; do
    status=0
    # shellcheck disable=SC2086 # words
    counted/roundabout coverage $words 2>err || status=$?
    { [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]; } || fail "coverage $words: status $status: $(cat err)"
done
