#!/usr/bin/env bash
# gallery.sh PROGRAM PAGE - the gallery's page is what the program writes.
set -euo pipefail
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" check gallery >"$made"
diff -u "$2" "$made" || {
    echo "if the new page is right: roundabout check gallery -o docs/gallery.md"
    false
}
