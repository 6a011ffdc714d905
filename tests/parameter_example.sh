#!/usr/bin/env bash
# Keeps CONTRIBUTING.md true: takes the parameter of its worked example out of the page, adds it to a
# copy of the sources as the page says, and compiles the table.
# Usage: parameter_example.sh SOURCE_DIRECTORY C_COMPILER
set -euo pipefail
source=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

example() { # NAME
    awk -v name="$1" '$0 == "```c " name { on = 1; next } $0 == "```" { on = 0 } on' "$source/CONTRIBUTING.md" |
        grep . || {
        echo "CONTRIBUTING.md has no example $1" >&2
        exit 1
    }
}
insert() { # FILE BEFORE EXAMPLE: the example before the first line that begins with BEFORE
    example "$3" >"$work/lines"
    awk -v before="$2" -v lines="$work/lines" '
        !done && index($0, before) == 1 {
            while ((getline line < lines) > 0)
                print line
            done = 1
        }
        { print }
        END { exit !done }' "$work/$1" >"$work/new"
    mv "$work/new" "$work/$1"
}
(cd "$source" && find command experiments mpi platforms schedules sim support -name '*.h' -print0 |
    xargs -0 cp --parents -t "$work")
cp "$source/experiments/point/parameters.c" "$work/experiments/point"
insert schedules/include/roundabout.h '    int32_t radix;' roundabout.h
insert experiments/point/parameters.h '    POINT_RADIX,' parameters.h
insert experiments/point/parameters.c '    [POINT_RADIX] = ' parameters.c
cd "$work"
"$cc" -std=c17 -O1 -Wall -Wextra -Werror -I. -Ischedules/include -c experiments/point/parameters.c -o parameters.o
grep -q 'most children of a rank' parameters.o
echo "the worked example of a parameter compiles"
