#!/usr/bin/env bash
# Builds the documentation site and looks at what a reader needs: the navigation, a page per verb, the search.
# Usage: site.sh CHECKOUT PROGRAM
set -euo pipefail
checkout=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
site() { # PYTHONS: looked for in them
    cmake "-DPYTHONS=$1" "-DPROGRAM=$program" "-DDIRECTORY=$work" -P "$checkout/docs/site/run.cmake" >"$work/log" 2>&1
}
# Without Python, and by one without Sphinx, it says what to install.
for python in "$work/none" /bin/false "$work/none;/bin/false"; do
    ! site "$python" || { echo "a site without Python" && exit 1; }
    grep -q 'needs Sphinx and MyST: apt-get install python3-sphinx python3-myst-parser' "$work/log" || { cat "$work/log" && exit 1; }
done
site '' || { cat "$work/log" && { grep -q 'needs Sphinx' "$work/log" && exit 77; exit 1; }; }
cd "$work/html"

need() {
    grep -q -- "$1" "$2" || { echo "$2 lacks: $1" && exit 1; }
}
need 'href="docs/tutorial.html"' index.html
need 'href="verbs/simulate.html"' index.html
need 'href="CONTRIBUTING.html"' index.html
need '--platform PLATFORM' verbs/simulate.html
need '"docs/tutorial"' searchindex.js
for page in "$checkout"/docs/*.md; do
    [ -e "docs/$(basename "$page" .md).html" ] || { echo "the site lacks $page" && exit 1; }
done
if grep -rlE 'href="[^":]*\.md[#"]' --include='*.html' .; then
    echo "these pages link to Markdown files"
    exit 1
fi
