"""The clauses: against every assignment of small boards, against brute force, and what PySAT makes of them."""

from __future__ import annotations

import doctest
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pysat.solvers import Solver

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models import cnf as clauses
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.clauses import Cnf
from nqueens_models.models.cnf import board_sizes, queens_cnf
from nqueens_models.models.encoding import Sizes
from tests import brute_force

SMALL = (
    *(Instance(n, diagonals) for n in range(5) for diagonals in Diagonals),
    Instance(4, fixed=[(0, 1)]),
    Instance(4, fixed=[(1, 3)], blocked=[(0, 1)]),
    Instance(4, fixed=[(0, 0), (3, 3)]),
    Instance(4, fixed=[(2, 1), (2, 3)]),
    Instance(4, blocked=[(2, column) for column in range(4)]),
    Instance(4, blocked=[(row, 0) for row in range(4)]),
    Instance(4, "adjacent", fixed=[(1, 1), (2, 2)]),
    Instance(4, "adjacent", regions=["AABB", "CABB", "CCDD", "CCDD"]),
    Instance(4, "full", [(3, 2)], [(0, 0)], ["AAAA", "BBBB", "CCCC", "DDDD"]),
    Instance(3, "modular", fixed=[(0, 0)], blocked=[(1, 1)]),
)


def satisfying(cnf: Cnf, squares: int) -> NDArray[np.bool_]:
    """Return every assignment to the squares, of all 2^squares, that satisfies the clauses: shape (k, squares)."""
    values = (np.arange(2**squares)[:, None] >> np.arange(squares) & 1).astype(np.bool_)
    holds = np.ones(len(values), dtype=np.bool_)
    for clause in cnf.clauses:
        holds &= np.any([values[:, abs(literal) - 1] == (literal > 0) for literal in clause], axis=0)
    return values[holds]


def as_assignment(placement: tuple[int, ...]) -> tuple[bool, ...]:
    n = len(placement)
    return tuple(column == placement[row] for row in range(n) for column in range(n))


def projected(cnf: Cnf, squares: int, solver: str) -> list[tuple[bool, ...]]:
    """Return every assignment to the squares that can be extended, found by blocking each in all its literals."""
    found = []
    with Solver(
        solver, bootstrap_with=[*cnf.clauses, *([square, -square] for square in range(1, squares + 1))]
    ) as s:
        while s.solve():
            literals = s.get_model()[:squares]
            found.append(tuple(literal > 0 for literal in literals))
            s.add_clause([-literal for literal in literals])
    return found


@pytest.mark.parametrize("instance", SMALL, ids=str)
def test_the_satisfying_assignments_are_the_solutions(instance: Instance) -> None:
    cnf = queens_cnf(instance)
    assert cnf.variables == instance.n**2
    found = {tuple(row) for row in satisfying(cnf, instance.n**2).tolist()}
    assert found == {as_assignment(placement) for placement in brute_force.solutions(instance)}


def test_two_queens_spelled_out() -> None:
    assert queens_cnf(Instance(2)).clauses == [
        [1, 2], [-1, -2], [3, 4], [-3, -4],  # rows
        [1, 3], [-1, -3], [2, 4], [-2, -4],  # columns
        [-1, -4], [-2, -3],  # diagonals
    ]  # fmt: skip


def test_the_examples_of_the_documentation() -> None:
    assert doctest.testmod(clauses) == (0, 2)


def test_the_empty_board_is_the_empty_cnf() -> None:
    assert queens_cnf(Instance(0)) == Cnf(0, [])


@pytest.mark.parametrize("n", range(1, 13))
def test_size_of_the_pairwise_board(n: int) -> None:
    """A clause a row and column, and one for each pair of squares a queen's move apart (half of OEIS A035005)."""
    assert len(queens_cnf(Instance(n)).clauses) == 2 * n + n * (n - 1) * (5 * n - 1) // 3


@pytest.mark.parametrize("diagonals", Diagonals)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_size_of_the_board_in_every_encoding(encoding: str, diagonals: Diagonals) -> None:
    for n in range(13):
        cnf = queens_cnf(Instance(n, diagonals), encoding)
        assert board_sizes(n, encoding, diagonals) == Sizes(cnf.variables - n * n, len(cnf.clauses)), n


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", range(4, 8))
def test_projected_on_the_squares_every_encoding_has_the_solutions(n: int, encoding: str) -> None:
    cnf = queens_cnf(Instance(n), encoding)
    found = projected(cnf, n * n, "minisat22")
    wanted = [as_assignment(placement) for placement in brute_force.solutions(Instance(n))]
    assert Counter(found) == Counter(wanted)


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=6), st.sampled_from(list(ENCODINGS)))
def test_random_instances_in_every_encoding(instance: Instance, encoding: str) -> None:
    found = projected(queens_cnf(instance, encoding), instance.n**2, "glucose4")
    assert Counter(found) == Counter(map(as_assignment, brute_force.solutions(instance)))


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=7), st.sampled_from(list(ENCODINGS)))
def test_every_square_is_mentioned_and_no_variable_is_beyond_the_last(instance: Instance, encoding: str) -> None:
    cnf = queens_cnf(instance, encoding)
    mentioned = {abs(literal) for clause in cnf.clauses for literal in clause}
    assert all(cnf.clauses), "no clause is empty"
    assert set(range(1, instance.n**2 + 1)) <= mentioned <= set(range(1, cnf.variables + 1))


def test_closed_squares_are_in_no_encoding() -> None:
    """The queen at (0, 0) of 4 leaves three rows with 2, 2 and 2 squares off its lines."""
    cnf = queens_cnf(Instance(4, fixed=[(0, 0)]))
    closed = {-clause[0] for clause in cnf.clauses if len(clause) == 1 and clause[0] < 0}
    assert closed == {2, 3, 4, 5, 6, 9, 11, 13, 16}
    assert [1] in cnf.clauses
    assert not any(closed & {abs(literal) for literal in clause} for clause in cnf.clauses if len(clause) > 1)


def test_a_large_board_with_few_queens_left_is_small() -> None:
    """A knight's-move placement of 401 queens (401 is prime to 6) without 5 of them."""
    n = 401
    queens = [(row, 2 * row % n) for row in range(n)]
    cnf = queens_cnf(Instance(n, fixed=queens[:100] + queens[105:]))
    assert len(cnf.clauses) < n * n + 1000
    assert cnf.variables == n * n


def test_building_can_be_watched_and_stopped() -> None:
    class EnoughError(Exception):
        pass

    calls = itertools.count()

    def watch() -> None:
        if next(calls) == 10:
            raise EnoughError

    with pytest.raises(EnoughError):
        queens_cnf(Instance(8), watch=watch)


def test_unknown_encoding() -> None:
    with pytest.raises(InvalidSetting, match="pairwise"):
        queens_cnf(Instance(4), "binary-ish")


def test_variables_are_handed_out_once() -> None:
    cnf = Cnf(3)
    assert [cnf.new_variable(), *cnf.new_variables(2), cnf.new_variable()] == [4, 5, 6, 7]
    assert cnf.variables == 7
