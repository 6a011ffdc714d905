#!/usr/bin/env bash
# Keeps CONTRIBUTING.md true: takes its worked examples out of the page, adds them to a copy of the
# core as the page says, and runs the tests that walk the registry.
# Usage: worked_examples.sh SOURCE_DIRECTORY C_COMPILER
set -euo pipefail
source=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$source/schedules" "$source/tests" "$work"
extract() { # FILE TARGET
    awk -v file="$1" '$0 == "```c " file { on = 1; next } on && $0 == "```" { exit } on' \
        "$source/CONTRIBUTING.md" >"$work/schedules/$2/$1"
    [ -s "$work/schedules/$2/$1" ] || {
        echo "CONTRIBUTING.md has no example $1"
        exit 1
    }
}
extract bcast_relay.c algorithms
extract pass_direct.c algorithms
extract pass.c collectives

sed -i -e 's/^extern const struct rb_collective /&rb_pass, /' \
    -e 's/^    &rb_bcast,/    \&rb_bcast, \&rb_pass,/' \
    -e 's/^extern const struct rb_algorithm rb_bcast_circulant/extern const struct rb_algorithm rb_bcast_relay, rb_pass_direct, rb_bcast_circulant/' \
    -e 's/^    &rb_bcast_circulant,/    \&rb_bcast_circulant, \&rb_bcast_relay, \&rb_pass_direct,/' \
    "$work/schedules/plan/registry.c"

cd "$work"
"$cc" -std=c17 -O1 -Wall -Wextra -Werror -I. -Ischedules/include schedules/*/*.c \
    tests/test_plans.c -lcmocka -lm -o test_plans
./test_plans >output 2>&1 || {
    cat output
    exit 1
}
cat >listed.c <<'C'
#include <roundabout.h>
int main(void)
{
    return rb_algorithm_find("bcast", "relay") == NULL || rb_algorithm_find("pass", "direct") == NULL;
}
C
"$cc" -I. -Ischedules/include schedules/*/*.c listed.c -lm -o listed
./listed
echo "the worked examples build, are registered and pass"
