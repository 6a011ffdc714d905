#!/usr/bin/env bash
# Which MPI libraries the build finds (cmake/find_mpi.cmake), in a PATH without the names of Debian: plain
# mpicc, wrappers that lie about their name, in a directory with a blank, broken, or of no MPI library.
# Usage: find_mpi.sh SOURCE [FLAVOUR MPICC MPIRUN]...
set -euo pipefail
source=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CMAKE_GENERATOR CMAKE_C_COMPILER_LAUNCHER # of whoever starts the tests

# The tools that CMake and the wrappers need, and no MPI.
mkdir tools project
for tool in bash sh env cmake ninja make cc gcc c++ g++ ld as ar ranlib nm sed grep cat uname dirname basename tr expr; do
    if command -v "$tool" >/dev/null; then
        ln -s "$(command -v "$tool")" "tools/$tool"
    fi
done
cat >project/CMakeLists.txt <<C
cmake_minimum_required(VERSION 3.25)
project(probe C)
include($source/cmake/find_mpi.cmake)
foreach(flavour \${ROUNDABOUT_MPI_FLAVOURS})
  add_executable(program_\${flavour} program.c)
  target_link_libraries(program_\${flavour} PRIVATE mpi_\${flavour})
endforeach()
message(STATUS "flavours:\${ROUNDABOUT_MPI_FLAVOURS}")
C
cat >project/program.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_library_version(text, &length);
    if (rank == 1)
        puts(text);
    return MPI_Finalize();
}
C

# says DIRECTORY LINE [OPTION]...: configuring with DIRECTORY in PATH gives the line.
says() {
    local folder=$1 line=$2
    shift 2
    rm -rf build
    PATH=$work/$folder:$work/tools cmake -S project -B build "$@" >output 2>&1 || true
    tr '\n' ' ' <output | tr -s ' ' >words # long messages are wrapped
    grep -qF -e "$line" words || {
        printf 'no "%s" in:\n' "$line"
        cat output
        exit 1
    }
}

mkdir none
says none 'mpi: no MPI library found, left out; -DROUNDABOUT_MPICC=PATH names a compiler wrapper'
mkdir broken
printf '#!/bin/sh\necho "licence error" >&2\nexit 1\n' >broken/mpicc
chmod 755 broken/mpicc
says broken "mpi: $work/broken/mpicc is left out: it does not compile a program with <mpi.h>: licence error"
says none "ROUNDABOUT_MPICC: $work/broken/mpicc: it does not compile" -DROUNDABOUT_MPICC="$work/broken/mpicc"
says none 'ROUNDABOUT_MPICC: mpicc: there is no such program' -DROUNDABOUT_MPICC=mpicc
# An MPI library of another family.
mkdir other
printf '#define MPI_VERSION 3\n' >other/mpi.h
printf '#!/bin/sh\nexec gcc -I%s/other "$@"\n' "$work" >other/mpicc
chmod 755 other/mpicc
says other "mpi: $work/other/mpicc is left out: its <mpi.h> is neither Open MPI's nor of MPICH's family"
# One that shows options which don't make a program.
sed "s,^exec,[ \"\$1\" != -show ] || { echo gcc -I$work/other -lnothing; exit; }; exec," other/mpicc >none/wrapper
chmod 755 none/wrapper
printf '#define MPICH_VERSION "9.9"\n' >other/mpi.h
says none 'makes no program with the options that it shows' -DROUNDABOUT_MPICC="$work/none/wrapper"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
while [ $# -gt 0 ]; do
    flavour=$1 mpicc=$2 mpirun=$3
    shift 3
    run=(-n 2)
    [ "$flavour" = mpich ] || run+=(--oversubscribe)
    # Under plain names, as environment modules and Spack have them.
    mkdir "plain-$flavour"
    ln -s "$mpicc" "plain-$flavour/mpicc"
    ln -s "$mpirun" "plain-$flavour/mpirun"
    says "plain-$flavour" "$work/plain-$flavour/mpicc, $work/plain-$flavour/mpirun"
    says "plain-$flavour" "flavours:$flavour "
    cmake --build build >output 2>&1 || { cat output && exit 1; }
    name='Open MPI'
    [ "$flavour" = openmpi ] || name=MPICH
    "$mpirun" "${run[@]}" "build/program_$flavour" >output 2>&1 || { cat output && exit 1; }
    grep -qi "^$name" output || { cat output && exit 1; }
    says "plain-$flavour" "mpicc is left out: MPICC_$flavour is OFF" "-DMPICC_$flavour=OFF"
    says "plain-$flavour" 'flavours: ' -DROUNDABOUT_MPICC=OFF
    # A wrapper in, and of, a directory with a blank, which has a run-time path; no mpirun.
    mkdir "a blank $flavour" "a blank $flavour/lib"
    cat >"a blank $flavour/mpicc" <<W
#!/bin/sh
case \$1 in
-show) echo "\$('$mpicc' -show)" -L"$work/a blank $flavour/lib" -Wl,-rpath -Wl,"$work/a blank $flavour/lib" -Wl,--enable-new-dtags ;;
*) exec '$mpicc' "\$@" ;;
esac
W
    chmod 755 "a blank $flavour/mpicc"
    says none "a blank $flavour/mpicc; no mpirun of it is in PATH, so the tests on it are left out" \
        -DROUNDABOUT_MPICC="$work/a blank $flavour/mpicc"
    cmake --build build >output 2>&1 || { cat output && exit 1; }
    readelf -d "build/program_$flavour" | grep "path: \[.*$work/a blank $flavour/lib" >/dev/null || {
        readelf -d "build/program_$flavour"
        exit 1
    }
    says none "mpicc, $mpirun" -DROUNDABOUT_MPICC="$work/a blank $flavour/mpicc" -DROUNDABOUT_MPIRUN="$mpirun"
    says "plain-$flavour" "is left out: $work/a blank $flavour/mpicc is of the same flavour, $flavour" \
        -DROUNDABOUT_MPICC="$work/a blank $flavour/mpicc;mpicc"
    if [ "$flavour" = mpich ] && [ -n "${other_mpirun:-}" ]; then
        says "plain-$flavour" 'is of the flavour openmpi' -DROUNDABOUT_MPICC=mpicc \
            -DROUNDABOUT_MPIRUN="$other_mpirun"
    fi
    other_mpirun=$mpirun
done
echo "MPI libraries are found by what they are"
