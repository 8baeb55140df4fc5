"""Counting plain boards by the four-quadrant join: a meet in the middle.

Each board is cut into quadrants (quadrant_tables). A *row split* is a choice of the rows a and b whose queens are
in the north-east and in the south-east quadrant; the west has the other rows. For each of them the halves of the
board are listed and joined (quadrant_lists). Row splits are independent of each other and numbered: contiguous
ranges of them are what to share out, to log and to resume. The time grows about 5-fold for each row, that of a
search 8-fold.

Symmetry. The mirrors map a row split to (b, a) and (~a, ~b), the half turn to (~b, ~a): one stands for all its
images. With F(x) = max(x, ~x) these have the same s = max(F(a), F(b)), and the transposition exchanges s with the
like value of the column sets of the two north quadrants: boards whose column value is smaller than s count twice,
those with the same once, those with a larger one not at all. If the centre is empty, one of the four images of
each board has the queen of the centre row in the west and that of the centre column in the north. Only the
transposition is left, which exchanges the other rows b of the south-east quadrant with its other columns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.bitmask.compiled import kernel
from nqueens_models.engines.bitmask.quadrant_lists import (
    ANY_COLUMNS,
    CENTRE_COLUMN,
    FULL,
    MIRRORED_COLUMNS,
    HalfList,
    Scratch,
    count_disjoint_pairs,
    list_half,
    make_scratch,
)
from nqueens_models.engines.bitmask.quadrant_tables import Part, Tables, build_tables, parts
from nqueens_models.errors import InvalidInput

SMALLEST, LARGEST = 6, 24
"""Sizes that can be counted: below, the halves share fewer diagonals than a key has bits; above, 2**32 placements
of a quadrant are too few."""

FIRST_CAPACITY = 1 << 16  # words that a list of halves may have; doubled when they are too few

RANGE_SECONDS = 0.03  #  how long a range of row splits should take: what Ctrl-C or a time limit waits for


class Counted(NamedTuple):
    """A range of row splits that has been counted: the boards that it stands for, and how long it took."""

    start: int
    stop: int
    solutions: int
    seconds: float


class Board(NamedTuple):
    """One part of the boards of a size: its tables, and its row splits as lines a, b, weight of an array.

    `part` is the number of a Part: for a member of an enumeration, Numba needs 0.3 ms to tell the type of a call.
    """

    part: int
    tables: Tables
    row_splits: NDArray[np.int64]


def count_plain(size: int, workers: int = 1, check: Callable[[], None] | None = None) -> int:
    """Return the number of ways to place `size` queens, with `workers` threads (OEIS A000170).

    `check` is called often; what it raises ends the count and propagates. Raises InvalidInput outside 6..24.
    """
    total = 0
    for counted in QuadrantJoin(size, check).iterate(workers):
        total += counted.solutions
        if check:
            check()
    return total


class QuadrantJoin:
    """The join for boards of one size: so many `row_splits`, counted in any order by any number of threads.

    `check` is called now and then while the tables are made; what it raises propagates.
    """

    def __init__(self, size: int, check: Callable[[], None] | None = None) -> None:
        if not SMALLEST <= size <= LARGEST:
            raise InvalidInput(f"the quadrant join counts boards of {SMALLEST} to {LARGEST} rows, not {size}")
        self.size = size
        self.boards = [
            Board(int(part), build_tables(size, part, check), row_splits(size // 2, part)) for part in parts(size)
        ]
        self.row_splits = sum(len(board.row_splits) for board in self.boards)
        self._local = threading.local()
        self.count(0, 1)  # compiled before there are threads

    def count(self, start: int, stop: int) -> int:
        """Return how many boards the row splits start..stop - 1 stand for; other threads run meanwhile."""
        total = first = 0
        for board in self.boards:
            inside = range(len(board.row_splits))[max(0, start - first) : max(0, stop - first)]
            total += self._count_on(board, inside.start, inside.stop)
            first += len(board.row_splits)
        return total

    def _count_on(self, board: Board, start: int, stop: int) -> int:
        """Return how many boards of one part these row splits stand for."""
        total = 0
        while start < stop:
            start, solutions = count_row_splits(board, start, stop, self._scratch())
            total += solutions
            if start < stop:
                self._local.scratch = self._make_scratch(2 * len(self._scratch().east))
        return total

    def _scratch(self) -> Scratch:
        """Return this thread's working memory."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = self._make_scratch(FIRST_CAPACITY)
        scratch: Scratch = self._local.scratch
        return scratch

    def _make_scratch(self, capacity: int) -> Scratch:
        return make_scratch(capacity, max(board.tables.shared for board in self.boards))

    def iterate(self, workers: int = 1) -> Generator[Counted]:
        """Count all row splits in ranges of a fraction of a second and yield each range once, in any order."""
        ranges = _Ranges(self.row_splits, workers)
        if workers == 1:
            while ranges.left:
                yield ranges.timed(self._timed(*ranges.take()))
            return
        with ThreadPoolExecutor(workers) as pool:
            running: set[Future[Counted]] = set()
            try:
                while ranges.left or running:
                    while ranges.left and len(running) < 2 * workers:
                        running.add(pool.submit(self._timed, *ranges.take()))
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (ranges.timed(future.result()) for future in done)
            finally:
                pool.shutdown(cancel_futures=True)

    def _timed(self, start: int, stop: int) -> Counted:
        began = time.perf_counter()
        solutions = self.count(start, stop)
        return Counted(start, stop, solutions, time.perf_counter() - began)


class _Ranges:
    """Cuts `left` row splits into ranges of about RANGE_SECONDS, smaller at the end so that no thread is idle."""

    def __init__(self, row_splits: int, workers: int) -> None:
        self._all = self.left = row_splits
        self._workers = workers
        self._size = 64

    def take(self) -> tuple[int, int]:
        start = self._all - self.left
        fair = self.left if self._workers == 1 else self.left // (2 * self._workers) + 1
        self.left -= min(fair, self._size)
        return start, self._all - self.left

    def timed(self, counted: Counted) -> Counted:
        """Choose the size of the next range by the pace of this one."""
        row_splits = counted.stop - counted.start
        self._size = max(1, min(4 * row_splits, int(row_splits * RANGE_SECONDS / counted.seconds)))
        return counted


# ---------------------------------------------------------------------------------------------- row splits


def number_of_row_splits(size: int) -> int:
    """Return how many row splits boards of `size` rows have; no tables are made."""
    return sum(len(row_splits(size // 2, part)) for part in parts(size))


def row_splits(n: int, part: Part) -> NDArray[np.int64]:
    """Return the row splits of boards of 2n or 2n + 1 rows: lines a, b, number of images."""
    if part is Part.CENTRE_EMPTY:
        pairs = row_pairs(n, n + 1, n + 1)
        a, b = pairs[pairs[:, 1] & 1 == 0].T
        return np.stack([a, b, np.full_like(a, 4)], 1)
    a, b = row_pairs(n, n, n).T
    other_a, other_b = np.array([a, b]) ^ ((1 << n) - 1)
    images = np.stack([a << n | b, b << n | a, other_a << n | other_b, other_b << n | other_a])
    distinct = 1 + np.count_nonzero(np.diff(np.sort(images, 0), axis=0), 0)
    least = np.flatnonzero(images[0] == images.min(0))
    return np.stack([a[least], b[least], distinct[least]], 1)


def row_pairs(north: int, south: int, queens: int) -> NDArray[np.int64]:
    """Return the pairs, in order, of a set of `north` and a set of `south` rows that have `queens` rows in all."""
    sizes_of_a, sizes_of_b = np.bitwise_count(np.arange(1 << north)), np.bitwise_count(np.arange(1 << south))
    return np.argwhere(sizes_of_a[:, None] + sizes_of_b == queens)


@kernel
def count_row_splits(board: Board, start: int, stop: int, scratch: Scratch) -> tuple[int, int]:
    """Count the row splits from `start` on: return the first not counted, and the weighted total of the others.

    It is `stop`, or the one whose lists are too long for `scratch`.
    """
    total = 0
    for row_split in range(start, stop):
        a, b, weight = board.row_splits[row_split]
        east, west = list_halves(board, a, b, scratch)
        if east.total == FULL or west.total == FULL:
            return row_split, total
        total += weight * count_disjoint_pairs(east, west, board.tables.shared, scratch)
    return stop, total


@kernel
def list_halves(board: Board, a: int, b: int, scratch: Scratch) -> tuple[HalfList, HalfList]:
    """List the east and the west halves of a row split: see Symmetry above."""
    tables = board.tables
    other_a = a ^ ((1 << tables.north_east.height) - 1)
    other_b = b ^ ((1 << tables.south_east.height) - 1)
    if board.part == Part.CENTRE_EMPTY:
        bound, east_rule, west_rule = b >> 1, CENTRE_COLUMN, ANY_COLUMNS
    else:
        bound, east_rule, west_rule = max(a, other_a, b, other_b), MIRRORED_COLUMNS, MIRRORED_COLUMNS
    east = list_half(tables.north_east, tables.south_east, a, b, east_rule, bound, scratch.east)
    west = list_half(tables.north_west, tables.south_west, other_a, other_b, west_rule, bound, scratch.west)
    return east, west
