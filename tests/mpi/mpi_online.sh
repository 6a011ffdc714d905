#!/usr/bin/env bash
# mpi_online.sh MPIRUN PRELOAD PROGRAM RANKS... - the online choice under a program that checks its
# results, with each number of ranks: with a file that is read back and kept, switched off, and with
# wrong settings. MPIRUN is one word with its options. The test does not check which candidate wins,
# because that depends on the machine.
set -euo pipefail
read -ra mpirun <<< "$1"
preload=$2
program=$3
shift 3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
unset RB_ONLINE

fail() {
    echo "$*"
    cat report.txt message learned.txt 2> /dev/null || true
    exit 1
}
# run RANKS VARIABLE=VALUE...: its exit status is run's.
run() {
    local ranks=$1
    shift
    "${mpirun[@]}" -n "$ranks" env "$@" LD_PRELOAD="$preload" "$program" --times "$times"
}

times=300
for ranks; do
    run "$ranks" RB_REPORT=report.txt RB_REMEMBER=learned.txt || fail "$ranks ranks: status $?"
    grep -q '^online choice: ' report.txt || fail "$ranks ranks: no table of what was tried"
    grep -Eq '^bcast .* native .* nothing (else was tried|tried was faster)$' report.txt ||
        fail "$ranks ranks: not native first"
    grep -Eq "^allreduce +$ranks +8B\\.\\. +native .* rounding might differ\$" report.txt ||
        fail "$ranks ranks: a sum of reals was tried"
    # Whether extremes of 100 reals, alone and with the rank that has them, are tried depends on the times, as of whole numbers.
    for bytes in 512B 1KiB; do
        grep -Eq "^allreduce +$ranks +$bytes\\.\\. " report.txt || fail "$ranks ranks: no extremes of reals"
        if grep -Eq "^allreduce +$ranks +$bytes\\.\\. .* rounding" report.txt; then fail "extremes of reals ($bytes) round"; fi
    done
    test "$(head -n 1 learned.txt)" = 'roundabout-decisions 1' || fail "no decision file"
    grep -Eq "^[a-z/-]+ +$ranks +[0-9]+\\.\\.[0-9]+ +[a-z]" learned.txt || fail "$ranks ranks: not remembered"
done
test "$(ls)" = $'learned.txt\nreport.txt' || fail "other files: $(ls)"

# The first rule that fits counts. What is there stays as it is, at its place, and is not tried again; as a decision file it is served.
sed -i "1a bcast $ranks 8..15 chain:n=3" learned.txt
cp learned.txt before.txt
run "$ranks" RB_REPORT=report.txt RB_REMEMBER=learned.txt || fail "again: status $?"
grep -Eq "^bcast +$ranks +8B\\.\\. +chain +3 " report.txt || fail "not as remembered"
cmp -n "$(stat -c %s before.txt)" before.txt learned.txt || fail "what was there changed"

times=10
run "$ranks" RB_REPORT=report.txt RB_DECISIONS=before.txt || fail "decisions: status $?"
grep -Eq "^bcast +$ranks +8B\\.\\. +chain +3 " report.txt || fail "not as decided"
run "$ranks" RB_REPORT=report.txt RB_REMEMBER=learned.txt RB_ONLINE=off || fail "off: status $?"
grep -Eq "^allreduce +$ranks +8B\\.\\. +[a-z-]+ +[1-9]" report.txt || fail "off: no plan by rule"
if grep -q '^online choice: ' report.txt; then fail "off: something was tried"; fi

# Another job writes the file at the same time: what both found is there. The link and the mode stay. Once a report is
# written, its job is about to write the choices.
mkdir place
printf 'roundabout-decisions 1\n# kept\n' > place/shared.txt
chmod 600 place/shared.txt
ln -s place/shared.txt shared.txt
cat > other.py << 'END'
import fcntl, os, time
lock = open('place/shared.txt.lock', 'w')
fcntl.lockf(lock, fcntl.LOCK_EX)
text = open('place/shared.txt').read()
open('locked', 'w').close()
while not os.path.exists('written'):
    time.sleep(0.01)
time.sleep(0.3)
with open('place/new.txt', 'w') as new:
    new.write(text + 'scan  77  *  native\n')
os.chmod('place/new.txt', 0o600)
os.rename('place/new.txt', 'place/shared.txt')
os.unlink('place/shared.txt.lock')
END
times=300
python3 other.py &
until [ -e locked ]; do sleep 0.01; done
run "$ranks" RB_REPORT=written RB_REMEMBER=shared.txt || fail "two jobs: status $?"
wait
grep -q '^scan  77' shared.txt || fail "what another job found is lost"
grep -q '^# kept' shared.txt || fail "what was there is lost"
grep -Eq "^[a-z/-]+ +$ranks " shared.txt || fail "what this job found is lost"
test "$(grep -v '^#' shared.txt | awk '{ print $1, $2, $3 }' | sort | uniq -d)" = '' || fail "rules twice: $(cat shared.txt)"
test -L shared.txt || fail "the link is a file"
test "$(stat -c %a place/shared.txt)" = 600 || fail "not its mode"
test "$(ls -A place)" = shared.txt || fail "left: $(ls -A place)"
: > empty.txt
run "$ranks" RB_REMEMBER=empty.txt || fail "an empty file: status $?"
test "$(head -n 1 empty.txt)" = 'roundabout-decisions 1' || fail "no decision file"

times=200
run "$ranks" RB_REMEMBER=unreported.txt || fail "without a report: status $?"
times=70
# rounding: sums of reals may be tried as well; the program tells whether they changed, which is allowed.
run "$ranks" RB_REPORT=report.txt RB_ONLINE=rounding || true
if grep -q 'rounding might differ' report.txt; then fail "rounding: reals were left out"; fi

# refused WHAT VARIABLE=VALUE...
refused() {
    local status=0 wanted=$1
    shift
    run "$ranks" "$@" > /dev/null 2> message || status=$?
    test "$status" -eq 2 || fail "status $status, not 2"
    test "$(grep -c '^roundabout: ' message)" -eq 1 || fail "not one line"
    grep -q "^roundabout: $wanted" message || fail "not: $wanted"
}
refused "RB_ONLINE: 'sometimes': it must be exact, rounding or off" RB_ONLINE=sometimes
refused 'RB_REMEMBER: .nowhere/learned.txt.: No such file' RB_REMEMBER=nowhere/learned.txt
echo 'bcast * * rung' >> before.txt
refused 'RB_REMEMBER: before.txt:[0-9]*: .rung' RB_REMEMBER=before.txt
