#!/usr/bin/env bash
# doctor.sh PROGRAM - what `doctor` says of programs that are there, lack, hang, shout, lie or send escape
# sequences. PATH has nothing but programs made here.
# shellcheck disable=SC2016 # the tools expand it
set -euo pipefail
program=$(realpath "$1")
room=$(realpath "$(mktemp -d)")
trap 'rm -rf "$room"' EXIT
mkdir "$room/path" "$room/work"
cd "$room/work"

fail() {
    echo "$0: $*" >&2
    exit 1
}
# tool NAME LINE...: a program of the shell.
tool() {
    local name=$1
    shift
    printf '%s\n' '#!/bin/bash' "$@" >"$room/path/$name"
    chmod 755 "$room/path/$name"
}
# doctor STATUS OPTION...: with PATH; JSON to the file findings, text to text.
doctor() {
    local wanted=$1 status=0
    shift
    PATH=$room/path "$program" doctor "$@" --format json >findings 2>err || status=$?
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted: $(cat findings err)"
    [ ! -s err ] || fail "$(cat err)"
    PATH=$room/path "$program" doctor --details "$@" >text 2>err || true
}
# said FILE PATTERN...: lines of it.
said() {
    local file=$1 pattern
    shift
    for pattern; do
        grep -Eq -- "$pattern" "$file" || fail "$file lacks $pattern: $(cat "$file")"
    done
}
finding() { # ITEM STATE [FOUND]: in JSON
    said findings "\"item\": \"$1\", \"state\": \"$2\".*${3:-}"
}

# Everything is there.
tool gnuplot 'case $* in
--version) echo "gnuplot 9.8 patchlevel 7" ;;
*) echo "dumb pdfcairo pngcairo svg tikz cairolatex" ;;
esac'
tool pdflatex 'echo "pdfTeX 3.14"'
tool fc-match 'echo "Some Sans: font /usr/some.ttf"'
for name in mpirun mpirun.openmpi; do tool $name 'echo "mpirun (Open MPI) 9.9"'; done
tool mpirun.mpich 'echo "HYDRA build details:"' 'echo "    Version:    8.8"'
doctor 0
finding gnuplot ok 'gnuplot 9.8 patchlevel 7'
finding tikz ok
finding fonts ok 'Some Sans", "path": "/usr/some.ttf"'
finding 'mpirun mpich' ok '"8.8"'
finding 'mpicc mpich' optional
said findings '^\{"complete": true'
said text '^gnuplot +ok +yes +gnuplot 9.8 patchlevel 7 +/.*/path/gnuplot$' '^cores +ok +yes +[0-9]+ ' '^SimGrid +ok +yes +[0-9]' \
    '^data files +ok' '^Everything that the verbs need is there' '^  mpicc mpich +.*libmpich-dev$'

# A program that is needed lacks, and one that is not.
rm "$room/path/gnuplot" "$room/path/pdflatex"
doctor 1
finding gnuplot missing 'gnuplot-nox"'
finding LaTeX optional 'texlive'
said findings '^\{"complete": false'
said text '^gnuplot +missing +yes ' '^  gnuplot +(apt-get install|install what Debian has in the package) gnuplot-nox$' \
    '^Something that the verbs need is missing.$'

# A terminal lacks.
tool gnuplot 'case $* in
--version) echo "gnuplot 9.8 patchlevel 7" ;;
*) echo "dumb svg" ;;
esac'
doctor 1
finding gnuplot ok
finding pdfcairo missing
finding svg ok
finding tikz optional

# It hangs, and does not mind signals; so do its children, which keep the pipe open.
tool gnuplot 'trap "" TERM INT HUP' 'sleep 1000 &' 'echo $! >>'"$room/sleepers" 'while :; do sleep 1000; done'
ln -s "$(command -v sleep)" "$room/path/sleep" && : >"$room/sleepers" # 0.1 s may be too short for the first
doctor 1 --limit 100ms
finding gnuplot missing 'no answer within 0.1 s'
while read -r sleeper; do
    ! grep -q '^State:.*[RSD] (' "/proc/$sleeper/status" 2>/dev/null || fail "a child of gnuplot still runs"
done <"$room/sleepers"
# It leaves a child behind, but says what it must.
tool gnuplot 'sleep 1000 & echo "gnuplot 1 pdfcairo pngcairo svg "'
doctor 0
# It shouts, and does not end.
tool gnuplot 'while :; do echo "gnuplot gnuplot gnuplot gnuplot gnuplot gnuplot gnuplot gnuplot gnuplot gnuplot"; done'
doctor 1
finding gnuplot missing
# It sends escape sequences and half characters; it lies; it crashes; it is none; it is a folder.
tool gnuplot 'printf "gnuplot \033]0;owned\007\033[31m\377 \342\200\256 %s\n" "$(printf %0999d 1)"'
doctor 1
! LC_ALL=C grep -q $'[\001-\010\016-\037\177\377]' text findings || fail "control characters: $(cat -v text)"
said text '^gnuplot +ok +yes +gnuplot .x1b\]0;owned'
tool gnuplot 'echo "bash: 5"'
doctor 1
finding gnuplot missing 'not as this program does'
tool gnuplot 'echo gnuplot; kill -SEGV $$'
doctor 1
finding gnuplot missing
printf '\177ELF rubbish' >"$room/path/gnuplot"
doctor 1
finding gnuplot missing
rm "$room/path/gnuplot"
mkdir "$room/path/gnuplot"
doctor 1
finding gnuplot missing

# Elsewhere.
status=0
PATH='' "$program" doctor >text || status=$?
[ $status -eq 1 ] || fail "an empty PATH: $status"
status=0
env -u PATH "$program" doctor -o text || status=$?
[ $status -eq 1 ] || fail "no PATH: $status"
status=0
"$program" doctor --limit soon 2>err || status=$?
{ [ $status -eq 2 ] && grep -q -- '--limit: ' err; } || fail "--limit soon: $status: $(cat err)"
(ulimit -s 512 && PATH=$room/path "$program" doctor --format json >findings) || true
finding stack missing '512 KiB'
