"""What the textbook methods owe beyond the contract: their order, their node counts, room for many rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings

from nqueens_models.engines.base import Engine, Limits, Outcome, Termination
from nqueens_models.engines.classic.attack_table import AttackTable
from nqueens_models.engines.classic.column_sets import ColumnSets
from nqueens_models.engines.classic.conflict_check import ConflictCheck
from nqueens_models.engines.classic.iterative_deepening import IterativeDeepening
from nqueens_models.instance import Instance, Placement
from nqueens_models.verify import broken_by_pair
from tests import brute_force

DATA = Path(__file__).parents[2] / "data"
REFERENCE = json.loads((DATA / "reference-numbers.json").read_text(encoding="utf-8"))
DEPTH_FIRST: list[Engine] = [ColumnSets(), ColumnSets(container="set"), ConflictCheck(), AttackTable()]
ENGINES: list[Engine] = [*DEPTH_FIRST, IterativeDeepening()]


def run(engine: Engine, instance: Instance, limits: Limits | None = None) -> tuple[list[Placement], Outcome]:
    found: list[Placement] = []
    outcome = engine.enumerate(
        instance, lambda block: found.extend(map(tuple, block.tolist())), limits or Limits()
    )
    return found, outcome


def level_sizes(instance: Instance) -> list[int]:
    """How many partial placements of 0, 1, ..., n rows break no rule, from first principles."""
    return [sum(1 for _ in consistent(instance, rows)) for rows in range(instance.n + 1)]


def consistent(instance: Instance, rows: int) -> Iterator[Placement]:
    for columns in product(range(instance.n), repeat=rows):
        queens = list(enumerate(columns))
        beside = any(row < rows and columns[row] != column for row, column in instance.fixed)
        if beside or set(queens) & set(instance.blocked):
            continue
        if not any(list(broken_by_pair(instance, a, b)) for a, b in combinations(queens, 2)):
            yield columns


@pytest.mark.parametrize("n", range(9))
@pytest.mark.parametrize("engine", DEPTH_FIRST, ids=str)
def test_nodes_of_plain_boards_are_published(engine: Engine, n: int) -> None:
    assert run(engine, Instance(n))[1].statistics == {"nodes": REFERENCE["A319283"]["values"][n]}


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=5))
def test_nodes_of_any_instance(instance: Instance) -> None:
    """Every method meets the same partial placements; iterative deepening some of them again and again."""
    sizes = level_sizes(instance)
    for engine in DEPTH_FIRST:
        assert run(engine, instance)[1].statistics == {"nodes": sum(sizes)}
    searches = [sizes[: limit + 1] for limit in range(1, instance.n + 1)] or [sizes]
    total = sum(map(sum, searches))
    assert run(IterativeDeepening(), instance)[1].statistics == {
        "nodes": total,
        "repeated_nodes": total - sum(sizes),
    }


def test_repeated_work_of_eight_queens() -> None:
    """From A319283 alone: the nodes of all the searches are more than three times those of the last."""
    sizes = level_sizes_of_a_plain_board(8)
    assert sum(sizes) == REFERENCE["A319283"]["values"][8]
    statistics = run(IterativeDeepening(), Instance(8))[1].statistics
    assert statistics["nodes"] == sum(sum(sizes[: limit + 1]) for limit in range(1, 9)) > 3 * sum(sizes)
    assert statistics["repeated_nodes"] == statistics["nodes"] - sum(sizes)


def level_sizes_of_a_plain_board(n: int) -> list[int]:
    """Grow all partial placements a row at a time."""
    level: list[Placement] = [()]
    sizes = [1]
    for row in range(n):
        level = [
            (*queens, column)
            for queens in level
            for column in range(n)
            if all(column != c and abs(column - c) != row - r for r, c in enumerate(queens))
        ]
        sizes.append(len(level))
    return sizes


@pytest.mark.parametrize("n", [1, 4, 5, 6, 7, 8, 9, 10])
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_first_solution_is_the_lexicographically_first(engine: Engine, n: int) -> None:
    found, outcome = run(engine, Instance(n), Limits(solutions=1))
    assert found == [tuple(column - 1 for column in REFERENCE["A141843"]["values"][str(n)])]
    assert outcome.termination is Termination.SOLUTION_LIMIT


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=6))
def test_order_is_lexicographic(instance: Instance) -> None:
    expected = brute_force.solutions(instance)
    for engine in ENGINES:
        assert run(engine, instance)[0] == expected


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_more_rows_than_python_nests_calls(engine: Engine) -> None:
    """A known solution of 198 queens (odd columns, then even ones) is confirmed with a recursion limit of 200."""
    half = 99
    board = [2 * row + 1 for row in range(half)] + [2 * row for row in range(half)]
    instance = Instance(2 * half, fixed=enumerate(board))
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        found, outcome = run(engine, instance)
        assert sys.getrecursionlimit() == 200
    finally:
        sys.setrecursionlimit(before)
    assert found == [tuple(board)]
    assert outcome.termination is Termination.EXHAUSTED
