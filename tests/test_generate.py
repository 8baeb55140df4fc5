"""Random instances: what their docstrings promise, from an independent source of the same random numbers."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidInput
from nqueens_models.generate import MOST_UNIQUE_ROWS, Choices, blocked, completion, modular, regions, solver_of
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import broken_by_pair
from tests import brute_force


def brute(instance: Instance, limit: int | None) -> SolutionSet:
    return SolutionSet(instance.n, brute_force.solutions(instance)[:limit])


ENGINE = solver_of(make_engine("bitmask"))


class Legacy:
    """The same stream from NumPy's RandomState, which is frozen: MT19937 and 53 bits of two words."""

    def __init__(self, seed: int) -> None:
        self.state = np.random.RandomState([seed])

    def below(self, bound: int) -> int:
        while True:
            number = int(self.state.random_sample() * 2**53)
            if number < 2**53 // bound * bound:
                return number % bound


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 10**6), min_size=1, max_size=20))
def test_the_stream_is_that_of_an_independent_generator(seed: int, bounds: list[int]) -> None:
    choices, legacy = Choices(seed), Legacy(seed)
    assert [choices.below(bound) for bound in bounds] == [legacy.below(bound) for bound in bounds]


def test_numbers_are_equally_likely() -> None:
    choices = Choices(1)
    counts = np.bincount([choices.below(6) for _ in range(60_000)], minlength=6)
    assert (abs(counts - 10_000) < 500).all()  # five standard deviations
    orders: dict[tuple[int, ...], int] = {}
    for _ in range(24_000):
        items = [0, 1, 2, 3]
        choices.shuffle(items)
        orders[tuple(items)] = orders.get(tuple(items), 0) + 1
    assert len(orders) == 24
    assert all(abs(count - 1000) < 180 for count in orders.values())


def test_a_completion_board_is_made_as_the_paper_says() -> None:
    """The procedure written again, on the independent stream."""
    n, wanted, seed = 30, 12, 5
    legacy = Legacy(seed)
    rows, columns = list(range(n)), list(range(n))
    placed: list[tuple[int, int]] = []
    while len(placed) < wanted:
        row, column = rows[legacy.below(len(rows))], columns[legacy.below(len(columns))]
        if all(abs(row - r) != abs(column - c) for r, c in placed):
            placed.append((row, column))
            for left, gone in ((rows, row), (columns, column)):
                left[left.index(gone)] = left[-1]
                left.pop()
    assert completion(n, wanted, seed) == Instance(n, fixed=placed)


@pytest.mark.parametrize("make", [completion, modular])
@given(st.integers(0, 40), st.integers(0, 10**9), st.data())
@settings(max_examples=40)
def test_queens_do_not_attack_each_other(
    make: Callable[..., Instance], n: int, seed: int, data: st.DataObject
) -> None:
    queens = data.draw(st.integers(0, n // 4))
    instance = make(n, queens, seed)
    assert instance == make(n, queens, seed)
    assert len(instance.fixed) == queens
    assert instance.diagonals is (Diagonals.MODULAR if make is modular else Diagonals.FULL)
    for (r1, c1), (r2, c2) in itertools.combinations(instance.fixed, 2):
        assert r1 != r2
        assert not list(broken_by_pair(instance, (r1, c1), (r2, c2)))


@given(st.integers(0, 20), st.integers(0, 10**9), st.data())
@settings(max_examples=40)
def test_rows_and_columns_keep_free_squares(n: int, seed: int, data: st.DataObject) -> None:
    free = data.draw(st.integers(0, min(n, 4)))
    squares = data.draw(st.integers(0, n * (n - free) * 4 // 5))
    instance = blocked(n, squares, seed, free)
    assert instance == blocked(n, squares, seed, free)
    assert len(instance.blocked) == squares
    if n:
        assert instance.unblocked().sum(axis=0).min() >= free
        assert instance.unblocked().sum(axis=1).min() >= free


@pytest.mark.parametrize("seed", range(20))
def test_rows_keep_free_squares_on_boards_as_full_as_can_be(seed: int) -> None:
    instance = blocked(6, 24, seed, free=2)
    assert (instance.unblocked().sum(axis=0) == 2).all()
    assert (instance.unblocked().sum(axis=1) == 2).all()


@given(st.sampled_from([1, 4, 5, 6, 7]), st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_regions_are_connected_and_have_a_solution(n: int, seed: int) -> None:
    instance = regions(n, seed)
    assert instance == regions(n, seed)
    assert instance.diagonals is Diagonals.ADJACENT
    assert is_connected(instance)
    assert brute_force.solutions(instance)


def is_connected(instance: Instance) -> bool:
    """Whether each region can be walked through, by merging squares that share a side."""
    n, labels = instance.n, instance.regions or ()
    group = {(r, c): (r, c) for r in range(n) for c in range(n)}

    def root(square: tuple[int, int]) -> tuple[int, int]:
        while group[square] != square:
            square = group[square]
        return square

    for (r, c), (down, right) in itertools.product(list(group), ((0, 1), (1, 0))):
        other = (r + down, c + right)
        if other in group and labels[r][c] == labels[other[0]][other[1]]:
            group[root((r, c))] = root(other)
    return len({root(square) for square in group}) == n


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "make",
    [
        lambda seed, unique: completion(6, 2, seed, unique),
        lambda seed, unique: blocked(6, 15, seed, 2, unique),
        lambda seed, unique: regions(6, seed, unique),
        lambda seed, unique: modular(5, 2, seed, unique),
    ],
)
def test_puzzles_have_one_solution_whatever_the_engine(make: Callable[..., Instance], seed: int) -> None:
    instance = make(seed, brute)
    assert len(brute_force.solutions(instance)) == 1
    assert instance == make(seed, ENGINE) == make(seed, solver_of(make_engine("conflict-check")))
    assert instance.regions is None or is_connected(instance)


def test_larger_puzzles_have_one_solution() -> None:
    for n in (8, 9):
        assert len(ENGINE(regions(n, 3, ENGINE), 2)) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: completion(8, 9, 0), "a board of 8 rows cannot have 9 queens"),
        (lambda: completion(-1, 0, 0), "0 to 5000 rows, not -1"),
        (lambda: blocked(10**9, 0, 0), "0 to 5000 rows"),
        (lambda: completion(8, 4, -1), "the seed must be 0 or more"),
        (lambda: completion(3, 3, 0), "no instance in 1000 attempts"),
        (lambda: completion(6, 0, 0, brute), "no instance with exactly one solution"),
        (lambda: blocked(8, 60, 0), "at most 56 can"),
        (lambda: blocked(8, 1, 0, 9), "cannot keep 9 free"),
        (lambda: regions(3, 0), "no region puzzle of 3 rows"),
        (lambda: regions(0, 0), "no region puzzle of 0 rows"),
        (lambda: regions(MOST_UNIQUE_ROWS + 1, 0, brute), "has at most 12 rows here, not 13"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(make: Callable[[], Instance], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
