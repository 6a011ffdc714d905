#!/usr/bin/env python3
"""postal.py GROUPS BLOCKS SECONDS: the least number of port rounds of a broadcast in which a group can send a block on
two rounds after it came, for 3 to GROUPS groups and 1 to BLOCKS blocks, as CSV on standard output.

For each number of rounds from the bound on, a formula says that a schedule exists, and CaDiCaL (Debian's package
`cadical`) decides it in at most SECONDS. In column `found` is the least number with a schedule, in `least` the least
that is not proved impossible, by the solver or by the paper's theorem; they differ where neither decides. A schedule that it finds is run and
checked. The exit status is 1 if an optimum is another one than the theorem's bound.
"""
import subprocess
import sys
import tempfile
from itertools import combinations

DELAY = 2


def reach(rounds):
    """How many groups one block can have reached after so many rounds."""
    counts = [1]
    for t in range(rounds):
        counts.append(counts[t] + (counts[t - DELAY + 1] if t >= DELAY - 1 else 1))
    return counts[rounds]


def single_block(groups):
    """The least number of rounds in which one block reaches so many groups."""
    return next(t for t in range(groups) if reach(t) >= groups)


def above(groups):
    """How many rounds above their number two and more blocks need at least: the paper's theorem."""
    f = single_block(groups)
    return f if f > 1 and 2 * (reach(f) - groups) + 1 < reach(f - 2) else f - 1


class Formula:
    """Clauses over variables that have names."""

    def __init__(self):
        self.numbers, self.count, self.clauses = {}, 0, []

    def variable(self, *name):
        """The number of the variable of this name."""
        if name not in self.numbers:
            self.count += 1
            self.numbers[name] = self.count
        return self.numbers[name]

    def at_most_one(self, literals):
        """Sequential encoding; pairs if there are few."""
        if len(literals) <= 5:
            self.clauses += [[-a, -b] for a, b in combinations(literals, 2)]
            return
        before = None
        for literal in literals:
            self.count += 1
            self.clauses.append([-literal, self.count])
            if before is not None:
                self.clauses += [[-before, self.count], [-before, -literal]]
            before = self.count

    def write(self, file):
        """Writes it in DIMACS's format."""
        file.write(f'p cnf {self.count} {len(self.clauses)}\n')
        file.writelines(' '.join(map(str, clause)) + ' 0\n' for clause in self.clauses)
        file.flush()

    def solve(self, seconds):
        """The names of the true variables; False if there is no solution; None if time ran out."""
        with tempfile.NamedTemporaryFile('w', suffix='.cnf') as file:
            self.write(file)
            run = subprocess.run(['cadical', '-q', '-t', str(seconds), file.name], capture_output=True, text=True, check=False)
        if run.returncode == 20:
            return False
        if run.returncode != 10:
            return None
        true = {int(word) for line in run.stdout.splitlines() if line.startswith('v') for word in line.split()[1:]}
        return [name for name, number in self.numbers.items() if number in true]


def formula(groups, blocks, rounds):
    """That there is a schedule: of messages (round, sender, receiver, block)."""
    f = Formula()
    others, times = range(1, groups), range(rounds)
    for w in others:
        for b in range(blocks):
            for t in times:
                takes, has = f.variable('takes', w, b, t), f.variable('has', w, b, t)
                messages = [f.variable('message', t, v, w, b) for v in range(groups) if v != w]
                f.clauses += [[-takes] + messages, [-takes, has]] + [[-message, takes] for message in messages]
                if t:
                    earlier = f.variable('has', w, b, t - 1)
                    f.clauses += [[-earlier, has], [-has, takes, earlier]]
                else:
                    f.clauses.append([-has, takes])
                if w > 1:  # groups have no names: let the first block reach them in their order
                    f.clauses.append([-f.variable('has', w, 0, t), f.variable('has', w - 1, 0, t)])
            once = [f.variable('takes', w, b, t) for t in times]
            f.clauses.append(once)
            f.at_most_one(once)
    for t in times:
        for v in range(groups):
            f.at_most_one([f.variable('message', t, v, w, b) for w in others if w != v for b in range(blocks)])
            if v:
                f.at_most_one([f.variable('message', t, u, v, b) for u in range(groups) if u != v for b in range(blocks)])
                for w in others:
                    for b in range(blocks):
                        if w != v:
                            known = [f.variable('has', v, b, t - DELAY)] if t >= DELAY else []
                            f.clauses.append([-f.variable('message', t, v, w, b)] + known)
    return f


def schedule(groups, blocks, rounds, seconds):
    """Messages of a schedule; False or None as in Formula.solve."""
    found = formula(groups, blocks, rounds).solve(seconds)
    return found if not found else sorted(name[1:] for name in found if name[0] == 'message')


def check(messages, groups, blocks, rounds):
    """Runs a schedule, and fails if it is wrong."""
    has = {(0, b): -DELAY for b in range(blocks)}
    for t in range(rounds):
        now = [message for message in messages if message[0] == t]
        assert len({v for _, v, _, _ in now}) == len(now) == len({w for _, _, w, _ in now})
        for _, v, w, b in now:
            assert has[v, b] <= t - DELAY and (w, b) not in has
            has[w, b] = t
    assert len(has) == groups * blocks


def main():
    most_groups, most_blocks, seconds = map(int, sys.argv[1:])
    print('groups,blocks,bound,least,found,circulant')
    for groups in range(3, most_groups + 1):
        single = single_block(groups)
        for blocks in range(1, most_blocks + 1):
            bound = least = rounds = blocks - 1 + single
            while not (messages := schedule(groups, blocks, rounds, seconds)):
                rounds += 1
                least = rounds if messages is False and least == rounds - 1 else least
            check(messages, groups, blocks, rounds)
            circulant = blocks + DELAY * ((groups - 1).bit_length() - 1)
            proved = blocks + above(groups) if blocks > 1 else bound
            print(groups, blocks, bound, max(least, proved), rounds, circulant, sep=',', flush=True)
            if rounds < proved or (least > proved and least == rounds):
                sys.exit(f'{groups} groups, {blocks} blocks: {rounds} rounds, where {proved} were expected')


if __name__ == '__main__':
    main()
