"""The compiled search for the whole family: sets of free squares, and the queens that they force.

The board is one set of bits, a bit for each square that is still free, and so is what a queen on a square attacks
and which squares a line (a row, a column or a region) has: placing a queen is an AND NOT. The squares it takes are
subtracted from the counts of their lines; a line left with none ends the branch, a line left with one forces its
queen, at once (unit propagation). Where nothing is forced the search branches on the line with the fewest free
squares in proportion to how often that line has ended a branch (dom/wdeg: Boussemart, Hemery, Lecoutre and Sais,
"Boosting systematic search by weighting constraints", ECAI 2004), which halves the nodes on boards with many
blocked squares. Eliminating squares that attack a whole line saves a quarter of the nodes, but no time.

Memory and time follow the number of free squares, not n: what fixed queens leave of a board of 2000 rows is small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.bitmask import family
from nqueens_models.engines.bitmask.bits import lowest_bit
from nqueens_models.engines.bitmask.compiled import kernel
from nqueens_models.engines.bitmask.threads import Threads
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Square

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]

MOST_SQUARES = 8192  #       free squares of a board: 8 MiB of attacks, made in 0.2 s
WORK_PER_CALL = 1 << 24  #   words and counts copied between two looks at the clock: below 0.1 s
BLOCK_BYTES = 1 << 20
TAKEN = 1 << 30  #           the count of a line that has its queen: it never runs out of squares
_RULES = {Diagonals.FULL: 0, Diagonals.MODULAR: 1, Diagonals.ADJACENT: 2}


class Squares(NamedTuple):
    """The free squares of a board and its lines; f squares, s lines, w = f / 64 words, h rows without a queen."""

    rows: Integers  #     (f,)
    columns: Integers  #  (f,)
    lines: Integers  #    (f, 3): row, column and region of a square as numbers of lines; -1 for no region
    attacks: Words  #     (f, w): what a queen on a square takes, that square included
    members: Words  #     (s, w): the squares of a line


class Levels(NamedTuple):
    """The branches taken, one level for each: what a call leaves for the next."""

    free: Words  #                    (h + 1, w): free squares
    counts: NDArray[np.int32]  #      (h + 1, s): free squares of each line, or TAKEN and below
    untried: Words  #                 (h + 1, w): squares of the branching line
    placed: Integers  #               (h + 1,): queens placed
    queens: Integers  #               (h,): their squares
    forced: Integers  #               (s,): lines that were left with one square
    weights: NDArray[np.float32]  #   (s,): 1 / (1 + branches that the line has ended)
    depth: Integers  #                (1,): -1 at the end


class CompiledFamily:
    """Finishes boards for `family.search`, by several threads if there are to be `workers`."""

    def __init__(self, recorder: Recorder, listing: bool, workers: int = 1) -> None:
        self._instance = recorder.instance
        self._recorder = recorder
        self._listing = listing
        self._workers = workers
        self._weights = np.ones((3, self._instance.n), dtype=np.float32)

    def finish(self, board: family.Board, placement: list[int]) -> bool:
        """Search a whole board, or return False when it has too many squares.

        `placement` holds the queens on the rows that the board does not have.
        """
        if sum(free.bit_count() for free in board.rows.values()) > MOST_SQUARES:
            return False
        squares = [(r, c) for r, free in board.rows.items() for c in family.bits(free)]
        keys = [(0, r) for r in board.rows] + [(1, c) for c in board.columns] + [(2, g) for g in board.regions]
        tables = self._tables(squares, keys)
        lines = tuple(np.array(keys).T)
        levels = _first_level(tables, len(board.rows), self._weights[lines])
        self._run(tables, levels, placement)
        self._weights[lines] = levels.weights
        return True

    def _tables(self, squares: list[Square], keys: list[tuple[int, int]]) -> Squares:
        number = {key: line for line, key in enumerate(keys)}
        regions = self._instance.regions
        lines = np.array(
            [
                (number[0, r], number[1, c], -1 if regions is None else number[2, regions[r][c]])
                for r, c in squares
            ],
            dtype=np.int64,
        ).reshape(-1, 3)
        rows, columns = np.array(squares, dtype=np.int64).reshape(-1, 2).T.copy()
        words = len(squares) // 64 + 1
        attacks = np.zeros((len(squares), words), dtype=np.uint64)
        members = np.zeros((len(keys), words), dtype=np.uint64)
        tables = Squares(rows, columns, lines, attacks, members)
        fill(tables, self._instance.n, _RULES[self._instance.diagonals])
        return tables

    def _run(self, squares: Squares, levels: Levels, placement: list[int]) -> None:
        """Search to the end; between the calls, searches without work get some from the others."""
        nodes_per_call = 1 + WORK_PER_CALL // (squares.attacks.shape[1] + len(squares.members))
        searches = [levels]

        def step(levels: Levels) -> tuple[NDArray[np.uint16], int, int]:
            block = np.empty((self._capacity(), self._instance.n), dtype=np.uint16)
            block[:] = placement
            return block, *advance(squares, levels, block, nodes_per_call)

        with Threads(self._workers) as threads:
            while searches:
                for block, found, nodes in threads.map(step, searches):
                    self._report(block, found, nodes)
                searches = _shared_out([one for one in searches if one.depth[0] >= 0], self._workers)

    def _report(self, block: NDArray[np.uint16], found: int, nodes: int) -> None:
        self._recorder.statistics["nodes"] += nodes
        if self._listing:
            self._recorder.solutions(block[:found])
        else:
            self._recorder.count(found)

    def _capacity(self) -> int:
        """Return how many solutions the next call may list; 0 to count them."""
        if not self._listing:
            return 0
        left = self._recorder.solutions_left()
        capacity = max(1, BLOCK_BYTES // (2 * self._instance.n))
        return capacity if left is None else min(left, capacity)


def _shared_out(searches: list[Levels], workers: int) -> list[Levels]:
    """Split searches until there is one for each worker, if they have that many branches to try."""
    searches = list(searches)
    for levels in searches:  # and those that are added
        depths = np.flatnonzero(levels.untried[: levels.depth[0] + 1].any(axis=1))
        if len(searches) < workers and len(depths) and depths[0] < levels.depth[0]:
            other = Levels._make(part.copy() for part in levels)
            other.depth[0] = depths[0]
            levels.untried[depths[0]] = 0
            searches.append(other)
    return searches


def _first_level(squares: Squares, height: int, weights: NDArray[np.float32]) -> Levels:
    """Return the levels of a search that is about to begin: all squares are free, the first line is chosen."""
    lines, words = squares.members.shape
    counts = np.bitwise_count(squares.members).sum(axis=1)
    levels = Levels(
        free=np.zeros((height + 1, words), dtype=np.uint64),
        counts=np.zeros((height + 1, lines), dtype=np.int32),
        untried=np.zeros((height + 1, words), dtype=np.uint64),
        placed=np.zeros(height + 1, dtype=np.int64),
        queens=np.zeros(height, dtype=np.int64),
        forced=np.zeros(lines, dtype=np.int64),
        weights=weights,
        depth=np.zeros(1, dtype=np.int64),
    )
    levels.free[0] = np.bitwise_or.reduce(squares.members, axis=0)
    levels.counts[0] = counts
    levels.untried[0] = squares.members[np.argmin(counts * weights)]
    return levels


@kernel
def attacks(n: int, rule: int, down: int, right: int) -> bool:
    """Whether queens so many rows and columns apart attack each other, regions aside."""
    if down == 0 or right == 0:
        return True
    if rule == 2:
        return down == 1 and right == 1
    return down == right or (rule == 1 and down + right == n)


@kernel
def fill(squares: Squares, n: int, rule: int) -> None:
    """Fill the tables of attacks and members."""
    one = np.uint64(1)
    for i in range(len(squares.rows)):
        for t in range(3):
            if squares.lines[i, t] >= 0:
                squares.members[squares.lines[i, t], i >> 6] |= one << np.uint64(i & 63)
        for j in range(len(squares.rows)):
            down, right = abs(squares.rows[i] - squares.rows[j]), abs(squares.columns[i] - squares.columns[j])
            same_region = squares.lines[i, 2] >= 0 and squares.lines[i, 2] == squares.lines[j, 2]
            if same_region or attacks(n, rule, down, right):
                squares.attacks[i, j >> 6] |= one << np.uint64(j & 63)


@kernel
def advance(squares: Squares, levels: Levels, block: NDArray[np.uint16], most_nodes: int) -> tuple[int, int]:
    """Search on until the block is full, so many nodes were visited, or there is no more (depth -1).

    Return the solutions found and the nodes. The solutions go into the rows of the block, which hold the other
    queens; a block of no rows means that they are only counted.
    """
    found, nodes = 0, 0
    while levels.depth[0] >= 0 and nodes < most_nodes and (found < len(block) or len(block) == 0):
        depth = levels.depth[0]
        square = take_untried(squares, levels, depth)
        if square < 0:
            levels.depth[0] -= 1
            continue
        before = levels.placed[depth]
        alive = place(squares, levels, depth + 1, square)
        nodes += levels.placed[depth + 1] - before
        if not alive:
            continue
        if levels.placed[depth + 1] < len(levels.queens):
            branch(squares, levels, depth + 1)
            levels.depth[0] += 1
            continue
        if len(block):
            for queen in levels.queens:
                block[found, squares.rows[queen]] = squares.columns[queen]
        found += 1
    return found, nodes


@kernel
def place(squares: Squares, levels: Levels, level: int, square: int) -> bool:
    """Make a level from the one above by a queen on a square, and by those that it forces.

    Return whether every line can still get its queen.
    """
    for word in range(levels.free.shape[1]):
        levels.free[level, word] = levels.free[level - 1, word]
    for line in range(levels.counts.shape[1]):
        levels.counts[level, line] = levels.counts[level - 1, line]
    placed, seen = levels.placed[level - 1], 0
    forced = int(np.int64(0))  # not a literal, for which Numba would compile `take_attacked` once more
    while square >= 0 and forced >= 0:
        levels.queens[placed] = square
        placed += 1
        forced = take_attacked(squares, levels, level, square, forced)
        square = -1
        while square < 0 and seen < forced:
            line = levels.forced[seen]
            seen += 1
            if levels.counts[level, line] == 1:
                square = common_bit(levels.free[level], squares.members[line])
    levels.placed[level] = placed
    return forced >= 0


@kernel
def take_attacked(squares: Squares, levels: Levels, level: int, queen: int, forced: int) -> int:
    """Take what a queen attacks, and return the number of lines that are forced by now, or -1 if one ran out."""
    counts = levels.counts[level]
    for t in range(3):
        if squares.lines[queen, t] >= 0:
            counts[squares.lines[queen, t]] = TAKEN
    for word in range(levels.free.shape[1]):
        taken = levels.free[level, word] & squares.attacks[queen, word]
        levels.free[level, word] ^= taken
        while taken:
            square = (word << 6) + lowest_bit(taken)
            taken &= taken - np.uint64(1)
            for t in range(3):
                line = squares.lines[square, t]
                if line >= 0:
                    counts[line] -= 1
                    if counts[line] == 0:
                        levels.weights[line] /= np.float32(1) + levels.weights[line]
                        return -1
                    if counts[line] == 1:
                        levels.forced[forced] = line
                        forced += 1
    return forced


@kernel
def branch(squares: Squares, levels: Levels, level: int) -> None:
    """Choose the line to branch on."""
    best, least = 0, np.float32(TAKEN)
    for line in range(levels.counts.shape[1]):
        count = levels.counts[level, line]
        score = np.float32(count) * levels.weights[line]
        if count < TAKEN // 2 and score < least:
            best, least = line, score
    for word in range(levels.free.shape[1]):
        levels.untried[level, word] = levels.free[level, word] & squares.members[best, word]


@kernel
def common_bit(first: Words, second: Words) -> int:
    """Return the number of the lowest bit that two sets have in common, which must exist."""
    word = 0
    while first[word] & second[word] == 0:
        word += 1
    return (word << 6) + int(lowest_bit(first[word] & second[word]))


@kernel
def take_untried(squares: Squares, levels: Levels, level: int) -> int:
    """Return the next square of the branching line, or -1; first those whose other lines can spare them."""
    best, most = -1, -1
    for word in range(levels.untried.shape[1]):
        untried = levels.untried[level, word]
        while untried:
            square = (word << 6) + int(lowest_bit(untried))
            untried &= untried - np.uint64(1)
            spare = levels.counts[level, squares.lines[square, 0]] + levels.counts[level, squares.lines[square, 1]]
            if spare > most:
                best, most = square, spare
    if best >= 0:
        levels.untried[level, best >> 6] ^= np.uint64(1) << np.uint64(best & 63)
    return best
