#!/usr/bin/env bash
# packages.sh - every installed file is in exactly one Debian package, packages have what Debian wants
# in each, and the program runs from their files. packaging/check.sh installs them in fresh systems.
#
# usage: packages.sh BUILD-DIRECTORY     (built completely)
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'packages.sh: %s\n' "$*" >&2
    exit 1
}

(cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$work/debs") >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "cpack failed"; }
DESTDIR=$work/installed cmake --install "$build" >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "cmake --install failed"; }

# Compressed man pages are those of the build; changelogs and the like are the packages' own.
files() {
    sed 's|^\./||; s|\(/man/.*\)\.gz$|\1|' | grep -v -e '/$' -e '/lintian/' \
        -e '/doc/[^/]*/\(copyright\|changelog\.Debian\.gz\|changelog\.gz\)$' | sort
}
for deb in "$work"/debs/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    dpkg-deb --fsys-tarfile "$deb" | tar -t | tee -a "$work/all" >"$work/list"
    for file in copyright changelog.gz changelog.Debian.gz; do
        grep -q "/doc/$name/$file$" "$work/list" || fail "$name: has no $file"
    done
    [ "$(files <"$work/list" | wc -l)" -gt 0 ] || fail "$name: is empty"
    dpkg-deb -x "$deb" "$work/root"
done
files <"$work/all" >"$work/packed"
(cd "$work/installed" && find . ! -type d) | files >"$work/wanted"
diff "$work/wanted" "$work/packed" ||
    fail "files of no package (<), or of two or of none that is installed (>): see packaging/debian/packages.cmake"
program=$(find "$work/root" -path '*/bin/roundabout')
cd "$work"
env -u ROUNDABOUT_DATA "$program" platform list >/dev/null || fail "the program doesn't run"
echo "$(find "$work/debs" -maxdepth 1 -name '*.deb' | wc -l) packages have all $(wc -l <"$work/wanted") installed files"
