"""SolutionSet against Python's own sets of tuples; packing and text against plain Python."""

from __future__ import annotations

import hashlib
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nqueens_models.solutions import (
    SolutionSet,
    columns_text,
    first_of_equals,
    lexicographic_order,
    packed_rows,
)

Rows = list[tuple[int, ...]]
STRANGERS = [(1, 3, 0), (1, 3, 0, 2, 0), (2, 0, 3, 2), (1, 3, 0, -2), (1, 3, 0, 999), "1302", (None,) * 4, 1302]
WRONG = [
    [(0, 1)],
    [(0, 1, 2), (0, 1)],
    [(0, 1, 3)],
    [(0, 1, -1)],
    [(0.0, 1.0, 2.0)],
    [()],
    ["012"],
    [(0, 1, 2**70)],
]
WIDTHS = [0, 1, 2, 3, 8, 16, 17, 32, 33, 64, 65, 255, 256, 300]


@st.composite
def rows(draw: st.DrawFn, max_size: int = 12) -> tuple[int, Rows]:
    """Rows of n numbers of 0..n-1, many of them equal at the start or altogether."""
    n = draw(st.sampled_from(WIDTHS))
    column = st.integers(0, max(0, n - 1))
    base = draw(st.lists(column, min_size=n, max_size=n))
    changes = draw(st.lists(st.dictionaries(column, column, max_size=3), max_size=max_size))
    return n, [tuple(change.get(i, column) for i, column in enumerate(base)) for change in changes]


def pairs(n: int = 3) -> st.SearchStrategy[tuple[set[tuple[int, ...]], set[tuple[int, ...]]]]:
    few = st.sets(st.sampled_from(list(permutations(range(n)))))
    return st.tuples(few, few)


def as_array(n: int, data: Rows) -> NDArray[np.int64]:
    return np.array(data, dtype=np.int64).reshape(len(data), n)


@given(rows())
def test_behaves_as_a_sorted_set_of_tuples(case: tuple[int, Rows]) -> None:
    n, data = case
    expected = set(data)
    for given_rows in (data, iter(data), as_array(n, data), as_array(n, data).astype(np.uint16), expected):
        made = SolutionSet(n, given_rows)
        assert list(made) == sorted(expected)
        assert len(made) == len(expected)
        assert made == expected
        assert hash(made) == hash(frozenset(expected))
        assert made.n == n
        assert made.array.shape == (len(expected), n)
        assert made.array.dtype == np.min_scalar_type(n)
        forms: list[object] = [form for row in data for form in (row, list(row), np.array(row, dtype=int))]
        assert all(form in made for form in forms)


@given(pairs())
def test_set_operations(case: tuple[set[tuple[int, ...]], set[tuple[int, ...]]]) -> None:
    left, right = case
    mine, theirs = SolutionSet(3, left), SolutionSet(3, right)
    for other in (theirs, right, frozenset(right)):
        results = {"&": mine & other, "|": mine | other, "-": mine - other, "^": mine ^ other}
        wanted = {"&": left & right, "|": left | right, "-": left - right, "^": left ^ right}
        for sign, result in results.items():
            assert isinstance(result, SolutionSet), sign
            assert list(result) == sorted(wanted[sign]), sign
        assert (mine <= other) == (left <= right)
        assert (mine < other) == (left < right)
        assert (mine >= other) == (left >= right)
        assert (mine > other) == (left > right)
        assert (mine == other) == (left == right)
        assert (mine != other) == (left != right)
        assert mine.isdisjoint(other) == left.isdisjoint(right)


@given(pairs())
def test_set_operations_with_a_set_on_the_left(case: tuple[set[tuple[int, ...]], set[tuple[int, ...]]]) -> None:
    left, right = case
    theirs = SolutionSet(3, right)
    assert left & theirs == left & right
    assert left | theirs == left | right
    assert left - theirs == left - right
    assert left ^ theirs == left ^ right
    assert (left <= theirs) == (left <= right)


@pytest.mark.parametrize("stranger", STRANGERS)
def test_membership_of_strangers(stranger: object) -> None:
    assert stranger not in SolutionSet(4, [(1, 3, 0, 2), (2, 0, 3, 1)])


def test_no_placement_and_one_empty_placement_differ() -> None:
    none, one = SolutionSet(0), SolutionSet(0, [()])
    assert (len(none), len(one)) == (0, 1)
    assert none != one
    assert none.fingerprint != one.fingerprint
    assert list(one) == [()]
    assert () in one
    assert () not in none
    assert SolutionSet(0, [(), ()]) == one
    assert one.array.shape == (1, 0)
    assert b"".join(one.canonical_bytes()) == b"\n"
    assert one - none == one
    assert one & none == none


def test_boards_of_different_size_do_not_mix() -> None:
    assert SolutionSet(3) != SolutionSet(4)
    assert not SolutionSet(3) <= SolutionSet(4)
    with pytest.raises(ValueError, match="3 and of 4 queens"):
        SolutionSet(3) | SolutionSet(4)


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_placements(wrong: Rows) -> None:
    with pytest.raises(ValueError, match=r"of 3 queens|inhomogeneous"):
        SolutionSet(3, wrong)
    with pytest.raises(ValueError, match="of 3 queens"):
        SolutionSet(3, np.zeros((2, 0), dtype=np.int64))


def test_the_array_is_a_copy_and_read_only() -> None:
    source = np.array([[1, 0], [0, 1]])
    made = SolutionSet(2, source)
    source[:] = 0
    assert list(made) == [(0, 1), (1, 0)]
    for one in (made, made | made, pickle.loads(pickle.dumps(made))):
        with pytest.raises(ValueError, match="read-only"):
            one.array[0, 0] = 1
    assert pickle.loads(pickle.dumps(made)) == made


@given(rows())
@example((300, [tuple(range(300)), tuple(reversed(range(300)))]))
def test_fingerprint_is_of_the_text(case: tuple[int, Rows]) -> None:
    n, data = case
    made = SolutionSet(n, data)
    text = "".join(" ".join(map(str, row)) + "\n" for row in sorted(set(data)))
    assert b"".join(made.canonical_bytes()).decode("ascii") == text
    assert made.fingerprint == hashlib.sha256(text.encode("ascii")).hexdigest()
    assert made.fingerprint == SolutionSet(n, reversed(data)).fingerprint


@given(rows(), st.sampled_from([0, 1]), st.sampled_from([" ", ",", ", ", ""]))
def test_columns_text(case: tuple[int, Rows], base: int, separator: str) -> None:
    n, data = case
    wanted = "".join(separator.join(str(column + base) for column in row) + "\n" for row in data)
    assert b"".join(columns_text(as_array(n, data), base, separator)).decode("ascii") == wanted


def test_columns_text_of_many_lines_comes_in_pieces() -> None:
    array = np.tile(np.arange(12, dtype=np.uint8), (100_000, 1))
    pieces = list(columns_text(array))
    assert len(pieces) > 1
    assert b"".join(pieces) == b"0 1 2 3 4 5 6 7 8 9 10 11\n" * 100_000


@given(rows(max_size=20))
def test_packed_rows_compare_as_the_rows_do(case: tuple[int, Rows]) -> None:
    n, data = case
    words = packed_rows(as_array(n, data))
    packed = [tuple(column.tolist()) for column in words.T]
    assert words.shape[0] >= 1
    for row, word in zip(data, packed, strict=True):
        for other_row, other_word in zip(data, packed, strict=True):
            assert (row < other_row) == (word < other_word)
            assert (row == other_row) == (word == other_word)


@pytest.mark.parametrize("n", WIDTHS[1:])
def test_packed_rows_tell_every_column_apart(n: int) -> None:
    """The greatest and least value in every place: nothing is shifted out, nothing spills into its neighbour."""
    low, high = np.zeros((n, n), dtype=np.int64), np.full((n, n), n - 1, dtype=np.int64)
    np.fill_diagonal(low, n - 1)
    np.fill_diagonal(high, 0)
    data = [tuple(row.tolist()) for row in np.concatenate([low, high])]
    packed = [tuple(column.tolist()) for column in packed_rows(as_array(n, data)).T]
    assert [data[i] for i in sorted(range(2 * n), key=packed.__getitem__)] == sorted(data)
    assert len(set(packed)) == len(set(data))


@given(rows(max_size=20))
def test_order_and_repetitions(case: tuple[int, Rows]) -> None:
    n, data = case
    array = as_array(n, data)
    order = lexicographic_order(array)
    assert sorted(order.tolist()) == list(range(len(data)))
    assert [data[i] for i in order] == sorted(data)
    ordered = sorted(data)
    wanted = [i == 0 or ordered[i] != ordered[i - 1] for i in range(len(ordered))]
    assert first_of_equals(array[order]).tolist() == wanted


def test_what_it_says_of_itself() -> None:
    assert repr(SolutionSet(4, [(1, 3, 0, 2)])) == "<SolutionSet of 1 placements of 4 queens>"
