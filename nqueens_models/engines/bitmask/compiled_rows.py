"""The compiled textbook search, from starts on the centre lines, with look-ahead.

A node costs some 20 cycles however the loop over the lowest bits is written, in C or here; what helps is to visit
fewer. So the queens of the centre lines come first (`centre_lines`), and of the other rows, from top to bottom, a
queen is kept only if the next row and the one after it still have a free square. The masks are those of `search`:
columns, left and right. Rows that hold a queen are stepped over, and what the start attacks in the other rows are
masks made beforehand. Listing writes each completion's images straight into a block.

For every instance without regions whose masks fit into a word; going through the rows in order is right where
most squares are free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.bitmask.bit_rows import popcount
from nqueens_models.engines.bitmask.bits import lowest_bit
from nqueens_models.engines.bitmask.centre_lines import (
    NONE,
    REVERSE_COLUMNS,
    REVERSE_ROWS,
    TRANSPOSE,
    Placements,
    Starts,
    starts,
)
from nqueens_models.engines.bitmask.compiled import kernel
from nqueens_models.engines.bitmask.threads import Threads
from nqueens_models.engines.recorder import Recorder
from nqueens_models.instance import Diagonals, Instance

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]

MOST_ROWS = 32
NODES_PER_CALL = 1 << 22  # some 30 ms
BLOCK_BYTES = 1 << 20
_FULL, _MODULAR, _ADJACENT = range(3)
_RULES = {Diagonals.FULL: _FULL, Diagonals.MODULAR: _MODULAR, Diagonals.ADJACENT: _ADJACENT}


class Rows(NamedTuple):
    """The r rows that a start leaves without a queen, and the search through them, kept from call to call.

    All but `at` have n + 2 elements, of which r are used.
    """

    numbers: Integers
    steps: Words  #    rows from each to the next
    barred: Words  #   squares of each that cannot be used, bits beyond the board included
    columns: Words  #  of the queens in the rows above
    left: Words  #     what these attack along diagonals, in this row
    right: Words
    untried: Words
    queens: Words
    at: Integers  #    the start at hand; the row to go on with, -1 before the first; r


class Share(NamedTuple):
    """The part of the search that one worker does."""

    starts: Starts
    rows: Rows
    block: Placements


def search(recorder: Recorder, listing: bool, workers: int = 1, found: Starts | None = None) -> None:
    """Visit, or only count, every solution of an instance without regions whose fixed queens agree.

    Or the part of them that some of its starts stand for, if these are given.
    """
    instance = recorder.instance
    shares = _shares(starts(instance) if found is None else found, instance.n, listing, workers)
    total = sum(len(share.starts.images) for share in shares)
    barred, rule = _barred(instance), _RULES[instance.diagonals]
    recorder.built()
    recorder.statistics["nodes"] = 0
    with Threads(workers) as threads:
        while going := [share for share in shares if share.rows.at[0] < len(share.starts.images)]:
            done = threads.map(lambda share: advance(*share, barred, rule, NODES_PER_CALL), going)
            for share, (number, nodes) in zip(going, done, strict=True):
                recorder.statistics["nodes"] += nodes
                if listing:
                    recorder.solutions(share.block[:number])
                else:
                    recorder.count(number)
            recorder.progress(sum(int(share.rows.at[0]) for share in shares) / total)


def _shares(found: Starts, n: int, listing: bool, workers: int) -> list[Share]:
    """Deal out the starts."""
    capacity = max(8, BLOCK_BYTES // max(1, n)) if listing else 0
    return [
        Share(
            Starts(found.placements[worker::workers].copy(), found.images[worker::workers].copy()),
            _rows(n + 2),
            np.empty((capacity, n), dtype=np.uint8),
        )
        for worker in range(workers)
    ]


def _rows(size: int) -> Rows:
    words = [np.zeros(size, dtype=np.uint64) for _ in range(7)]
    return Rows._make([np.zeros(size, dtype=np.int64), *words, np.array([0, -1, 0])])


def _barred(instance: Instance) -> Words:
    """Return, for each row, the squares that are blocked and the bits beyond the board."""
    barred = np.full(instance.n, -1 << instance.n & 0xFFFF_FFFF_FFFF_FFFF, dtype=np.uint64)
    for row, column in instance.blocked:
        barred[row] |= np.uint64(1 << column)
    return barred


@kernel
def advance(
    found: Starts, rows: Rows, block: Placements, barred: Words, rule: int, most_nodes: int
) -> tuple[int, int]:
    """Search on until the block may be full, so many nodes were visited, or there are no more starts.

    Return the solutions found and the nodes. A block of no rows means that solutions are only counted.
    """
    number, nodes = 0, 0
    while rows.at[0] < len(found.images) and nodes < most_nodes and (number + 8 <= len(block) or len(block) == 0):
        start, k = rows.at[0], rows.at[1]
        placement, images = found.placements[start], found.images[start]
        if k < 0:
            rows.at[2] = enter(placement, barred, rule, rows)
            nodes += 1
            k = 0
        k, more, complete = complete_rows(rows, rule, len(barred), k, most_nodes - nodes)
        nodes += more
        if complete and len(block):
            number = write_images(placement, images, rows, block, number)
        elif complete:
            number += popcount(images)
        if k < 0:
            start, k = start + 1, -1
        rows.at[0], rows.at[1] = start, k
    return number, nodes


@kernel
def enter(placement: Placements, barred: Words, rule: int, rows: Rows) -> int:
    """Prepare the rows that a start leaves, and return their number."""
    n, r = len(placement), 0
    for row in range(n):
        if placement[row] == NONE:
            rows.numbers[r] = row
            rows.barred[r] = barred[row]
            for other in range(n):
                if placement[other] != NONE:
                    queen = np.uint64(1) << np.uint64(placement[other])
                    left, right = slide(np.uint64(0), np.uint64(0), queen, np.uint64(abs(row - other)), rule, n)
                    rows.barred[r] |= queen | left | right
            r += 1
    for k in range(r):
        rows.steps[k] = rows.numbers[k + 1] - rows.numbers[k] if k + 1 < r else 1
    rows.barred[r] = 0  # for the look-ahead of the last row but one
    rows.columns[0] = rows.left[0] = rows.right[0] = 0
    rows.untried[0] = ~rows.barred[0]
    return r


@kernel
def complete_rows(rows: Rows, rule: int, n: int, k: int, most_nodes: int) -> tuple[int, int, bool]:
    """Go on from row k to the next completion.

    Return the row to go on with, or -1 if there are no more; the nodes; whether there is a completion.
    """
    nodes, r = 0, rows.at[2]
    while k >= 0 and nodes < most_nodes:
        if k == r:
            return k - 1, nodes, True
        untried = rows.untried[k]
        if untried == 0:
            k -= 1
            continue
        queen = untried & (~untried + np.uint64(1))
        rows.untried[k] = untried ^ queen
        rows.queens[k] = queen
        nodes += 1
        columns = rows.columns[k] | queen
        left, right = slide(rows.left[k], rows.right[k], queen, rows.steps[k], rule, n)
        free = ~(columns | left | right | rows.barred[k + 1])
        if free == 0:
            continue
        left_ahead, right_ahead = slide(left, right, np.uint64(0), rows.steps[k + 1], rule, n)
        if ~(columns | left_ahead | right_ahead | rows.barred[k + 2]) == 0:
            continue
        k += 1
        rows.columns[k], rows.left[k], rows.right[k], rows.untried[k] = columns, left, right, free
    return k, nodes, False


@kernel
def slide(
    left: np.uint64, right: np.uint64, queen: np.uint64, step: np.uint64, rule: int, n: int
) -> tuple[np.uint64, np.uint64]:
    """Return what the diagonals attack some rows further down, with one more queen."""
    if rule == _FULL:
        return (left | queen) << step, (right | queen) >> step
    if rule == _ADJACENT:
        near = queen if step == 1 else np.uint64(0)
        return near << np.uint64(1), near >> np.uint64(1)
    board, round_ = (np.uint64(1) << np.uint64(n)) - np.uint64(1), np.uint64(n) - step
    left, right = left | queen, right | queen
    return (left << step | left >> round_) & board, (right >> step | right << round_) & board


@kernel
def write_images(placement: Placements, images: int, rows: Rows, block: Placements, number: int) -> int:
    """Write the images of a completion that the images of its start tell apart; return the number of solutions."""
    n, first = len(placement), number
    for symmetry in range(8):
        if not images >> symmetry & 1:
            continue
        if number == first:  # the identity is among them
            for row in range(n):
                block[number, row] = placement[row]
            for k in range(rows.at[2]):
                block[number, rows.numbers[k]] = lowest_bit(rows.queens[k])
        else:
            for row in range(n):
                r, c = np.int64(row), np.int64(block[first, row])
                if symmetry & TRANSPOSE:
                    r, c = c, r
                r = n - 1 - r if symmetry & REVERSE_ROWS else r
                c = n - 1 - c if symmetry & REVERSE_COLUMNS else c
                block[number, r] = c
        number += 1
    return number
