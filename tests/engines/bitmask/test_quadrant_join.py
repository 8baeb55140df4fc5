"""Row splits, weights and totals of the four-quadrant join."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
import threading
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.bitmask import quadrant_join
from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin, count_plain, row_splits
from nqueens_models.engines.bitmask.quadrant_lists import (
    ANY_COLUMNS,
    count_disjoint_pairs,
    list_half,
    make_scratch,
)
from nqueens_models.engines.bitmask.quadrant_tables import Part, Tables, build_tables, parts
from nqueens_models.errors import InvalidInput

REFERENCE = json.loads((Path(__file__).parents[2] / "data" / "reference-numbers.json").read_text())
A000170: list[int] = REFERENCE["A000170"]["values"]


@pytest.mark.parametrize("size", range(6, 19))
def test_the_total_is_that_of_the_oeis(size: int) -> None:
    assert count_plain(size) == A000170[size]


def test_a_processor_without_long_vectors_counts_the_same() -> None:
    """Other row widths, and vectors that LLVM must take apart."""
    program = f"from {quadrant_join.__name__} import *; print(count_plain(12), count_plain(13), count_plain(14))"
    variables = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    output = subprocess.run(
        [sys.executable, "-c", program], env=variables, stdout=subprocess.PIPE, check=True
    ).stdout
    assert output.split() == [str(A000170[n]).encode() for n in (12, 13, 14)]


# ---------------------------------------------------------------------------------------------- weights


def count_without_symmetry(tables: Tables, a: int, b: int) -> int:
    """Return the number of boards with these rows in the east, all columns allowed."""
    scratch = make_scratch(1 << 14, tables.shared)
    others = (1 << tables.north_east.height) - 1 - a, (1 << tables.south_east.height) - 1 - b
    east = list_half(tables.north_east, tables.south_east, a, b, ANY_COLUMNS, 0, scratch.east)
    west = list_half(tables.north_west, tables.south_west, *others, ANY_COLUMNS, 0, scratch.west)
    twice = count_disjoint_pairs(east, west, tables.shared, scratch)
    assert twice % 2 == 0  # all words are below the bound
    return twice // 2


def row_pairs(tables: Tables) -> list[tuple[int, int]]:
    north, south = tables.north_east, tables.south_east
    every = itertools.product(range(1 << north.height), range(1 << south.height))
    return [(a, b) for a, b in every if a.bit_count() + b.bit_count() == north.width]


@pytest.mark.parametrize(("size", "part"), [(8, Part.EVEN), (9, Part.CENTRE_QUEEN), (10, Part.EVEN)])
def test_images_of_a_row_split_count_alike(size: int, part: Part) -> None:
    tables = build_tables(size, part)
    counts = {pair: count_without_symmetry(tables, *pair) for pair in row_pairs(tables)}
    every_row = (1 << size // 2) - 1
    for (a, b), count in counts.items():
        assert (
            counts[b, a] == counts[every_row ^ a, every_row ^ b] == counts[every_row ^ b, every_row ^ a] == count
        )
    if part is Part.EVEN:
        assert sum(counts.values()) == A000170[size]


@pytest.mark.parametrize("size", [7, 9, 11])
def test_without_symmetry_a_board_of_odd_size_is_one_part(size: int) -> None:
    """The tables for an empty centre do not forbid a queen there: that is left to the choice of row splits."""
    tables = build_tables(size, Part.CENTRE_EMPTY)
    assert sum(count_without_symmetry(tables, a, b) for a, b in row_pairs(tables)) == A000170[size]


@pytest.mark.parametrize("size", [8, 9, 10, 11])
def test_each_part_counts_what_it_says(size: int) -> None:
    join = QuadrantJoin(size)
    first = 0
    for board in join.boards:
        tables, symmetric = board.tables, join.count(first, first + len(board.row_splits))
        every = sum(count_without_symmetry(tables, a, b) for a, b in row_pairs(tables))
        if board.part == Part.CENTRE_EMPTY:
            centre_queen = build_tables(size, Part.CENTRE_QUEEN)
            every -= sum(count_without_symmetry(centre_queen, a, b) for a, b in row_pairs(centre_queen))
        assert symmetric == every
        first += len(board.row_splits)
    assert first == join.row_splits


@pytest.mark.parametrize("n", range(3, 11))
def test_row_splits_and_their_images_are_all_row_pairs(n: int) -> None:
    splits = row_splits(n, Part.EVEN)
    every_row = (1 << n) - 1
    covered: set[tuple[int, int]] = set()
    for a, b, weight in splits.tolist():
        images = {(a, b), (b, a), (every_row ^ a, every_row ^ b), (every_row ^ b, every_row ^ a)}
        assert len(images) == weight
        assert (a, b) == min(images)
        assert not images & covered
        covered |= images
    assert len(covered) == math.comb(2 * n, n)
    assert (row_splits(n, Part.CENTRE_QUEEN) == splits).all()


@pytest.mark.parametrize("n", range(3, 10))
def test_row_splits_of_an_empty_centre_have_its_row_in_the_west(n: int) -> None:
    a, b, weight = row_splits(n, Part.CENTRE_EMPTY).T
    assert set(weight.tolist()) == {4}
    assert not (b & 1).any()
    assert (np.bitwise_count(a) + np.bitwise_count(b) == n + 1).all()
    assert len(set(zip(a.tolist(), b.tolist(), strict=True))) == math.comb(2 * n, n + 1)


# ---------------------------------------------------------------------------------------------- ranges, threads


@settings(max_examples=30, deadline=None)
@given(st.integers(10, 12), st.data())
def test_ranges_add_up_however_they_are_cut(size: int, data: st.DataObject) -> None:
    join = QuadrantJoin(size)
    cuts = sorted(data.draw(st.lists(st.integers(0, join.row_splits), max_size=6)))
    ends = [0, *cuts, join.row_splits]
    assert sum(join.count(*ends[k : k + 2]) for k in range(len(ends) - 1)) == A000170[size]


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("size", [6, 7, 12, 13, 15])
def test_threads_count_each_row_split_once(size: int, workers: int) -> None:
    join = QuadrantJoin(size)
    ranges = sorted(join.iterate(workers))
    assert [ranges[0].start, *(r.stop for r in ranges)] == [*(r.start for r in ranges), join.row_splits]
    assert sum(r.solutions for r in ranges) == count_plain(size, workers) == A000170[size]
    assert all(join.count(r.start, r.stop) == r.solutions for r in ranges[::7])


def test_lists_that_are_too_long_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quadrant_join, "FIRST_CAPACITY", 1)
    grown = Mock(side_effect=make_scratch)
    monkeypatch.setattr(quadrant_join, "make_scratch", grown)
    for size, workers in ((8, 1), (9, 1), (13, 2)):
        assert count_plain(size, workers) == A000170[size]
    assert grown.call_count > 6


class StopCount(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("workers", [1, 2])
def test_what_check_raises_ends_the_count_and_its_threads(workers: int) -> None:
    before, calls = threading.active_count(), []

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise StopCount

    with pytest.raises(StopCount):
        count_plain(16, workers, check)
    assert len(calls) == 3
    assert threading.active_count() == before


@pytest.mark.parametrize(("size", "shapes"), [(8, 1), (9, 5)])
def test_the_clock_is_looked_at_between_tables(size: int, shapes: int) -> None:
    calls: list[int] = []
    QuadrantJoin(size, lambda: calls.append(1))
    assert len(calls) == shapes

    def check() -> None:
        raise StopCount

    with pytest.raises(StopCount):
        QuadrantJoin(size, check)


def test_an_abandoned_iteration_leaves_no_threads() -> None:
    before = threading.active_count()
    iteration = QuadrantJoin(15).iterate(2)
    next(iteration)
    iteration.close()
    assert threading.active_count() == before


def test_an_error_in_a_thread_propagates(monkeypatch: pytest.MonkeyPatch) -> None:
    before, join = threading.active_count(), QuadrantJoin(12)
    monkeypatch.setattr(quadrant_join, "make_scratch", Mock(side_effect=MemoryError))
    with pytest.raises(MemoryError):
        list(join.iterate(2))
    assert threading.active_count() == before


@pytest.mark.parametrize("size", [-1, 0, 5, 25, 100])
def test_sizes_out_of_range_are_refused(size: int) -> None:
    with pytest.raises(InvalidInput, match="6 to 24"):
        count_plain(size)


def test_parts_of_a_size() -> None:
    assert parts(8) == (Part.EVEN,)
    assert parts(9) == (Part.CENTRE_QUEEN, Part.CENTRE_EMPTY)
