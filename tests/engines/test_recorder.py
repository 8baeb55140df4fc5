"""What surrounds every search: limits, clock, blocks, how it ends. The clock is set by hand."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.engines import recorder as recorder_module
from nqueens_models.engines.base import (
    NO_LIMITS,
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Termination,
    block_dtype,
    setting,
)
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.classic.conflict_check import ConflictCheck
from nqueens_models.engines.recorder import Recorder, SearchStopped, conduct, observed
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance

ONE = (1, 3, 0, 2)
OTHER = (2, 0, 3, 1)


def finds_both(recorder: Recorder) -> None:
    recorder.solution(ONE)
    recorder.solution(OTHER)


def meets_nodes(recorder: Recorder) -> None:
    for _ in range(16):
        recorder.node()


class Clock:
    """Stands still unless told to move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(recorder_module, "time", clock)
    return clock


def run(search: Callable[[Recorder], None], limits: Limits = NO_LIMITS, n: int = 4) -> tuple[Outcome, list[Any]]:
    blocks: list[Block] = []
    outcome = conduct(search, Instance(n), blocks.append, limits)
    assert all(block.dtype == block_dtype(n) and block.shape[1] == n for block in blocks)
    return outcome, [block.tolist() for block in blocks]


@pytest.mark.parametrize("n", [0, 1, 255, 256, 65535, 65536])
def test_smallest_dtype_that_holds_n(n: int) -> None:
    dtype = block_dtype(n)
    assert dtype.kind == "u"
    assert np.iinfo(dtype).max >= n
    assert dtype.itemsize == 1 or np.iinfo(f"u{dtype.itemsize // 2}").max < n


@pytest.mark.parametrize("solutions", [0, -1, 2.5, "3"])
def test_a_limit_of_no_solutions(solutions: Any) -> None:
    with pytest.raises(InvalidSetting, match="1 or more"):
        Limits(solutions=solutions)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_a_limit_of_no_time(seconds: float) -> None:
    with pytest.raises(InvalidSetting, match="finite number of seconds above 0"):
        Limits(seconds=seconds)


def test_a_search_that_returns_is_exhausted() -> None:
    outcome, blocks = run(finds_both)
    assert outcome.termination is Termination.EXHAUSTED
    assert outcome.solutions == 2
    assert [row for block in blocks for row in block] == [list(ONE), list(OTHER)]


def test_the_empty_placement() -> None:
    outcome, blocks = run(lambda recorder: recorder.solution(()), n=0)
    assert (outcome.solutions, blocks) == (1, [[[]]])


@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 4))
def test_the_solution_limit_however_solutions_come(limit: int, total: int, at_once: int) -> None:
    def one_by_one(recorder: Recorder) -> None:
        for number in range(total):
            recorder.solution((number,) * 4)

    def in_blocks(recorder: Recorder) -> None:
        for start in range(0, total, at_once):
            recorder.solutions(np.array([[number] * 4 for number in range(start, min(total, start + at_once))]))

    def counted(recorder: Recorder) -> None:
        for start in range(0, total, at_once):
            recorder.count(min(at_once, total - start))

    for search in (one_by_one, in_blocks, counted):
        outcome, blocks = run(search, Limits(solutions=limit))
        assert outcome.solutions == min(limit, total)
        reached = limit <= total
        assert outcome.termination is (Termination.SOLUTION_LIMIT if reached else Termination.EXHAUSTED)
        if search is not counted:
            assert [row[0] for block in blocks for row in block] == list(range(min(limit, total)))


def test_solutions_left(clock: Clock) -> None:
    recorder = Recorder(Instance(4), lambda block: None, Limits(solutions=2))
    assert recorder.solutions_left() == 2
    recorder.solution(ONE)
    assert recorder.solutions_left() == 1
    assert Recorder(Instance(4), lambda block: None, NO_LIMITS).solutions_left() is None


def test_the_time_limit_is_noticed_wherever_a_search_reports(clock: Clock) -> None:
    def in_time_then_late(report: Callable[[Recorder], None]) -> Callable[[Recorder], None]:
        def search(recorder: Recorder) -> None:
            clock.now += 1.5
            recorder.check_time()
            clock.now += 0.5
            report(recorder)
            raise AssertionError("the time limit was not noticed")

        return search

    reports: list[tuple[Callable[[Recorder], None], int]] = [
        (lambda recorder: recorder.check_time(), 0),
        (lambda recorder: recorder.solution(ONE), 1),
        (lambda recorder: recorder.solutions(np.array([ONE, OTHER])), 2),
        (lambda recorder: recorder.count(3), 3),
        (meets_nodes, 0),
    ]
    for report, found in reports:
        outcome, blocks = run(in_time_then_late(report), Limits(seconds=2))
        assert outcome.termination is Termination.TIME_LIMIT
        assert outcome.solutions == found, "what was found is kept"
        assert sum(map(len, blocks)) in (found, 0)


def test_seconds_left(clock: Clock) -> None:
    recorder = Recorder(Instance(4), lambda block: None, Limits(seconds=2))
    clock.now += 0.5
    assert recorder.seconds_left() == 1.5
    clock.now += 5
    assert recorder.seconds_left() == 0
    assert Recorder(Instance(4), lambda block: None, NO_LIMITS).seconds_left() == math.inf


def test_the_limit_reached_last_is_the_limit_of_solutions(clock: Clock) -> None:
    """With both reached at once, the solutions that were asked for are there."""

    def search(recorder: Recorder) -> None:
        clock.now += 9
        recorder.solution(ONE)

    assert run(search, Limits(1, 2))[0].termination is Termination.SOLUTION_LIMIT


def test_building_and_solving_are_told_apart(clock: Clock) -> None:
    def search(recorder: Recorder) -> None:
        clock.now += 2
        recorder.built()
        clock.now += 3

    outcome, _ = run(search)
    assert (outcome.build_seconds, outcome.solve_seconds) == (2, 3)

    def never_built(recorder: Recorder) -> None:
        clock.now += 2
        recorder.check_time()

    outcome, _ = run(never_built, Limits(seconds=1))
    assert (outcome.build_seconds, outcome.solve_seconds) == (2, 0)
    assert outcome.termination is Termination.TIME_LIMIT


def test_blocks_are_filled_but_nothing_waits_long(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recorder, "BLOCK", 4)

    def search(recorder: Recorder) -> None:
        for _ in range(6):
            recorder.solution(ONE)
        clock.now += Recorder.FLUSH_SECONDS
        recorder.solution(OTHER)
        recorder.solution(ONE)

    outcome, blocks = run(search)
    assert [len(block) for block in blocks] == [1, 4, 2, 1], (
        "the first at once, four together, two in time, the rest"
    )
    assert outcome.solutions == 8


def test_the_order_is_kept_between_single_solutions_and_blocks() -> None:
    def search(recorder: Recorder) -> None:
        recorder.solution(ONE)
        recorder.solutions(np.array([OTHER, ONE]))
        recorder.solutions(np.zeros((0, 4), dtype=np.int64))
        recorder.solution(OTHER)

    assert [row for block in run(search)[1] for row in block] == [list(p) for p in (ONE, OTHER, ONE, OTHER)]


def test_what_is_visited_is_the_visitors_own() -> None:
    blocks: list[Block] = []

    def search(recorder: Recorder) -> None:
        placement, block = list(ONE), np.array([OTHER], dtype=block_dtype(4))
        recorder.solutions(block)
        recorder.solution(placement)
        placement[:], block[:] = [0] * 4, 0

    conduct(search, Instance(4), blocks.append)
    assert [block.tolist() for block in blocks] == [[list(OTHER)], [list(ONE)]]


def test_interrupted_by_ctrl_c() -> None:
    def search(recorder: Recorder) -> None:
        recorder.solution(ONE)
        raise KeyboardInterrupt

    outcome, blocks = run(search)
    assert outcome.termination is Termination.INTERRUPTED
    assert outcome.solutions == 1
    assert blocks == [[list(ONE)]]


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(solutions=2)])
def test_an_exception_of_the_visitor_propagates(
    at_once: int, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, "BLOCK", at_once)
    own = OSError("the disk is full")

    def visit(block: Block) -> None:
        raise own

    with pytest.raises(OSError, match="the disk is full") as caught:
        conduct(finds_both, Instance(4), visit, limits)
    assert caught.value is own


def test_an_exception_of_the_search_propagates() -> None:
    def search(recorder: Recorder) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(search)


def test_statistics_are_a_snapshot() -> None:
    recorder = Recorder(Instance(4), lambda block: None, NO_LIMITS)
    recorder.node()
    before = recorder.outcome(Termination.EXHAUSTED)
    recorder.node()
    assert before.statistics == {"nodes": 1}
    assert recorder.statistics == {"nodes": 2}


def test_an_observer_sees_the_searches_inside_only() -> None:
    seen: list[tuple[int, float | None]] = []

    def search(recorder: Recorder) -> None:
        recorder.progress(0.5)
        recorder.solution(ONE)

    with observed(lambda found, fraction: seen.append((found, fraction))):
        run(search)
    inside = list(seen)
    run(search)
    assert inside == seen
    assert seen[0] == (0, 0.5)
    assert seen[-1] == (1, None)


def test_a_stop_says_why() -> None:
    assert SearchStopped(Termination.TIME_LIMIT).termination is Termination.TIME_LIMIT


def test_outcomes_travel_between_processes() -> None:
    outcome = Outcome(Termination.EXHAUSTED, 2, 0.1, 0.2, {"nodes": 17})
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_which_engines_count() -> None:
    assert isinstance(BitmaskEngine(), CountingEngine)
    assert isinstance(ConflictCheck(), Engine)
    assert not isinstance(ConflictCheck(), CountingEngine)


def test_a_setting_does_not_look_at_its_choices_early() -> None:
    def choices() -> tuple[str, ...]:
        raise AssertionError("a solver would be imported")

    assert setting("a", "a letter", choices).metadata["choices"] is choices
