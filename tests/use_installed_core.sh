#!/usr/bin/env bash
# Builds a program against an installed core, by pkg-config and by CMake, and runs it.
# Usage: use_installed_core.sh PREFIX
set -euo pipefail
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/user.c" <<'C'
#include <roundabout-redistribution.h>
#include <roundabout.h>
#include <stdio.h>

int main(void)
{
    struct rb_plan_spec spec = {.collective = "bcast", .algorithm = "circulant", .p = 17, .n = 4};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    if (rb_plan_create(&spec, &plan, NULL, 0) != RB_OK || rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        return 1;
    printf("%d rounds\n", (int)rb_plan_rounds(plan));
    rb_plan_destroy(plan);

    struct rb_redistribution problem;
    struct rb_traffic traffic;
    if (rb_redistribution_read("P=6,r=2,Q=6,s=3", 0, &problem, NULL, 0) != RB_OK ||
        rb_traffic_init(&traffic, &problem, NULL, 0) != RB_OK || traffic.longest_port != 6)
        return 1;
    rb_traffic_deinit(&traffic);
    return 0;
}
C
cat >"$work/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(roundabout 0.1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE roundabout::roundabout)
C

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name roundabout.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # the flags are words
cc "$work/user.c" -o "$work/by-pkg-config" $(pkg-config --cflags --libs --static roundabout)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir roundabout) "$work/by-pkg-config" |
    grep -qx '8 rounds'
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/user" | grep -qx '8 rounds'
echo "the installed core works from pkg-config and from CMake"
