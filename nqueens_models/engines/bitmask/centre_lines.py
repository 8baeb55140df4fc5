"""Starts: the queens of the board's centre lines, one placement of them for each orbit.

The queens of the centre lines (rows and columns) attack most of the board, so a search that places them first
visits few nodes. The symmetries of the instance permute the centre lines, and so the *starts*: of each orbit only
the least needs to be searched, and each completion of it stands for one solution under each of the distinct images
of the start. That leaves nothing to check at the solutions. Where there is no symmetry, orbits are single starts.

A block of placements here has NONE where a row has no queen yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Diagonals, Instance

Placements = NDArray[np.uint8]
Integers = NDArray[np.int64]

NONE = 255
TRANSPOSE, REVERSE_ROWS, REVERSE_COLUMNS = 4, 2, 1
"""A symmetry is a sum of these, done in this order: 0 to 7."""


class Starts(NamedTuple):
    """The least start of each of k orbits."""

    placements: Placements  # (k, n)
    images: Integers  #       (k,): bit s is set if symmetry s gives an image that no smaller s gives


def starts(instance: Instance) -> Starts:
    """Return the starts of an instance whose fixed queens do not attack each other; n is 254 at the most."""
    block = np.full((1, instance.n), NONE, dtype=np.uint8)
    for row, column in instance.fixed:
        block[0, row] = column
    free = instance.unblocked()
    for lines in centre_lines(instance.n):
        block = _with_queen_on(block, lines, free, instance.diagonals)
    return _least(block, symmetries(instance))


def centre_lines(n: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield rows and columns of the squares of each line: the two rows and columns in the middle, or the one."""
    along = np.arange(n)
    middles = range((n - 1) // 2, n // 2 + 1) if n else range(0)
    for middle in middles:
        yield np.full(n, middle), along
    for middle in middles:
        yield along, np.full(n, middle)


def symmetries(instance: Instance) -> list[int]:
    """Return those of the eight symmetries of the square that preserve the fixed and the blocked squares."""
    squares = [np.array(part, dtype=np.int64).reshape(-1, 2).T for part in (instance.fixed, instance.blocked)]
    return [
        symmetry
        for symmetry in range(8)
        if all(_same(part, np.stack(_moved(part[0], part[1], symmetry, instance.n))) for part in squares)
    ]


def _same(first: Integers, second: Integers) -> bool:
    """Return whether two arrays of squares, shape (2, k), are one set."""
    return set(zip(*first.tolist(), strict=True)) == set(zip(*second.tolist(), strict=True))


def _moved(rows: Integers, columns: Integers, symmetry: int, n: int) -> tuple[Integers, Integers]:
    """Return the images of squares."""
    if symmetry & TRANSPOSE:
        rows, columns = columns, rows
    return (
        n - 1 - rows if symmetry & REVERSE_ROWS else rows,
        n - 1 - columns if symmetry & REVERSE_COLUMNS else columns,
    )


def _with_queen_on(
    block: Placements, line: tuple[Integers, Integers], free: NDArray[np.bool_], diagonals: Diagonals
) -> Placements:
    """Return the placements that hold a queen on the line, and the others with one more queen, in every way."""
    holds = np.zeros(len(block), dtype=np.bool_)
    for row, column in zip(*line, strict=True):
        holds |= block[:, row] == column
    parts = [block[holds]]
    block = block[~holds]
    for row, column in zip(*line, strict=True):
        if free[row, column]:
            more = block[~_attacked(block, row, column, diagonals)]
            more[:, row] = column
            parts.append(more)
    return np.concatenate(parts)


def _attacked(block: Placements, row: int, column: int, diagonals: Diagonals) -> NDArray[np.bool_]:
    """Return which placements attack a square (or hold a queen in its row)."""
    n = block.shape[1]
    down = np.abs(np.arange(n) - row)
    right = np.abs(block.astype(np.int16) - column)
    if diagonals is Diagonals.ADJACENT:
        attacks = (down == 1) & (right == 1)
    else:
        attacks = down == right
        if diagonals is Diagonals.MODULAR:
            attacks |= down + right == n
    attacks |= (right == 0) | (down == 0)
    attacked: NDArray[np.bool_] = (attacks & (block != NONE)).any(axis=1)
    return attacked


def _least(block: Placements, group: list[int]) -> Starts:
    """Return the placements that are least in their orbits."""
    numbers, rows = np.nonzero(block != NONE)
    columns = block[numbers, rows].astype(np.int64)
    least = np.ones(len(block), dtype=np.bool_)
    images = np.zeros(len(block), dtype=np.int64)
    keys: list[NDArray[np.bytes_]] = []
    for symmetry in group:
        image = np.zeros_like(block)
        moved_rows, moved_columns = _moved(rows, columns, symmetry, block.shape[1])
        image[numbers, moved_rows] = moved_columns + 1
        key = _as_strings(image)
        new = np.ones(len(block), dtype=np.bool_)
        for earlier in keys:
            new &= key != earlier
        images |= new.astype(np.int64) << symmetry
        keys.append(key)
        least &= key >= keys[0]  # that of the identity
    return Starts(block[least], images[least])


def _as_strings(block: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Return each row as a string of bytes, which can be compared."""
    k, n = block.shape
    return block.view(f"S{n}")[:, 0] if n else np.zeros(k, dtype="S1")
