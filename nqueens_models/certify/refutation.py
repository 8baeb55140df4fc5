"""Proofs that clauses contradict each other, and the checker to be read: unit propagation in plain Python.

A proof in the DRUP format (Heule, Hunt and Wetzler, "Trimming while checking clausal proofs", FMCAD 2013) lists
the clauses that a solver learnt, with `d` before those that it forgot. A clause has the property RUP (Goldberg and
Novikov, DATE 2003) when its negation runs into a contradiction by unit propagation alone: then it follows from
the clauses before it. If every clause of a proof has it, down to the empty clause, the first clauses contradict
each other.

Nothing here is shared with a solver. What a proof in the wider format DRAT may do beyond RUP (clauses that do not
follow but keep satisfiability, new variables) is refused.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import FormatError, RejectedCertificate
from nqueens_models.watch import Watch, unwatched

Literals = NDArray[np.int32]
"""Clauses one after the other, each ended by 0; DELETE stands before a clause that is forgotten."""
DELETE = -(2**31)
STEP = re.compile(rb"[ \t]*(d[ \t]+)?((?:-?[1-9][0-9]{0,9}[ \t]+)*)0[ \t\r]*")
NO_STEP = re.compile(rb"[ \t\r]*|c.*")


class Fault(StrEnum):
    """What can be wrong with a proof."""

    NOT_THERE = "a clause is deleted that is not there"
    NOT_IMPLIED = "the clause does not follow by unit propagation"
    UNFINISHED = "it ends before a contradiction"


@dataclass(frozen=True)
class Proof:
    """The steps of a proof, and the line of its file (from 1) on which each stands."""

    literals: Literals
    lines: NDArray[np.int64]

    def steps(self) -> Iterator[tuple[bool, list[int]]]:
        """Yield each step: whether the clause is deleted, and the clause."""
        literals = self.literals.tolist()
        start = 0
        for end in np.flatnonzero(self.literals == 0).tolist():
            deleted = literals[start] == DELETE
            yield deleted, literals[start + deleted : end]
            start = end + 1

    def rejection(self, fault: Fault, name: str, step: int | None = None) -> RejectedCertificate:
        """Return the error for a fault, in a step if it is the fault of one; `name` is that of the file."""
        where = name if step is None else f"{name}, line {self.lines[step]}"
        return RejectedCertificate(f"{where}: {fault}")


def parse_proof(data: bytes, variables: int, name: str = "proof") -> Proof:
    r"""Read a proof in the text format of DRUP and DRAT: one clause a line, ended by 0, comments from `c` on.

    Raises FormatError, with the line, for anything else and for literals beyond `variables`.

    >>> list(parse_proof(b"c learnt\n1 2 0\nd 1 2 0\n0\n", 2).steps())
    [(False, [1, 2]), (True, [1, 2]), (False, [])]
    """
    literals, lines = array("q"), array("q")
    for number, line in enumerate(data.split(b"\n"), start=1):
        step = STEP.fullmatch(line)
        if step is None:
            if NO_STEP.fullmatch(line):
                continue
            raise FormatError(f"{name}, line {number}: no step of a proof in text")
        if step[1]:
            literals.append(DELETE)
        literals.extend(map(int, step[2].split()))
        literals.append(0)
        lines.append(number)
    flat, where = np.frombuffer(literals, dtype=np.int64), np.frombuffer(lines, dtype=np.int64)
    beyond = np.flatnonzero((np.abs(flat) > variables) & (flat != DELETE))
    if len(beyond):
        line = where[np.count_nonzero(flat[: beyond[0]] == 0)]
        raise FormatError(f"{name}, line {line}: literal {flat[beyond[0]]} is beyond the {variables} variables")
    return Proof(flat.astype(np.int32), where)


def check_refutation(
    variables: int, clauses: list[list[int]], proof: Proof, name: str = "proof", watch: Watch = unwatched
) -> int:
    """Return how many steps of `proof` it takes to show that `clauses` contradict each other.

    `watch` is called at each step, and may raise to end it. Raises RejectedCertificate, with the line of the file
    that is called `name`, for a clause that does not follow by unit propagation, for one that is deleted but not
    there, and for a proof without a contradiction.
    """
    checker = _Checker(variables)
    for clause in clauses:
        checker.add(clause)
    for number, (deleted, clause) in enumerate(proof.steps()):
        watch()
        if checker.contradiction:
            return number
        if deleted and not checker.forget(clause):
            raise proof.rejection(Fault.NOT_THERE, name, number)
        if not deleted:
            if not checker.follows(clause):
                raise proof.rejection(Fault.NOT_IMPLIED, name, number)
            checker.add(clause)
    if not checker.contradiction:
        raise proof.rejection(Fault.UNFINISHED, name)
    return len(proof.lines)


class _Checker:
    """Clauses under unit propagation, with two watched literals (Moskewicz and others, "Chaff", DAC 2001).

    The two are the first of a clause, and if one is false, it became so last, or the other is true.
    """

    def __init__(self, variables: int) -> None:
        size = 2 * variables + 1  #              lists are indexed by literals, the negative ones from the end
        self.values = [0] * size  #              1 true, -1 false, 0 open
        self.watchers: list[list[list[int]]] = [[] for _ in range(size)]
        self.known: dict[frozenset[int], list[list[int]]] = {}
        self.trail: list[int] = []  #            the true literals in order
        self.propagated = 0  #                   how many of them have been looked at
        self.contradiction = False

    def add(self, literals: list[int]) -> None:
        """Add a clause and everything that follows from it by unit propagation."""
        clause = sorted(set(literals), key=lambda literal: self.values[literal] < 0)  # the false ones last
        self.known.setdefault(frozenset(clause), []).append(clause)
        for literal in clause[:2] if len(clause) > 1 else ():
            self.watchers[literal].append(clause)
        if not clause or self.values[clause[0]] < 0:
            self.contradiction = True
        elif len(clause) == 1 or self.values[clause[1]] < 0:
            self._make_true(clause[0])
            self.contradiction = self.contradiction or self._propagate()

    def forget(self, literals: list[int]) -> bool:
        """Delete a clause, but not what followed from it; return whether it was there."""
        same = self.known.get(frozenset(literals))
        if not same:
            return False
        same.pop().clear()  # an empty clause is dropped by whoever watches it
        return True

    def follows(self, literals: list[int]) -> bool:
        """Whether the negation of a clause runs into a contradiction."""
        before = len(self.trail)
        found = any(not self._make_true(-literal) for literal in literals) or self._propagate()
        for literal in self.trail[before:]:
            self.values[literal] = self.values[-literal] = 0
        del self.trail[before:]
        self.propagated = before
        return found

    def _make_true(self, literal: int) -> bool:
        """Make a literal true; return whether it was not false."""
        if not self.values[literal]:
            self.values[literal], self.values[-literal] = 1, -1
            self.trail.append(literal)
        return self.values[literal] > 0

    def _propagate(self) -> bool:
        """Make true what the clauses force; return whether one of them became false."""
        while self.propagated < len(self.trail):
            false = -self.trail[self.propagated]
            self.propagated += 1
            watching, self.watchers[false] = self.watchers[false], []
            while watching:
                if self._is_false(watching.pop(), false):
                    self.watchers[false] += watching
                    return True
        return False

    def _is_false(self, clause: list[int], false: int) -> bool:
        """Let a clause watch another literal, or make its last open one true; return whether it has none."""
        if not clause:  # deleted
            return False
        if clause[0] == false:
            clause[0], clause[1] = clause[1], clause[0]
        if self.values[clause[0]] <= 0:
            for at in range(2, len(clause)):
                if self.values[clause[at]] >= 0:
                    clause[1], clause[at] = clause[at], clause[1]
                    self.watchers[clause[1]].append(clause)
                    return False
        self.watchers[false].append(clause)
        return not self._make_true(clause[0])
