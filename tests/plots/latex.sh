#!/bin/sh
# latex.sh PROGRAM - figures in every format in a two-column article: pdflatex compiles it, texts are
# shown letter by letter and none is obeyed, and all fonts are embedded.
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir home
export HOME="$place/home"

cat > two.yaml <<END
ranks: [16, 32]
bytes: [64KiB, 1MiB]
platforms: ["crossbar:32", "crossbar:33,latency=2us"]
engine: model
grids:
  - algorithms: circulant
    blocks: [1, 8, 64]
  - algorithms: binomial
END
"$program" sweep two.yaml -o two.db --no-plots > sweep.log 2>&1

# The texts that LaTeX, gnuplot or a shell might take for something to do.
# shellcheck disable=SC2016,SC2089
title='ö_50%#1 $x$ & \input{/etc/passwd} `touch PWN`' # as long as fits
# shellcheck disable=SC2016
label='\immediate\write18{touch PWN}{^~}'
"$program" plot two.db --what time-m,heat -p 16,32 -m 64KiB,1MiB --platform crossbar:32 \
    --format pdf,tikz,cairolatex,csv --title "$title" --labels "binomial=$label,x=m (β)" -o figures --details > list
"$program" plot two.db --what time-n -m 1MiB --series platform --format tikz,cairolatex \
    --size column --no-notes --legend bottom-right -o figures --details >> list
test "$(grep -c -- '-tikz.tex$' list)" -eq 5
test "$(grep -c -- '-cairo.tex$' list)" -eq 5

{
    cat <<'END'
\documentclass[twocolumn]{article}
\usepackage{graphicx,xcolor,tikz}
\graphicspath{{figures/}}
\makeatletter\def\input@path{{figures/}}\makeatother
\usepackage{gnuplot-lua-tikz}
\begin{document}
END
    for script in figures/*.gp; do
        name=$(basename "$script" .gp)
        for format in tikz cairo; do
            printf '\\begin{figure}\\input{%s-%s}\\caption{%s}\\end{figure}\n' "$name" "$format" "$format"
        done
        if [ -e "figures/$name.pdf" ]; then
            printf '\\begin{figure}\\includegraphics{{%s}.pdf}\\caption{pdf}\\end{figure}\n' "$name"
        fi
    done
    printf '\\end{document}\n'
} > paper.tex
if ! pdflatex -no-shell-escape -halt-on-error -interaction=nonstopmode paper.tex > said 2>&1; then
    tail -30 said
    exit 1
fi
pdftotext -raw paper.pdf text
# shows TEXT COUNT: so many figures show a text.
shows() {
    found=$(grep -cF -- "$1" text || true)
    if [ "$found" -lt "$2" ]; then
        echo "\"$1\" is shown $found times, not $2 times"
        cat text
        exit 1
    fi
}
shows 'input{/etc/passwd}' 12
shows 'touch PWN' 12
shows '50%' 12
# shellcheck disable=SC2016
shows '#1 $x$ &' 12
shows 'write18{touch PWN}{' 6
shows 'number of blocks n' 2
shows 'crossbar:33,latency=2us' 2
if grep -q root: text; then
    echo "a title was obeyed"
    exit 1
fi
test -z "$(find . -name 'PWN*')"
# Figure captions, and all fonts embedded: the column "emb".
test "$(grep -c '^Figure ' text)" -eq 14
pdffonts paper.pdf > fonts
awk 'NR > 2 && $0 !~ / yes (yes|no)  *(yes|no)  *[0-9]+  *[0-9]+$/ { print; wrong = 1 } END { exit wrong }' fonts
# One table per figure, with the label as its series.
head -1 figures/bcast-time-m-p32-*.csv | grep '^series,algorithm,m_bytes,best_n,time_s,' >/dev/null
grep -qF "$label,binomial,65536," figures/bcast-time-m-p32-*.csv
