"""Which clauses about squares follow from the rules alone.

A clause is false when queens stand on the squares of its negative literals and none on those of its positive ones.
It follows from the rules if they forbid that at sight: a queen would stand on a closed square, two queens would
exclude each other, or a line that needs a queen would have no square left. No more is needed for the pairwise
encoding of any instance, and no statement of the problem in clauses has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Instance, Square
from nqueens_models.verify import broken_by_pair
from nqueens_models.watch import Watch, unwatched


class Rules:
    """The rules of an instance as a judge of clauses; square (row, column) is variable n * row + column + 1."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        n = instance.n
        squares = [(row, column) for row in range(n) for column in range(n)]
        self._closed = {one for one in squares if any(self.exclude(queen, one) for queen in instance.fixed)}
        self._closed.update(instance.blocked)
        self._lines = [[(row, column) for column in range(n)] for row in range(n)]
        self._lines += [[(row, column) for row in range(n)] for column in range(n)]
        self._lines += [[queen] for queen in instance.fixed]
        if instance.regions is not None:
            self._lines += [[(r, c) for r, c in squares if instance.regions[r][c] == label] for label in range(n)]

    def square(self, variable: int) -> Square:
        """Return the square of a variable."""
        row, column = divmod(variable - 1, self._instance.n)
        return row, column

    def entail(self, clause: Iterable[int]) -> bool:
        """Whether the clause, of literals about squares, follows at sight."""
        literals = set(clause)
        queens = [self.square(-literal) for literal in literals if literal < 0]
        if not self._closed.isdisjoint(queens):
            return True
        if any(self.exclude(one, other) for one, other in combinations(queens, 2)):
            return True
        empty = {self.square(literal) for literal in literals if literal > 0}
        return any(all(self._is_empty(square, empty, queens) for square in line) for line in self._lines)

    def _is_empty(self, square: Square, empty: set[Square], queens: list[Square]) -> bool:
        """Whether no queen can stand on a square, given squares that are empty and queens elsewhere."""
        if square in empty or square in self._closed:
            return True
        return any(self.exclude(queen, square) for queen in queens)

    def exclude(self, one: Square, other: Square) -> bool:
        """Whether there cannot be queens on two squares at once."""
        if one == other:
            return False
        return one[0] == other[0] or next(broken_by_pair(self._instance, one, other), None) is not None

    def exclusions(self, watch: Watch = unwatched) -> NDArray[np.bool_]:
        """Return an array of shape (n * n, n * n): which squares, counted row by row, exclude which."""
        squares = [self.square(variable) for variable in range(1, self._instance.n**2 + 1)]
        excludes = np.zeros((len(squares), len(squares)), dtype=np.bool_)
        for number, one in enumerate(squares):
            excludes[number] = [self.exclude(one, other) for other in squares]
            watch()
        return excludes
