#!/usr/bin/env bash
# manual.sh PROGRAM BUILD - the manual pages that the program prints and the build has made: there is one for
# every verb, formatters find no fault, and it says what --help says: the same options, values, bounds,
# defaults, texts and examples. A formatter that is not installed is left out.
set -euo pipefail
program=$1 build=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
export LC_ALL=C.UTF-8 MANWIDTH=80

fail() {
    echo "$0: $*" >&2
    exit 1
}

# Without blanks: the help and a formatter break lines in different places.
blankless() {
    tr -d '[:space:]'
}
# section NAME FILE: of a formatted page, without its title.
section() {
    sed -n "/^$1\$/,/^[A-Z]/p" "$2" | sed '/^[A-Z]/d'
}
# formatted PAGE: as text, by the first formatter found.
formatted() {
    if command -v mandoc >/dev/null; then
        mandoc -Tutf8 "$1" | col -b -x
    else
        groff -man -Tutf8 -P -cbou "$1"
    fi
}
# faultless PAGE: no formatter has anything to say.
faultless() {
    ! command -v mandoc >/dev/null || mandoc -Tlint "$1" >"$room/faults" || fail "$1: $(cat "$room/faults")"
    ! command -v groff >/dev/null || groff -ww -man -Tascii -z "$1" >"$room/faults" 2>&1 || true
    [ ! -s "$room/faults" ] || fail "$1: $(cat "$room/faults")"
}

mapfile -t verbs < <("$program" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-][a-z-]*\) .*/\1/p')
[ ${#verbs[@]} -gt 10 ] || fail "the help lists ${#verbs[@]} verbs"
for verb in "${verbs[@]}"; do
    page=$room/roundabout-$verb.1
    "$program" help --man "$verb" >"$page"
    cmp "$page" "$build/man/roundabout-$verb.1" || fail "the build's page for $verb is not that of the program"
    faultless "$page"
    formatted "$page" >"$room/text"
    "$program" "$verb" --help --details >"$room/help"
    sed -n '/^Options:$/,/^$/p' "$room/help" | sed 1d | blankless >"$room/expected"
    section OPTIONS "$room/text" | blankless >"$room/actual"
    cmp -s "$room/expected" "$room/actual" || {
        diff <(fold -w 100 "$room/expected") <(fold -w 100 "$room/actual") >&2 || true
        fail "$verb: options differ"
    }
    diff <(sed -n '/^Examples:$/,/^$/p' "$room/help" | sed 1d | blankless) \
        <(section EXAMPLES "$room/text" | blankless) >&2 || fail "$verb: examples differ"
    diff <(awk '/^$/ { exit } NR > 1 && /^[^ ]/ { title = 1 } title' "$room/help" | blankless) <(section DESCRIPTION "$room/text" | blankless) >&2 ||
        fail "$verb: titles differ"
    diff <(awk 'NR > 1 && /^[^ ]/ { exit } { sub(/^Usage: /, ""); print }' "$room/help" | blankless) <(section SYNOPSIS "$room/text" | blankless) >&2 ||
        fail "$verb: usages differ"
    for title in NAME 'EXIT STATUS' ENVIRONMENT FILES 'SEE ALSO'; do
        [ -n "$(section "$title" "$room/text")" ] || fail "$verb: no section $title"
    done
done

"$program" help --man >"$room/roundabout.1"
cmp "$room/roundabout.1" "$build/man/roundabout.1"
faultless "$room/roundabout.1"
formatted "$room/roundabout.1" >"$room/text"
for verb in "${verbs[@]}"; do
    [ "$(section VERBS "$room/text" | grep -c "^ *roundabout-$verb(1)$")" -eq 1 ] || fail "roundabout(1) lacks $verb"
    section 'SEE ALSO' "$room/text" | grep "roundabout-$verb(1)" >/dev/null || fail "SEE ALSO lacks $verb"
done

# The variables of the environment that the program reads are in the page.
sources=$(dirname "$(realpath "$0")")/../..
while IFS= read -r variable; do
    section ENVIRONMENT "$room/text" | grep -w "$variable" >/dev/null || fail "roundabout(1) lacks the variable $variable"
done < <(cd "$sources" && grep -rhoE 'getenv\("(ROUNDABOUT_[A-Z_]*|COLUMNS)"\)' command support experiments plots |
    sed 's/.*"\(.*\)".*/\1/' | sort -u)

status=0
"$program" help --man nothing >"$room/out" 2>"$room/err" || status=$?
{ [ $status -eq 2 ] && [ ! -s "$room/out" ] && grep -q 'unknown verb' "$room/err"; } || fail "help --man nothing: $status"
