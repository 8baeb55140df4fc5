import json
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.cubes import CubeSearch, cube_orbits
from nqueens_models.engines.base import (
    NO_LIMITS,
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Termination,
    Visitor,
)
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.recorder import Recorder, conduct, observed
from nqueens_models.engines.stopping import Stopping
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from tests import brute_force

CASES = json.loads(Path("tests/data/instances.json").read_text(encoding="utf-8"))
SPLITS = ("auto", "rows=1", "rows=2", "rows=3", "centre-lines", "centre-lines=3")
BITMASK = BitmaskEngine()


class ListingOnly:
    """An engine that cannot count, and looks at every permutation."""

    name: ClassVar[str] = "listing-only"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def search(recorder: Recorder) -> None:
            for placement in brute_force.solutions(instance):
                recorder.solution(placement)

        return conduct(search, instance, visit, limits)


class Interrupted(ListingOnly):
    """An engine that Ctrl-C meets after the third solution of a cube."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def search(recorder: Recorder) -> None:
            for placement in brute_force.solutions(instance)[:3]:
                recorder.solution(placement)
            raise KeyboardInterrupt

        return conduct(search, instance, visit, limits)


def case(name: str) -> Instance:
    found = next(c for c in CASES if c["name"] == name)
    return Instance(found["n"], found["diagonals"], found["fixed"], found["blocked"], found["regions"])


def listed(
    engine: Engine, instance: Instance, limits: Limits = NO_LIMITS
) -> tuple[list[tuple[int, ...]], Outcome]:
    blocks: list[Block] = []
    outcome = engine.enumerate(instance, blocks.append, limits)
    placements = [tuple(placement) for block in blocks for placement in block.tolist()]
    assert len(placements) == outcome.solutions
    return placements, outcome


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize("name", [c["name"] for c in CASES])
def test_the_same_set_as_plain(name: str, symmetry: bool, split: str) -> None:
    search = CubeSearch(BITMASK, split, symmetry)
    placements, outcome = listed(search, case(name))
    assert sorted(placements) == sorted(listed(BITMASK, case(name))[0])
    assert len(placements) == next(c["solutions"] for c in CASES if c["name"] == name)
    assert outcome.termination is Termination.EXHAUSTED
    assert search.count(case(name)).solutions == len(placements)


@given(brute_force.instances(6), st.sampled_from(SPLITS), st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_instance(instance: Instance, split: str, symmetry: bool) -> None:
    search = CubeSearch(BITMASK, split, symmetry)
    expected = brute_force.solutions(instance)
    assert sorted(listed(search, instance)[0]) == expected
    assert search.count(instance).solutions == len(expected)


@pytest.mark.parametrize(("diagonals", "n", "solutions"), [("full", 10, 724), ("modular", 13, 4524)])
def test_published_counts(diagonals: str, n: int, solutions: int) -> None:
    """OEIS A000170 and A051906."""
    placements, outcome = listed(CubeSearch(BITMASK), Instance(n, diagonals))
    assert len(set(placements)) == len(placements) == solutions
    assert outcome.statistics["cubes"] < solutions


def test_an_engine_that_only_lists_counts_under_cubes() -> None:
    search = CubeSearch(ListingOnly(), "rows=2")
    assert isinstance(search, CountingEngine)
    assert search.count(Instance(6)).solutions == 4
    assert search.count(Instance(5)).solutions == 10


def test_it_conforms_to_the_contract() -> None:
    search: Engine = CubeSearch(BITMASK)
    assert isinstance(search, Engine)
    assert search.name == "bitmask"
    assert hash(search) == hash(CubeSearch(BITMASK))


@pytest.mark.parametrize("limit", range(1, 93))
def test_a_limit_of_solutions_is_exact(limit: int) -> None:
    search = CubeSearch(BITMASK, "rows=2")
    placements, outcome = listed(search, Instance(8), Limits(limit))
    assert len(set(placements)) == limit
    assert outcome.termination is Termination.SOLUTION_LIMIT
    counted = search.count(Instance(8), Limits(limit))
    assert (counted.solutions, counted.termination) == (limit, Termination.SOLUTION_LIMIT)


def test_a_limit_above_the_number_is_not_reached() -> None:
    placements, outcome = listed(CubeSearch(BITMASK), Instance(8), Limits(93, 60))
    assert len(placements) == 92
    assert outcome.termination is Termination.EXHAUSTED


def test_the_time_limit_keeps_partial_results() -> None:
    search = CubeSearch(BITMASK, "rows=3")
    placements, outcome = listed(search, Instance(13), Limits(seconds=0.3))
    assert outcome.termination is Termination.TIME_LIMIT
    assert 0 < len(set(placements)) == len(placements) < 73712
    assert search.count(Instance(16), Limits(seconds=0.2)).termination is Termination.TIME_LIMIT


def test_the_order_is_the_same_each_time() -> None:
    assert listed(CubeSearch(BITMASK), Instance(9))[0] == listed(CubeSearch(BITMASK), Instance(9))[0]


def test_ctrl_c_in_a_cube_keeps_what_was_found() -> None:
    placements, outcome = listed(CubeSearch(Interrupted(), "rows=0"), Instance(6))
    assert outcome.termination is Termination.INTERRUPTED
    assert len(placements) == 3
    placements, outcome = listed(CubeSearch(Interrupted(), "rows=1"), Instance(5))
    assert outcome.termination is Termination.INTERRUPTED
    assert set(placements) <= set(brute_force.solutions(Instance(5)))


def test_an_exception_of_the_visitor_comes_through() -> None:
    calls = []

    def visit(block: Block) -> None:
        calls.append(len(block))
        raise LookupError("stop")

    with pytest.raises(LookupError, match="stop"):
        CubeSearch(BITMASK, "rows=2").enumerate(Instance(8), visit)
    assert len(calls) == 1


def test_blocks_have_the_smallest_dtype_and_are_large() -> None:
    blocks: list[Block] = []
    CubeSearch(BITMASK).enumerate(Instance(10), blocks.append)
    assert {block.dtype for block in blocks} == {np.dtype(np.uint8)}
    assert len(blocks) <= 2 or sum(len(block) for block in blocks) == 724


def test_statistics_are_sums() -> None:
    def nodes(instance: Instance, **settings: Any) -> Any:
        return listed(CubeSearch(BITMASK, **settings), instance)[1].statistics

    whole, parts = nodes(Instance(8), split="rows=0"), nodes(Instance(8), split="rows=2", symmetry=False)
    assert whole["cubes"] == 1
    assert parts["cubes"] == 42  # 8 * 8 - 8 - 2 * 7: not in one column, not next to each other along a diagonal
    assert parts["nodes"] > 42


def test_progress_is_that_of_all_cubes() -> None:
    seen: list[float] = []

    def observer(_: int, fraction: float | None) -> None:
        if fraction is not None:
            seen.append(fraction)

    with observed(observer):
        CubeSearch(BITMASK, "rows=2").count(Instance(8))
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len(seen) == CubeSearch(BITMASK, "rows=2").count(Instance(8)).statistics["cubes"]


def test_bad_settings() -> None:
    with pytest.raises(InvalidSetting, match="no split is called 'diagonals'"):
        CubeSearch(BITMASK, "diagonals")
    with pytest.raises(InvalidSetting, match="1 worker"):
        CubeSearch(BITMASK, workers=0)


def test_cubes_share_the_thread_that_stops_solvers() -> None:
    """A thread for each cube would take longer than most cubes."""
    stopped: list[str] = []

    class Stopped(ListingOnly):
        def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
            def search(recorder: Recorder) -> None:
                before = threading.active_count()
                name = str(instance.fixed)
                with Stopping(recorder, lambda: stopped.append(name)):
                    assert threading.active_count() == before
                    deadline = time.monotonic() + 10
                    while not stopped and time.monotonic() < deadline:
                        time.sleep(0.01)
                recorder.check_time()

            return conduct(search, instance, visit, limits)

    _, outcome = listed(CubeSearch(Stopped(), "rows=1"), Instance(6), Limits(seconds=0.1))
    assert outcome.termination is Termination.TIME_LIMIT
    assert set(stopped) == {str(cube_orbits(Instance(6), "rows=1")[0].fixed)}
