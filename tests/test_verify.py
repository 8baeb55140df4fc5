"""The rules: named violations, whole blocks and the tests' own brute force agree with each other."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nqueens_models import verify
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.verify import Rule, Violation, broken_by_pair, is_solution, valid_rows, violations
from tests import brute_force

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference-numbers.json").read_text(encoding="utf-8"))


@st.composite
def judged(draw: st.DrawFn) -> tuple[Instance, list[Placement]]:
    """An instance, and rows that are solutions, nearly, permutations, or anything, on the board or off it."""
    instance = draw(brute_force.instances(max_n=6))
    n = instance.n
    anything = st.lists(st.integers(-2, n + 1), min_size=n, max_size=n)
    kinds = [st.permutations(range(n)), st.lists(st.integers(0, max(0, n - 1)), min_size=n, max_size=n), anything]
    for near in (
        instance,
        Instance(n, instance.diagonals),
    ):  # its solutions, and those that may break one rule only
        if solutions := brute_force.solutions(near):
            kinds.append(st.sampled_from(solutions).map(list))
    return instance, [tuple(row) for row in draw(st.lists(st.one_of(kinds), max_size=8))]


@settings(deadline=None, max_examples=300)
@given(judged(), st.sampled_from([np.int8, np.int64, np.int16]))
def test_blocks_and_single_placements_and_brute_force_agree(
    case: tuple[Instance, list[Placement]], dtype: type[np.integer]
) -> None:
    instance, rows = case
    right = set(brute_force.solutions(instance))
    wanted = [row in right for row in rows]
    assert [is_solution(instance, row) for row in rows] == wanted
    assert [not list(violations(instance, row)) for row in rows] == wanted
    assert valid_rows(instance, np.array(rows, dtype=dtype).reshape(len(rows), instance.n)).tolist() == wanted


@settings(deadline=None)
@given(judged())
def test_each_violation_names_squares_that_break_its_rule(case: tuple[Instance, list[Placement]]) -> None:
    instance, rows = case
    for row in rows:
        for violation in violations(instance, row):
            assert all(row[r] == c for r, c in violation.squares) or violation.rule is Rule.FIXED
            assert broken_for_sure(instance, violation)


def broken_for_sure(instance: Instance, violation: Violation) -> bool:
    """Each rule once more, from the squares alone."""
    n, squares = instance.n, violation.squares
    if violation.rule is Rule.BOARD:
        return bool(squares) and all(not 0 <= c < n for _, c in squares)
    if violation.rule in (Rule.BLOCKED, Rule.FIXED):
        return len(squares) == 1 and squares[0] in (*instance.blocked, *instance.fixed)
    (r1, c1), (r2, c2) = squares
    around = n if instance.diagonals is Diagonals.MODULAR else 2 * n
    return {
        Rule.COLUMN: c1 == c2,
        Rule.DIAGONAL: (r1 - c1) % around == (r2 - c2) % around,
        Rule.ANTIDIAGONAL: (r1 + c1) % around == (r2 + c2) % around,
        Rule.TOUCH: abs(r1 - r2) == abs(c1 - c2) == 1,
        Rule.REGION: instance.regions is not None and instance.regions[r1][c1] == instance.regions[r2][c2],
    }[violation.rule]


@pytest.mark.parametrize(
    ("instance", "placement", "wanted"),
    [
        (Instance(4), (0, 0, 3, 1), [(Rule.COLUMN, ((0, 0), (1, 0)))]),
        (Instance(4), (1, 2, 0, 3), [(Rule.DIAGONAL, ((0, 1), (1, 2)))]),
        (Instance(4), (2, 1, 3, 0), [(Rule.ANTIDIAGONAL, ((0, 2), (1, 1)))]),
        (Instance(4, "adjacent"), (1, 3, 0, 1), [(Rule.COLUMN, ((0, 1), (3, 1))), (Rule.TOUCH, ((2, 0), (3, 1)))]),
        (Instance(4, blocked=[(0, 1)]), (1, 3, 0, 2), [(Rule.BLOCKED, ((0, 1),))]),
        (Instance(4, fixed=[(0, 2)]), (1, 3, 0, 2), [(Rule.FIXED, ((0, 2),))]),
        (Instance(4), (1, 3, 0), [(Rule.BOARD, ())]),
        (Instance(4), (1, 3, 0, 4), [(Rule.BOARD, ((3, 4),))]),
        (Instance(4), (-1, 3, 0, 2), [(Rule.BOARD, ((0, -1),))]),
        (Instance(2), (0, 1, 2), [(Rule.BOARD, ((2, 2),))]),
        (Instance(2, regions=["AB", "BA"]), (0, 1), [(r, ((0, 0), (1, 1))) for r in (Rule.DIAGONAL, Rule.REGION)]),
        (Instance(5, "modular"), (0, 2, 4, 1, 3), []),
        (Instance(5), (0, 2, 4, 1, 3), []),
        (Instance(0), (), []),
    ],
)  # fmt: skip
def test_named_cases(
    instance: Instance, placement: Placement, wanted: list[tuple[Rule, tuple[tuple[int, int], ...]]]
) -> None:
    assert [(violation.rule, violation.squares) for violation in violations(instance, placement)] == wanted


@pytest.mark.parametrize("n", range(2, 8))
def test_a_pair_breaks_modular_rules_where_the_board_repeated_breaks_full_ones(n: int) -> None:
    """On a torus a diagonal is a diagonal of the plane tiled with copies of the board."""
    squares = [(r, c) for r in range(n) for c in range(n)]
    for (r1, c1), (r2, c2) in combinations(squares, 2):
        if r1 == r2:
            continue
        copies = [(r2 + i * n - r1, c2 + j * n - c1) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        wanted = {Rule.COLUMN} if c1 == c2 else set()
        wanted |= {Rule.DIAGONAL} if any(down == right for down, right in copies) else set()
        wanted |= {Rule.ANTIDIAGONAL} if any(down == -right for down, right in copies) else set()
        assert set(broken_by_pair(Instance(n, "modular"), (r1, c1), (r2, c2))) == wanted


@pytest.mark.parametrize("n", range(8))
def test_published_counts(n: int) -> None:
    boards = np.array(list(np.ndindex(*[n] * n)) if n <= 5 else _permutations(n), dtype=np.uint8)
    boards = boards.reshape(-1, n) if n else np.zeros((1, 0), dtype=np.uint8)
    assert int(valid_rows(Instance(n), boards).sum()) == REFERENCE["A000170"]["values"][n]
    if n:
        assert int(valid_rows(Instance(n, "modular"), boards).sum()) == REFERENCE["A051906"]["values"][n - 1]


def _permutations(n: int) -> list[Placement]:
    return [] if n == 0 else [(*p[:i], n - 1, *p[i:]) for p in (_permutations(n - 1) or [()]) for i in range(n)]


@pytest.mark.parametrize("n", [127, 128, 129, 255, 256, 257, 300])
@pytest.mark.parametrize("diagonals", Diagonals)
def test_no_number_overflows_on_large_boards(n: int, diagonals: Diagonals) -> None:
    """Around the limits of 8-bit numbers: a right placement, and one with two queens exchanged."""
    half = n // 2
    step_two = [2 * row % n for row in range(n)] if n % 2 else [2 * r + 1 for r in range(half)] + [*range(0, n, 2)]
    exchanged = step_two.copy()
    exchanged[0], exchanged[-1] = exchanged[-1], exchanged[0]
    wrong = [*range(n - 1, -1, -1)]
    instance = Instance(n, diagonals)
    block = np.array([step_two, exchanged, wrong], dtype=np.min_scalar_type(n))
    wanted = [is_solution(instance, row) for row in (step_two, exchanged, wrong)]
    assert valid_rows(instance, block).tolist() == wanted
    assert wanted[-1] is False
    if diagonals is Diagonals.FULL:
        assert wanted[0] is (n % 6 not in (2, 3))


def test_a_block_of_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "CHUNK", 3)
    boards = np.array(_permutations(5))
    assert valid_rows(Instance(5), boards).tolist() == [is_solution(Instance(5), row.tolist()) for row in boards]


@pytest.mark.parametrize("shape", [(0, 4), (0, 0)])
def test_empty_blocks(shape: tuple[int, int]) -> None:
    assert valid_rows(Instance(shape[1]), np.zeros(shape, dtype=np.uint8)).shape == (0,)


@pytest.mark.parametrize(
    "block", [np.zeros((2, 3), np.int8), np.zeros(4, np.int8), np.zeros((1, 4)), np.zeros((1, 1, 4), int)]
)
def test_blocks_of_another_shape_or_of_fractions(block: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match=r"shape \(k, 4\) and whole numbers"):
        valid_rows(Instance(4), block)


def test_a_fraction_is_no_column() -> None:
    with pytest.raises(TypeError):
        is_solution(Instance(4), [1.9, 3, 0, 2])  # type: ignore[list-item]
    assert is_solution(Instance(4), np.array([1, 3, 0, 2], dtype=np.uint8))  # type: ignore[arg-type]
