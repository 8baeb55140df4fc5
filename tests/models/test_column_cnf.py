"""Columns in order and log encoding: every assignment of small boards, brute force, sizes."""

from __future__ import annotations

import doctest
import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.models import column_cnf as models
from nqueens_models.models.column_cnf import COLUMN_VARIABLES, Columns, column_cnf, column_sizes
from tests import brute_force
from tests.models.test_cnf import SMALL, satisfying
from tests.models.test_lex_leader import SYMMETRIC, found_by, leaders


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
@pytest.mark.parametrize("instance", SMALL, ids=str)
def test_the_satisfying_assignments_are_the_solutions(instance: Instance, kind: str) -> None:
    cnf, columns = column_cnf(instance, kind), Columns(instance.n, kind)
    assert cnf.variables == columns.primary
    found = []
    for values in satisfying(cnf, cnf.variables).tolist():
        assignment = [number if value else -number for number, value in enumerate(values, start=1)]
        found.append(tuple(columns.column(row, assignment) for row in range(instance.n)))
    assert sorted(found) == brute_force.solutions(instance)


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
@pytest.mark.parametrize("n", range(1, 18))
def test_literals_that_stand_for_a_column(n: int, kind: str) -> None:
    columns, bits = Columns(n, kind), (n - 1).bit_length()
    for row, column in itertools.product((0, n - 1), range(n)):
        meant = [column >> k & 1 for k in range(bits)] if kind == "log" else [column <= c for c in range(n - 1)]
        true = [v if v - 1 in _true(meant, columns.each * row) else -v for v in range(1, columns.primary + 1)]
        assert columns.column(row, true) == column
        assert [set(columns.stands(row, c)) <= set(true) for c in range(n)] == [c == column for c in range(n)]


def _true(meant: Sequence[int], first: int) -> set[int]:
    return {first + place for place, value in enumerate(meant) if value}


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
def test_sizes_are_those_of_the_formula(kind: str) -> None:
    for n in range(13):
        cnf = column_cnf(Instance(n), kind)
        assert column_sizes(n, kind) == (cnf.variables, len(cnf.clauses)), n


@settings(max_examples=80, deadline=None)
@given(
    brute_force.instances(max_n=6), st.sampled_from(COLUMN_VARIABLES), st.sampled_from(["minisat22", "cadical153"])
)
def test_random_instances(instance: Instance, kind: str, solver: str) -> None:
    assert found_by(SatEngine(solver, variables=kind), instance) == brute_force.solutions(instance)


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
@pytest.mark.parametrize("instance", SYMMETRIC, ids=str)
def test_symmetry_breaking(instance: Instance, kind: str) -> None:
    found: list[Placement] = []
    engine = SatEngine(variables=kind, symmetry_breaking=True)
    outcome = engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())))
    assert sorted(found) == brute_force.solutions(instance)
    assert outcome.statistics["assignments"] == len(leaders(instance))


@pytest.mark.parametrize("diagonals", Diagonals)
def test_fewer_variables_than_squares(diagonals: Diagonals) -> None:
    order, log = (column_cnf(Instance(9, diagonals), kind).variables for kind in COLUMN_VARIABLES)
    assert (order, log) == (9 * 8, 9 * 4)


def test_unknown_kind() -> None:
    with pytest.raises(InvalidSetting, match=r"'logarithm'.*order, log"):
        column_cnf(Instance(4), "logarithm")


def test_the_examples_of_the_documentation() -> None:
    assert doctest.testmod(models) == (0, 2)
