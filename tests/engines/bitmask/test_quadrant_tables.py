"""Tables of quadrants against every placement, found by adding queens one by one on the board itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from nqueens_models.engines.bitmask.quadrant_tables import Part, Table, build_tables, parts, quadrants

Squares = frozenset[tuple[int, int]]
BOARDS = [(size, part) for size in range(6, 10) for part in parts(size)]


def attack(one: tuple[int, int], other: tuple[int, int]) -> bool:
    down, right = one[0] - other[0], one[1] - other[1]
    return down == 0 or right == 0 or abs(down) == abs(right)


def placements(rows: range, columns: range, fixed: list[tuple[int, int]]) -> Iterator[Squares]:
    """Yield every set of squares of a quadrant that attack neither each other nor the fixed ones."""
    free = [(r, c) for r in rows for c in columns if not any(attack((r, c), f) for f in fixed)]
    found = {frozenset[tuple[int, int]]()}
    while found:
        yield from found
        found = {p | {s} for p in found for s in free if s not in p and not any(attack(s, q) for q in p)}


def key(placement: Squares, rows: range, columns: range) -> int:
    """Return the number of the row and column set of a placement, counted from the split lines."""
    row_set = sum(1 << rows.index(r) for r, _ in placement)
    return row_set << len(columns) | sum(1 << columns.index(c) for _, c in placement)


def table_words(table: Table, index: int) -> list[int]:
    return [int(word) for word in table.words[table.starts[index] : table.starts[index + 1]]]


def words_by_placement(size: int, part: Part) -> list[dict[Squares, int]]:
    """Return the word of each placement of each quadrant; where one set has several, by the diagonals they share.

    The order of the placements of a row and column set is the table's business, so they are matched by the rule
    that the word is a union over the queens: single queens are unambiguous.
    """
    board, tables = quadrants(size, part), build_tables(size, part)
    fixed = [(size // 2, size // 2)] if part is Part.CENTRE_QUEEN else []
    result = []
    for quadrant, table in zip(board, tables[:4], strict=True):
        singles = {
            square: table_words(table, key(frozenset([square]), *quadrant))[0]
            for (square,) in filter(lambda p: len(p) == 1, placements(*quadrant, fixed))
        }
        words = {}
        for placement in placements(*quadrant, fixed):
            word = 0
            for square in placement:
                word |= singles[square]
            words[placement] = word
        result.append(words)
    return result


@pytest.mark.parametrize(("size", "part"), BOARDS)
def test_every_placement_is_listed_once_where_it_belongs(size: int, part: Part) -> None:
    board, tables = quadrants(size, part), build_tables(size, part)
    for quadrant, table, words in zip(board, tables[:4], words_by_placement(size, part), strict=True):
        expected: dict[int, Counter[int]] = {}
        for placement, word in words.items():
            expected.setdefault(key(placement, *quadrant), Counter())[word] += 1
        listed = {k: Counter(table_words(table, k)) for k in range(len(table.starts) - 1)}
        assert {k: found for k, found in listed.items() if found} == expected
        assert (table.height, table.width) == (len(quadrant.rows), len(quadrant.columns))


@pytest.mark.parametrize(("size", "part"), [board for board in BOARDS if board[0] < 9])
def test_words_are_disjoint_iff_no_diagonal_is_shared(size: int, part: Part) -> None:
    shared = (1 << build_tables(size, part).shared) - 1
    north_east, south_east, north_west, south_west = words_by_placement(size, part)
    within = [(north_east, south_east), (north_west, south_west)]
    across = [(east, west) for east in (north_east, south_east) for west in (north_west, south_west)]
    for pairs, mask in ((within, ~0), (across, shared)):
        for some, others in pairs:
            for one, word in some.items():
                for other, other_word in others.items():
                    clash = any(abs(r - s) == abs(c - d) for r, c in one for s, d in other)
                    assert (word & other_word & mask != 0) == clash


@pytest.mark.parametrize("size", range(6, 14))
def test_quadrants_are_the_board(size: int) -> None:
    for part in parts(size):
        squares = [(r, c) for quadrant in quadrants(size, part) for r in quadrant.rows for c in quadrant.columns]
        middle = {(r, c) for r in range(size) for c in range(size) if size // 2 in (r, c)}
        left_out = middle if part is Part.CENTRE_QUEEN else set()
        assert sorted(squares) == sorted({(r, c) for r in range(size) for c in range(size)} - left_out)
        for one, other in combinations(quadrants(size, part), 2):
            assert one.rows == other.rows or not set(one.rows) & set(other.rows)
