#!/usr/bin/env python3
"""check_proof.py FORMULA PROOF: checks a proof that a formula (DIMACS) cannot be satisfied.

The proof is DRAT as text of which each step follows by unit propagation (RUP): if all literals of the clause are false,
propagation in the clauses so far finds a contradiction. A line `d ...` takes a clause away. The last step is the empty
clause. Source: E. Goldberg and Y. Novikov, Verification of proofs of unsatisfiability for CNF formulas, 2003.
"""
import sys


def clauses_of(path):
    """(deleted, literals) of each line; comments and the head of a formula are left out."""
    with open(path, encoding='ascii') as lines:
        for line in lines:
            words = line.split()
            if words and words[0] not in ('c', 'p'):
                deleted = words[0] == 'd'
                literals = [int(word) for word in words[deleted:]]
                if literals[-1:] != [0] or 0 in literals[:-1]:
                    raise SystemExit(f'{path}: not a clause: {line.rstrip()}')
                yield deleted, literals[:-1]


class Clauses:
    """Clauses of which each that is not decided has two watched literals, its first ones, that are not false."""

    def __init__(self):
        self.watching, self.value, self.trail, self.known = {}, {}, [], {}
        self.done, self.contradiction = 0, False

    def make_true(self, literal):
        """Makes a literal true, which was open."""
        self.value[literal], self.value[-literal] = True, False
        self.trail.append(literal)

    def propagate(self):
        """Makes all consequences true; false if a clause has become false."""
        value, watching = self.value, self.watching
        while self.done < len(self.trail):
            lost = -self.trail[self.done]
            self.done += 1
            kept, clauses = [], watching.get(lost, [])
            for at, clause in enumerate(clauses):
                if not clause:  # taken away
                    continue
                if clause[0] == lost:
                    clause[0], clause[1] = clause[1], lost
                first = clause[0]
                if not value.get(first):
                    for i in range(2, len(clause)):
                        if value.get(clause[i]) is not False:
                            clause[1], clause[i] = clause[i], lost
                            watching.setdefault(clause[1], []).append(clause)
                            break
                    else:
                        kept.append(clause)
                        if value.get(first) is False:
                            watching[lost] = kept + clauses[at + 1:]
                            return False
                        self.make_true(first)
                    continue
                kept.append(clause)
            watching[lost] = kept
        return True

    def follows(self, literals):
        """Whether the clause follows by unit propagation."""
        trail, done = len(self.trail), self.done
        right = self.contradiction
        for literal in literals:
            right = right or self.value.get(literal) is True
            if self.value.get(literal) is None:
                self.make_true(-literal)
        right = right or not self.propagate()
        for literal in self.trail[trail:]:
            del self.value[literal], self.value[-literal]
        del self.trail[trail:]
        self.done = done
        return right

    def add(self, literals):
        """Adds a clause, with all its consequences."""
        clause = sorted(set(literals), key=lambda literal: self.value.get(literal) is False)
        self.known.setdefault(tuple(sorted(clause)), []).append(clause)
        is_open = [literal for literal in clause[:2] if self.value.get(literal) is not False]
        if len(is_open) == 2:
            for literal in is_open:
                self.watching.setdefault(literal, []).append(clause)
        elif not is_open:
            self.contradiction = True
        elif self.value.get(is_open[0]) is None:
            self.make_true(is_open[0])
            self.contradiction = not self.propagate()

    def take_away(self, literals):
        """Takes a clause away; what followed from it stays."""
        found = self.known.get(tuple(sorted(set(literals))))
        if not found:
            return False
        found.pop().clear()
        return True


def check(formula, proof):
    """The number of steps of a right proof; else ends with what is wrong."""
    clauses = Clauses()
    for _, literals in clauses_of(formula):
        clauses.add(literals)
    for step, (deleted, literals) in enumerate(clauses_of(proof), 1):
        if not (clauses.take_away(literals) if deleted else clauses.follows(literals)):
            raise SystemExit(f'{proof}: step {step} {"takes away what is not there" if deleted else "does not follow"}')
        if not deleted:
            if not literals:
                return step
            clauses.add(literals)
    raise SystemExit(f'{proof}: it has no empty clause')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print(f'{sys.argv[2]}: {check(sys.argv[1], sys.argv[2])} steps, all of which follow')
