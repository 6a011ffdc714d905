#!/usr/bin/env bash
# completions.sh PROGRAM - the completions for bash, zsh and fish: verbs, options, choices, names, files; words
# that the user typed run nothing. A shell that is not installed is left out.
# shellcheck disable=SC2016 # what a shell could expand must stay as it is
set -euo pipefail
program=$(realpath "$1")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
PATH=$(dirname "$program"):$PATH
for shell in bash zsh fish; do
    "$program" help --completion $shell >completions.$shell
done
touch 'a file.db' plain.db
mkdir folder

fail() {
    echo "$0: $*" >&2
    exit 1
}
mapfile -t verbs < <("$program" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-][a-z-]*\) .*/\1/p')

# ---- bash --------------------------------------------------------------------------------------------

bash -n completions.bash
# shellcheck source=/dev/null
source completions.bash
sorted() {
    tr ' ' '\n' <<<"$1" | LC_ALL=C sort | tr '\n' ' '
}
# completes EXPECTED WORD...: the last word is the one to complete. EXPECTED: words with a blank between.
completes() {
    local expected=$1
    shift
    COMP_WORDS=(roundabout "$@")
    COMP_CWORD=$#
    _roundabout
    [ "$(sorted "${COMPREPLY[*]}")" = "$(sorted "$expected")" ] || fail "bash: $*: \"${COMPREPLY[*]}\", not \"$expected\""
}
completes "simulate" si
completes "--version" --v
completes "${verbs[*]} help --help --version" ""
completes "${verbs[*]}" help ""
completes "--collective --counts --contention --colours --colors" simulate --co
completes "reduce reduce-scatter redistribute" simulate --collective re
completes "reduce reduce-scatter redistribute" simulate --collective = re
completes "allgather,reduce allgather,reduce-scatter allgather,redistribute" measure collectives --collective allgather,re
completes "dissemination dissemination-in-lanes dissemination-over-binomial" simulate --collective allgather --algorithm diss
completes "dissemination dissemination-in-lanes dissemination-over-binomial" simulate --collective = allgather --algorithm = diss
completes "" simulate --algorithm diss # of bcast
completes "reduce reduce-scatter redistribute" predict --collective re
completes "table csv json" simulate --format ""
completes "csv" simulate --format = c
completes "table csv json" simulate --format =
completes "--format=csv" simulate --format=c
completes "flow" simulate --engine fl
completes "fat-tree" simulate --platform fat
completes "" simulate --ranks 1
completes "plain.db" plot pl
completes "plain.db" sweep -o pl
completes "folder" plot --output fo
completes "plain.db" simulate --placement file : pl
completes "formulas table-3 gallery gaps" check ""
completes "list locate" platform l
completes "--merge" sweep --mer
completes "" nothing --x
completes "" help bench x
[ "$(complete -p roundabout)" = "complete -F _roundabout roundabout" ] || fail "bash: $(complete -p roundabout)"
COMP_WORDS=(roundabout plot a) COMP_CWORD=2
_roundabout
[ "${COMPREPLY[0]}" = "a file.db" ] || fail "a name with a blank is not one word: ${COMPREPLY[0]}"
# Every option of every verb, and nothing else.
for verb in "${verbs[@]}"; do
    "$program" "$verb" --help --details | sed -nE '/^Options:/,/^$/s/^(      |  -., )--([a-z-]+).*/--\2/p' >expected
    COMP_WORDS=(roundabout "$verb" --) COMP_CWORD=2
    _roundabout
    printf '%s\n' "${COMPREPLY[@]}" | diff expected - >&2 || fail "bash: options of $verb"
done
# Nothing that the user typed, and no file's name, is a command.
touch 'x$(touch ran)' 'x`touch ran`'
for word in '$(touch ran)' '`touch ran`' '"; touch ran; "' "'; touch ran; '" 'a,$(touch ran)' '*' 'x' '-$(touch ran)' \
    '--$(touch ran)' '${COMP_WORDS[$(touch ran)]}' 'a[$(touch ran)]' $'a\ntouch ran'; do
    for line in "$word" "simulate $word" "simulate --collective $word" "$word x" "plot $word" "simulate --platform $word" \
        "simulate --collective $word --algorithm x" "$word = $word" "simulate --placement file : $word"; do
        IFS=' ' read -r -d '' -a COMP_WORDS < <(printf 'roundabout %s\0' "$line") || true
        [[ $word = *' '* ]] && COMP_WORDS=(roundabout simulate --collective "$word" "$word")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _roundabout
    done
done
[ ! -e ran ] || fail "bash: a word was run"

# ---- fish --------------------------------------------------------------------------------------------

# in_fish EXPECTED LINE: the words, without their descriptions; not what fish 4 adds because the letters are in it.
in_fish() {
    local actual
    actual=$(HOME=$room XDG_CONFIG_HOME=$room fish --no-config -c 'source completions.fish; complete -C $argv[1]' "$2" |
        cut -f 1 | begun="${2##* }" awk 'ENVIRON["begun"] == "" || index($0, ENVIRON["begun"]) == 1' | tr '\n' ' ')
    [ "$(sorted "${actual% }")" = "$(sorted "$1")" ] || fail "fish: $2: \"$actual\", not \"$1\""
}
if command -v fish >/dev/null; then
    fish --no-config -n completions.fish
    in_fish "simulate" "roundabout si"
    in_fish "--collective --colors --colours --contention --counts" "roundabout simulate --co"
    in_fish "redistribute reduce reduce-scatter" "roundabout simulate --collective re"
    in_fish "dissemination dissemination-in-lanes dissemination-over-binomial" \
        "roundabout simulate --collective allgather --algorithm diss"
    in_fish "plain.db" "roundabout plot pl"
    in_fish "formulas gallery gaps table-3" "roundabout check "
    in_fish "" 'roundabout simulate --collective "$(touch ran)" --algorithm "(touch ran)'
    [ ! -e ran ] || fail "fish: a word was run"
fi

# ---- zsh ---------------------------------------------------------------------------------------------

# in_zsh PATTERN LINE: what a shell shows on a terminal when TAB is pressed after LINE.
cat >press-tab.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
expect() { # until the terminal shows $1
    local chunk
    shown=
    repeat 100; do
        zpty -r -t shell chunk && shown+=$chunk || sleep 0.05
        [[ $shown != *$~1* ]] || return 0
    done
    return 1
}
zpty -w shell "PROMPT=; RPROMPT=; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump"
zpty -w shell "setopt no_beep list_ambiguous; zstyle ':completion:*' menu no; print re''ady"
expect 'ready*' || exit 3
zpty -w -n shell "$1"$'\t\t'
expect "$2" && exit 0
print -r -- "$shown"
exit 1
END
in_zsh() {
    zsh -f press-tab.zsh "$2" "$1" >shown 2>&1 || fail "zsh: $2: $(cat -v shown), not $1"
}
if command -v zsh >/dev/null; then
    zsh -f -n completions.zsh
    mkdir -p functions
    cp completions.zsh functions/_roundabout
    in_zsh '*roundabout simulate*' 'roundabout si'
    in_zsh '*reduce-scatter*' 'roundabout simulate --collective re'
    in_zsh '*roundabout simulate --contention*' 'roundabout simulate --conte'
    in_zsh '*dissemination-over-binomial*' 'roundabout simulate --collective allgather --algorithm diss'
    in_zsh '*plain.db*' 'roundabout plot pl'
    [ ! -e ran ] || fail "zsh: a word was run"
fi
