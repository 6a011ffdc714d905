#!/usr/bin/env bash
# engines.sh BENCH_ENGINES - what the developers' program refuses before it measures.
set -euo pipefail
program=$1

# refuses MESSAGE ARGUMENT...
refuses() {
    local said status=0
    said=$("$program" "${@:2}" 2>&1) || status=$?
    if [ $status -ne 2 ] || [[ $said != *"$1"* ]]; then
        echo "$0: ${*:2}: status $status: $said" >&2
        exit 1
    fi
}
refuses 'unknown benchmark "core": there are model and flow' core
refuses '--only: unknown case "dragonfly": did you mean dragonfly-1k, dragonfly-16k or dragonfly-100k?' flow --only dragonfly
refuses '"zzz": there are dragonfly-1k fat-tree-1k fat-tree-16k dragonfly-16k dragonfly-100k' flow --only zzz
refuses '--only: has no meaning for model' model --only waves
refuses '--samples: "0" is not a whole number from 1 to 1000' model --samples 0
word=$(head -c 100000 /dev/zero | tr '\0' x)
[ "$("$program" flow --only "$word" 2>&1 | wc -c)" -lt 1000 ] || { echo "$0: a word of 100 KB" >&2; exit 1; }
