#!/usr/bin/env bash
# peers.sh ROUNDABOUT SOURCE_DIRECTORY CXX [MPICC MPIRUN...]: compiles and runs the programs of docs/peers/, and compares what
# comes out with docs/peers.md. A fault that the installed version no longer has is said, and is no failure.
set -euo pipefail
roundabout=$1 programs=$2/docs/peers cxx=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    printf 'peers: %s\n' "$*" >&2
    exit 1
}

# The checker of circulant schedules: ours are right, and each changed entry is found.
cc -O1 "$programs/check_schedules.c" -o check_schedules
for p in 2 3 5 17 33 65; do
    "$roundabout" schedule -p $p --format csv
done | awk -F, '
    /^rank/ { q = (NF - 2) / 2; lines = 0; p++; next }
    { line = $1; for (k = 0; k < q; k++) line = line " " $(3 + q + k); line = line " |"
      for (k = 0; k < q; k++) line = line " " $(3 + k); text[p, lines++] = line; count[p] = lines }
    END { for (i = 1; i <= p; i++) for (j = 0; j < count[i]; j++) print count[i], text[i, j] }' >table
./check_schedules <table >right.txt || fail "our schedules are wrong: $(cat right.txt)"
grep -x '0 of 6 values of p are wrong' right.txt >/dev/null || fail "$(tail -n 1 right.txt)"
while read -r p r at; do # the entry `at` of a line, made another one
    awk -v p="$p" -v r="$r" -v at="$at" '$1 == p && $2 == r { $at = $at - 1 } { print }' table >changed
    if ./check_schedules <changed >changed.txt; then
        fail "p = $p, rank $r, column $at changed: not found"
    fi
    grep -E "^p = $p: rank [0-9]+ violates condition [1-4]$" changed.txt >/dev/null || fail "$(cat changed.txt)"
done <<'END'
3 1 3
5 4 7
17 5 9
33 31 5
65 2 12
END
head -n 20 table >short
if ./check_schedules <short >/dev/null 2>short.txt; then
    fail "a table that ends early is accepted"
fi
grep 'the line of rank' short.txt >/dev/null || fail "$(cat short.txt)"

# SimGrid
if "$cxx" -std=c++17 "$programs/lazy_update.cpp" -lsimgrid -o lazy_update 2>compile.txt; then
    ./lazy_update Lazy 2>/dev/null | sort >lazy.txt
    ./lazy_update Full 2>/dev/null | sort >full.txt
    grep -x 'message 0 ends at 214.70 us' full.txt >/dev/null || fail "SimGrid, Full: $(head -n 1 full.txt)"
    if cmp -s lazy.txt full.txt; then
        echo "mended in this SimGrid: shares are updated"
    else
        grep -x 'message 0 ends at 211.00 us' lazy.txt >/dev/null || fail "SimGrid, Lazy: $(head -n 1 lazy.txt)"
    fi
    "$cxx" -std=c++17 "$programs/dragonfly_routes.cpp" -lsimgrid -o dragonfly_routes
    [ "$(./dragonfly_routes 2 2 2 1 h0 h1 2>/dev/null | wc -l)" = 3 ] || fail "a route of the first chassis has not three links"
    case $(./dragonfly_routes 2 2 2 1 h2 h3 2>/dev/null | wc -l) in
        4) ;;
        3) echo "mended in this SimGrid: the route of the second chassis" ;;
        *) fail "the route of the second chassis has neither four nor three links" ;;
    esac
    if (ulimit -c 0 && ./dragonfly_routes 3 1 2 2 h0 h11) >/dev/null 2>&1; then
        echo "mended in this SimGrid: more groups than blades"
    fi
else
    echo "SimGrid: left out: $(head -n 1 compile.txt)"
fi

# MPICH
if [ $# -gt 3 ]; then
    "$4" "$programs/reduce_in_place.c" -o reduce_in_place
    if (ulimit -c 0 && timeout 60 "${@:5}" -n 3 ./reduce_in_place) >in_place.txt 2>/dev/null; then
        grep -x '0 of 27 calls were wrong' in_place.txt >/dev/null || fail "$(tail -n 1 in_place.txt)"
        echo "mended in this MPICH: MPI_Reduce in place"
    else
        grep -x '1 elements, root 0' in_place.txt >/dev/null || fail "MPI_Reduce in place did not even begin"
    fi
fi
