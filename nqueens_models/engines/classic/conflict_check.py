"""conflict-check: each new queen is compared with all before it.

Plain depth-first search. Textbooks show this code under the name of iterative deepening, but it has no depth
limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor
from nqueens_models.engines.classic.recursion import conduct_recursion
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance


@dataclass(frozen=True)
class ConflictCheck:
    """Textbook depth-first search: each new queen is compared with all before it."""

    name: ClassVar[str] = "conflict-check"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in lexicographic order, unless a limit ends the search."""
        return conduct_recursion(_search, instance, visit, limits)


def _search(recorder: Recorder) -> None:
    instance, n, regions = recorder.instance, recorder.instance.n, recorder.instance.regions
    beside_fixed = {(row, column) for row, fixed in instance.fixed for column in range(n) if column != fixed}
    closed = beside_fixed.union(instance.blocked)
    asides = _attacked_asides(instance)
    queens: list[int] = []

    def place(row: int) -> None:
        recorder.node()
        if row == n:
            recorder.solution(queens)
            return
        for column in range(n):
            if (row, column) not in closed and not conflict(row, column):
                queens.append(column)
                place(row + 1)
                queens.pop()

    def conflict(row: int, column: int) -> bool:
        for above, taken in enumerate(queens):
            if abs(column - taken) in asides[row - above]:
                return True
            if regions and regions[row][column] == regions[above][taken]:
                return True
        return False

    recorder.built()
    place(0)


def _attacked_asides(instance: Instance) -> list[tuple[int, ...]]:
    """Return, for queens 0, 1, ... rows apart, how many columns apart they attack each other."""
    n = instance.n
    match instance.diagonals:
        case Diagonals.FULL:
            return [(0, down) for down in range(n)]
        case Diagonals.MODULAR:
            return [(0, down, n - down) for down in range(n)]
        case Diagonals.ADJACENT:
            return [(0, 1) if down == 1 else (0,) for down in range(n)]
