"""The rules from first principles: what makes a placement a solution, stated once for people and once for NumPy.

Nothing here is shared with any engine. `violations` names every pair of squares that break a rule; `valid_rows`
judges a whole block of placements at once. The tests hold each against the other.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Diagonals, Instance, Square


class Rule(StrEnum):
    """The rules of the family, in the order in which violations are listed."""

    BOARD = "a queen in every row, on the board"
    COLUMN = "one queen in a column"
    DIAGONAL = "one queen on a falling diagonal"
    ANTIDIAGONAL = "one queen on a rising diagonal"
    TOUCH = "queens do not touch"
    REGION = "one queen in a region"
    BLOCKED = "no queen on a blocked square"
    FIXED = "a queen on every fixed square"


@dataclass(frozen=True)
class Violation:
    """A broken rule and the squares (0-based) that break it: two queens, or the one square concerned."""

    rule: Rule
    squares: tuple[Square, ...]


def is_solution(instance: Instance, placement: Sequence[int]) -> bool:
    """Return whether `placement` (the column of the queen of each row, 0-based) obeys every rule."""
    return next(violations(instance, placement), None) is None


def violations(instance: Instance, placement: Sequence[int]) -> Iterator[Violation]:
    """Yield every broken rule with its squares: pairs of queens first, then single squares.

    Raises TypeError for a column that is not a whole number.
    """
    n, placement = instance.n, [operator.index(column) for column in placement]
    on_board = [0 <= column < n for column in placement]
    if len(placement) != n or not all(on_board):
        off = tuple((row, column) for row, column in enumerate(placement) if row >= n or not on_board[row])
        yield Violation(Rule.BOARD, off)
        return
    queens = list(enumerate(placement))
    for first, second in combinations(queens, 2):
        for rule in broken_by_pair(instance, first, second):
            yield Violation(rule, (first, second))
    blocked = set(instance.blocked)
    yield from (Violation(Rule.BLOCKED, (queen,)) for queen in queens if queen in blocked)
    yield from (Violation(Rule.FIXED, (s,)) for s in instance.fixed if placement[s[0]] != s[1])


def broken_by_pair(instance: Instance, first: Square, second: Square) -> Iterator[Rule]:
    """Yield the rules that queens on two different squares break together (rows apart from the board's)."""
    (r1, c1), (r2, c2) = first, second
    down, right, n = r2 - r1, c2 - c1, instance.n
    if right == 0:
        yield Rule.COLUMN
    if instance.diagonals is Diagonals.FULL:
        if down == right:
            yield Rule.DIAGONAL
        if down == -right:
            yield Rule.ANTIDIAGONAL
    elif instance.diagonals is Diagonals.MODULAR:
        if (down - right) % n == 0:
            yield Rule.DIAGONAL
        if (down + right) % n == 0:
            yield Rule.ANTIDIAGONAL
    elif abs(down) == 1 and abs(right) == 1:
        yield Rule.TOUCH
    if instance.regions is not None and instance.regions[r1][c1] == instance.regions[r2][c2]:
        yield Rule.REGION


CHUNK = 1 << 14  # rows of a block judged at a time, so that they stay in the processor's cache


def valid_rows(instance: Instance, block: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return, for a block of shape (k, n), a boolean array of shape (k,): which rows are solutions."""
    if block.ndim != 2 or block.shape[1] != instance.n or not np.issubdtype(block.dtype, np.integer):
        raise ValueError(f"a block has shape (k, {instance.n}) and whole numbers, not {block.shape} {block.dtype}")
    chunks = [_valid_chunk(instance, block[start : start + CHUNK]) for start in range(0, len(block), CHUNK)]
    return np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.bool_)


def _valid_chunk(instance: Instance, chunk: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    n = instance.n
    on_board = np.asarray(((chunk >= 0) & (chunk < n)).all(axis=1))
    columns = np.ascontiguousarray(np.where(on_board[:, None], chunk, 0).T)  # one line a row of the board
    columns = columns.astype(np.min_scalar_type(-max(n, 1)))  # holds every difference of two columns
    valid = on_board & ~_pair_breaks(instance, columns)
    rows = np.arange(n)[:, None]
    if instance.blocked:
        valid &= instance.unblocked()[rows, columns].all(axis=0)
    for row, column in instance.fixed:
        valid &= columns[row] == column
    return valid


def _pair_breaks(instance: Instance, columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which placements (columns of `columns`, shape (n, k)) have two queens that break a rule.

    Queens are compared with those `down` rows below, for each `down` in turn: every pair once.
    """
    n = instance.n
    broken = np.zeros(columns.shape[1], dtype=np.bool_)
    regions = None
    if instance.regions is not None:
        regions = np.array(instance.regions)[np.arange(n)[:, None], columns]
    for down in range(1, n):
        right = columns[down:] - columns[:-down]
        broken |= _attacks(instance.diagonals, n, down, right).any(axis=0)
        if regions is not None:
            broken |= (regions[down:] == regions[:-down]).any(axis=0)
    return broken


def _attacks(diagonals: Diagonals, n: int, down: int, right: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a step of `down` rows and `right` columns joins two squares that attack each other."""
    attacks = right == 0
    if diagonals is Diagonals.FULL or (diagonals is Diagonals.ADJACENT and down == 1):
        attacks |= (right == down) | (right == -down)
    elif diagonals is Diagonals.MODULAR:
        for step in (down, down - n):  # the same step, going round the edge
            attacks |= (right == step) | (right == -step)
    return np.asarray(attacks)
