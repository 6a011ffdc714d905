#!/usr/bin/env bash
# Builds the documentation site and looks at what a reader needs: the navigation, a page per verb, the search.
# Usage: site.sh PYTHON CHECKOUT PROGRAM
set -euo pipefail
python=$1
checkout=$2
program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
"$python" "$checkout/docs/site/build" "$program" "$work" >/dev/null
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
