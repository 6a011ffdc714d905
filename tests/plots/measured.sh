#!/bin/sh
# measured.sh PROGRAM - measured rows as series beside simulated ones, with their intervals.
set -eu
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ROUNDABOUT_QUIET=1

cat > simulated.yaml <<END
ranks: [16, 32]
bytes: [64KiB, 1MiB]
platforms: ["crossbar:32", "crossbar:33"]
engine: model
grids:
  - algorithms: circulant
    blocks: [1, 8]
  - algorithms: binomial
END
"$program" sweep simulated.yaml -o simulated.db --no-plots > said 2>&1
# As `measure` writes them: the library's own collective has no overlap rule, and a repeated row counts for
# the one before it.
awk 'BEGIN {
    print "test,collective,algorithm,p,n,m_bytes,progress,median_s,ci_low_s,ci_high_s,settled,hosts,ppn,mpi,host"
    for (m = 65536; m <= 1048576; m *= 16) {
        printf "collective,bcast,circulant,16,4,%d,window:4,9,8,10,1,4,4,openmpi,a box\n", m
        printf "collective,bcast,circulant,16,4,%d,window:4,%g,%g,%g,1,4,4,openmpi,a box\n", m, 2e-9 * m, 1e-9 * m, 3e-9 * m
        printf "collective,bcast,native,16,1,%d,,%g,%g,%g,1,4,4,openmpi,a box\n", m, 4e-9 * m, 3e-9 * m, 5e-9 * m
        printf "latency,,,2,,%d,,1,1,1,1,4,4,openmpi,a box\n", m
    }
}' > rows.csv

titles_of() { sed -n 's/^titles\[.*\] = "\(.*\)"$/\1/p' "$@" | tr '\n' ';'; }
# rows_of BEGIN: series, algorithm, size, best n, time and its interval of the rows that begin so.
rows_of() {
    grep -h "^$1," made/*.csv | awk -F, '{
        for (i = 1; i <= NF - 5; i++)
            printf "%s,", $i
        printf "%.3g,%.3g,%.3g;", $(NF - 4), $(NF - 1), $NF
    }'
}
expect() {
    if [ "$1" != "$2" ]; then
        echo "expected $2, got $1"
        exit 1
    fi
}
# draw OPTION...: one figure of time against m.
draw() {
    rm -rf made
    "$program" plot --what time-m -p 16 --format csv -o made "$@" > list 2> said
    expect "$(grep -v ': note: 2 rows of tests that are no collectives are left out$' said || true)" ''
    expect "$(grep -c '\.csv$' list)" 1
}

# Rows by themselves are results as others.
draw rows.csv
expect "$(titles_of made/*.gp)" 'circulant;native;'
grep -qx 'label2 = "engine mpi:openmpi, window:4, 4 ranks/host"' made/*.gp
expect "$(rows_of 'native,native,65536')" 'native,native,65536,1,0.000262,0.000197,0.000328;'
expect "$(rows_of 'circulant,circulant,65536')" 'circulant,circulant,65536,4,0.000131,6.55e-05,0.000197;'

# Beside simulated ones the machine does not keep them apart, and the legend says which is which.
draw simulated.db rows.csv --platform crossbar:32,"a box"
expect "$(titles_of made/*.gp)" 'circulant, simulated;circulant, measured;binomial, simulated;native, measured;'
grep -qx 'label1 = "p = 16, each at its best n; measured: a box, openmpi"' made/*.gp
grep -qx 'label2 = "simulated: crossbar:32, engine model, blocking"' made/*.gp
grep -qx '# measured: bcast on a box, 4 ranks/host, .*, engine mpi:openmpi, overlap window:4' made/*.dat
expect "$(rows_of '"circulant, measured",circulant,65536')" '"circulant, measured",circulant,65536,4,0.000131,6.55e-05,0.000197;'
grep -q '^"binomial, simulated",binomial,65536,.*,,$' made/*.csv
grep -qx 'spreads = 1' made/*.gp
# Labels name the parts, --only chooses, and several simulated settings are named.
draw simulated.db rows.csv --platform crossbar:32,"a box" --labels 'measured=on the box' --only algorithm=circulant
expect "$(titles_of made/*.gp)" 'simulated;on the box;'
draw simulated.db rows.csv --only algorithm=circulant
expect "$(titles_of made/*.gp)" 'crossbar:32, simulated;crossbar:33, simulated;measured;'
cp rows.csv again.csv
draw again.csv simulated.db rows.csv --only algorithm=native,binomial --platform crossbar:32,"a box"
expect "$(titles_of made/*.gp)" 'binomial, simulated;native, measured, again;native, measured, rows;'

# refuse PART FILE OPTION...: exit status 2 and one line with this part.
refuse() {
    part=$1
    shift
    status=0
    "$program" plot "$@" -o refused > list 2> said || status=$?
    expect "$status" 2
    expect "$(grep -vc ': note: ' said)" 1
    grep -qF -- "$part" said || { cat said; exit 1; }
    test ! -e refused
}
refuse '--platform: no point in rows.csv matches; it has a box' simulated.db rows.csv --platform crossbar:32
grep -v '^collective' rows.csv > pairs.csv
refuse 'pairs.csv: no row can be used: it has 2 rows of tests that are no collectives' pairs.csv
sed '2s/16,4/16,-4/' rows.csv > wrong.csv
refuse 'wrong.csv:2: n: "-4" is not a whole number from 0' wrong.csv
printf 'no rows\n' > text.csv
refuse 'text.csv: ' text.csv
mkfifo pipe
refuse 'pipe: not a file' pipe
# Times that nobody measures make a figure of finite size.
cat > odd.csv <<END
collective,algorithm,p,m_bytes,median_s,host,ci_low_s,ci_high_s
bcast,circulant,1073741824,9223372036854775807,1e300,vm,2e300,1e-300
bcast,circulant,1073741824,1,1e-9,vm,1e-10,2e-9
END
timeout 20 "$program" plot odd.csv --what time-m --format csv -o odd > list

# Ratios to the first file, with the least and the largest that the intervals leave, of points in both; those of
# `report` are the same.
head=collective,algorithm,p,bytes,median_s,ci_low_s,ci_high_s
printf '%s\n' $head bcast,binomial,16,65536,1e-4,0.9e-4,1.1e-4 bcast,binomial,16,1048576,1e-3,0.9e-3,1.1e-3 \
    bcast,chain,16,65536,1e-4,0.9e-4,1.1e-4 > before.csv
printf '%s\n' $head bcast,binomial,16,65536,2e-4,1.8e-4,2.4e-4 bcast,binomial,16,1048576,5e-4,4e-4,6e-4 \
    bcast,flat,16,65536,1e-4,0.9e-4,1.1e-4 > after.csv
rm -rf made
"$program" plot before.csv after.csv --what ratio --format csv -o made > list
expect "$(cut -d, -f1,3,6- made/*.csv | sed 1d | awk -F, '{ printf "%s,%d,%.4g,%.4g,%.4g;", $1, $2, $3, $4, $5 }')" \
    'binomial,65536,2,1.636,2.667;binomial,1048576,0.5,0.3636,0.6667;'
expect "$("$program" report before.csv after.csv --format csv | sed 1d | awk -F, '{ printf "%.4g;", $(NF - 1) }')" '2;0.5;'
grep -qx 'label1 = "p = 16, after / before, measured"' made/*.gp
# A time without an interval is exact; several files are each divided by the first, of which no line is drawn.
printf '%s\n' collective,algorithm,p,bytes,median_s bcast,binomial,16,65536,3e-4 bcast,binomial,16,1048576,3e-3 > third.csv
rm -rf made
"$program" plot before.csv after.csv third.csv --what ratio --format csv -o made > list
expect "$(sed -n 's/^third,//p' made/*.csv | awk -F, '{ printf "%d,%.4g,%.4g,%.4g;", $2, $5, $6, $7 }')" \
    '65536,3,2.727,3.333;1048576,3,2.727,3.333;'
grep -qx 'label1 = "p = 16, time / before, measured"' made/*.gp
rm -rf made
"$program" plot third.csv before.csv --what ratio --format csv -o made > list
expect "$(sed 1d made/*.csv | awk -F, '{ printf "%.4g,%.4g;", $(NF - 1), $NF }')" '0.3,0.3667;0.3,0.3667;'
if "$program" plot before.csv after.csv --what ratio --algorithm chain,flat -o none 2> said; then exit 1; fi
grep -q 'it takes points with the same algorithm, p, m and n in two RESULTS' said

# Of more than eight algorithms those that come nearest to the fastest for some m, with the one in focus.
{
    echo collective,algorithm,p,bytes,median_s
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'bcast,a%d,16,65536,%de-4\nbcast,a%d,16,1048576,9e-2\n' $i $((20 - i)) $i
    done
    printf '%s\n' bcast,a1,16,1048576,8e-3 bcast,a2,16,65536,1e-2 bcast,circulant,16,65536,1 bcast,circulant,16,1048576,1
} > nine.csv
draw nine.csv
expect "$(titles_of made/*.gp)" 'circulant;a1;a4;a5;a6;a7;a8;a9;'
grep -q '^# left out: 2 algorithms' made/*.dat
draw nine.csv --algorithm a1,a2,a3,a4,a5,a6,a7,a8,a9
expect "$(titles_of made/*.gp)" 'a1;a2;a3;a4;a5;a6;a7;a8;a9;'
