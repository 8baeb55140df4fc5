"""iterative-deepening: depth-first search to depth 1, 2, ..., n, each time from the start.

As the method is described (R. E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27, 1985, is the
source). It finds the shallowest goal in little memory, but here every solution lies at depth n: what the shallower
searches do is done again by the next. `repeated_nodes` in the statistics says how much that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor
from nqueens_models.engines.classic.recursion import conduct_recursion
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance, Placement


@dataclass(frozen=True)
class IterativeDeepening:
    """Depth-first search with a depth limit that grows from 1 to n, each time from the start."""

    name: ClassVar[str] = "iterative-deepening"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in lexicographic order, unless a limit ends the search."""
        return conduct_recursion(_search, instance, visit, limits)


def _search(recorder: Recorder) -> None:
    instance, n = recorder.instance, recorder.instance.n
    free = [set(range(n)) for _ in range(n)]
    for row, column in instance.fixed:
        free[row] &= {column}
    for row, column in instance.blocked:
        free[row].discard(column)
    recorder.statistics["repeated_nodes"] = 0

    def place(queens: Placement, depth_limit: int) -> None:
        recorder.node()
        row = len(queens)
        if row < depth_limit:
            recorder.statistics["repeated_nodes"] += depth_limit > 1  # the search before this one met it too
            for column in sorted(free[row] - _attacked(instance, queens)):
                place((*queens, column), depth_limit)
        elif row == n:
            recorder.solution(queens)

    recorder.built()
    for depth_limit in range(1, n + 1) if n else [0]:
        place((), depth_limit)


def _attacked(instance: Instance, queens: Placement) -> set[int]:
    """Return the columns (some off the board) that the queens placed so far attack in the next row."""
    row, attacked = len(queens), set(queens)
    for down, column in enumerate(reversed(queens), start=1):
        match instance.diagonals:
            case Diagonals.FULL:
                attacked |= {column - down, column + down}
            case Diagonals.MODULAR:
                attacked |= {(column - down) % instance.n, (column + down) % instance.n}
            case Diagonals.ADJACENT if down == 1:
                attacked |= {column - 1, column + 1}
    if instance.regions is not None:
        taken = {instance.regions[above][column] for above, column in enumerate(queens)}
        attacked |= {column for column, region in enumerate(instance.regions[row]) if region in taken}
    return attacked
