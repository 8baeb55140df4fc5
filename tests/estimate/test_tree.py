"""Populations going down a search tree, against trees that are known: OEIS, and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.errors import UnsupportedInstance
from nqueens_models.estimate.interval import REPLICATES, interval, known
from nqueens_models.estimate.population import Levels, Order, Tree
from nqueens_models.estimate.tree_size import MOST_BOARDS, population_for, tree_size
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.known import A000170
from tests import brute_force

A319283 = {4: 17, 5: 54, 6: 153, 7: 552, 8: 2057, 9: 8394, 10: 35539}
"""Placements of queens on the first rows, none attacking another (https://oeis.org/A319283)."""


def blocked(n: int, share: float, seed: int) -> Instance:
    squares = np.argwhere(np.random.default_rng(seed).random((n, n)) < share)
    return Instance(n, blocked=[(int(row), int(column)) for row, column in squares])


BOARDS = [(Instance(n), A000170[n]) for n in range(8, 17)] + [
    (blocked(n, share, seed), count)
    for n, share, seed, count in [
        (14, 0.3, 1, 2659), (16, 0.4, 2, 2334), (18, 0.5, 3, 3262), (20, 0.55, 4, 8745), (20, 0.6, 5, 202),
        (22, 0.6, 6, 16427), (24, 0.62, 7, 26815), (26, 0.65, 8, 311), (28, 0.66, 9, 41135), (24, 0.6, 11, 8741),
    ]
]  # fmt: skip
"""Boards and their numbers of solutions: published, and counted by `bitmask` (the first three by `sat` too)."""


def descend(instance: Instance, order: Order, boards: int, seed: int = 0) -> Levels:
    return Tree(instance, order).descend(boards, np.random.default_rng(seed))


@pytest.mark.parametrize("n", A319283)
def test_a_tree_that_fits_is_counted_exactly(n: int) -> None:
    levels = descend(Instance(n), Order.ROWS, 40_000)
    assert (levels.exact, levels.solutions, levels.nodes) == (True, A000170[n], A319283[n])
    fewest = descend(Instance(n), Order.FEWEST, 40_000)
    assert (fewest.exact, fewest.solutions) == (True, A000170[n])
    assert fewest.nodes < levels.nodes or n < 6


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_rule_of_the_family(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 6))
    square = st.tuples(st.integers(0, max(0, n - 1)), st.integers(0, max(0, n - 1)))
    taken = data.draw(st.lists(square, max_size=5 if n else 0))
    fixed = data.draw(st.lists(square.filter(lambda one: one not in taken), max_size=2 if n else 0))
    labels = (
        data.draw(st.permutations([k for k in range(n) for _ in range(n)])) if data.draw(st.booleans()) else None
    )
    regions = None if labels is None else [labels[n * row : n * row + n] for row in range(n)]
    instance = Instance(n, data.draw(st.sampled_from(Diagonals)), fixed, taken, regions)
    expected = len(brute_force.solutions(instance))
    for order in Order:
        levels = descend(instance, order, 10_000)
        assert (levels.exact, levels.solutions, levels.found) == (True, expected, expected)


def test_boards_too_large_for_a_table_have_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nqueens_models.estimate.population.LARGEST_TABLE", 0)
    for rule in Diagonals:
        count = nq.count(Instance(7, rule))
        assert descend(Instance(7, rule), Order.FEWEST, 40_000).solutions == count


@pytest.mark.parametrize(("instance", "true"), [(Instance(8), 92), (Instance(9), 352), (blocked(9, 0.2, 1), 0)])
@pytest.mark.parametrize("order", Order)
def test_the_mean_over_many_seeds_is_right(instance: Instance, true: int, order: Order) -> None:
    true = true or nq.count(instance)
    tree, random = Tree(instance, order), np.random.default_rng(1)
    values = np.array([tree.descend(8, random).solutions for _ in range(600)])
    assert not any(tree.descend(8, random).exact for _ in range(3))
    assert abs(values.mean() - true) < 3.5 * values.std(ddof=1) / np.sqrt(len(values))


def test_intervals_hold_the_true_number_for_nine_seeds_in_ten() -> None:
    """19 boards, 5 seeds each; boards of a population so small that none is exact."""
    inside = []
    for instance, true in BOARDS:
        for seed in range(5):
            found = tree_size(instance, Order.FEWEST, np.random.default_rng(seed), 1.0, boards=24).solutions
            assert not found.exact
            inside.append(true in found)
    assert sum(inside) >= 0.9 * len(inside)


def test_small_populations_may_take_twice_the_time() -> None:
    boards = {1.0: 64, 40.0: 80, 63.9: 127, 64.0: 128, 100.0: 128, 300.0: 300, 1e9: MOST_BOARDS}
    assert {affordable: population_for(affordable) for affordable in boards} == boards


def test_the_counts_of_blocked_boards_by_another_engine() -> None:
    for instance, count in BOARDS[9:11]:
        assert nq.count(instance, "sat") == count


def test_the_same_seed_gives_the_same_estimate() -> None:
    one, same, other = (
        tree_size(Instance(14), Order.FEWEST, np.random.default_rng(seed), 1.0, boards=16) for seed in (1, 1, 2)
    )
    assert one == same != other


def test_nothing_seen_is_not_nothing_there() -> None:
    instance = blocked(26, 0.65, 8)
    found = [
        tree_size(instance, Order.FEWEST, np.random.default_rng(s), 1.0, boards=2).solutions for s in range(20)
    ]
    none = [one for one in found if one.value == 0]
    assert none
    assert all(one.low == 0 and one.high > 311 for one in none)


def test_a_tree_without_solutions_that_is_exhausted() -> None:
    found = tree_size(Instance(3), Order.FEWEST, np.random.default_rng(0), 1.0)
    assert found.solutions == known(0)
    clash = tree_size(Instance(9, fixed=[(0, 0), (1, 1)]), Order.FEWEST, np.random.default_rng(0), 1.0)
    assert clash.solutions == clash.nodes == known(0)


def test_too_many_solutions_for_a_number() -> None:
    with pytest.raises(UnsupportedInstance, match="floating-point"), np.errstate(over="ignore"):
        tree_size(Instance(220), Order.FEWEST, np.random.default_rng(0), 1.0, boards=1)


def test_nodes_that_are_drawn_break_no_rule() -> None:
    drawn = Tree(Instance(8), Order.ROWS).draw(3, 50, np.random.default_rng(0))
    assert len({tuple(squares) for squares in drawn}) == 50
    assert all([row for row, _ in squares] == [0, 1, 2] for squares in drawn)
    assert all(nq.count(Instance(8, fixed=squares)) >= 0 for squares in drawn)
    assert Tree(Instance(4, fixed=[(0, 0), (1, 1)]), Order.ROWS).draw(1, 5, np.random.default_rng(0)) == []


def test_intervals() -> None:
    one = interval([1.0] * REPLICATES)
    assert (one.value, one.low, one.high) == (1.0, 1.0, 1.0)
    assert interval([0.0] * 20, unseen=7.0).high == 7.0
    assert interval([0.0, 10.0], least=1.0).low == 1.0
    assert interval([1e200, 3e200] * 10).high < 3e200
    spread = interval([9.0, 11.0] * 10)
    assert spread.low == pytest.approx(10 - 2.093 * 1.026 / np.sqrt(20), abs=1e-3)
    assert known(3).plus(known(4)) == known(7)
    assert spread.plus(known(1)).exact is False
    assert spread.times(2).value == 20.0
