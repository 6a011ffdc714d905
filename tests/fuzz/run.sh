#!/usr/bin/env bash
# Runs the fuzzers: run.sh [SECONDS PER TARGET [TARGET...]]. Builds them first (clang, preset fuzz).
# A target's corpus is kept in build/fuzz/corpus/TARGET and grows from run to run; what it finds lies
# in build/fuzz/findings/. Exit status 1: something was found. FUZZ_RUNS=N instead of seconds: that
# many executions of each target. docs/testing.md says more.
set -euo pipefail

seconds=${1:-60}
[[ $seconds =~ ^[0-9]+$ ]] || {
    echo "usage: run.sh [SECONDS PER TARGET [TARGET...]]" >&2
    exit 2
}
[ $# -eq 0 ] || shift
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
cd "$source_dir"
if [ -z "${FUZZ_BUILT:-}" ]; then
    cmake --preset fuzz -G Ninja >/dev/null
    cmake --build --preset fuzz | tail -n 1
fi
build=$source_dir/build/fuzz
targets=("$@")
if [ $# -eq 0 ]; then
    for seeds in tests/fuzz/seeds/*/; do
        targets+=("$(basename "$seeds")")
    done
    targets+=(command_lines)
fi
mkdir -p "$build/findings"
FUZZ_SCRATCH=$(mktemp -d -p /dev/shm roundabout-fuzz.XXXXXX)
export FUZZ_SCRATCH
trap 'rm -rf "$FUZZ_SCRATCH"' EXIT

found=0
report() { # target, executions, per second, findings, corpus
    printf '%-16s %12s %10s %9s %8s\n' "$@"
}

# A number of libFuzzer's -print_final_stats.
stat_of() {
    awk -v name="stat::$2:" '$1 == name { print $2 }' "$1" | tail -n 1
}

run_target() {
    local target=$1 log=$build/findings/$1.log corpus=$build/corpus/$1 status=0
    local limit=(-max_total_time="$seconds")
    [ -z "${FUZZ_RUNS:-}" ] || limit=(-runs="$FUZZ_RUNS")
    mkdir -p "$corpus"
    # Standard output and error of the code under test are closed; reports still come through.
    "$build/tests/fuzz/fuzz_$target" "${limit[@]}" -timeout=20 -rss_limit_mb=2500 -max_len=16384 \
        -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" \
        "$corpus" "$source_dir/tests/fuzz/seeds/$target" >"$log" 2>&1 || status=$?
    local runs
    runs=$(stat_of "$log" number_of_executed_units)
    report "$target" "${runs:-?}" "$(stat_of "$log" average_exec_per_sec)" \
        "$([ "$status" -eq 0 ] && echo 0 || echo 1)" "$(find "$corpus" -type f | wc -l)"
    [ "$status" -eq 0 ] && return
    found=1
    grep -m 3 -E 'not so:|runtime error:|ERROR:' "$log" | sed 's/^/    /'
    sed -n 's/.*Test unit written to //p' "$log" | while read -r finding; do
        echo "    repeat: $build/tests/fuzz/fuzz_$target $finding"
    done
}

run_command_lines() {
    local log=$build/findings/command_lines.log status=0
    local limit=(--seconds "$seconds")
    [ -z "${FUZZ_RUNS:-}" ] || limit=(--count "$FUZZ_RUNS")
    "$build/tests/fuzz/command_lines" "${limit[@]}" --seed "${FUZZ_SEED:-$RANDOM}" \
        --files "$source_dir/tests/fuzz/seeds" >"$log" 2>&1 || status=$?
    report command_lines "$(awk '/ lines, /{ print $1 }' "$log" | tail -n 1)" \
        "$(awk '/ lines, /{ print $3 }' "$log" | tail -n 1)" \
        "$(awk '/ lines, /{ print $6 }' "$log" | tail -n 1)" -
    [ "$status" -eq 0 ] && return
    found=1
    grep -E '^(finding|  repeat)' "$log" | head -n 20 | sed 's/^/    /'
}

report target executions per-second findings corpus
for target in "${targets[@]}"; do
    if [ "$target" = command_lines ]; then
        run_command_lines
    else
        run_target "$target"
    fi
done
exit "$found"
