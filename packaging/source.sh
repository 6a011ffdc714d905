#!/usr/bin/env bash
# source.sh - writes the source tarball of a commit: roundabout-VERSION.tar.gz, byte for byte the same
# for a commit, and its SHA-256. Changes that are not committed are left out.
#
# usage: packaging/source.sh [--commit COMMIT] [DIRECTORY]     (HEAD, the current directory)
set -euo pipefail

commit=HEAD
if [ "${1:-}" = --commit ]; then
    commit=${2:?source.sh: --commit wants a commit}
    shift 2
fi
output=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."
git rev-parse --quiet --verify "$commit^{commit}" >/dev/null || {
    echo "source.sh: there is no commit '$commit' here" >&2
    exit 2
}
version=$(git show "$commit:schedules/include/roundabout.h" |
    sed -n 's/^#define RB_VERSION "\(.*\)"$/\1/p')
name=roundabout-$version
# By way of another name, so that a tarball is there completely or not at all.
partial=$output/.$name.$$
trap 'rm -f "$partial"' EXIT
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" | gzip -9n >"$partial"
mv "$partial" "$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz")
