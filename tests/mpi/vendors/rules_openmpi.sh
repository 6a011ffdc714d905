#!/usr/bin/env bash
# rules_openmpi.sh MPIRUN PROGRAM - Open MPI takes the algorithm, segment size and fan that a file of rules says, of
# every rule, and outside of what the rules were made of what it takes without a file; the program sees the calls of its
# algorithms.
set -euo pipefail
read -ra mpirun <<< "$1"
program=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
"$program" write rules.conf
timeout 200 "${mpirun[@]}" --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$PWD/rules.conf" \
    -n 11 "$program" run rules.conf > by_rules
timeout 200 "${mpirun[@]}" -n 11 "$program" run rules.conf > by_itself 2> /dev/null || true
grep ' own ' by_rules > own
test "$(wc -l < own)" -ge 30
grep ' own ' by_itself | diff - own
