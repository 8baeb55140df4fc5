"""attack-table: an n by n table of the squares that are attacked.

The natural first method. Placing a queen marks the squares in eight directions, one after the other. A mark does
not say which queen made it, so that a queen cannot be taken back by itself: the whole table is copied before and
restored after, n * n squares at every node where three numbers would do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, product
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor
from nqueens_models.engines.classic.recursion import conduct_recursion
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance

Table = list[bytearray]
"""One line a row of the board: 1 where a square is attacked, a byte each, for a copy is kept at every depth."""
DIRECTIONS = tuple(step for step in product((-1, 0, 1), repeat=2) if step != (0, 0))


@dataclass(frozen=True)
class AttackTable:
    """Textbook depth-first search: a table of attacked squares, copied before and restored after each queen."""

    name: ClassVar[str] = "attack-table"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in lexicographic order, unless a limit ends the search."""
        return conduct_recursion(_search, instance, visit, limits)


def _search(recorder: Recorder) -> None:
    instance, n = recorder.instance, recorder.instance.n
    table = _unusable(instance)
    board: list[int] = []

    def place(row: int) -> None:
        recorder.node()
        if row == n:
            recorder.solution(board)
            return
        for column in range(n):
            if not table[row][column]:
                copy = [line.copy() for line in table]
                _mark_attacked(instance, table, row, column)
                board.append(column)
                place(row + 1)
                board.pop()
                table[:] = copy

    recorder.built()
    place(0)


def _unusable(instance: Instance) -> Table:
    """Return the table of an empty board: blocked squares, and those beside a fixed queen in its row."""
    n, table = instance.n, [bytearray(instance.n) for _ in range(instance.n)]
    beside_fixed = ((row, column) for row, fixed in instance.fixed for column in range(n) if column != fixed)
    for row, column in chain(instance.blocked, beside_fixed):
        table[row][column] = 1
    return table


def _mark_attacked(instance: Instance, table: Table, row: int, column: int) -> None:
    """Mark what a queen attacks: straight and diagonal lines, and the rest of its region."""
    n, diagonals = instance.n, instance.diagonals
    for down, right in DIRECTIONS:
        reach = 1 if down and right and diagonals is Diagonals.ADJACENT else n - 1
        for step in range(1, reach + 1):
            r, c = row + step * down, column + step * right
            if diagonals is Diagonals.MODULAR:
                r, c = r % n, c % n
            elif not (0 <= r < n and 0 <= c < n):
                break
            table[r][c] = 1
    if instance.regions is not None:
        region = instance.regions[row][column]
        for r, c in product(range(n), repeat=2):
            if instance.regions[r][c] == region:
                table[r][c] = 1
