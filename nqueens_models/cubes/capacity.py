"""How much an executor can work on at a time, when that changes."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from typing import Protocol, runtime_checkable

ASK_SECONDS = 1.0  # between two looks: a cluster has to be asked over the network


@runtime_checkable
class Growing(Protocol):
    """An executor whose workers join and leave, as those of a cluster do."""

    @property
    def cores(self) -> int:
        """How many calls it can work on now."""
        ...


class Capacity:
    """How many calls an executor works on at a time: so many `workers`, or more if it has grown."""

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor = executor if isinstance(executor, Growing) else None
        self._least = self._now = workers
        self._ask = time.monotonic() + ASK_SECONDS

    def __call__(self) -> int:
        """Return how many now; an executor that grows is asked about once a second."""
        if self._executor is not None and time.monotonic() >= self._ask:
            self._now = max(self._least, self._executor.cores)
            self._ask = time.monotonic() + ASK_SECONDS
        return self._now
