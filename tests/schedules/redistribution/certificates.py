#!/usr/bin/env python3
"""certificates.py SOURCES ROUNDABOUT REDISTRIBUTION_CASES SOLVE_FORMULA [--all]: what pages say does not exist, proved.

Reads from the tables of docs/redistribution.md, docs/groups.md (the paper's Table `postal`) and docs/rails.md which
timetables and schedules do not exist. For each the solver of satisfiability.c writes a certificate, check_proof.py
confirms it, and CaDiCaL says the same of the formula. Without --all long proofs are not checked; their number is printed.
Status 77: CaDiCaL (Debian's package `cadical`) is missing, the rest is right.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sources, roundabout, cases, solve_formula = map(Path, sys.argv[1:5])
ALL = '--all' in sys.argv
sys.path += [str(Path(__file__).parent), str(sources / 'examples/paper')]
import check_proof  # noqa: E402
import postal  # noqa: E402

MOST_STEPS = 700  # of a proof that is checked without --all: half a second
work = tempfile.TemporaryDirectory()
place = Path(work.name)
ONLY_CADICAL = '(9, 5) → (10, 6)', '(15, 4) → (16, 3)'  # as the page says
counts = {'confirmed': 0, 'steps checked': 0, 'left out, as they take long': 0}


def rows(page):
    """The cells of all lines of tables on a page."""
    text = (sources / 'docs' / page).read_text(encoding='utf-8')
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('| ')]


def cadical(formula):
    """What CaDiCaL says: 20 for no, 10 for yes; None without CaDiCaL."""
    if not shutil.which('cadical'):
        return None
    return subprocess.run(['cadical', '-q', '-n', formula], stdout=subprocess.DEVNULL, check=False).returncode


def confirm(what, formula, proof):
    """A certificate: both witnesses."""
    if cadical(formula) not in (None, 20):
        sys.exit(f'{what}: CaDiCaL does not say that there is none')
    with open(proof, encoding='ascii') as steps:
        is_long = sum(1 for _ in steps) > MOST_STEPS
    if is_long and not ALL:
        leave_out()
        return
    counts['steps checked'] += check_proof.check(formula, proof)
    counts['confirmed'] += 1


def leave_out():
    """Counts one."""
    counts['left out, as they take long'] += 1


def certify(P, r, Q, s):
    """The command's status."""
    return subprocess.run([roundabout, 'redistribute', '-P', P, '-r', r, '-Q', Q, '-s', s, '--method', 'matching',
                           '--certificate', place / 'c'], stdout=subprocess.DEVNULL, check=False).returncode


def timetable(P, r, Q, s, one_cut):
    """No timetable of T_opt without cuts, and none with one."""
    what = f'({P}, {r}) → ({Q}, {s})'
    if what == '(8, 3) → (9, 2)' and not ALL:
        leave_out()
        return
    status = certify(P, r, Q, s)
    if what in ONLY_CADICAL and status == 3:
        assert cadical(place / 'c.cnf') in (None, 20)
        return
    if status != 0:
        sys.exit(f'{what}: status {status}')
    confirm(what, place / 'c.cnf', place / 'c')
    if one_cut:
        subprocess.run([cases, P, r, Q, s, '1000000000', place / 'one'], check=True)
        formulas = sorted(place.glob('one-*.cnf'))
        assert formulas
        for formula in formulas:
            confirm(f'{what} with one cut', formula, formula.with_suffix(''))
            formula.unlink()


def decide(formula):
    """What our solver says of one of our formulas in Python: 20 or 10, with its certificate in `place`."""
    with open(place / 'asked.cnf', 'w', encoding='ascii') as file:
        formula.write(file)
    return subprocess.run([solve_formula, place / 'asked.cnf', place / 's.cnf', place / 's'], check=False).returncode


def least(what, formula, rounds):
    """That `rounds` are the least number: formula(rounds) says that there is a schedule of so many."""
    if decide(formula(rounds)) != 10 or cadical(place / 's.cnf') not in (None, 10):
        sys.exit(f'{what}: no schedule of {rounds} rounds')
    if decide(formula(rounds - 1)) != 20:
        sys.exit(f'{what}: {rounds - 1} rounds are not proved impossible')
    confirm(what, place / 's.cnf', place / 's')


def rails(nodes, blocks, rounds):
    """A broadcast of 2 n blocks on nodes of two ranks: in a round a rank has a message out and one in to other nodes, and so
    inside its node."""
    f, ranks, all_blocks = postal.Formula(), range(2 * nodes), range(2 * blocks)
    for t in range(rounds):
        for v in ranks:
            for inside in (False, True):
                others = [u for u in ranks if u != v and (u // 2 == v // 2) == inside]
                for ends in ((lambda u, t=t, v=v: (t, u, v)), (lambda u, t=t, v=v: (t, v, u))):
                    f.at_most_one([f.variable(*ends(u), b) for u in others for b in all_blocks])
            for b in all_blocks:
                came = [f.variable(t, u, v, b) for u in ranks if u != v]
                f.clauses.append([-f.variable('has', t + 1, v, b), f.variable('has', t, v, b)] + came)
                f.clauses += [[-f.variable(t, v, u, b), f.variable('has', t, v, b)] for u in ranks if u != v]
    for v in ranks:
        for b in all_blocks:
            f.clauses.append([f.variable('has', rounds, v, b)])
            if v > 0:
                f.clauses.append([-f.variable('has', 0, v, b)])
    return f


def refuses_what_is_no_proof():
    """Without the clauses that want something nothing contradicts; and a proof needs its steps."""
    assert certify('4', '5', '5', '2') == 0
    lines = (place / 'c.cnf').read_text(encoding='ascii').splitlines(keepends=True)
    (place / 'less.cnf').write_text(''.join(line for line in lines if '-' in line), encoding='ascii')
    (place / 'empty').write_text('0\n', encoding='ascii')
    (place / 'unfinished').write_text((place / 'c').read_text(encoding='ascii').removesuffix('\n0\n'), encoding='ascii')
    for formula, proof in (('less.cnf', 'c'), ('c.cnf', 'empty'), ('c.cnf', 'unfinished')):
        try:
            check_proof.check(place / formula, place / proof)
        except SystemExit:
            continue
        sys.exit(f'{proof} passes as a proof of {formula}')


refuses_what_is_no_proof()
stated = [(re.findall(r'\d+', row[0]), row[4]) for row in rows('redistribution.md') if row[0][0] == '(' and len(row) == 5]
stated += [(['15', '3', '15', '5'], '3'), (['15', '9', '18', '5'], '')]  # in the text below the tables
if ALL:
    stated += [(re.findall(r'\d+', problem), '') for problem in ONLY_CADICAL]
for problem, cuts in stated:
    if 'undecided' not in cuts:
        timetable(*problem, one_cut=cuts[:1] > '1')
for row in rows('groups.md'):
    if len(row) == 7 and row[6].startswith('n + ') and all(cell.isdigit() for cell in row[1:6]):
        first, *last = map(int, re.findall(r'\d+', row[0]))
        for groups in range(first, max([first, *last]) + 1):
            for blocks in range(1, 5):
                name = f'{groups} groups, {blocks} blocks'
                if (groups * blocks > 20 and not ALL) or (groups >= 12 and blocks > 2):  # these the theorem decides
                    leave_out()
                else:
                    least(name, lambda rounds, N=groups, n=blocks: postal.formula(N, n, rounds), int(row[1 + blocks]))
for row in rows('rails.md'):
    if len(row) == 5 and re.fullmatch(r'n \+ \d|\d', row[3]) and re.fullmatch(r'n( \+ \d)?|\d', row[2]):
        for n in map(int, row[1].split(',')):
            least(f'rails: {row[0]} nodes, n = {n}', lambda rounds, N=int(row[0]), n=n: rails(N, n, rounds),
                  eval(row[3], {'n': n}))  # pylint: disable=eval-used
if counts['confirmed'] < 30:
    sys.exit(f'only {counts["confirmed"]} statements were found in the pages')
print(*(f'{count} {what}' for what, count in counts.items()), sep=', ')
if not shutil.which('cadical'):
    print('without the second witness: CaDiCaL (Debian: cadical) is not installed')
    sys.exit(77)
