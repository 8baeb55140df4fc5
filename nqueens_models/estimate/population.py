"""A random part of a search tree, a population of boards on each level, and what it says about the whole tree.

Knuth ("Estimating the efficiency of backtrack programs", 1975) goes down the tree at random; the product of the
numbers of children is an estimate of each level that is right on the average, and varies wildly. Here a whole
population goes down together: from a level to the next, of all children of the population as many are kept, drawn
at random without repetition, as the population may have, and the estimate is multiplied by the share that was
dropped (Rubinstein's and Vaisman's stochastic enumeration, 2013; Purdom's partial backtracking, 1978, keeps
several children too). That is right on the average for the same reason, and varies as an average of many probes.
Where the whole level fits nothing is dropped: the tree is exhausted and the numbers are exact.

Two trees: `rows` is that of the textbook, the rows in order, whose levels are the nodes of the textbook engines.
`fewest` branches on the row or column with the fewest free squares, which leads to more solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Diagonals, Instance, Square

Bits = NDArray[np.bool_]
Integers = NDArray[np.int64]

LARGEST_TABLE = 64  #      rows of a board up to which what each square attacks is kept: n**4 bytes
MOST_BYTES = 1 << 24  #    that a population has
SOME_BYTES = 1 << 20
CLOSED = np.uint16(65535)  # free squares of a line that has its queen: never the fewest


class Order(StrEnum):
    """Which line is branched on."""

    ROWS = "rows"
    FEWEST = "fewest"


@dataclass(frozen=True)
class Levels:
    """Estimates of the number of nodes on each level, shape (queens to place + 1,); exact if nothing was dropped.

    `found` different solutions were in hand at the end, each standing for `weight`.
    """

    sizes: NDArray[np.float64]
    exact: bool
    found: int
    weight: float

    @property
    def solutions(self) -> float:
        """The last level: every queen is placed."""
        return float(self.sizes[-1])

    @property
    def nodes(self) -> float:
        """All levels."""
        return float(self.sizes.sum())


class Boards(NamedTuple):
    """A population of k boards: free squares, (k, n, width), and the lines that hold a queen, (k, 2, n)."""

    free: Bits
    done: Bits


class Queens(NamedTuple):
    """Queens that may come next, each on its board: three arrays of shape (k,)."""

    boards: Integers
    rows: Integers
    columns: Integers

    def some(self, most: int, random: np.random.Generator) -> Queens:
        """Return so many of them, drawn at random, in order; all if there are no more."""
        if len(self.boards) <= most:
            return self
        kept = np.sort(random.choice(len(self.boards), most, replace=False, shuffle=False))
        return Queens(self.boards[kept], self.rows[kept], self.columns[kept])


class Tree:
    """The search tree of an instance, for populations to go down."""

    def __init__(self, instance: Instance, order: Order) -> None:
        self.instance = instance
        self.order = order
        self.queens = instance.n - len(instance.fixed)
        self._width = max(8, -(-instance.n // 8) * 8)  # bytes of a row: whole words
        squares = np.indices((instance.n, instance.n)).reshape(2, -1)
        self._table = self._open(squares[0], squares[1]) if instance.n <= LARGEST_TABLE else None
        self._root = self._first()

    def most(self, population: int) -> int:
        """Return how many boards a population may have within MOST_BYTES."""
        return max(1, min(population, MOST_BYTES // (max(1, self.instance.n) * self._width)))

    @property
    def some(self) -> int:
        """How many boards are enough where no precision is wanted."""
        return max(16, min(1 << 10, SOME_BYTES // (max(1, self.instance.n) * self._width)))

    def descend(self, population: int, random: np.random.Generator) -> Levels:
        """Go down once with `population` boards at the most."""
        sizes, exact = np.zeros(self.queens + 1), True
        if self._root is None:
            return Levels(sizes, exact, 0, 1.0)
        boards, most, weight = self._root, self.most(population), 1.0
        sizes[0] = children = 1
        for level in range(self.queens):
            queens = self._children(boards)
            children = len(queens.boards)
            sizes[level + 1] = weight * children
            if children == 0:
                break
            if level + 1 < self.queens:
                if children > most:
                    queens = queens.some(most, random)
                    weight *= children / most
                    exact = False
                boards = self._placed(boards, queens)
        return Levels(sizes, exact, children, weight)

    def draw(self, level: int, number: int, random: np.random.Generator) -> list[list[Square]]:
        """Return the queens of some nodes of a level, drawn at random, each as likely as any other."""
        if self._root is None:
            return []
        boards, most = self._root, max(number, self.some)
        squares = np.zeros((1, 0, 2), dtype=np.int64)
        for _ in range(level):
            queens = self._children(boards).some(most, random)
            boards = self._placed(boards, queens)
            placed = np.stack([queens.rows, queens.columns], axis=1)[:, None]
            squares = np.concatenate([squares[queens.boards], placed], axis=1)
        kept = random.choice(len(squares), min(number, len(squares)), replace=False)
        return [[(row, column) for row, column in one] for one in squares[kept].tolist()]

    def _placed(self, boards: Boards, queens: Queens) -> Boards:
        done = boards.done[queens.boards]
        numbers = np.arange(len(done))
        done[numbers, 0, queens.rows] = True
        done[numbers, 1, queens.columns] = True
        return Boards(boards.free[queens.boards] & self._keep(queens.rows, queens.columns), done)

    def _children(self, boards: Boards) -> Queens:
        """Return every queen that may come next."""
        n, (free, done) = self.instance.n, boards
        numbers = np.arange(len(free))
        if self.order is Order.ROWS:
            row = done[:, 0].argmin(axis=1)
            parents, columns = free[numbers, row, :n].nonzero()
            return Queens(parents, row[parents], columns)
        line = self._fewest(free, done)
        is_row, number = line < n, line % n
        squares = np.where(is_row[:, None], free[numbers, number, :n], free[numbers, :, number])
        parents, places = squares.nonzero()
        is_row, number = is_row[parents], number[parents]
        return Queens(parents, np.where(is_row, number, places), np.where(is_row, places, number))

    def _fewest(self, free: Bits, done: Bits) -> Integers:
        """Return the line with fewest free squares of each board: a row, or n and a column."""
        n = self.instance.n
        counts = np.empty((len(free), 2, n), dtype=np.uint16)
        words = free.view(np.uint64)
        np.sum(np.bitwise_count(words), axis=2, dtype=np.uint16, out=counts[:, 0])
        counts[:, 1] = free.view(np.uint8).sum(axis=1, dtype=np.uint16 if n > 255 else np.uint8)[:, :n]
        counts[done] = CLOSED
        line: Integers = counts.reshape(len(free), 2 * n).argmin(axis=1)
        return line

    def _first(self) -> Boards | None:
        """Return the board that fixed queens leave, and the lines that hold one; None if they break a rule."""
        n = self.instance.n
        free = np.zeros((1, n, self._width), dtype=np.bool_)
        free[0, :, :n] = self.instance.unblocked()
        done = np.zeros((1, 2, n), dtype=np.bool_)
        for row, column in self.instance.fixed:
            if not free[0, row, column]:
                return None
            free &= self._keep(np.array([row]), np.array([column]))
            done[0, 0, row] = done[0, 1, column] = True
        return Boards(free, done)

    def _keep(self, rows: Integers, columns: Integers) -> Bits:
        """Return, for k squares, arrays of shape (k, n, width): the squares that a queen there does not attack."""
        if self._table is None:
            return self._open(rows, columns)
        keep: Bits = self._table[rows * self.instance.n + columns]
        return keep

    def _open(self, rows: Integers, columns: Integers) -> Bits:
        instance, n = self.instance, self.instance.n
        keep = np.zeros((len(rows), n, self._width), dtype=np.bool_)
        keep[:, :, :n] = True
        numbers, others = np.arange(len(rows)), np.arange(n)
        keep[numbers, rows] = False
        keep[numbers, :, columns] = False
        down = others - rows[:, None]
        reach = abs(down) == 1 if instance.diagonals is Diagonals.ADJACENT else down != 0
        for reached in (columns[:, None] + down, columns[:, None] - down):
            modular = instance.diagonals is Diagonals.MODULAR
            column = reached % n if modular else reached
            board, row = (reach & (column >= 0) & (column < n)).nonzero()
            keep[board, row, column[board, row]] = False
        if instance.regions is not None:
            regions = np.array(instance.regions).reshape(n, n)
            keep[:, :, :n] &= regions != regions[rows, columns][:, None, None]
        return keep
