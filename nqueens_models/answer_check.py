"""Somebody else's answers held against the rules from first principles: what `verify` reports.

Every fault names the answer, its line in the file, the rule, and the squares concerned, counted as the file
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import WrongSolution
from nqueens_models.formats.answers import Answers, Oddity
from nqueens_models.instance import Instance, Square
from nqueens_models.solutions import SolutionSet, first_of_equals, lexicographic_order
from nqueens_models.verify import Rule, broken_by_pair, valid_rows, violations

WORDS = {
    Rule.BOARD: "stand in one row",
    Rule.COLUMN: "share a column",
    Rule.DIAGONAL: "share a falling diagonal",
    Rule.ANTIDIAGONAL: "share a rising diagonal",
    Rule.TOUCH: "touch",
    Rule.REGION: "stand in one region",
}


@dataclass(frozen=True)
class Fault:
    """A rule that an answer breaks; `squares` and `text` count from the file's base; `line` may be unknown."""

    answer: int
    line: int | None
    rule: Rule
    squares: tuple[Square, ...]
    text: str

    def __str__(self) -> str:
        return f"{_where(self.answer, self.line)}: {self.text}"


@dataclass(frozen=True)
class Duplicate:
    """An answer that repeats an earlier one."""

    answer: int
    line: int | None
    first_answer: int
    first_line: int | None

    def __str__(self) -> str:
        return f"{_where(self.answer, self.line)}: the same as {_where(self.first_answer, self.first_line)}"


@dataclass(frozen=True)
class AnswerCheck:
    """What is right and wrong with a file of answers.

    `answers` counts all of them, `right` those that are solutions, `distinct` the different ones among these.
    `missing` holds the solutions that no answer gives; None if that was not asked for.
    """

    answers: int
    right: int
    distinct: int
    faults: tuple[Fault, ...]
    duplicates: tuple[Duplicate, ...]
    missing: SolutionSet | None

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong, repeated or, if that was asked for, missing."""
        return not (self.faults or self.duplicates or self.missing)


def check_answers(instance: Instance, answers: Answers, complete: SolutionSet | None = None) -> AnswerCheck:
    """Return what is wrong with `answers` to `instance`; `complete` is the set of all solutions if it is known.

    Raises WrongSolution when an answer obeys every rule but is not in `complete`.
    """
    valid = valid_rows(instance, answers.placements)
    found = SolutionSet(instance.n, answers.placements[valid])
    missing = None
    if complete is not None:
        if found - complete:
            raise WrongSolution("the list that is said to be complete lacks a solution among the answers")
        missing = complete - found
    faults = [*_of_placements(instance, answers, np.flatnonzero(~valid)), *_of_oddities(instance, answers)]
    return AnswerCheck(
        answers=len(answers),
        right=int(valid.sum()),
        distinct=len(found),
        faults=tuple(sorted(faults, key=lambda fault: fault.answer)),
        duplicates=tuple(_duplicates(answers)),
        missing=missing,
    )


def _of_placements(instance: Instance, answers: Answers, wrong: NDArray[np.intp]) -> Iterator[Fault]:
    """Yield the faults of the answers that have one queen in each row."""
    for index in wrong:
        writer = _Writer(instance, answers.base, int(answers.numbers[index]), int(answers.lines[index]) or None)
        for violation in violations(instance, answers.placements[index].tolist()):
            yield writer.fault(violation.rule, *violation.squares)


def _of_oddities(instance: Instance, answers: Answers) -> Iterator[Fault]:
    """Yield the faults of the others: off the board, rows with no queen or several, then rule by rule."""
    for odd in answers.oddities:
        writer = _Writer(instance, answers.base, odd.number, odd.line)
        if odd.note is not None:
            yield Fault(odd.number, odd.line, Rule.BOARD, (), odd.note)
        else:
            yield from _of_rows(instance, odd, writer)
            yield from _of_queens(instance, [queen for queen in odd.queens if _is_on(instance, queen)], writer)


def _of_rows(instance: Instance, odd: Oddity, writer: _Writer) -> Iterator[Fault]:
    yield from (writer.off_board(queen) for queen in odd.queens if not _is_on(instance, queen))
    rows = {row for row, _ in odd.queens}
    yield from (writer.empty_row(row) for row in range(instance.n) if row not in rows)


def _of_queens(instance: Instance, queens: list[Square], writer: _Writer) -> Iterator[Fault]:
    for first, second in combinations(queens, 2):
        if first[0] == second[0]:
            yield writer.fault(Rule.BOARD, first, second)
        else:
            yield from (writer.fault(rule, first, second) for rule in broken_by_pair(instance, first, second))
    blocked, present = set(instance.blocked), set(queens)
    yield from (writer.fault(Rule.BLOCKED, queen) for queen in queens if queen in blocked)
    yield from (writer.fault(Rule.FIXED, square) for square in instance.fixed if square not in present)


def _is_on(instance: Instance, square: Square) -> bool:
    return all(0 <= part < instance.n for part in square)


@dataclass(frozen=True)
class _Writer:
    """Puts the faults of one answer into words, with squares in the base of the file."""

    instance: Instance
    base: int
    number: int
    line: int | None

    def fault(self, rule: Rule, *squares: Square) -> Fault:
        named = [self._named(square) for square in squares]
        if rule is Rule.BLOCKED:
            text = f"the queen on {named[0]} stands on a blocked square"
        elif rule is Rule.FIXED:
            text = f"no queen on {named[0]}, where one is fixed"
        else:
            text = f"the queens on {named[0]} and {named[1]} {WORDS[rule]}{self._round_the_edge(rule, squares)}"
        return self._fault(rule, squares, text)

    def off_board(self, square: Square) -> Fault:
        last = self.instance.n - 1 + self.base
        text = f"the queen on {self._named(square)} is off the board: rows and columns are {self.base} to {last}"
        return self._fault(Rule.BOARD, (square,), text)

    def empty_row(self, row: int) -> Fault:
        return self._fault(Rule.BOARD, (), f"no queen in row {row + self.base}")

    def _fault(self, rule: Rule, squares: tuple[Square, ...], text: str) -> Fault:
        return Fault(self.number, self.line, rule, tuple(self._named(square) for square in squares), text)

    def _named(self, square: Square) -> Square:
        return square[0] + self.base, square[1] + self.base

    def _round_the_edge(self, rule: Rule, squares: tuple[Square, ...]) -> str:
        """Return the words that are needed when the diagonal leaves the board between the two squares."""
        (r1, c1), (r2, c2) = squares
        on_line = rule not in (Rule.DIAGONAL, Rule.ANTIDIAGONAL) or abs(r1 - r2) == abs(c1 - c2)
        return "" if on_line else ", which wraps round the edge"


def _duplicates(answers: Answers) -> Iterator[Duplicate]:
    """Yield the answers that repeat an earlier one, in the order of the file."""
    order = lexicographic_order(answers.placements)  # stable: equal placements stay in the order of the file
    first = first_of_equals(answers.placements[order])
    original = order[np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))]
    pairs = sorted(zip(order[~first].tolist(), original[~first].tolist(), strict=True))
    for index, earlier in pairs:
        yield Duplicate(
            int(answers.numbers[index]),
            int(answers.lines[index]) or None,
            int(answers.numbers[earlier]),
            int(answers.lines[earlier]) or None,
        )


def _where(answer: int, line: int | None) -> str:
    return f"answer {answer}" if line is None else f"answer {answer} (line {line})"
