#!/usr/bin/env bash
# check.sh - builds the Debian packages in one fresh Debian, installs them in another that has no
# compiler, and checks that what is installed works away from any checkout. Made for maintainers, before
# a release. Needs root (chroot, mount), debootstrap, and a Debian mirror; says in one line what is
# missing. All mounts are in a namespace of their own, so that nothing is left mounted however it ends.
#
# usage: packaging/check.sh [OPTION...] [12|13|all]                               (all)
#   --cache DIR     keeps base systems, downloaded packages and compiler results for the next run
#   --packages DIR  copies the packages there, and the figures to compare with
#   --from DIR      builds nothing, but takes what --packages left there
#   --full          runs the default sweep (minutes) instead of a small one
#   --tests         builds and runs all tests instead, in that Debian
#   --tests=REGEX   only the tests whose names match
#   --container     carries out packaging/Containerfile in chroots instead, and a sweep in its image
#   --mirror URL    default http://deb.debian.org/debian
# shellcheck disable=SC2016 # the shell in the chroot expands what is in single quotes
set -euo pipefail

die() {
    printf 'check.sh: %s\n' "$2" >&2
    exit "$1"
}

cache='' packages='' from='' full='' tests='' container='' mirror=http://deb.debian.org/debian releases=''
arguments=("$@")
while [ $# -gt 0 ]; do
    case $1 in
    --cache) cache=${2:?check.sh: --cache wants a directory} && shift ;;
    --packages) packages=${2:?check.sh: --packages wants a directory} && shift ;;
    --from) from=${2:?check.sh: --from wants a directory} && shift ;;
    --mirror) mirror=${2:?check.sh: --mirror wants a URL} && shift ;;
    --full) full=yes ;;
    --tests) tests=. ;;
    --tests=*) tests=${1#*=} ;;
    --container) container=yes ;;
    12 | 13) releases+=" $1" ;;
    all) releases='12 13' ;;
    *) die 2 "'$1' is no option and no release of Debian: 12, 13 or all; see the top of $0" ;;
    esac
    shift
done
releases=${releases:-12 13}
[ -z "$container" ] || releases=13 # the only one that the container file has
[ "$(id -u)" -eq 0 ] || die 3 "needs root, for chroot and mounts: sudo $0"
for tool in debootstrap unshare chroot git tar; do
    command -v "$tool" >/dev/null || die 3 "there is no $tool: apt-get install debootstrap util-linux git"
done
# Everything below happens in namespaces: mounts and processes end with this script.
{ [ $$ -eq 1 ] && [ -n "${ROUNDABOUT_CHECK_INSIDE:-}" ]; } ||
    exec env ROUNDABOUT_CHECK_INSIDE=1 unshare --mount --propagation private --pid --fork \
        --kill-child "$0" "${arguments[@]}"

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/roundabout-check.XXXXXX")
log=$work/log
[ -z "$cache" ] || { mkdir -p "$cache/ccache" && cache=$(realpath "$cache"); }
[ -z "$packages" ] || { mkdir -p "$packages" && packages=$(realpath "$packages"); }
[ -z "$from" ] || from=$(realpath "$from")
started=$SECONDS

# Removes the systems of a release, and before it what is mounted there.
remove_systems() {
    local mount
    while read -r mount; do
        umount -l "$mount"
    done < <(awk -v under="$work/" 'index($2, under) == 1 {print $2}' /proc/mounts | sort -r)
    rm -rf --one-file-system "$work"/build-* "$work"/bare-* "$work/base"
}

# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    trap '' INT TERM
    exec 2>/dev/null
    [ $$ -ne 1 ] || kill -KILL -1 || true # process 1 of the namespace ends all others there
    remove_systems
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step() {
    printf '%5d s  Debian %s: %s\n' $((SECONDS - started)) "$release" "$*"
}

failed() {
    tail -n 40 "$log" >&2
    die 1 "Debian $release: $*"
}

# fresh ROOT: a minimal Debian.
fresh() {
    local root=$1 base=${cache:-$work}/base-$codename.tar
    if [ ! -e "$base" ]; then
        step "debootstrap"
        debootstrap --variant=minbase "$codename" "$work/base" "$mirror" >"$log" 2>&1 ||
            failed "debootstrap failed"
        tar -C "$work/base" -cf "$base.part" . && mv "$base.part" "$base"
        rm -rf "$work/base"
    fi
    mkdir -p "$root" && tar -C "$root" -xf "$base"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$root/etc/hosts" # as Debian's installer does
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" && chmod +x "$root/usr/sbin/policy-rc.d"
    # Documentation and man pages are a part of what is checked.
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t sysfs -o ro sysfs "$root/sys"
    if [ -n "$cache" ]; then
        mkdir -p "$cache/apt-$codename/partial" "$root/ccache"
        mount --bind "$cache/apt-$codename" "$root/var/cache/apt/archives"
        mount --bind "$cache/ccache" "$root/ccache"
        echo 'Binary::apt-get::APT::Keep-Downloaded-Packages "true";' \
            >"$root/etc/apt/apt.conf.d/keep"
        rm -f "$root/etc/apt/apt.conf.d/docker-clean"
    fi
    inside "$root" 'apt-get update -qq' || failed "apt-get update failed"
}

# inside ROOT COMMAND: by a shell in the chroot, with the environment of a fresh login.
inside() {
    chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive TERM=dumb CCACHE_DIR=/ccache OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ROUNDABOUT_QUIET=1 ${launcher:+"${launcher[@]}"} \
        bash -c "set -eo pipefail; $2" >>"$log" 2>&1 </dev/null &
    wait $! # signals end a wait at once, but not a command
}

# must ROOT WHAT COMMAND: a check, with its name.
must() {
    echo "+ $3" >>"$log"
    inside "$1" "$3" || failed "$2"
    printf '         ok  %s\n' "$2"
}

build_packages() {
    # The wrapper has the one list of packages that the build needs.
    local words
    words=$(sed -n '/^packages=(/,/)/p; /^openmpi_packages=/p; /^mpich_packages=/p' "$here/roundabout" |
        sed 's/^[a-z_]*=(//; s/)$//' | tr '\n' ' ')
    step "install what the build needs"
    inside "$build" "apt-get install -y -qq --no-install-recommends $words dpkg-dev file ccache" ||
        failed "the packages for the build could not be installed"
    launcher=()
    [ -z "$cache" ] ||
        launcher=(CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
    step "the source tarball of HEAD"
    "$here/packaging/source.sh" "$build/root" >>"$log" 2>&1 || failed "source.sh failed"
    inside "$build" 'mkdir -p /src && tar -C /src --strip-components=1 -xzf /root/roundabout-*.tar.gz' ||
        failed "the tarball could not be unpacked"
}

run_tests() {
    step "install what the tests need"
    inside "$build" 'apt-get install -y -qq --no-install-recommends chromium chromium-driver fish \
        gfortran git groff-base jq man-db mandoc munge nodejs parallel poppler-utils procps python3 \
        python3-myst-parser python3-pandas python3-pip python3-setuptools python3-sphinx python3-wheel \
        slurm-wlm sqlite3 texlive-latex-recommended texlive-pictures valgrind zsh' ||
        failed "packages for the tests"
    step "build, with warnings as errors"
    inside "$build" 'cd /src && cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DROUNDABOUT_WERROR=ON && nice cmake --build build/release' || failed "the build failed"
    step "run the tests"
    inside "$build" "cd /src/build/release && nice ctest -j2 --output-on-failure -R '$tests' \
        >/root/tests.log 2>&1" || {
        sed -n '/tests passed/,$p' "$build/root/tests.log"
        cp "$build/root/tests.log" "${cache:-/tmp}/tests-$codename.log"
        die 1 "Debian $release: tests failed: ${cache:-/tmp}/tests-$codename.log"
    }
    grep 'tests passed' "$build/root/tests.log"
}

# Carries out the container file's lines in chroots, as a container engine does: what that file needs of the format;
# a line of another kind is an error. COPY takes the checkout's files as the tarball has them.
run_container_file() {
    local word rest stage=0 root='' at=/ entry=''
    declare -A stages
    while read -r word rest; do
        case $word in
        '' | '#'*) continue ;;
        esac
        step "container: $word ${rest:0:60}"
        case "$word $rest" in
        "FROM debian:$codename"*)
            root=$work/build-container-$((stage += 1))
            [[ $rest != *' AS '* ]] || stages[${rest##* }]=$root
            fresh "$root"
            ;;
        'COPY . '/*)
            rest=${rest#* }
            "$here/packaging/source.sh" "$root/root" >>"$log" 2>&1 || failed "source.sh failed"
            inside "$root" "mkdir -p $rest && tar -C $rest --strip-components=1 -xzf /root/roundabout-*.tar.gz" ||
                failed "the tarball could not be unpacked"
            ;;
        'COPY --from='*)
            read -r word rest <<<"${rest#--from=}"
            # shellcheck disable=SC2086 # a pattern of files
            cp "${stages[$word]}"${rest% *} "$root${rest##* }" || failed "COPY: $rest"
            ;;
        RUN*) inside "$root" "cd $at && $rest" || failed "RUN $rest" ;;
        WORKDIR*) at=$rest && mkdir -p "$root$at" ;;
        ENTRYPOINT*) entry=$(tr -d '[]",' <<<"$rest") ;;
        *) failed "packaging/Containerfile: '$word $rest' is not understood here" ;;
        esac
    done <"$here/packaging/Containerfile"
    printf '%s' "$small_experiment" >"$root$at/check.yaml"
    must "$root" "the image's entry point sweeps" "cd $at && $entry sweep check.yaml && test -s results/check.db"
    must "$root" "the image has the program for measurements" "mpirun -n 2 $entry measure pairs -m 1000 -o $at/pairs.csv"
    remove_systems
}

# A sweep of some seconds with points by every engine that figures are drawn from.
small_experiment='name: check
collective: bcast
bytes: [64KiB, 1MiB]
ranks: [17, 33, 64]
platforms: [fat-tree:64]
grids:
  - algorithms: [circulant, chain]
    blocks: [1, 2, 4, 8, 16]
  - algorithms: binomial
'

sweep_command() {
    if [ -n "$full" ]; then
        echo "$1 sweep"
    else
        echo "$1 sweep /root/check.yaml"
    fi
}

# Content of figures without the lines that say by which program and when they were made.
compare_figures() {
    local data count=0 name
    for data in "$figures"/*/*.dat; do
        [ -e "$data" ] || continue
        name=${data#"$figures"/}
        diff <(grep -v '^#' "$data") <(grep -v '^#' "$bare/root/trial/results/$name") >>"$log" ||
            failed "$name differs from that of the build tree"
        [ -s "$data" ] || failed "$name is empty"
        count=$((count + 1))
    done
    [ "$count" -gt 0 ] || failed "the sweep in the build tree drew no figure"
    while read -r name; do
        [ -s "$name" ] || failed "${name#"$bare"} is empty"
    done < <(find "$bare/root/trial" -name '*.pdf' -o -name '*.svg' -o -name '*.png')
    [ -n "$(find "$bare/root/trial" -name '*.pdf' -size +1k)" ] || failed "there is no PDF figure"
    printf '         ok  %d figures have the data of those of the build tree\n' "$count"
}

use_libraries() {
    local flavour mpirun
    step "libraries: compile against them, run on both MPIs"
    inside "$bare" "apt-get install -y -qq /root/packages/*.deb gcc libc6-dev pkg-config cmake make \
        libopenmpi-dev openmpi-bin libmpich-dev mpich" || failed "installing all packages failed"
    cat >"$bare/root/use.c" <<'EOF'
#include <roundabout.h>
#include <stdio.h>
int main(void)
{
    puts(RB_VERSION);
    return rb_ceil_log2(17) != 5;
}
EOF
    cat >"$bare/root/broadcast.c" <<'EOF'
#include <mpi.h>
#include <roundabout-mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static int data[100000];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 0 && i < 100000; i++)
        data[i] = i;
#ifdef PLAIN
    MPI_Bcast(data, 100000, MPI_INT, 0, MPI_COMM_WORLD);
#else
    RB_Bcast(data, 100000, MPI_INT, 0, MPI_COMM_WORLD);
#endif
    if (data[99999] != 99999)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
EOF
    must "$bare" "the core by pkg-config" \
        "cd /root && cc use.c \$(pkg-config --cflags --libs roundabout) -o use && ./use"
    for flavour in openmpi mpich; do
        mpirun="mpirun.$flavour -n 3"
        [ $flavour = mpich ] || mpirun+=" --oversubscribe"
        must "$bare" "RB_Bcast on $flavour" "cd /root && mpicc.$flavour broadcast.c -o broadcast.$flavour \
            -lroundabout-mpi-$flavour && $mpirun ./broadcast.$flavour"
        must "$bare" "MPI_Bcast on $flavour with the library preloaded" "cd /root &&
            mpicc.$flavour -DPLAIN broadcast.c -o plain.$flavour &&
            library=\$(dpkg -L libroundabout-mpi-${flavour}1 | grep preload.*so\$) && test -e \$library &&
            $mpirun env LD_PRELOAD=\$library RB_REPORT=/root/report.$flavour ./plain.$flavour"
        must "$bare" "roundabout measure on $flavour" "cd /root &&
            ${mpirun/3/2} roundabout measure pairs -m 1000 -o pairs.$flavour.csv && test -s pairs.$flavour.csv"
    done
}

remove_everything() {
    step "reinstall, verify, purge"
    must "$bare" "the files are those of the packages, also after a reinstallation" \
        'dpkg -i /root/packages/*.deb && for package in $(dpkg-query -W -f "\${Package}\n" "*roundabout*"); do
         test -z "$(dpkg -V $package)"; done'
    must "$bare" "a purge leaves nothing" \
        'apt-get purge -y -qq $(dpkg-query -W -f "\${Package}\n" "*roundabout*") &&
         rm -rf /root/* && left=$(find / -xdev -name "*roundabout*" -not -path "/proc/*" -not -path "/var/cache/man/*") &&
         echo "left: $left" && test -z "$left"'
}

check_release() {
    release=$1
    codename=bookworm
    [ "$release" = 12 ] || codename=trixie
    if [ -n "$container" ]; then
        run_container_file
        return
    fi
    build=$work/build-$release bare=$work/bare-$release
    launcher=()
    if [ -n "$from" ]; then
        mkdir "$work/packages-$release"
        cp "$from"/*~deb"$release"_*.deb "$work/packages-$release" || failed "no packages in $from"
        figures=$from/figures-$release
    else
        make_packages
        [ -z "$tests" ] || return 0
        figures=$build/root/trial/results
    fi
    try_packages
    step "done"
    remove_systems
}

make_packages() {
    fresh "$build"
    build_packages
    if [ -n "$tests" ]; then
        run_tests
        remove_systems
        return
    fi
    step "build the packages"
    inside "$build" 'cd /src && eval "$(dpkg-buildflags --export=sh)" &&
        export CFLAGS="$CFLAGS $CPPFLAGS" CXXFLAGS="$CXXFLAGS $CPPFLAGS" &&
        cmake --preset deb -G Ninja && nice cmake --build --preset deb && cpack --preset deb' ||
        failed "the packages could not be built"
    mkdir -p "$work/packages-$release"
    cp "$build"/src/build/deb/*.deb "$work/packages-$release"
    [ -z "$packages" ] || cp "$work/packages-$release"/* "$build"/root/roundabout-*.tar.gz "$packages"
    (cd "$work/packages-$release" && ls -s1 --block-size=1K -- *.deb)
    inside "$build" 'apt-get install -y -qq --no-install-recommends lintian' || failed "no lintian"
    must "$build" "lintian finds no error and no warning" \
        'lintian --allow-root --fail-on error,warning /src/build/deb/*.deb'
    step "a sweep in the build tree, to compare with"
    printf '%s' "$small_experiment" >"$build/root/check.yaml"
    inside "$build" "mkdir /root/trial && cd /root/trial && $(sweep_command /src/build/deb/roundabout)" ||
        failed "the sweep in the build tree failed"
    [ -z "$packages" ] || cp -r "$build/root/trial/results" "$packages/figures-$release"
}

try_packages() {
    step "install the program in a fresh Debian"
    fresh "$bare"
    mkdir "$bare/root/packages" && cp "$work/packages-$release"/*.deb "$bare/root/packages"
    printf '%s' "$small_experiment" >"$bare/root/check.yaml"
    inside "$bare" 'apt-get install -y -qq /root/packages/roundabout_*.deb man-db' ||
        failed "the program could not be installed"
    must "$bare" "there is no compiler and no checkout" \
        '! command -v cc gcc cmake && test ! -e /src && roundabout --version'
    must "$bare" "doctor finds the data files, SimGrid and gnuplot" \
        '{ roundabout doctor || true; } | tee /root/doctor && for part in "data files" SimGrid gnuplot \
        "engine smpi" pdfcairo fonts; do grep -q "^$part  *ok" /root/doctor; done'
    must "$bare" "a man page for each verb" \
        'for verb in "" $(roundabout --help | sed -n "s/^  \([a-z][a-z]*\) .*/-\1/p"); do
         man roundabout$verb >/root/page && grep -q "^NAME" /root/page; done'
    must "$bare" "completions" 'test -s /usr/share/bash-completion/completions/roundabout &&
        test -n "$(find /usr/share/zsh -name _roundabout)" &&
        test -s /usr/share/fish/vendor_completions.d/roundabout.fish'
    step "the same sweep away from any checkout"
    inside "$bare" "mkdir /root/trial && cd /root/trial && $(sweep_command roundabout)" ||
        failed "the sweep of the installed program failed"
    compare_figures
    use_libraries
    remove_everything
}

check_releases() {
    for release in $releases; do
        check_release "$release"
    done
}
check_releases; exit # in one line, so that the script can be edited while it runs
