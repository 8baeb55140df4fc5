"""Cubes on executors like that of a cluster: other clocks, workers that join, futures that say nothing."""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from nqueens_models.cubes import CubeSearch, capacity, cube_orbits
from nqueens_models.engines.base import Limits, Termination
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance

BITMASK = BitmaskEngine(method="python")


class Remote(Executor):
    """A worker whose clock is `ahead`, which hands in what it is given `after` so many seconds."""

    def __init__(self, after: float, ahead: float = 0.0, cores: int = 1) -> None:
        self.after, self.ahead, self.cores, self.calls = after, ahead, cores, 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        *first, deadline = args

        def finish() -> None:
            if future.set_running_or_notify_cancel():
                future.set_result(fn(*first, deadline and deadline - self.ahead, **kwargs))

        threading.Timer(self.after, finish).start()
        return future


def test_a_worker_whose_clock_is_ahead_does_not_end_the_search() -> None:
    executor = Remote(0.01, ahead=3600.0)
    outcome = CubeSearch(BITMASK, "rows=1", executor=executor).count(Instance(8), Limits(seconds=60))
    assert (outcome.termination, outcome.solutions) == (Termination.EXHAUSTED, 92)


def test_a_cluster_that_grows_gets_more_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "ASK_SECONDS", 0.0)
    executor = Remote(1.0, cores=1000)
    search = CubeSearch(BITMASK, "rows=2", symmetry=False, executor=executor)
    assert search.count(Instance(9), Limits(seconds=0.2)).termination is Termination.TIME_LIMIT
    assert executor.calls == len(cube_orbits(Instance(9), "rows=2", symmetry=False))
