#!/usr/bin/env bash
# gaps.sh PROGRAM ONE_OF - check gaps names plans that simulate to the times that it says, and no algorithm is
# faster at any n that is tried here. Of each kind one of so many is tried.
set -euo pipefail
program=$1
one_of=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
p=16
m=65536
rows=$("$program" check gaps -p $p -m $m --format csv)
"$program" check gaps -p 2,3 -m 1 >/dev/null # above no p is a radix tried

some() { awk -v one_of="$one_of" 'NR % one_of == 0'; }
# simulate COLLECTIVE ALGORITHM RADIX N PPN ENGINE: "time bound", or nothing without such a plan.
simulate() {
    local options=(--collective "$1" --algorithm "$2" -n "$4" -p "$p" -m "$m" --ppn "$5" --engine "$6")
    [[ $3 == 0 ]] || options+=(--radix "$3")
    [[ $5 == 1 ]] || options+=(--groups "$5")
    "$program" simulate "${options[@]}" --platform crossbar:$((1024 / $5)) --format csv 2>/dev/null |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                 NR == 2 { print $at["time_s"], $at["bound_s"] }' || true
}

tail -n +2 <<<"$rows" | some | while IFS=, read -r collective _ ppn _ engine algorithm radix n time bound _; do
    said=$(simulate "$collective" "$algorithm" "$radix" "$n" "$ppn" "$engine")
    awk -v a="$said" -v b="$time $bound" 'BEGIN {
        split(a, x); split(b, y)
        for (i = 1; i <= 2; i++) if (!(x[i] > 0) || (x[i] - y[i])^2 > 1e-18 * y[i]^2) exit 1 }' || {
        echo "$collective on $ppn per host, $algorithm n=$n: gaps says $time $bound, simulate $said"
        exit 1
    }
    for other in $((n * 2 / 3)) $((n * 3 / 2)); do
        ((other > 0 && other != n)) || continue
        said=$(simulate "$collective" "$algorithm" "$radix" "$other" "$ppn" "$engine")
        awk -v a="${said%% *}" -v b="$time" 'BEGIN { exit !(a > 0.98 * b) }' || {
            echo "$collective on $ppn per host, $algorithm n=$other: $said, faster than n=$n, $time"
            exit 1
        }
    done
done

# The fastest is the fastest of all that are registered.
best=$(awk -F, '$1 == "bcast" && $3 == 4 { print $9 }' <<<"$rows")
"$program" list --format json |
    python3 -c 'import json, sys
for a in json.load(sys.stdin)["algorithms"]: print(a["collective"], a["name"])' |
    sed -n 's/^bcast //p' | some | while read -r algorithm; do
    for n in 1 6; do
        found=$(simulate bcast "$algorithm" 0 $n 4 flow)
        awk -v best="$best" -v found="${found%% *}" 'BEGIN { exit !(found == "" || found > 0.97 * best) }' || {
            echo "bcast $algorithm n=$n takes $found, gaps says at best $best"
            exit 1
        }
    done
done

# A copy of the program lacks SimGrid's part, and says so in one line, unless an installed one is found.
cp "$program" alone
status=0
./alone check gaps --platform fat-tree:4 --collective scatter -m 64KiB >out 2>&1 || status=$?
[ "$status" -eq 0 ] || [ "$status $(wc -l <out)" = '3 1' ] || {
    echo "without SimGrid: $(cat out)"
    exit 1
}

# On a platform that is named the times are simulate's, too, and so are the bounds; what has fewer hosts is left out.
platform=fat-tree:16
"$program" check gaps --platform $platform --collective allgather -p 12,1000 -m 64KiB --format csv 2>/dev/null >named
[ "$(cut -d, -f 2,3,13 named | tail -n +2 | tr '\n' ' ')" = '12,1,block 12,1,random:1 12,32,block 12,32,random:1 ' ] || {
    echo "check gaps --platform: $(cat named)"
    exit 1
}
# Of sizes that nobody names it takes two, and says how to get the others.
"$program" check gaps --platform fat-tree:4 --collective scatter >coarse
for text in '| p | ranks per host | 64 KiB | 16 MiB |' '-m 64B,1KiB,8KiB,64KiB,1MiB,16MiB,128MiB maps all'; do
    grep -qF -- "$text" coarse || {
        echo "check gaps --platform without -m: $(cat coarse)"
        exit 1
    }
done
# So they are in an order of the hosts that was found, where the root's host counts; scans have one at random places.
damaged=dragonfly:72,slow=links:20%:1:25%
"$program" check gaps --platform $damaged --collective bcast -p 16 -m 64KiB --format csv 2>/dev/null | grep ',search:1,' >found
"$program" check gaps --platform fat-tree:32,taper=4 --collective scan -p 32 -m 1MiB --format csv 2>/dev/null |
    grep ',search:1:random:1,' >>found
while IFS=, read -r collective p ppn m engine algorithm _ n time bound _ _ placement groups; do
    case $collective in bcast) platform=$damaged ;; scan) platform=fat-tree:32,taper=4 ;; esac
    said=$("$program" simulate --collective "$collective" --algorithm "$algorithm" -n "$n" -p "$p" -m "$m" --ppn "$ppn" \
        --engine "$engine" --placement "$placement" ${groups:+--groups "$groups"} --platform $platform --format csv |
        sed 's/"[^"]*"//g' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["time_s"], $at["bound_s"] }')
    [ "$said" = "$time $bound" ] || {
        echo "$collective $algorithm, $ppn per host, $placement: gaps says $time $bound, simulate $said"
        exit 1
    }
done < <({ tail -n +2 named && cat found; } | some)
