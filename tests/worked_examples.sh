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
examples() { # NAME: all of this name, one after the other
    awk -v name="$1" '$0 == "```c " name { on = 1; next } $0 == "```" { on = 0 } on' "$source/CONTRIBUTING.md" |
        grep . || {
        echo "CONTRIBUTING.md has no example $1" >&2
        exit 1
    }
}
core=$work/schedules
examples bcast_relay.c >"$core/algorithms/bcast_relay.c"
examples reversed.c >>"$core/algorithms/reversed.c"
examples pass_direct.c >"$core/algorithms/pass_direct.c"
examples pass.c >"$core/collectives/pass.c"
examples list.h >"$work/lines"
# Anywhere in the list: here, before its first collective.
sed -i -e "1,/^RB_COLLECTIVE/{/^RB_COLLECTIVE/{
r $work/lines
N
}}" "$core/plan/list.h"

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
    return rb_algorithm_find("bcast", "relay") == NULL || rb_algorithm_find("reduce", "relay") == NULL ||
           rb_algorithm_find("pass", "direct") == NULL;
}
C
"$cc" -I. -Ischedules/include schedules/*/*.c listed.c -lm -o listed
./listed
echo "the worked examples build, are registered and pass"
