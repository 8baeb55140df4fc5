"""The CP-SAT models: every formulation against brute force, as OR-Tools itself lists the solutions."""

from __future__ import annotations

import doctest
import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.models import cpsat as models
from nqueens_models.models.cpsat import FORMULATIONS, ModelSizes, model_sizes, queens_model
from tests import brute_force


class Listing(cp_model.CpSolverSolutionCallback):
    """Lists the values of all columns, and of all variables."""

    def __init__(self, columns: list[cp_model.LinearExprT]) -> None:
        super().__init__()
        self.columns = columns
        self.placements: list[Placement] = []

    def on_solution_callback(self) -> None:
        self.placements.append(tuple(self.value(column) for column in self.columns))


def solutions(instance: Instance, formulation: str, symmetry_breaking: bool = False) -> list[Placement]:
    queens = queens_model(instance, formulation, symmetry_breaking=symmetry_breaking)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    listing = Listing(list(queens.columns))
    status = solver.solve(queens.model, listing)
    assert status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    assert (status == cp_model.OPTIMAL) == bool(listing.placements)
    return listing.placements


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("diagonals", Diagonals)
@pytest.mark.parametrize("n", range(8))
def test_small_boards(formulation: str, diagonals: Diagonals, n: int) -> None:
    instance = Instance(n, diagonals)
    assert sorted(solutions(instance, formulation)) == brute_force.solutions(instance)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@settings(max_examples=60, deadline=None)
@given(instance=brute_force.instances(max_n=6))
def test_random_instances_each_solution_once(formulation: str, instance: Instance) -> None:
    assert Counter(solutions(instance, formulation)) == Counter(brute_force.solutions(instance))


@settings(max_examples=30, deadline=None)
@given(brute_force.instances(max_n=7), st.sampled_from(list(FORMULATIONS)))
def test_a_model_has_no_objective_and_validates(instance: Instance, formulation: str) -> None:
    model = queens_model(instance, formulation).model
    assert model.validate() == ""
    assert not model.has_objective()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("diagonals", Diagonals)
def test_sizes_are_those_of_the_formula(formulation: str, diagonals: Diagonals) -> None:
    for n in range(2, 13):
        built = queens_model(Instance(n, diagonals), formulation).model.proto
        assert model_sizes(formulation, n, diagonals) == ModelSizes(
            len(built.variables), len(built.constraints)
        ), n


def test_the_examples_of_the_documentation() -> None:
    assert doctest.testmod(models) == (0, 1)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_building_can_be_watched_and_stopped(formulation: str) -> None:
    calls = itertools.count(1)

    def watch() -> None:
        if next(calls) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        queens_model(Instance(8, blocked=[(0, column) for column in range(5)]), formulation, watch)


def test_unknown_formulation_says_which_exist() -> None:
    with pytest.raises(InvalidSetting, match=r"'bool'.*alldifferent, boolean"):
        queens_model(Instance(4), "bool")
    with pytest.raises(InvalidSetting, match=r"'bool'.*alldifferent, boolean"):
        model_sizes("bool", 4)
