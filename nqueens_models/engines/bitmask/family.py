"""The bitmask search for the whole family, in pure Python: the line with the fewest free squares first.

A *line* is a row, a column or a region: each must hold exactly one queen. The board keeps, for each row that has
no queen yet, the mask of its free columns, and for each such column the mask of its free rows. A queen takes from
every other row what the three masks of the textbook take from the next one: its column and the two columns that
its diagonals reach there; and the same from every other column, with rows and columns exchanged. A line without a
free square ends the branch and one with a single free square forces its queen: branching on the line with the
fewest does both. That finds the few solutions of a board with many blocked squares or fixed queens, where going
through the rows in order would search in vain (first-fail: Haralick and Elliott 1980).

Rows and columns keep their numbers and lines that hold a queen are dropped, so what fixed queens leave of a large
board is a small one. Python's integers have no width: no size of board is special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance, Square

NODES_PER_CHECK = 64  # nodes between two looks at the clock: some milliseconds
PATIENCE = 1 << 20  #   units of 0.2 us before compiled code, which takes a second to load, is asked to go on

Masks = dict[int, int]
"""Of each row the mask of some of its columns; or of each column, of some of its rows."""
Reach = Callable[[int, int], int]
"""(mask of a queen's column, distance in rows) -> mask of the columns which it attacks in that row."""


@dataclass(frozen=True, slots=True)
class Board:
    """What the queens placed so far leave: the free squares of the open rows, and the same of the open columns."""

    rows: Masks
    columns: Masks
    regions: frozenset[int] = frozenset()  # those without a queen


Finish = Callable[[Board, list[int]], bool]
"""Reports every solution of a board, given the placement so far, or returns False and does nothing."""


class Family:
    """The rules of one instance as masks, and the search by them."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._reach = reach(instance.n, instance.diagonals)
        self._regions = instance.regions
        labels = instance.regions or ()
        self._in_rows = _region_masks(labels)
        self._in_columns = _region_masks(tuple(zip(*labels, strict=True)))

    def residual(self) -> Board | None:
        """Return the board that the fixed queens leave, or None when they break a rule."""
        n, full = self.instance.n, (1 << self.instance.n) - 1
        rows, columns = dict.fromkeys(range(n), full), dict.fromkeys(range(n), full)
        for row, column in self.instance.blocked:
            rows[row] &= ~(1 << column)
            columns[column] &= ~(1 << row)
        board = Board(rows, columns, frozenset(range(len(self._in_rows))))
        for row, column in self.instance.fixed:
            if not board.rows.get(row, 0) >> column & 1:
                return None
            board = self.place(board, (row, column))
        return board

    def place(self, board: Board, square: Square) -> Board:
        """Return the board with one more queen, on a free square."""
        row, column = square
        rows = _without(board.rows, row, 1 << column, self._reach)
        columns = _without(board.columns, column, 1 << row, self._reach)
        if self._regions is None:
            return Board(rows, columns)
        region = self._regions[row][column]
        _remove(rows, self._in_rows[region])
        _remove(columns, self._in_columns[region])
        return Board(rows, columns, board.regions - {region})

    def fewest(self, board: Board) -> list[Square]:
        """Return the free squares of a line that has fewest of them: none, if a line can't get its queen.

        Those whose other lines can spare them come first: boards of a few hundred rows get their first solution
        almost without a dead end, where the order of columns leads nowhere.
        """
        row = min(board.rows, key=lambda r: board.rows[r].bit_count())
        column = min(board.columns, key=lambda c: board.columns[c].bit_count())
        squares = [(row, c) for c in bits(board.rows[row])]
        if board.columns[column].bit_count() < len(squares):
            squares = [(r, column) for r in bits(board.columns[column])]
        for region in board.regions:
            masks = {r: board.rows[r] & mask for r, mask in self._in_rows[region].items() if r in board.rows}
            if sum(mask.bit_count() for mask in masks.values()) < len(squares):
                squares = [(r, c) for r, mask in masks.items() for c in bits(mask)]
        spare = {s: board.rows[s[0]].bit_count() + board.columns[s[1]].bit_count() for s in squares}
        return sorted(squares, key=spare.__getitem__, reverse=True)


def search(
    family: Family,
    board: Board,
    found: Callable[[list[int]], None],
    recorder: Recorder,
    finish: Finish | None = None,
    patience: int = PATIENCE,
) -> None:
    """Call `found` with the placement of every solution of a board; the list is changed afterwards.

    Once so much work as `patience` says is done, the boards that are still open are offered to `finish`.
    (Counted work, not time: the same search gives the same order.)
    The statistic `nodes` is the number of boards looked at: the first one, and one for each queen placed.
    The search keeps its own stack, for boards on which Python's would not do.
    """
    placement = [0] * family.instance.n
    for row, column in family.instance.fixed:
        placement[row] = column
    recorder.built()
    recorder.statistics["nodes"] = 0
    stack: list[tuple[Board, Iterator[Square]]] = []
    following: Board | None = board
    while following is not None:
        board = following
        recorder.statistics["nodes"] += 1
        if recorder.statistics["nodes"] % NODES_PER_CHECK == 0:
            recorder.check_time()
        patience -= 16 + len(board.rows) + len(board.columns)
        if not board.rows:
            found(placement)
        elif finish is None or patience > 0 or not finish(board, placement):
            stack.append((board, iter(family.fewest(board))))
        following = _next(family, stack, placement)


def _next(family: Family, stack: list[tuple[Board, Iterator[Square]]], placement: list[int]) -> Board | None:
    """Return the next board in depth-first order, having put its queen into the placement; None at the end."""
    while stack:
        board, squares = stack[-1]
        square = next(squares, None)
        if square is not None:
            placement[square[0]] = square[1]
            return family.place(board, square)
        stack.pop()
    return None


def reach(n: int, diagonals: Diagonals) -> Reach:
    """Return what a queen attacks in a row at a distance of 1 to n - 1, by the rule for diagonals.

    Bits beyond the board may be set: only those of free squares are looked at.
    """
    if diagonals is Diagonals.FULL:
        return lambda queen, d: queen | queen << d | queen >> d
    if diagonals is Diagonals.MODULAR:
        return lambda queen, d: queen | queen << d | queen >> d | queen << (n - d) | queen >> (n - d)
    return lambda queen, d: queen | queen << 1 | queen >> 1 if d == 1 else queen


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _without(lines: Masks, line: int, queen: int, attacked: Reach) -> Masks:
    """Return the lines but for the one that a queen takes, without the squares that it attacks."""
    return {other: free & ~attacked(queen, abs(other - line)) for other, free in lines.items() if other != line}


def _remove(lines: Masks, squares: Masks) -> None:
    """Take squares from the lines that are open."""
    for line in squares.keys() & lines.keys():
        lines[line] &= ~squares[line]


def _region_masks(labels: tuple[tuple[int, ...], ...]) -> list[Masks]:
    """Return, for each region of a matrix, its squares as masks by row."""
    masks: list[Masks] = [{} for _ in labels]
    for row, regions in enumerate(labels):
        for column, region in enumerate(regions):
            masks[region][row] = masks[region].get(row, 0) | 1 << column
    return masks
