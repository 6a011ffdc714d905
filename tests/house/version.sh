#!/usr/bin/env bash
# version.sh SOURCE_DIRECTORY - the version of the core's public header is the one that CITATION.cff, Spack's recipe, the newest section
# of the CHANGELOG and the pages name, and its first number that of the packages' names.
set -euo pipefail
cd "$1"
version=$(sed -nE 's/^#define RB_VERSION "([0-9.]+)"$/\1/p' schedules/include/roundabout.h)
wrong=0
says() { # FILE WHAT: the version that the file should name is WHAT
    [ "$2" = "$version" ] || { echo "$1 says $2, roundabout.h $version" && wrong=1; }
}
says CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
says packaging/spack/package.py "$(sed -nE 's/^ *version\("([0-9.]+)".*/\1/p' packaging/spack/package.py | head -n 1)"
says CHANGELOG.md "$(sed -nE 's/^## \[([0-9.]+)\].*/\1/p' CHANGELOG.md | head -n 1)"
while IFS=: read -r page found; do
    says "$page" "$found"
done < <(grep -oE '(roundabout[_-]|v|Roundabout )[0-9]+\.[0-9]+\.[0-9]+' docs/install.md docs/releasing.md | grep -v 'semver\|/v' | sed -E 's/:[^0-9]+/:/')
while IFS=: read -r page found; do
    says "$page" "$found.${version#*.}"
done < <(grep -oE 'libroundabout(-mpi-(openmpi|mpich))?[0-9]+\b' docs/install.md docs/releasing.md command/doctor/doctor.c |
    sed -E 's/:[^0-9]+/:/')
exit $wrong
