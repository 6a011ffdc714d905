#!/usr/bin/env bash
# layers.sh SOURCE_DIRECTORY - checks the architecture: a file includes only headers that the list
# `layers` allows for its folder, the list allows no folder to include one below it, so that there
# are no circles, and every entry of the list is used.
set -euo pipefail
cd "$1"

# shellcheck disable=SC2016 # awk's
find . -type d \( -name .git -o -name tests -o -exec test -e '{}/CMakeCache.txt' \; \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cpp' \) -print | sed 's|^\./||' | sort |
    xargs awk '
    function fail(text) { print text; failed = 1 }
    function folder_of(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "." }
    function exists(path,    line, there) {
        if (!(path in known)) {
            there = (getline line < path) >= 0
            close(path)
            known[path] = there
        }
        return known[path]
    }
    BEGIN {
        while ((getline line < "layers") > 0) {
            if (line ~ /^#/ || line ~ /^ *$/)
                continue
            count = split(line, word, /:? +/)
            folder = word[1]
            sub(/:$/, "", folder)
            for (i = 2; i <= count; i++) {
                if (word[i] == "")
                    continue
                if (!(word[i] in listed))
                    fail("layers: " folder " may not include " word[i] ", which does not stand above it")
                allowed[folder, word[i]] = 1
            }
            listed[folder] = 1
        }
    }
    /^#include / {
        split($0, part, /[<">]/)
        header = part[2]
        from = folder_of(FILENAME)
        if (header ~ /^roundabout-mpi\.h$/)
            to = "mpi/include"
        else if (header ~ /^roundabout-redistribution\.h$/)
            to = "redistribution/include"
        else if (header ~ /^roundabout\.h$/)
            to = "schedules/include"
        else if ($0 ~ /</ || header ~ /^roundabout_commit/)
            next
        else if (exists(from "/" header))
            to = folder_of(from "/" header)
        else if (exists(header))
            to = folder_of(header)
        else {
            fail(FILENAME ":" FNR ": " header ": no such file, seen from here or from the top")
            next
        }
        if (to == from)
            next
        if (!(from in listed))
            fail(FILENAME ": " from " is not in the list of layers")
        else if (!((from, to) in allowed))
            fail(FILENAME ":" FNR ": " from " may not include " to)
        used[from, to] = 1
    }
    END {
        for (pair in allowed)
            if (!(pair in used)) {
                split(pair, side, SUBSEP)
                fail("layers: " side[1] " does not include " side[2])
            }
        exit failed
    }'
echo "the folders include each other as layers says"
