#!/usr/bin/env bash
# packages.sh - every installed file is in exactly one Debian package, packages have what Debian wants
# in each, a second build has the same bytes (twice), and the program runs from their files. packaging/check.sh installs them in fresh systems.
#
# usage: packages.sh BUILD-DIRECTORY [twice]     (built completely)
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'packages.sh: %s\n' "$*" >&2
    exit 1
}

unset SOURCE_DATE_EPOCH
for place in debs ${2:+again}; do
    (cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$work/$place") >"$work/log" 2>&1 ||
        { cat "$work/log" && fail "cpack failed"; }
    [ -z "${2-}" ] || sleep 1 # all times in a package are whole seconds
done
DESTDIR=$work/installed cmake --install "$build" >"$work/log" 2>&1 ||
    { cat "$work/log" && fail "cmake --install failed"; }

# Compressed man pages are those of the build; changelogs and the like are the packages' own.
files() {
    sed 's|^\./||; s|\(/man/.*\)\.gz$|\1|' | grep -v -e '/$' -e '/lintian/' \
        -e '/doc/[^/]*/\(copyright\|changelog\.Debian\.gz\|changelog\.gz\)$' | sort
}
for deb in "$work"/debs/*.deb; do
    name=$(dpkg-deb -f "$deb" Package)
    [ -z "${2-}" ] || cmp "$deb" "$work/again/$(basename "$deb")" || fail "$name: a second build has other bytes"
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
find "$work/root" -type f \( -perm /111 -o -name '*.so.*' -o -name '*.so' \) >"$work/files"
while read -r file; do
    if readelf -d "$file" >"$work/dynamic" 2>/dev/null && grep -q NEEDED "$work/dynamic"; then
        grep -q NOW "$work/dynamic" || fail "$file: its functions are not bound at the start"
    fi
done <"$work/files"
program=$(find "$work/root" -path '*/bin/roundabout')
cd "$work"
env -u ROUNDABOUT_DATA "$program" platform list >/dev/null || fail "the program doesn't run"
echo "$(find "$work/debs" -maxdepth 1 -name '*.deb' | wc -l) packages have all $(wc -l <"$work/wanted") installed files"
