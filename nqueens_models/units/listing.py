"""The boards of a row split, listed by any engine: what the four-quadrant join counts, found in another way.

A row split (a, b) says in which rows the queens of the east half stand: a in the north, b in the south. So it is
an instance with blocked squares, and any engine can list its boards. Each stands for as many boards as the join
says (engines/bitmask/quadrant_join.py, "Symmetry"): the images of its row split, times 2, 1 or 0 by how the
columns of its queens compare with the bound of the row split. That rule is stated here again, for whole boards;
nothing of the join is used but the list of its row splits, which says what a unit is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Block, Instance


class RowSplitBoards:
    """The boards of one row split as an `instance`; `total` is what those that were visited stand for."""

    def __init__(self, size: int, centre: str, a: int, b: int, images: int) -> None:
        """Take a row split; `centre` is `none` for a board of even size, else `queen` or `empty`."""
        half = size // 2
        self.total = 0
        self._size, self._centre, self._a, self._b, self._images = size, centre, a, b, images
        self._north = [half - 1 - row for row in range(half)]  # rows and columns from the middle outward
        self._west = self._north
        self._east = list(range(half + (centre == "queen"), size))
        south = self._east
        in_the_east = [row for i, row in enumerate(self._north) if a >> i & 1]
        in_the_east += [row for i, row in enumerate(south) if b >> i & 1]
        in_the_west = sorted({*self._north, *south} - {*in_the_east})
        blocked = [*product(in_the_east, self._west), *product(in_the_west, self._east)]
        middle = [(half, half)]
        if centre == "empty":
            blocked = sorted({*blocked, *middle})
        self.instance = Instance(size, fixed=middle if centre == "queen" else (), blocked=blocked)

    def visit(self, block: Block) -> None:
        """Take solutions of the instance, shape (k, size)."""
        east, west = (self._north_columns(block, columns) for columns in (self._east, self._west))
        if self._centre == "empty":
            in_the_north = east & 1 == 1  # the queen of the centre column
            value, bound = ((1 << len(self._east)) - 1 - east) >> 1, self._b >> 1
        else:
            every = (1 << len(self._east)) - 1
            in_the_north = np.ones(len(block), np.bool_)
            value = np.maximum(np.maximum(east, every - east), np.maximum(west, every - west))
            bound = max(self._a, every - self._a, self._b, every - self._b)
        counted_twice = int(np.count_nonzero(in_the_north & (value < bound)))
        counted_once = int(np.count_nonzero(in_the_north & (value == bound)))
        self.total += self._images * (2 * counted_twice + counted_once)

    def _north_columns(self, block: Block, columns: list[int]) -> NDArray[np.int64]:
        """Return, as bits, which of some columns have their queens in the north, for each placement."""
        bits = np.zeros(self._size, np.int64)
        bits[columns] = 1 << np.arange(len(columns))
        columns_in_the_north: NDArray[np.int64] = bits[block[:, self._north]].sum(axis=1)
        return columns_in_the_north


def row_split_boards(size: int, start: int, stop: int) -> Iterator[RowSplitBoards]:
    """Yield the row splits start..stop - 1 of the boards of a size."""
    from nqueens_models.engines.bitmask.quadrant_join import row_splits
    from nqueens_models.engines.bitmask.quadrant_tables import Part, parts

    centres = {Part.EVEN: "none", Part.CENTRE_QUEEN: "queen", Part.CENTRE_EMPTY: "empty"}
    first = 0
    for part in parts(size):
        lines = row_splits(size // 2, part)
        for a, b, images in lines[max(0, start - first) : max(0, stop - first)].tolist():
            yield RowSplitBoards(size, centres[part], a, b, images)
        first += len(lines)
