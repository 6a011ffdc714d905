#!/usr/bin/env bash
# layers.sh SOURCE_DIRECTORY - checks the architecture against the list `tests/house/layers`. A line names a folder, with all
# folders below it that have no line of their own, and what it may include: folders that stand above it, each with
# all folders below it. So there are no circles. No two top-level folders may include each other, every file
# belongs to a line, and every word of the list is used.
set -euo pipefail
cd "$1"

# shellcheck disable=SC2016 # awk's
find . -type d \( -name .git -o -name tests -o -path ./build -o -exec test -e '{}/CMakeCache.txt' \; \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cpp' \) -print | sed 's|^\./||' | sort |
    xargs awk '
    function fail(text) { print text; failed = 1 }
    function folder_of(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "." }
    function top_of(path) { sub(/\/.*/, "", path); return path }
    function exists(path,    line, there) {
        if (!(path in known)) {
            there = (getline line < path) >= 0
            close(path)
            known[path] = there
        }
        return known[path]
    }
    function has(folder, below) { return index(below "/", folder "/") == 1 }
    function line_of(folder) { # the nearest folder upwards that has a line; "" if none has
        while (!(folder in place) && folder ~ /\//)
            folder = folder_of(folder)
        return folder in place ? folder : ""
    }
    BEGIN {
        while ((getline text < "tests/house/layers") > 0) {
            if (text ~ /^#/ || text ~ /^ *$/)
                continue
            count = split(text, word, /:? +/)
            folder = word[1]
            sub(/:$/, "", folder)
            for (i = 2; i <= count; i++) {
                if (word[i] == "")
                    continue
                above = line_of(word[i]) != ""
                for (other in place)
                    above = above || has(word[i], other)
                if (!above)
                    fail("layers: " folder " may not include " word[i] ", which does not stand above it")
                allowed[folder] = allowed[folder] " " word[i]
            }
            place[folder] = ++lines
        }
    }
    /^#include / {
        split($0, part, /[<">]/)
        header = part[2]
        from = line_of(folder_of(FILENAME))
        if (header ~ /^roundabout-mpi\.h$/)
            to = "mpi/include"
        else if (header ~ /^roundabout-redistribution\.h$/)
            to = "schedules/redistribution/include"
        else if (header ~ /^roundabout\.h$/)
            to = "schedules/include"
        else if ($0 ~ /</ || header ~ /^(roundabout_commit|[a-z]*\.inc$)/)
            next
        else if (exists(folder_of(FILENAME) "/" header))
            to = folder_of(FILENAME)
        else if (exists(header))
            to = folder_of(header)
        else {
            fail(FILENAME ":" FNR ": " header ": no such file, seen from here or from the top")
            next
        }
        if (from == "") {
            fail(FILENAME ": " folder_of(FILENAME) " is not in the list of layers")
            next
        }
        if (line_of(to) == from)
            next
        may = 0
        count = split(allowed[from], word, " ")
        for (i = 1; i <= count; i++)
            if (has(word[i], to)) {
                used[from, word[i]] = 1
                may = 1
            }
        if (!may)
            fail(FILENAME ":" FNR ": " from " may not include " to)
        a = top_of(from)
        b = top_of(to)
        if (a != b) {
            side[a, b] = FILENAME ":" FNR
            if ((b, a) in side)
                fail(side[a, b] ": " a " and " b " include each other; the other way: " side[b, a])
        }
    }
    END {
        for (folder in place) {
            count = split(allowed[folder], word, " ")
            for (i = 1; i <= count; i++)
                if (!((folder, word[i]) in used))
                    fail("layers: " folder " does not include " word[i])
        }
        exit failed
    }'
echo "the folders include each other as layers says"
