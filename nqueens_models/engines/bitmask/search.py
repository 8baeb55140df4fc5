"""The textbook bitmask search: three masks and the lowest set bit, row by row, in pure Python.

A set of columns is an integer whose bit c stands for column c. Of the row at hand the search knows three sets:
the columns that hold a queen, and those which the queens above attack along a diagonal. From one row to the next
an attack moves one column: the mask `left` is shifted left, towards higher columns, the mask `right` is shifted
right. What is in none of the three is free, and `free & -free` is the lowest free column: in two's complement
-x inverts every bit above the lowest set one.

Python's integers have no width, so nothing here is bound to a size of board. The masks take three integers a row
of the recursion, against an n by n table of attacked squares: O(n) words, not O(1), but no copying.
"""

from __future__ import annotations

from nqueens_models.engines.recorder import Recorder

NODES_PER_CHECK = 4096  # nodes between two looks at the clock: some milliseconds


def list_solutions(n: int, recorder: Recorder) -> None:
    """Report every solution of the plain board of n rows in lexicographic order.

    The statistic `nodes` is the number of placements of queens on the first rows, none attacking another, from
    the empty one to the solutions (A319283: 2057 for n = 8).
    """
    full = (1 << n) - 1
    placement = [0] * n
    nodes = 0

    def place(row: int, columns: int, left: int, right: int) -> None:
        nonlocal nodes
        nodes += 1
        if nodes % NODES_PER_CHECK == 0:
            recorder.check_time()
        if row == n:
            recorder.solution(placement)
            return
        free = full & ~(columns | left | right)
        while free:
            queen = free & -free
            free ^= queen
            placement[row] = queen.bit_length() - 1
            place(row + 1, columns | queen, (left | queen) << 1 & full, (right | queen) >> 1)

    recorder.built()
    try:
        place(0, 0, 0, 0)
    finally:
        recorder.statistics["nodes"] = nodes


def count_solutions(n: int, recorder: Recorder) -> None:
    """Count the solutions of the plain board of n rows; no board is kept.

    All columns are taken exactly when all rows are, so a solution is `columns == limit`. A solution and its
    mirror image differ in the first row unless that queen stands in the middle, and then in the second: the
    first of these rows that differs stays in the lower half, and each solution found there counts twice.
    """
    limit = (1 << n) - 1
    lower_half = (1 << n // 2) - 1
    middle = limit & ~(lower_half | lower_half << (n + 1) // 2)
    nodes = 0

    def count(columns: int, left: int, right: int, allowed: int, weight: int) -> None:
        nonlocal nodes
        nodes += 1
        if nodes % NODES_PER_CHECK == 0:
            recorder.check_time()
        if columns == limit:
            recorder.count(weight)
            return
        free = allowed & ~(columns | left | right)
        while free:
            queen = free & -free
            free ^= queen
            count(columns | queen, (left | queen) << 1 & limit, (right | queen) >> 1, limit, weight)

    recorder.built()
    try:
        if n < 2:
            count(0, 0, 0, limit, 1)
        else:
            count(0, 0, 0, lower_half, 2)
            if middle:
                count(middle, middle << 1, middle >> 1, lower_half, 2)
    finally:
        recorder.statistics["nodes"] = nodes
