"""The Python interface: solve, count, iter_solutions, and what they refuse."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

import nqueens_models as nq
from nqueens_models.engines.base import NO_LIMITS, Block, Limits, Outcome, Termination, Visitor
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.recorder import observed
from nqueens_models.errors import DuplicateSolution, IncompleteSearch, InvalidSetting, WrongSolution
from nqueens_models.instance import Instance
from nqueens_models.symmetry import stabiliser
from tests import brute_force


@dataclass(frozen=True)
class Scripted:
    """An engine that visits what it is told to."""

    name: ClassVar[str] = "scripted"
    requires: ClassVar[tuple[str, ...]] = ()
    blocks: tuple[tuple[tuple[int, ...], ...], ...]
    fails: bool = False

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        for block in self.blocks:
            visit(np.array(block, dtype=np.uint8))
        if self.fails:
            raise RuntimeError("out of order")
        return Outcome(Termination.EXHAUSTED, sum(map(len, self.blocks)), 0.0, 0.0)


FIRST, SECOND = (1, 3, 0, 2), (2, 0, 3, 1)  # the two solutions of n = 4


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=6))
def test_solve_and_count_agree_with_brute_force(instance: Instance) -> None:
    run = nq.solve(instance)
    expected = brute_force.solutions(instance)
    assert list(run.solutions or ()) == expected
    assert run.complete
    assert run.count == nq.count(instance) == len(expected)
    assert sorted(nq.iter_solutions(instance)) == expected


@settings(max_examples=60, deadline=None)
@given(brute_force.instances(max_n=6))
def test_fundamental_solutions_are_one_of_each_orbit(instance: Instance) -> None:
    expected = brute_force.solutions(instance)
    group = stabiliser(instance)
    orbits = {
        frozenset(
            tuple(c for _, c in sorted(symmetry.square(q, instance.n) for q in enumerate(p))) for symmetry in group
        )
        for p in expected
    }
    run = nq.solve(instance, fundamental=True)
    assert {next(o for o in orbits if p in o) for p in run.solutions or ()} == orbits
    assert run.count == len(orbits) == nq.count(instance, fundamental=True)


def test_a_run_tells_what_was_done() -> None:
    run = nq.solve(8, engine="column-sets", limit=5)
    assert run.engine.startswith("column-sets")
    assert run.search == "plain"
    assert run.termination is Termination.SOLUTION_LIMIT
    assert not run.complete
    assert run.count == len(run.solutions or ()) == 5
    assert run.timings.total >= run.timings.build + run.timings.solve >= 0
    assert run.statistics["nodes"] > 8


def test_cubes_find_the_same_set() -> None:
    plain, cubes = nq.solve(8, search="plain"), nq.solve(8, search="cubes")
    assert plain.solutions == cubes.solutions
    assert (plain.search, cubes.search) == ("plain", "cubes")
    with pytest.raises(InvalidSetting, match="no search is called 'square'"):
        nq.solve(8, search="square")


def test_count_refuses_to_return_half_an_answer() -> None:
    with pytest.raises(IncompleteSearch, match="time-limit") as stopped:
        nq.count(16, engine="conflict-check", seconds=0.2)
    assert stopped.value.partial >= 0


def test_a_placement_that_breaks_a_rule_is_an_error_that_shows_it() -> None:
    engine = Scripted(blocks=((FIRST, (0, 1, 2, 3)),))
    with pytest.raises(WrongSolution, match=r"scripted gave .*\nQ\.\.\.\n\.Q\.\.\n"):
        nq.solve(4, engine=engine)
    with pytest.raises(WrongSolution):
        nq.count(4, engine=engine)
    with pytest.raises(WrongSolution):
        list(nq.iter_solutions(4, engine=engine))


@pytest.mark.parametrize("blocks", [((FIRST, FIRST),), ((FIRST,), (SECOND,), (FIRST,))])
def test_a_placement_that_comes_twice_is_an_error(blocks: tuple[tuple[tuple[int, ...], ...], ...]) -> None:
    with pytest.raises(DuplicateSolution, match="scripted visited 1 solution"):
        nq.solve(4, engine=replace(Scripted(blocks)))


def test_an_iterator_streams_before_the_search_ends() -> None:
    engine = Scripted(((FIRST,), (SECOND,)), fails=True)
    found = nq.iter_solutions(4, engine=engine)
    assert [next(found), next(found)] == [FIRST, SECOND]
    with pytest.raises(RuntimeError, match="out of order"):
        next(found)


def test_closing_an_iterator_ends_the_search() -> None:
    found = nq.iter_solutions(13, engine="column-sets")
    assert nq.is_solution(Instance(13), next(found))
    found.close()  # type: ignore[attr-defined]
    for thread in threading.enumerate():
        if thread.name == "iter_solutions":
            thread.join(timeout=10)
            assert not thread.is_alive()


def test_an_iterator_says_when_the_time_ran_out() -> None:
    with pytest.raises(IncompleteSearch):
        list(nq.iter_solutions(15, engine="conflict-check", seconds=0.3))
    assert len(list(nq.iter_solutions(8, limit=10))) == 10


def test_arguments_are_checked_before_anything_runs() -> None:
    for arguments in (
        {"limit": 0},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"engine": "bitmusk"},
        {"workers": 0},
    ):
        with pytest.raises(InvalidSetting):
            nq.solve(8, **arguments)
        with pytest.raises(InvalidSetting):
            nq.iter_solutions(8, **arguments)


def test_an_observer_sees_progress() -> None:
    seen: list[int] = []
    with observed(lambda found, fraction: seen.append(found)):
        nq.solve(8, engine="conflict-check", search="plain")
    nq.solve(9, engine="conflict-check")
    assert seen[-1] == 92


def test_visited_blocks_are_of_the_smallest_dtype() -> None:
    blocks: list[Block] = []
    BitmaskEngine().enumerate(Instance(6), blocks.append)
    assert {block.dtype for block in blocks} == {np.dtype(np.uint8)}
