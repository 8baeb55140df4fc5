"""Who counts the units of a division on this machine: threads or processes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.recorder import ctrl_c_waits
from nqueens_models.errors import InvalidSetting
from nqueens_models.units.division import Division


@dataclass(frozen=True)
class Workers:
    """An executor, and how many units it counts at a time; more, if it is a cluster that has grown."""

    executor: Executor
    number: int


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

    with ExitStack() as stack:
        with ctrl_c_waits():
            pool = WorkerPool(workers, prepare, division.engine)
            stack.callback(pool.shutdown)
        yield Workers(pool, workers)


@contextmanager
def _threads(number: int) -> Iterator[Workers]:
    pool = ThreadPoolExecutor(number)
    try:
        yield Workers(pool, number)
    finally:
        pool.shutdown(cancel_futures=True)
