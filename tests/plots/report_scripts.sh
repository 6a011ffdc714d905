#!/usr/bin/env bash
# report_scripts.sh NODE SCRIPT... - the scripts of a report are JavaScript, report.html names each of them, none would
# end its element in the page, and none names an address in a network.
set -euo pipefail
node=$1
shift
for script; do
    "$node" --check "$script"
    [ "$(basename "$(dirname "$script")")" = report ] || continue # a test
    name=$(basename "$script")
    if ! grep -qF "<script src=\"$name\"></script>" "$(dirname "$script")/report.html"; then
        echo "$script: report.html does not name it"
        exit 1
    fi
    if grep -niE '</script|<!--' "$script"; then
        echo "$script: this would end its element in the page"
        exit 1
    fi
    if grep -n '://' "$script" | grep -vF '"http://www.w3.org/2000/svg"'; then
        echo "$script: a report needs no network"
        exit 1
    fi
done
