"""column-sets: lists of the columns and of the diagonals in use.

A square is free when its column is in no list of columns, its row - column in no list of falling diagonals and its
row + column in no list of rising ones. The method is often praised as a bit operation and as one of the fastest,
but its code has no bits: looking through a list takes time in proportion to its length, and every node makes new
lists. `container=set` keeps the rest of the code and replaces the lists by hashed sets, so that the first cost can
be told from the second.

Queens that may share a diagonal but not touch need the lists to hold the diagonals of the row above only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.classic.recursion import conduct_recursion
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance

Used = Collection[int]
"""Numbers of columns, diagonals or regions that hold a queen."""
WITH_ONE_MORE: Mapping[str, Callable[[Used, int], Used]] = {
    "list": lambda used, number: [*used, number],
    "set": lambda used, number: {*used, number},
}


@dataclass(frozen=True)
class ColumnSets:
    """Textbook depth-first search: lists of the columns and of both kinds of diagonals in use."""

    name: ClassVar[str] = "column-sets"
    requires: ClassVar[tuple[str, ...]] = ()
    container: str = setting("list", "what holds the columns and diagonals in use", tuple(WITH_ONE_MORE))

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in lexicographic order, unless a limit ends the search."""
        with_one_more = WITH_ONE_MORE[self.container]
        return conduct_recursion(lambda recorder: _search(recorder, with_one_more), instance, visit, limits)


def _search(recorder: Recorder, with_one_more: Callable[[Used, int], Used]) -> None:
    instance, n, regions = recorder.instance, recorder.instance.n, recorder.instance.regions
    around = n if instance.diagonals is Diagonals.MODULAR else 2 * n  # 2n tells all 2n - 1 diagonals apart
    touching_only = instance.diagonals is Diagonals.ADJACENT
    open_columns = _open_columns(instance)
    queens: list[int] = []

    def place(columns: Used, falling: Used, rising: Used, parts: Used) -> None:
        recorder.node()
        row = len(queens)
        if row == n:
            recorder.solution(queens)
            return
        earlier_falling, earlier_rising = ((), ()) if touching_only else (falling, rising)
        for column in open_columns[row]:
            fall, rise = (row - column) % around, (row + column) % around
            if column in columns or fall in falling or rise in rising:
                continue
            if regions and regions[row][column] in parts:
                continue
            queens.append(column)
            place(
                with_one_more(columns, column),
                with_one_more(earlier_falling, fall),
                with_one_more(earlier_rising, rise),
                with_one_more(parts, regions[row][column]) if regions else parts,
            )
            queens.pop()

    recorder.built()
    place((), (), (), ())


def _open_columns(instance: Instance) -> list[list[int]]:
    """Return the columns that fixed queens and blocked squares leave to each row."""
    columns = [list(range(instance.n)) for _ in range(instance.n)]
    for row, fixed in instance.fixed:
        columns[row] = [column for column in columns[row] if column == fixed]
    for row, blocked in instance.blocked:
        if blocked in columns[row]:
            columns[row].remove(blocked)
    return columns
