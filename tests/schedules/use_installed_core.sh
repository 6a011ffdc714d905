#!/usr/bin/env bash
# Builds programs against an installed core, without and with the library of redistributions, by pkg-config
# and by CMake, static and shared, and runs them.
# Usage: use_installed_core.sh PREFIX
set -euo pipefail
prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$(sed -nE 's/^#define RB_VERSION "([0-9]+)\..*/\1/p' "$prefix/include/roundabout.h")

cat >"$work/user.c" <<'C'
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
    return 0;
}
C
cat >"$work/redistributes.c" <<'C'
#include <roundabout-redistribution.h>
#include <stdio.h>

int main(void)
{
    struct rb_redistribution problem;
    struct rb_traffic traffic;
    if (rb_redistribution_read("P=6,r=2,Q=6,s=3", 0, &problem, NULL, 0) != RB_OK ||
        rb_traffic_init(&traffic, &problem, NULL, 0) != RB_OK || traffic.longest_port != 6)
        return 1;
    rb_traffic_deinit(&traffic);

    struct rb_plan_spec spec = {.collective = "redistribute", .algorithm = "best", .p = 12, .n = 1,
                                .instance = "P=6,r=2,Q=6,s=3"};
    struct rb_plan *plan;
    struct rb_verdict verdict;
    if (rb_plan_create(&spec, &plan, NULL, 0) != RB_EINVAL || rb_redistribution_add(NULL, 0) != RB_OK ||
        rb_plan_create(&spec, &plan, NULL, 0) != RB_OK || rb_verify_plan(plan, NULL, &verdict) != RB_OK)
        return 1;
    printf("%d ranks\n", (int)rb_plan_ranks(plan));
    rb_plan_destroy(plan);
    return 0;
}
C
sed "s/RELEASE/$release/; s/ANOTHER/$((release + 1))/" >"$work/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(roundabout RELEASE.0 REQUIRED COMPONENTS core)
find_package(roundabout RELEASE.0 REQUIRED) # redistribution, too
foreach(kind "" -static)
  add_executable(user${kind} user.c)
  target_link_libraries(user${kind} PRIVATE roundabout::core${kind})
  add_executable(redistributes${kind} redistributes.c)
  target_link_libraries(redistributes${kind} PRIVATE roundabout::redistribution${kind})
endforeach()
find_package(roundabout QUIET COMPONENTS frobnication)
if(roundabout_FOUND OR NOT roundabout_NOT_FOUND_MESSAGE MATCHES "without the component frobnication")
  message(FATAL_ERROR "a component that does not exist was found: ${roundabout_NOT_FOUND_MESSAGE}")
endif()
find_package(roundabout ANOTHER QUIET)
if(roundabout_FOUND)
  message(FATAL_ERROR "another release was found")
endif()
C

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name roundabout.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir roundabout)
[ "$libdir" -ef "$(dirname "$PKG_CONFIG_PATH")" ] || {
    echo "roundabout.pc has the libraries in $libdir, but they are beside it in $(dirname "$PKG_CONFIG_PATH")"
    exit 1
}
# shellcheck disable=SC2046 # the flags are words
cc "$work/user.c" -o "$work/by-pkg-config" $(pkg-config --cflags --libs roundabout)
LD_LIBRARY_PATH=$libdir "$work/by-pkg-config" | grep -x '8 rounds' >/dev/null
static=() # where the C library is there as a static one
if echo 'int main(void) { return 0; }' | cc -x c -static -o "$work/static" - 2>/dev/null; then
    static=(-static)
fi
# shellcheck disable=SC2046
cc "$work/user.c" "${static[@]}" -o "$work/by-pkg-config" $(pkg-config --cflags --libs --static roundabout)
LD_LIBRARY_PATH=$libdir "$work/by-pkg-config" | grep -x '8 rounds' >/dev/null
# The library of redistributions finds the core beside it: no LD_LIBRARY_PATH for that.
ldd "$libdir/libroundabout-redistribution.so" | grep 'libroundabout\.so\.[0-9]* => /' >/dev/null || {
    ldd "$libdir/libroundabout-redistribution.so"
    exit 1
}
# shellcheck disable=SC2046
cc "$work/redistributes.c" -o "$work/redistributes" $(pkg-config --cflags --libs roundabout-redistribution) \
    -Wl,-rpath,"$libdir"
"$work/redistributes" | grep -x '12 ranks' >/dev/null
# shellcheck disable=SC2046
cc "$work/redistributes.c" "${static[@]}" -o "$work/redistributes" \
    $(pkg-config --cflags --libs --static roundabout-redistribution)
LD_LIBRARY_PATH=$libdir "$work/redistributes" | grep -x '12 ranks' >/dev/null
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
for kind in '' -static; do
    "$work/build/user$kind" | grep -x '8 rounds' >/dev/null
    "$work/build/redistributes$kind" | grep -x '12 ranks' >/dev/null
done
echo "the installed core works from pkg-config and from CMake"
