"""Clauses that follow from the rules: never one that a solution breaks, always those that state an instance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.certify.consequences import Rules
from nqueens_models.instance import Instance
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.testing import CONFORMANCE_INSTANCES
from tests.brute_force import instances, solutions


def holds(clause: list[int], n: int, placement: tuple[int, ...]) -> bool:
    true = {n * row + column + 1 for row, column in enumerate(placement)}
    return any((abs(literal) in true) == (literal > 0) for literal in clause)


@given(instances(max_n=4), st.data())
def test_what_follows_holds_for_every_solution(instance: Instance, data: st.DataObject) -> None:
    rules = Rules(instance)
    squares = instance.n**2
    clauses = st.lists(st.integers(-squares, squares).filter(bool), max_size=6) if squares else st.just([])
    found = solutions(instance)
    for clause in data.draw(st.lists(clauses, max_size=30)):
        if rules.entail(clause):
            assert all(holds(clause, instance.n, placement) for placement in found)


@given(instances(max_n=6))
def test_the_statement_of_an_instance_follows(instance: Instance) -> None:
    rules = Rules(instance)
    assert all(map(rules.entail, queens_cnf(instance).clauses))


@pytest.mark.parametrize("instance", CONFORMANCE_INSTANCES, ids=str)
def test_no_solution_is_forbidden(instance: Instance) -> None:
    rules = Rules(instance)
    for placement in solutions(instance):
        assert not rules.entail([-(instance.n * row + column + 1) for row, column in enumerate(placement)])


def test_small_cases() -> None:
    rules = Rules(Instance(4, fixed=[(0, 1)], blocked=[(3, 0)]))
    for clause in ([-1], [2], [-13], [-7], [-11, -15], [9, 12], [8], [-16], [5, 7, 8], [11, 15], [3, 2]):
        assert rules.entail(clause)
    for clause in ([], [-2], [1], [-8], [-9], [11], [-8, -9, -15]):  # the queens of the only solution: 2, 8, 9, 15
        assert not rules.entail(clause)
