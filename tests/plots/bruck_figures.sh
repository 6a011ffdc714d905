#!/bin/sh
# bruck_figures.sh PROGRAM EXPERIMENT - Figures 4, 5 and 6 of Bruck et al. 1997, with fewer sizes
# than in the experiment: simulated times are C1 beta + C2 tau b, and r = 2 and r = 64 cross where
# this formula says. Figures choose among radices and show the requested sizes.
set -eu
program=$1
experiment=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

test "$("$program" sweep --dry-run "$experiment" 2> /dev/null | wc -l)" -eq 244
sed -e 's/bytes: \[32KiB.*768KiB\]/bytes: [128KiB, 424KiB, 428KiB]/' \
    -e 's/bytes: \[128KiB, 256KiB, 512KiB\]/bytes: 128KiB/' "$experiment" > few.yaml
"$program" sweep few.yaml -o few.db --no-plots > /dev/null 2>&1
test "$(wc -l < few.csv)" -eq 76

# For p a power of r, C1 = (r - 1) log_r p and C2 = b p/r per round.
sed 's/"[^"]*"/quoted/' few.csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    {
        r = $column["radix"]; b = $column["m_bytes"] / 4096; t = $column["time_s"]
        if (r == 2 || r == 4 || r == 8 || r == 64) {
            rounds = (r - 1) * int(log(64) / log(r) + 0.5)
            expected = rounds * (29e-6 + 0.12e-6 * b * 64 / r)
            if (t / expected > 1 + 1e-9 || t / expected < 1 - 1e-9) { print r, b, t, expected; wrong = 1 }
            seen++
        }
        time[r, b] = t
    }
    END {
        if (seen != 12) { print seen " points"; wrong = 1 }
        if (!(time[2, 106] < time[64, 106] && time[2, 107] > time[64, 107])) { print "no crossing"; wrong = 1 }
        exit wrong
    }'

# 57 start-ups more against 129 blocks less: b = 57 * 29 / (129 * 0.12) = 106.78.
"$program" plot few.db --sizes pair --what time-m,best-radix,time-radix --format svg -o pair > list 2> said
test "$(grep -c '\.svg$' list)" -eq 3
test ! -s said
grep -q '>m/p² = 107 B<' pair/alltoall-best-radix-bruck-p64-*.svg
awk -F' = ' '$1 == "crossing" { b = $2 / 4096; exit !(b > 106.782 && b < 106.784) }' \
    pair/alltoall-best-radix-bruck-p64-*.gp
grep -q '^label1 = "bruck, p = 64, best of 6 radices, ' pair/alltoall-best-radix-bruck-p64-*.gp
grep -q '^8 438272 ' pair/alltoall-best-radix-bruck-p64-*.dat
grep -q '>bytes per pair of ranks, m/p²<' pair/alltoall-time-m-p64-*.svg
# The best of all radices, at the only size that has them; the other figures keep to those at all sizes.
grep -q '^titles\[1\] = "m/p² = 32 B"' pair/alltoall-time-radix-bruck-p64-*.gp
test "$(grep -c '^131072 ' pair/alltoall-time-radix-bruck-p64-*.dat)" -eq 63
grep -q '^131072 4 [^ ]* 1 ' pair/alltoall-time-radix-bruck-p64-*.dat
# titles_of SCRIPT: "a,b,c,"
titles_of() { sed -n 's/^titles\[.*\] = "\(.*\)"$/\1/p' "$@" | tr '\n' ','; }
test "$(titles_of pair/alltoall-time-m-p64-*.gp)" = \
    bruck:r=2,bruck:r=4,bruck:r=8,bruck:r=16,bruck:r=32,bruck:r=64,

# Of many radices six, by ratio; those that are asked for, all; of two curves one in focus.
titles() {
    "$program" plot few.db --what time-m -m 128KiB,424KiB --format svg -o titles "$@" > /dev/null
    titles_of titles/*.gp
}
test "$(titles --radix 2..6,64 --focus bruck:r=5)" = \
    bruck:r=5,bruck:r=2,bruck:r=3,bruck:r=4,bruck:r=6,bruck:r=64,
test "$(titles --algorithm bruck:r=64 --algorithm bruck:r=8)" = bruck:r=8,bruck:r=64,
cat > all.yaml <<END
collective: alltoall
algorithms: [bruck, pairwise]
radix: all
ranks: 17
bytes: [289KB, 578KB]
platforms: crossbar:17
engine: model
END
"$program" sweep all.yaml -o all.db --no-plots > /dev/null 2>&1
"$program" plot all.db --what time-m,time-radix --sizes rank --format svg -o all > list
test "$(titles_of all/alltoall-time-m-*.gp)" = \
    bruck:r=2,bruck:r=3,bruck:r=5,bruck:r=7,bruck:r=11,bruck:r=17,pairwise,
test "$(titles_of all/alltoall-time-radix-*.gp)" = "m/p = 17 KB,m/p = 34 KB,"

# What can't be said.
status=0
"$program" plot few.db --what heat,regret --sizes pair 2> said || status=$?
test "$status" -eq 2
grep -q 'sizes: only for figures of one p: --what time-m, counts, best-radix, time-radix, relative-m' said
cat > bcast.yaml <<END
algorithms: binomial
ranks: 4
bytes: [4, 8]
platforms: crossbar:4
END
"$program" sweep bcast.yaml -o bcast.db --no-plots > /dev/null 2>&1
status=0
"$program" plot bcast.db --sizes rank --what time-m,best-radix 2> said || status=$?
test "$status" -eq 3
grep -q 'time-m: skipped for bcast .*: --sizes: its data are not distributed among the ranks' said
