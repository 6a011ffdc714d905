#!/usr/bin/env bash
# page_tables.sh SOURCE_DIRECTORY - the tables of all pages: every row has as many cells as the heading (a | inside
# code separates cells, too, unless it is written \|), a line of dashes stands below the heading, an empty line
# before it, and no row is broken.
set -euo pipefail
cd "$1"

# shellcheck disable=SC2016 # awk's
find README.md CONTRIBUTING.md CHANGELOG.md docs packaging python -name '*.md' 2>/dev/null | sort | xargs awk '
function fail(text) {
    print FILENAME ":" FNR ": " text
    failed = 1
}
function cells(line) {
    gsub(/\\\|/, "", line)
    sub(/^[ ]*\|/, "", line)
    sub(/\|[ ]*$/, "", line)
    return gsub(/\|/, "", line) + 1
}
FNR == 1 { in_table = in_code = 0; before = "" }
/^ *(```|~~~)/ { in_code = !in_code }
!in_code && /^ *\|/ {
    if (!in_table) {
        heading = FNR
        wanted = cells($0)
        if (before !~ /^([ ]*|<!--.*-->)$/)
            fail("a table without an empty line before it")
    } else if (FNR == heading + 1 && $0 !~ /^ *\|( *:?-+:? *\|)+ *$/) {
        fail("no line of dashes below the heading of a table")
    }
    in_table = 1
    tables += FNR == heading
    if ($0 !~ /\| *$/)
        fail("a row of a table does not end with |")
    if (cells($0) != wanted)
        fail("a row of " cells($0) " cells in a table of " wanted)
}
in_code || !/^ *\|/ {
    if (in_table && !in_code && $0 !~ /^([ ]*|<!--.*-->)$/)
        fail("no empty line behind a table, or a row that is broken")
    if (in_table && FNR == heading + 1)
        fail("a line that starts with | and is no table")
    in_table = 0
}
{ before = $0 }
END {
    if (tables < 10) {
        print "only " tables " tables were found"
        failed = 1
    }
    exit failed
}' && echo "the tables of all pages are whole"
