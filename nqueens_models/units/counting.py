"""Counting units on an executor of concurrent.futures: threads, processes, or a cluster.

What is submitted is `count_unit`, a function of this module, with a text and bytes as its arguments: any executor
can send that. The worker compares versions before it looks at the bytes, so that one with another release of this
package is refused with a sentence, not by what happens to go wrong.
"""

from __future__ import annotations

import math
import pickle
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from nqueens_models.cubes.capacity import Capacity
from nqueens_models.engines.base import Engine, KilledEngine, Limits, Termination
from nqueens_models.engines.recorder import SearchStopped
from nqueens_models.engines.registry import describe, full_spec
from nqueens_models.errors import EngineError, WrongVersion
from nqueens_models.instance import Instance
from nqueens_models.units.division import Cubes, Division, RowSplits, Unit, joins

if TYPE_CHECKING:
    from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin

IN_FLIGHT_EACH = 2  #   units given to each worker, so that none waits for its next one
ATTEMPTS = 3  #         times that a unit is tried when workers die
POLL_SECONDS = 0.05  #  between two looks at the clock while waiting
GRACE_SECONDS = 0.5  #  for workers to hand in what they are about to finish when the time is up


@dataclass(frozen=True)
class CountedUnit:
    """A unit that has been counted to its end.

    solutions: of the unit, with all images of its cubes; nodes: visited, or None where the engine does not say.
    seconds: that it took; kernel: what counted it; version: of this package; finished: UTC, ISO 8601.
    """

    identity: str
    position: int
    solutions: int
    nodes: int | None
    seconds: float
    host: str
    kernel: str
    version: str
    finished: str


def package_version() -> str:
    """Return the version of this package here."""
    from nqueens_models import __version__

    return __version__


def check_version(version: str) -> None:
    """Raise WrongVersion, naming this host and both versions, unless this package has that version here."""
    if version != package_version():
        raise WrongVersion(
            f"the worker {platform.node()} has nqueens_models {package_version()}, the count was started with "
            f"{version}: install the same version on both"
        )


# ---------------------------------------------------------------------------------------------- in a worker


class _Work(NamedTuple):
    unit: Unit
    seconds: float | None  #   from when the worker begins
    deadline: float | None  #  time.time(), as the unit may wait for its worker: an upper bound, clocks may differ


def count_unit(version: str, common: bytes, work: bytes) -> CountedUnit | Termination:
    """Count a unit: `work` is a pickled _Work, `common` what all units of a count share, a pickled _Common.

    Both are of a process with this `version` of the package. Returns why not if the unit was stopped. Raises
    WrongVersion in a package of another version, and what the engine raises.
    """
    check_version(version)
    instance, engine, by_join, kernel = _unpacked(common)
    unit, *limits = pickle.loads(work)
    content, end = unit.content, _end(*limits)
    solutions: int | Termination
    nodes: int | None = None
    began = time.perf_counter()
    if isinstance(content, Cubes):
        solutions, nodes = _count_cubes(instance, engine, content, end)
    elif by_join:
        join = _join_of(instance.n)
        began = time.perf_counter()  # the tables are no part of the time of whichever unit comes first
        solutions = join.count(content.start, content.stop)
    else:
        solutions = _list_row_splits(instance, engine, content, end)
    if isinstance(solutions, Termination):
        return solutions
    seconds = time.perf_counter() - began
    finished = datetime.now(UTC).isoformat(timespec="milliseconds")
    return CountedUnit(
        unit.identity, unit.position, solutions, nodes, seconds, platform.node(), kernel, version, finished
    )


class _Common(NamedTuple):
    instance: Instance
    engine: Engine
    by_join: bool
    kernel: str


@lru_cache(maxsize=4)
def _unpacked(common: bytes) -> _Common:
    """Return what all units of a count share; a worker counts many."""
    instance, engine, by_row_splits = pickle.loads(common)
    by_join = by_row_splits and joins(instance, engine)
    return _Common(instance, engine, by_join, "join" if by_join else kernel_of(engine))


def _end(seconds: float | None, deadline: float | None) -> float:
    """Return when a unit that begins now has to stop, by time.perf_counter()."""
    left = math.inf if seconds is None else seconds
    if deadline is not None:
        left = min(left, deadline - time.time())
    return time.perf_counter() + left


def _count_cubes(
    instance: Instance, engine: Engine, content: Cubes, end: float
) -> tuple[int | Termination, int | None]:
    """Return the number of solutions, or why it is not known, and the nodes visited if the engine counts them."""
    from nqueens_models.run import execute_count

    total, nodes = 0, None
    for cube in content.cubes:
        run = execute_count(engine, instance.with_fixed(cube.fixed, cube.blocked), _limits(end))
        if not run.complete:
            return run.termination, None
        total += run.count * cube.images
        if "nodes" in run.statistics:
            nodes = (nodes or 0) + run.statistics["nodes"]
    return total, nodes


def _list_row_splits(instance: Instance, engine: Engine, content: RowSplits, end: float) -> int | Termination:
    """Return what the join counts, found by listing the boards, or why it is not known."""
    from nqueens_models.run import execute
    from nqueens_models.units.listing import row_split_boards

    total = 0
    for boards in row_split_boards(instance.n, content.start, content.stop):
        run = execute(engine, boards.instance, boards.visit, _limits(end))
        if not run.complete:
            return run.termination
        total += boards.total
    return total


def _limits(end: float) -> Limits:
    return Limits(seconds=None if end == math.inf else max(end - time.perf_counter(), 1e-6))


_joins: list[QuadrantJoin] = []
_joins_lock = threading.Lock()


def _join_of(size: int) -> QuadrantJoin:
    """Return the join for a size, whose tables all threads of this process share; those of another size go."""
    from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin

    with _joins_lock:
        if not _joins or _joins[0].size != size:
            _joins.clear()
            _joins.append(QuadrantJoin(size))
        return _joins[0]


@lru_cache
def _versions(name: str) -> str:
    return ", ".join(f"{package} {version}" for package, version in describe(name).versions.items())


def kernel_of(engine: Engine) -> str:
    """Return what counts a cube: the engine with all its settings, and the versions of its solver."""
    versions = _versions(engine.name)
    return full_spec(engine) + (f" ({versions})" if versions else "")


# ---------------------------------------------------------------------------------------------- around the workers


def count_units(
    division: Division,
    executor: Executor,
    units: Iterable[Unit] | None = None,
    *,
    workers: int = 1,
    seconds: float | None = None,
    idle: Callable[[], None] | None = None,
    uninterrupted: Uninterrupted = nullcontext,
) -> Generator[CountedUnit]:
    """Count units of a division, all if none are given, on somebody's executor; yield each as it finishes.

    - A few units for each of so many `workers`, or of those that a cluster has by now, are under way at a time.
      The executor is left running; when this generator ends, by whatever, what nobody has begun is taken back.
    - A unit is tried again when its worker dies, which a BrokenExecutor says, from the executor or the future.
    - `idle` is called about every POLL_SECONDS, in this thread.
    - `uninterrupted` is that of a Recorder, by which Ctrl-C waits while the locks of futures are held.

    Raises SearchStopped when `seconds` are over or a worker stopped, EngineError when a unit loses its worker
    ATTEMPTS times, and what `count_unit` raises: after yielding what had been counted by then.
    """
    counting = _Counting(division, executor, workers, seconds, uninterrupted)
    try:
        yield from counting.run(division.units if units is None else units, idle or (lambda: None))
    finally:
        counting.cancel()


Uninterrupted = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class _Attempt:
    unit: Unit
    number: int = 1
    by_clock: bool = True  # whether the worker may believe its clock


class _Counting:
    """The loop around an executor: submit, wait, take what is finished."""

    def __init__(
        self,
        division: Division,
        executor: Executor,
        workers: int,
        seconds: float | None,
        uninterrupted: Uninterrupted,
    ) -> None:
        self._name, self._instance = division.engine.name, division.instance
        self._common = pickle.dumps((division.instance, division.engine, division.by_row_splits))
        self._stops = not _needs_child(division)
        self._executor = executor
        self._capacity = Capacity(executor, workers)
        self._end = math.inf if seconds is None else time.perf_counter() + seconds
        self._uninterrupted = uninterrupted
        self._running: dict[Future[CountedUnit | Termination], _Attempt] = {}

    def run(self, units: Iterable[Unit], idle: Callable[[], None]) -> Generator[CountedUnit]:
        """Yield counted units; raise SearchStopped when the time is up."""
        rest = deque(units)
        try:
            while rest or self._running:
                self._submit_from(rest)
                yield from self._taken(self._finished(POLL_SECONDS, FIRST_COMPLETED))
                idle()
                if self._seconds_left() <= 0 and (rest or self._running):
                    raise SearchStopped(Termination.TIME_LIMIT)
        except SearchStopped as stop:
            if stop.termination is Termination.TIME_LIMIT:
                yield from self._late()
            raise

    def cancel(self) -> None:
        """Take back what nobody has begun."""
        with self._uninterrupted():
            for future in self._running:
                future.cancel()

    def _seconds_left(self) -> float:
        return self._end - time.perf_counter()

    def _submit_from(self, rest: deque[Unit]) -> None:
        with self._uninterrupted():
            while rest and len(self._running) < IN_FLIGHT_EACH * self._capacity():
                self._submit(_Attempt(rest.popleft()))

    def _submit(self, attempt: _Attempt) -> None:
        seconds = deadline = None
        if self._stops and self._end < math.inf:
            seconds = max(self._seconds_left(), 1e-6)
            deadline = time.time() + seconds if attempt.by_clock else None
        work = pickle.dumps(tuple(_Work(attempt.unit, seconds, deadline)))
        try:
            future = self._executor.submit(count_unit, package_version(), self._common, work)
        except BrokenExecutor as error:
            raise EngineError(f"{self._name}: the workers are lost: {error}") from error
        self._running[future] = attempt

    def _finished(self, seconds: float, until: str) -> set[Future[CountedUnit | Termination]]:
        with self._uninterrupted():
            return wait(self._running, seconds, until).done

    def _taken(self, finished: Iterable[Future[CountedUnit | Termination]]) -> Generator[CountedUnit]:
        """Yield what was counted; then raise, if any of these units ends the count."""
        reason: Exception | None = None
        for future in finished:
            try:
                with self._uninterrupted():
                    counted = self._result(self._running.pop(future), future)
            except Exception as error:
                reason = reason or error
                continue
            if counted is not None:
                yield counted
        if reason is not None:
            raise reason

    def _result(self, attempt: _Attempt, future: Future[CountedUnit | Termination]) -> CountedUnit | None:
        """Return a unit that was counted, or None for one that was submitted again."""
        try:
            counted = future.result()
        except BrokenExecutor as error:
            self._again(attempt, error)
            return None
        if isinstance(counted, CountedUnit):
            return counted
        if counted is not Termination.TIME_LIMIT or self._seconds_left() <= 0:
            raise SearchStopped(counted)
        self._submit(replace(attempt, by_clock=False))  # the clock of its worker is ahead of ours
        return None

    def _again(self, attempt: _Attempt, error: BaseException) -> None:
        """Submit a unit again whose worker died: nothing of it has been taken, so nothing can count twice."""
        if attempt.number == ATTEMPTS:
            where = f"unit {attempt.unit.position} of {self._instance}"
            raise EngineError(f"{self._name}: {error}, {ATTEMPTS} times on {where}")
        self._submit(replace(attempt, number=attempt.number + 1))

    def _late(self) -> Generator[CountedUnit]:
        """Yield what the workers finish shortly after the time is up; a cluster does not say what it has begun."""
        for future in self._finished(GRACE_SECONDS, ALL_COMPLETED):
            with self._uninterrupted():
                counted = None if future.cancelled() or future.exception() else future.result()
            if isinstance(counted, CountedUnit):
                yield counted


def _needs_child(division: Division) -> bool:
    """Whether a time limit would have a worker solve each cube in a process of its own, to be killed: too dear."""
    engine = division.engine
    return isinstance(engine, KilledEngine) and engine.needs_child(division.instance, Limits(seconds=1))
