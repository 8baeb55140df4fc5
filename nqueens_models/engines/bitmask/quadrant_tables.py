"""The boards of the four-quadrant join, and the tables of every placement of a quadrant.

A board of N = 2n or 2n + 1 rows is split between its middle rows and columns into four quadrants. Rows and columns
of a quadrant are counted from the split lines outward; sets of them are bit masks. A queen matters to the other
quadrants by its row, its column and those of its diagonals that reach another quadrant: the latter are its *word*.
Two placements with disjoint rows and columns do not attack each other iff the AND of their words is 0.

Boards (Part):
    EVEN          N = 2n; four quadrants of n x n
    CENTRE_QUEEN  N = 2n + 1; a queen in the centre, its row, column and diagonals left out; four of n x n
    CENTRE_EMPTY  N = 2n + 1; the centre row goes with the south, the centre column with the east
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from nqueens_models.engines.bitmask.bit_rows import Words
from nqueens_models.engines.bitmask.compiled import kernel

Diagonal = tuple[str, int]
"""("/", row + column) or ("\\", row - column)."""

ONE = np.uint64(1)


class Part(IntEnum):
    """Which boards: with an even number of rows, or an odd one with the centre square occupied or empty."""

    EVEN = 0
    CENTRE_QUEEN = 1
    CENTRE_EMPTY = 2


def parts(size: int) -> tuple[Part, ...]:
    """Return the parts that together make up all boards of `size` rows."""
    return (Part.CENTRE_QUEEN, Part.CENTRE_EMPTY) if size % 2 else (Part.EVEN,)


class Quadrant(NamedTuple):
    """The board's rows and columns that make up a quadrant, from the split lines outward."""

    rows: range
    columns: range


class Quadrants(NamedTuple):
    """The quadrants of a board."""

    north_east: Quadrant
    south_east: Quadrant
    north_west: Quadrant
    south_west: Quadrant


class Table(NamedTuple):
    """Every placement of a quadrant, as words.

    Those with queens in exactly the rows R and the columns C are words[starts[k]:starts[k + 1]], where
    k = R << width | C; the quadrant has `height` rows and `width` columns.
    """

    starts: NDArray[np.uint32]
    words: Words
    height: int
    width: int


class Tables(NamedTuple):
    """The tables of the quadrants of a board.

    The bits of a word that both an east and a west quadrant can have are the `shared` lowest ones.
    """

    north_east: Table
    south_east: Table
    north_west: Table
    south_west: Table
    shared: int


def quadrants(size: int, part: Part) -> Quadrants:
    """Return where the quadrants of a board of `size` rows lie."""
    n = size // 2
    first_row = first_column = n + (part is Part.CENTRE_QUEEN)
    north, south = range(n - 1, -1, -1), range(first_row, size)
    west, east = range(n - 1, -1, -1), range(first_column, size)
    return Quadrants(Quadrant(north, east), Quadrant(south, east), Quadrant(north, west), Quadrant(south, west))


def diagonals(quadrant: Quadrant) -> set[Diagonal]:
    """Return the diagonals that cross a quadrant."""
    squares = list(product(quadrant.rows, quadrant.columns))
    return {diagonal for row, column in squares for diagonal in diagonals_of(row, column)}


def diagonals_of(row: int, column: int) -> tuple[Diagonal, Diagonal]:
    """Return the two diagonals of a square."""
    return ("/", row + column), ("\\", row - column)


def diagonal_bits(board: Quadrants) -> tuple[dict[Diagonal, int], int]:
    """Number the diagonals that cross more than one quadrant; return the numbers and how many are shared.

    Those that the east shares with the west come first, neighbours next to each other.
    """
    north_east, south_east, north_west, south_west = map(diagonals, board)
    shared = (north_east | south_east) & (north_west | south_west)
    within = ((north_east & south_east) | (north_west & south_west)) - shared
    order = sorted(shared) + sorted(within)
    return {diagonal: bit for bit, diagonal in enumerate(order)}, len(shared)


def square_words(quadrant: Quadrant, bits: dict[Diagonal, int]) -> Words:
    """Return the word of a queen on each square of a quadrant."""

    def word(row: int, column: int) -> int:
        return sum(1 << bits[diagonal] for diagonal in diagonals_of(row, column) if diagonal in bits)

    return np.array([[word(row, column) for column in quadrant.columns] for row in quadrant.rows], np.uint64)


def build_tables(size: int, part: Part, check: Callable[[], None] | None = None) -> Tables:
    """Return the tables of a board; they take about 29 MB for 18 rows, 240 MB for 20, 2 GB for 22.

    `check` is called before those of each shape, which take 0.2 s for 19 rows, 1.4 s for 21; it may raise.
    """
    board = quadrants(size, part)
    bits, shared = diagonal_bits(board)
    words = [square_words(quadrant, bits) for quadrant in board]
    tables: list[Table] = []
    for own in [[own] for own in words] if part is Part.CENTRE_EMPTY else [words]:
        if check:
            check()
        tables += placements(np.array(own), part is Part.CENTRE_QUEEN)
    north_east, south_east, north_west, south_west = tables
    return Tables(north_east, south_east, north_west, south_west, shared)


def placements(words: Words, centre_queen: bool) -> list[Table]:
    """Return the tables of quadrants of one shape.

    words: shape (quadrants, height, width), each square's word; the placements are the same in all.
    centre_queen: whether a queen outside the quadrant attacks its main diagonal.
    """
    _, height, width = words.shape
    attacks = local_attacks(height, width)
    main_diagonal = attacks[0, 0] & attacks[1, 1]
    starts, listed = list_placements(words, attacks, main_diagonal if centre_queen else np.uint64(0))
    return [Table(starts, own, height, width) for own in listed]


def local_attacks(height: int, width: int) -> Words:
    """Return, for each square of a quadrant, its column and both its diagonals as bits."""
    row, column = np.indices((height, width), np.uint64)
    last = np.uint64(width - 1)
    slash = np.uint64(width) + row + column
    backslash = np.uint64(2 * width + height - 1) + row + last - column
    attacks: Words = ONE << column | ONE << slash | ONE << backslash
    return attacks


@kernel
def list_placements(
    squares: Words, attacks: Words, attacked: np.uint64
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Return `starts` and `words` of Table, words with one line a quadrant.

    Row sets in ascending order: a set's list is the list of the set without its highest row, plus a queen in it.
    """
    quadrants, height, width = squares.shape
    starts = np.zeros((1 << (height + width)) + 1, np.uint32)
    for columns in range(1 << width):
        starts[columns + 1] = 1
    occupied = np.full(1, attacked)  # what the queens of each placement attack, as in `attacks`
    words = np.zeros((quadrants, 1), np.uint64)
    for rows in range(1, 1 << height):
        row = highest_bit(rows)
        parent = (rows ^ (1 << row)) << width
        ends = reserve(starts, parent, rows << width, occupied, attacks[row])
        total = starts[(rows + 1) << width]
        if total > len(occupied):
            occupied, words = doubled(occupied, words, total)
        extend(starts, parent, ends, occupied, attacks[row], words, squares[:, row])
    return starts, words


@kernel
def highest_bit(bits: int) -> int:
    """Return the number of the highest bit of an integer above 0."""
    number = 0
    while bits >> (number + 1):
        number += 1
    return number


@kernel
def reserve(
    starts: NDArray[np.uint32], parent: int, own: int, occupied: Words, attacks: Words
) -> NDArray[np.int64]:
    """Count the placements that extend those of `parent` by one row; set their starts and return a copy."""
    width = len(attacks)
    ends = np.zeros(1 << width, np.int64)
    for columns in range(1 << width):
        for placement in range(starts[parent + columns], starts[parent + columns + 1]):
            for column in range(width):
                ends[columns | 1 << column] += occupied[placement] & attacks[column] == 0
    total = int64(starts[own])
    for columns in range(1 << width):
        ends[columns], total = total, total + ends[columns]
        starts[own + columns + 1] = total
    return ends


@kernel
def doubled(occupied: Words, words: Words, needed: int) -> tuple[Words, NDArray[np.uint64]]:
    """Return the two arrays with room for `needed` placements, and as many again."""
    used = len(occupied)
    longer, wider = np.empty(2 * needed, np.uint64), np.empty((len(words), 2 * needed), np.uint64)
    for placement in range(used):
        longer[placement] = occupied[placement]
        for quadrant in range(len(words)):
            wider[quadrant, placement] = words[quadrant, placement]
    return longer, wider


@kernel
def extend(
    starts: NDArray[np.uint32],
    parent: int,
    ends: NDArray[np.int64],
    occupied: Words,
    attacks: Words,
    words: NDArray[np.uint64],
    squares: NDArray[np.uint64],
) -> None:
    """Append the placements that extend those of `parent` by one row, each where its column set's list ends."""
    for columns in range(len(ends)):
        for placement in range(starts[parent + columns], starts[parent + columns + 1]):
            for column in range(len(attacks)):
                if occupied[placement] & attacks[column] == 0:
                    new = ends[columns | 1 << column]
                    ends[columns | 1 << column] += 1
                    occupied[new] = occupied[placement] | attacks[column]
                    for quadrant in range(len(words)):
                        words[quadrant, new] = words[quadrant, placement] | squares[quadrant, column]
