"""A map over one thread or several: kernels run without the GIL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Threads:
    """So many threads; with one worker, none but the caller's."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    def map(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in order, when all are there."""
        if self._pool is None:
            return [function(task) for task in tasks]
        return list(self._pool.map(function, tasks))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
