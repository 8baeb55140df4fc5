"""conflict-check: each new queen is compared with all before it.

Plain depth-first search. Textbooks show this code under the name of iterative deepening, but it has no depth
limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Recorder, Visitor
from nqueens_models.engines.classic.recursion import conduct_recursion
from nqueens_models.instance import Diagonals, Instance, Square


@dataclass(frozen=True)
class ConflictCheck:
    """Textbook depth-first search: each new queen is compared with all before it."""

    name: ClassVar[str] = "conflict-check"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in lexicographic order, unless a limit ends the search."""
        return conduct_recursion(_search, instance, visit, limits)


def _search(recorder: Recorder) -> None:
    instance, n = recorder.instance, recorder.instance.n
    beside_fixed = {(row, column) for row, fixed in instance.fixed for column in range(n) if column != fixed}
    closed = beside_fixed.union(instance.blocked)
    queens: list[Square] = []

    def place(row: int) -> None:
        recorder.node()
        if row == n:
            recorder.solution([column for _, column in queens])
            return
        for column in range(n):
            square = row, column
            if square not in closed and not any(_conflict(instance, queen, square) for queen in queens):
                queens.append(square)
                place(row + 1)
                queens.pop()

    recorder.built()
    place(0)


def _conflict(instance: Instance, queen: Square, square: Square) -> bool:
    """Return whether a queen on `square` would conflict with one of a row above it."""
    down, aside = square[0] - queen[0], abs(square[1] - queen[1])
    if aside == 0:
        return True
    regions = instance.regions
    if regions is not None and regions[queen[0]][queen[1]] == regions[square[0]][square[1]]:
        return True
    match instance.diagonals:
        case Diagonals.FULL:
            return aside == down
        case Diagonals.MODULAR:
            return aside in (down, instance.n - down)
        case Diagonals.ADJACENT:
            return aside == down == 1
