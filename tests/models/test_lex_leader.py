"""Symmetry breaking: of each orbit exactly the least placement is left, in every formulation and encoding."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.engines import cpsat, sat
from nqueens_models.engines.cpsat import CpSatEngine
from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import EngineError
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.models import lex_leader
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.models.cpsat import FORMULATIONS
from nqueens_models.symmetry import MIRRORS, Symmetry, stabiliser
from tests import brute_force
from tests.models.test_cnf import as_assignment, projected
from tests.models.test_cpsat import solutions

SYMMETRIC = (
    *(Instance(n, diagonals) for n in range(6) for diagonals in Diagonals),
    Instance(6, blocked=[(0, 0), (0, 5), (5, 0), (5, 5)]),
    Instance(6, blocked=[(0, 1), (1, 5), (5, 4), (4, 0)]),  # turned by a quarter, not mirrored
    Instance(5, fixed=[(2, 2)]),
    Instance(5, "modular", fixed=[(1, 1)]),
    Instance(4, "adjacent", regions=["AABB", "AABB", "CCDD", "CCDD"]),
    Instance(5, "adjacent", regions=["ABBBC", "ABBBC", "AAECC", "ADDDC", "ADDDC"]),
    Instance(5, "full", [], [(0, 2)]),  # one mirror is left
)


def image(symmetry: Symmetry, placement: Placement) -> Placement:
    n = len(placement)
    return tuple(column for _, column in sorted(symmetry.square(s, n) for s in enumerate(placement)))


def leaders(instance: Instance) -> list[Placement]:
    """Return the solutions none of whose images comes before them."""
    group = stabiliser(instance)
    return [p for p in brute_force.solutions(instance) if all(p <= image(symmetry, p) for symmetry in group)]


def found_by(engine: SatEngine | CpSatEngine, instance: Instance) -> list[Placement]:
    found: list[Placement] = []
    engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())))
    return sorted(found)


@st.composite
def symmetric_instances(draw: st.DrawFn) -> Instance:
    """Draw boards of any rule whose blocked squares one of the symmetries of the square leaves as they are."""
    n, symmetry = draw(st.integers(1, 5)), draw(st.sampled_from(MIRRORS[1:]))
    chosen = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=n))
    while (closed := chosen | {symmetry.square(square, n) for square in chosen}) != chosen:
        chosen = closed
    return Instance(n, draw(st.sampled_from(Diagonals)), blocked=chosen)


@pytest.mark.parametrize("instance", SYMMETRIC, ids=str)
def test_the_clauses_leave_the_leaders(instance: Instance) -> None:
    cnf = queens_cnf(instance, symmetry_breaking=True)
    found = projected(cnf, instance.n**2, "minisat22")
    assert sorted(found) == sorted(map(as_assignment, leaders(instance)))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("instance", SYMMETRIC, ids=str)
def test_every_formulation_leaves_the_leaders(instance: Instance, formulation: str) -> None:
    assert sorted(solutions(instance, formulation, symmetry_breaking=True)) == leaders(instance)


@settings(max_examples=60, deadline=None)
@given(symmetric_instances(), st.sampled_from(list(ENCODINGS)), st.sampled_from(list(FORMULATIONS)))
def test_the_engines_give_the_full_set_back(instance: Instance, encoding: str, formulation: str) -> None:
    wanted = brute_force.solutions(instance)
    assert found_by(SatEngine(at_most_one=encoding, symmetry_breaking=True), instance) == wanted
    assert found_by(CpSatEngine(formulation, symmetry_breaking=True), instance) == wanted


def test_the_solver_finds_one_solution_of_each_orbit() -> None:
    """OEIS A002562 counts the orbits, A000170 the solutions."""
    outcomes = [SatEngine(symmetry_breaking=True).enumerate(Instance(n), lambda block: None) for n in range(1, 9)]
    assert [outcome.statistics["assignments"] for outcome in outcomes] == [1, 0, 0, 1, 2, 1, 6, 12]
    assert [outcome.solutions for outcome in outcomes] == [1, 0, 0, 2, 10, 4, 40, 92]


NO_GROUP = (*MIRRORS[:2], *MIRRORS[4:6])


@pytest.mark.parametrize("engine", ["sat", "cpsat"])
@pytest.mark.parametrize(
    ("instance", "group", "refused"),
    [
        (Instance(6, blocked=[(0, 1)]), MIRRORS, False),  # the first of its only orbit is no solution
        (Instance(8, blocked=[(7, 0)]), MIRRORS, True),
        (Instance(7), NO_GROUP, True),
    ],
    ids=str,
)
def test_a_wrong_group_is_noticed(
    instance: Instance, group: tuple[Symmetry, ...], refused: bool, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lex_leader, sat, cpsat):
        monkeypatch.setattr(module, "stabiliser", lambda _: group)
    with pytest.raises(EngineError) if refused else nullcontext():
        found = nq.solve(instance, f"{engine}:symmetry_breaking=true", search="plain").solutions
        assert found != nq.solve(instance).solutions


def test_nothing_is_added_to_a_board_without_symmetry() -> None:
    instance = Instance(5, blocked=[(0, 1)])
    assert len(stabiliser(instance)) == 1
    assert queens_cnf(instance, symmetry_breaking=True) == queens_cnf(instance)
