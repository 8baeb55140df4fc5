"""Halves against a plain product, and the join of two lists against looking at every pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.bitmask import quadrant_lists as lists
from nqueens_models.engines.bitmask.bit_rows import Words
from nqueens_models.engines.bitmask.quadrant_tables import Part, Table, build_tables

SHARED = [8, 9, 10, 14, 15, 30, 34, 38, 40, 42, 50]
SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 513, 700, 1024, 1025]
VALUES: dict[int, Callable[[int, int], float]] = {
    lists.ANY_COLUMNS: lambda columns, others: -1,
    lists.MIRRORED_COLUMNS: lambda columns, others: max(columns, others),
    lists.CENTRE_COLUMN: lambda columns, others: others // 2 if columns % 2 else math.inf,
}
"""What each rule compares with the bound."""


def words_of(table: Table, rows: int, columns: int) -> list[int]:
    index = rows << table.width | columns
    return [int(word) for word in table.words[table.starts[index] : table.starts[index + 1]]]


def product_half(north: Table, south: Table, a: int, b: int, keeps: Callable[[int, int], bool]) -> list[int]:
    """Return the compatible pairs with rows a and b of all column sets that the function keeps, sorted."""
    every_column = (1 << north.width) - 1
    return sorted(
        one | other
        for columns in range(every_column + 1)
        if keeps(columns, every_column ^ columns)
        for one, other in product(words_of(north, a, columns), words_of(south, b, every_column ^ columns))
        if one & other == 0
    )


@pytest.mark.parametrize("rule", VALUES)
@pytest.mark.parametrize(("size", "part"), [(8, Part.EVEN), (9, Part.CENTRE_QUEEN), (9, Part.CENTRE_EMPTY)])
def test_halves_are_the_compatible_pairs_on_either_side_of_the_bound(size: int, part: Part, rule: int) -> None:
    tables = build_tables(size, part)
    north, south = tables.north_east, tables.south_east
    buffer = np.empty(1 << 12, np.uint64)
    row_sets = product(range(1 << north.height), range(1 << south.height))
    for a, b in [pair for pair in row_sets if pair[0].bit_count() + pair[1].bit_count() == north.width]:
        bound = 9 if a % 2 else 5
        half = lists.list_half(north, south, a, b, rule, bound, buffer)
        below = product_half(north, south, a, b, lambda *sets: VALUES[rule](*sets) < bound)  # noqa: B023
        at = product_half(north, south, a, b, lambda *sets: VALUES[rule](*sets) == bound)  # noqa: B023
        assert sorted(half.words[: half.below].tolist()) == below
        assert sorted(half.words[half.below : half.total].tolist()) == at


def test_a_list_that_may_not_fit_is_reported_and_nothing_is_written_beyond_it() -> None:
    tables = build_tables(8, Part.EVEN)
    arguments = tables.north_east, tables.south_east, 0b0110, 0b1001, lists.ANY_COLUMNS, 0
    needed = lists.list_half(*arguments, np.empty(1 << 12, np.uint64)).total
    totals = []
    for size in range(1, 2 * needed):
        buffer = np.zeros(2 * needed, np.uint64)
        totals.append(lists.list_half(*arguments, buffer[:size]).total)
        assert not buffer[size:].any()
    assert set(totals[:needed]) == {lists.FULL}
    assert set(totals) == {lists.FULL, needed}


@given(st.integers(0, 12), st.integers(0, 12))
def test_subsets_of_a_size_follow_each_other(width: int, size: int) -> None:
    every_bit = (1 << width) - 1
    found, bits = [], (1 << size) - 1
    while bits <= every_bit:
        found.append(bits)
        bits = lists.next_subset(bits, every_bit)
    assert found == [bits for bits in range(every_bit + 1) if bits.bit_count() == size]


def random_words(rng: np.random.Generator, size: int, density: float) -> Words:
    """Return words whose bits are set with this likelihood on average, some more often than others."""
    likelihoods = np.clip(density * rng.uniform(0, 2, 64), 0, 1)
    bits = rng.random((size, 64)) < likelihoods
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)[:, 0]


def naive_count(one: lists.HalfList, other: lists.HalfList, shared: int) -> int:
    mask = np.uint64((1 << shared) - 1)
    some, others = one.words[: one.total] & mask, other.words[: other.total] & mask
    disjoint = some[:, None] & others == 0
    return int(disjoint.sum() + disjoint[: one.below, : other.below].sum())


def joined(one: lists.HalfList, other: lists.HalfList, shared: int) -> int:
    scratch = lists.make_scratch(max(one.total, other.total) + 1, shared)
    return lists.count_disjoint_pairs(one, other, shared, scratch)


@pytest.mark.parametrize("shared", SHARED)
def test_the_join_counts_the_disjoint_pairs(shared: int) -> None:
    rng = np.random.default_rng(shared)
    for size, other_size in product(SIZES, SIZES):
        density = rng.choice([0.02, 0.1, 0.25])
        one, other = random_words(rng, size, density), random_words(rng, other_size, density)
        halves = lists.HalfList(one, size, size), lists.HalfList(other, other_size // 2, other_size)
        assert joined(*halves, shared) == naive_count(*halves, shared)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(8, 52), st.sampled_from([0.0, 0.05, 0.2, 1.0]), st.integers(0, 99))
def test_a_pair_weighs_twice_if_both_words_are_below_the_bound(
    data: st.DataObject, shared: int, density: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    halves = []
    for _ in range(2):
        total = data.draw(st.integers(0, 600))
        below = data.draw(st.integers(0, total))
        halves.append(lists.HalfList(random_words(rng, total, density), below, total))
    assert joined(halves[0], halves[1], shared) == naive_count(halves[0], halves[1], shared)


def test_memory_of_a_larger_join_serves_a_smaller_one() -> None:
    rng = np.random.default_rng(7)
    scratch = lists.make_scratch(4096, 52)
    for shared in (52, 9, 30, 8, 52):
        one, other = (lists.HalfList(random_words(rng, 600, 0.1), 300, 600) for _ in range(2))
        assert lists.count_disjoint_pairs(one, other, shared, scratch) == naive_count(one, other, shared)


@given(st.lists(st.floats(0, 1), min_size=8, max_size=20))
def test_the_window_is_the_likeliest_to_clash(clashes: list[float]) -> None:
    def no_clash(shift: int) -> float:
        return math.prod(1 - clash for clash in clashes[shift : shift + 8])

    shift = lists.likeliest_window(np.array(clashes), len(clashes))
    assert no_clash(shift) == min(map(no_clash, range(len(clashes) - 7)))


@given(st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_keys_follow_each_other_by_their_likeliest_bits(clashes: list[float]) -> None:
    keys = lists.keys_by_likelihood(np.array(clashes)).tolist()
    ranked = sorted(range(8), key=lambda bit: (clashes[bit], bit), reverse=True)
    assert keys == sorted(range(256), key=lambda key: [key >> bit & 1 for bit in ranked])
