#!/usr/bin/env bash
# page_tools.sh SOURCE - each program that a page's command starts is in the checkout, in every Debian, in a package that
# ./roundabout installs, or the page says how to get it.
set -euo pipefail
cd "$1"

# What brings a program: packages, or where that is explained.
brings() {
    case $1 in
    cc | gcc) echo gcc ;;
    cmake | ctest | cpack) echo cmake ;;
    make | parallel | pkg-config) echo "$1" ;;
    man) echo man-db ;;
    smpirun) echo libsimgrid-dev ;;
    cadical) echo cadical ;;
    pdflatex) echo texlive-latex-recommended ;;
    python3) echo 'python3|python\.md' ;;
    pip) echo python3-venv ;;
    sbatch | bsub | qsub | srun) echo 'Slurm|PBS|LSF' ;;
    ssh) echo openssh-client ;;
    module) echo 'modules' ;;
    mpirun* | mpicc*) echo 'openmpi-bin|mpi\.md|install\.md|doctor|test mpi' ;;
    esac
}
base=' apt-get autoload bash cat compinit cp do done echo export for grep head lib= mkdir printf sed seq source tail time wait '
installed=$(sed -n '/^packages=(/,/)$/p' roundabout)
wrong=0
while read -r page word; do
    [[ $base != *" $word "* && $word != roundabout && $word != */* ]] || continue
    means=$(brings "$word")
    if [ -z "$means" ]; then
        echo "$page: $word: page_tools.sh does not know what brings it"
        wrong=1
    elif ! grep -qwE "$means" <<<"$installed" && ! grep -qwE -e "$means" <(grep -v "^ *$word " "$page"); then
        echo "$page starts $word, and does not say that $means brings it"
        wrong=1
    fi
done < <(for page in README.md CONTRIBUTING.md examples/*/README.md docs/*.md data/*/README.md; do
    # The first word of each command, without what is quoted, continued or assigned.
    awk -v page="$page" '
        /^ *```sh/ { inside = 1; next }
        /^ *```/ { inside = 0; continued = 0 }
        inside && /^ *#/ { next }
        inside {
            line = $0
            was = continued
            continued = line ~ /\\$/
            if (was) next
            gsub(/\047[^\047]*\047|"[^"]*"/, "Q", line)
            sub(/ +# .*/, "", line)
            count = split(line, parts, /[|&;]+|\$\(|[()]/)
            for (i = 1; i <= count; i++) {
                sub(/^ +/, "", parts[i])
                while (parts[i] ~ /^[A-Za-z_]+=[^ ]* +/) sub(/^[^ ]* +/, "", parts[i])
                split(parts[i], words, " ")
                word = words[1]
                if (word == "do") word = words[2]
                if (word ~ /^[a-z.\/][^=]*$/) print page, word
            }
        }' "$page"
done | sort -u)

# The paper names what it lacks in one line, before it makes anything.
if command -v make >/dev/null; then
    room=$(mktemp -d)
    trap 'rm -rf "$room"' EXIT
    cp examples/paper/Makefile "$room"
    mkdir "$room/tools"
    ln -s "$(command -v sh)" "$(command -v make)" "$room/tools"
    ! PATH=$room/tools make --no-print-directory -C "$room" QUICK=1 >"$room/out" 2>&1 || wrong=1
    if ! grep -qx 'Makefile:[0-9]*: \*\*\* .*: ./roundabout install texlive-latex-recommended python3 cadical, or .*' "$room/out" ||
        [ "$(wc -l <"$room/out")" -ne 1 ] || [ -e "$room/build" ]; then
        cat "$room/out"
        wrong=1
    fi
fi
exit $wrong
