#!/usr/bin/env bash
# pipes.sh SOURCE_DIRECTORY - no script pipes into `grep -q`: it leaves at the first match, what still writes into the
# pipe dies of SIGPIPE, and pipefail makes a failure of it, now and then. `grep ... >/dev/null` reads to the end.
set -euo pipefail
cd "$1"
mapfile -t scripts < <(find . \( -name .git -o -path ./build \) -prune -o -type f -size -200k \
    -exec grep -lE '^#!.*\<bash$' {} +)
[ ${#scripts[@]} -gt 10 ] || { echo "$1 has no scripts" && exit 1; }
if grep -nE '^[^#]*[^|]\| *grep +(-[a-zA-Z]+ +)*-[a-zA-Z]*q' "${scripts[@]}"; then
    echo "these lines pipe into grep -q: write grep ... >/dev/null, which reads to the end"
    exit 1
fi
