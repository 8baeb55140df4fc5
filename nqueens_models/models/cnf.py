"""The n-queens family as clauses: CNF over one variable a square.

The square in row r and column c (0-based) has the primary variable n*r + c + 1, true when a queen stands on it;
auxiliary variables of the encodings follow from n*n + 1 on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models.at_most_one import at_most_one as encode_at_most_one
from nqueens_models.models.at_most_one import sizes
from nqueens_models.models.clauses import Clause, Cnf
from nqueens_models.models.encoding import Sizes
from nqueens_models.models.lex_leader import lex_leader_clauses
from nqueens_models.watch import Watch, unwatched

Squares = NDArray[np.intp]


def queens_cnf(
    instance: Instance,
    at_most_one: str = "pairwise",
    watch: Watch = unwatched,
    symmetry_breaking: bool = False,
) -> Cnf:
    """State `instance` in clauses: its solutions are the satisfying assignments, projected on the squares.

    A line (row, column, diagonal, region) that holds a fixed queen says no more than that its other squares are
    empty: it is stated by unit clauses, like a blocked square. Squares that are thus closed are left out of the
    remaining lines, so that a board of n = 1000 with 20 queens left to place is as small as it looks. Fixed queens
    that attack each other close each other's squares, and contradict their own unit clauses.

    `at_most_one` names the encoding (models/at_most_one.py), `watch` is called as clauses are added. With
    `symmetry_breaking` the least solution of each orbit is left (models/lex_leader.py). Raises InvalidSetting when
    there is no such encoding.

    >>> queens_cnf(Instance(2)).clauses
    [[1, 2], [-1, -2], [3, 4], [-3, -4], [1, 3], [-1, -3], [2, 4], [-2, -4], [-1, -4], [-2, -3]]
    """
    board = _Board(instance)
    cnf = Cnf(instance.n**2, watch=watch)
    for kind in (board.row, board.column):
        _exactly_one(cnf, board, kind, at_most_one)
    for kind in board.diagonals:
        for squares in board.unfilled(kind).values():
            encode_at_most_one(cnf, squares, at_most_one)
    cnf.extend([-one, -other] for one, other in board.touching_pairs())
    cnf.extend([square] for square in board.squares[board.is_fixed].tolist())
    cnf.extend([-square] for square in board.squares[board.is_closed].tolist())
    for kind in board.region:
        _exactly_one(cnf, board, kind, at_most_one)
    if symmetry_breaking:
        lex_leader_clauses(cnf, instance, range(1, instance.n**2 + 1))
    return cnf


def blocking_clauses(n: int, placements: Iterable[Sequence[int]]) -> Iterator[Clause]:
    """Yield for each placement the clause that only it makes false: one of its queens is not there."""
    for placement in placements:
        yield [-(n * row + column + 1) for row, column in enumerate(placement)]


def board_sizes(n: int, at_most_one: str = "pairwise", diagonals: Diagonals = Diagonals.FULL) -> Sizes:
    """Return how many auxiliary variables and clauses an otherwise empty board takes, by formula.

    Every row and column of n squares is one clause and an at-most-one. There are two full diagonals of n squares
    and four of each length from 2 to n - 1, or 2n of n squares where they wrap round, or 2(n - 1)^2 pairs of
    squares that touch.

    >>> board_sizes(2), board_sizes(8), board_sizes(8, "bimander")
    (Sizes(auxiliary=0, clauses=10), Sizes(auxiliary=0, clauses=744), Sizes(auxiliary=68, clauses=596))
    """
    line = sizes(at_most_one, n)
    lines = 2 * n * (line + Sizes(clauses=1))
    match diagonals:
        case Diagonals.FULL:
            return sum((4 * sizes(at_most_one, length) for length in range(2, n)), lines + 2 * line)
        case Diagonals.MODULAR:
            return lines + 2 * n * line
        case Diagonals.ADJACENT:
            return lines + Sizes(clauses=2 * max(0, n - 1) ** 2)


def _exactly_one(cnf: Cnf, board: _Board, kind: Squares, at_most_one: str) -> None:
    """Add that one square of each line holds a queen; a line without an open square contradicts what closes it."""
    for line, squares in board.unfilled(kind).items():
        cnf.extend([squares or board.squares[kind == line].tolist()])
        encode_at_most_one(cnf, squares, at_most_one)


class _Board:
    """The squares of an instance by their variables, and the lines on which they lie.

    Every array has shape (n, n). `row`, `column`, `diagonals` and `region` give the number of the line of that
    kind on which a square lies; `diagonals` is empty when queens only may not touch.
    """

    def __init__(self, instance: Instance) -> None:
        n = instance.n
        self.squares = np.arange(1, n * n + 1).reshape(n, n)
        self.row, self.column = np.indices((n, n))
        self.diagonals = _diagonals(instance.diagonals, self.row, self.column)
        self.region = [] if instance.regions is None else [np.array(instance.regions)]
        self.touch = instance.diagonals is Diagonals.ADJACENT
        self.is_fixed = np.zeros((n, n), dtype=np.bool_)
        self.is_fixed[tuple(np.array(instance.fixed, dtype=np.intp).reshape(-1, 2).T)] = True
        self.is_closed = self._attacked() | ~instance.unblocked()

    def unfilled(self, kind: Squares) -> dict[int, list[int]]:
        """Return, by number, the open squares of each line of one kind that holds no fixed queen."""
        numbers = np.flatnonzero(np.bincount(kind.ravel()))
        lines: dict[int, list[int]] = {n: [] for n in numbers[self._fixed_queens(kind)[numbers] == 0].tolist()}
        is_open = ~self.is_closed & ~self.is_fixed
        for line, square in zip(kind[is_open].tolist(), self.squares[is_open].tolist(), strict=True):
            lines[line].append(square)
        return lines

    def touching_pairs(self) -> list[list[int]]:
        """Return the pairs of open squares that share a corner, when queens may not touch."""
        if not self.touch:
            return []
        views = zip(_corners(self.squares), _corners(~self.is_closed), strict=True)
        pairs = [np.stack([upper[a & b], lower[a & b]], axis=-1) for (upper, lower), (a, b) in views]
        touching: list[list[int]] = np.concatenate(pairs).tolist()
        return touching

    def _fixed_queens(self, kind: Squares) -> Squares:
        """Return how many fixed queens stand on each line of one kind."""
        return np.bincount(kind[self.is_fixed], minlength=2 * len(kind))

    def _attacked(self) -> NDArray[np.bool_]:
        """Return which squares a fixed queen, other than one on the square itself, attacks."""
        attacked, fixed = np.zeros_like(self.is_fixed), self.is_fixed
        for kind in (self.row, self.column, *self.diagonals, *self.region):
            attacked |= self._fixed_queens(kind)[kind] > fixed
        if self.touch:
            for (upper, lower), (above, below) in zip(_corners(attacked), _corners(fixed), strict=True):
                upper |= below
                lower |= above
        return attacked


def _diagonals(rule: Diagonals, row: Squares, column: Squares) -> list[Squares]:
    """Return the falling and the rising diagonal of each square; there is none when queens only may not touch."""
    n = len(row)
    match rule:
        case Diagonals.FULL:
            return [row - column + n - 1, row + column]
        case Diagonals.MODULAR:
            return [(row - column) % n, (row + column) % n]
        case Diagonals.ADJACENT:
            return []


def _corners(board: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return views of all pairs of squares, upper and lower, that share a corner: falling, then rising."""
    return [(board[:-1, :-1], board[1:, 1:]), (board[:-1, 1:], board[1:, :-1])]
