"""Who counts the units of a division: the one place where that is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import InvalidSetting
from nqueens_models.units.division import Division


@dataclass(frozen=True)
class Workers:
    """An executor, how many units it counts at a time, and which exceptions say that it has lost one."""

    executor: Executor
    number: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)


@contextmanager
def local_workers(division: Division, workers: int = 1) -> Iterator[Workers]:
    """Give the workers of this machine: threads for the join, which runs without the GIL, else processes.

    Processes are killed at the end, whatever they do; threads end with the unit that they count.
    """
    if workers < 1:
        raise InvalidSetting(f"there must be 1 worker or more, not {workers}")
    if division.by_join:
        own = division.engine.workers if isinstance(division.engine, BitmaskEngine) else 1
        with _threads(max(workers, own)) as made:
            yield made
        return
    from nqueens_models.cubes.pool import WorkerPool
    from nqueens_models.cubes.sharing import prepare

    pool = WorkerPool(workers, prepare, division.engine)
    try:
        yield Workers(pool, workers)
    finally:
        pool.shutdown()


@contextmanager
def _threads(number: int) -> Iterator[Workers]:
    pool = ThreadPoolExecutor(number)
    try:
        yield Workers(pool, number)
    finally:
        pool.shutdown(cancel_futures=True)
