"""Counting units on an executor of concurrent.futures: threads, processes, or a cluster.

What is submitted is `count_unit`, a function of this module, with a text and bytes as its arguments: any executor
can send that. The worker compares versions before it looks at the bytes, so that one with another release of this
package is refused with a sentence, not by what happens to go wrong.
"""

from __future__ import annotations

import pickle
import platform
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

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
    instance: Instance
    engine: Engine
    unit: Unit
    deadline: float | None  # time.time(), as the unit may wait for its worker on another machine


def count_unit(version: str, work: bytes) -> CountedUnit | Termination:
    """Count a unit; `work` is a pickled _Work of a process with this `version` of the package.

    Returns why not if it was stopped. Raises WrongVersion in a package of another version, and what the engine
    raises.
    """
    check_version(version)
    instance, engine, unit, deadline = pickle.loads(work)
    content = unit.content
    solutions: int | Termination
    nodes: int | None = None
    kernel = kernel_of(engine)
    began = time.perf_counter()
    if isinstance(content, Cubes):
        solutions, nodes = _count_cubes(instance, engine, content, deadline)
    elif joins(instance, engine):
        join = _join_of(instance.n)
        began = time.perf_counter()  # the tables are no part of the time of whichever unit comes first
        kernel, solutions = "join", join.count(content.start, content.stop)
    else:
        solutions = _list_row_splits(instance, engine, content, deadline)
    if isinstance(solutions, Termination):
        return solutions
    seconds = time.perf_counter() - began
    finished = datetime.now(UTC).isoformat(timespec="milliseconds")
    return CountedUnit(
        unit.identity, unit.position, solutions, nodes, seconds, platform.node(), kernel, version, finished
    )


def _count_cubes(
    instance: Instance, engine: Engine, content: Cubes, deadline: float | None
) -> tuple[int | Termination, int | None]:
    """Return the number of solutions, or why it is not known, and the nodes visited if the engine counts them."""
    from nqueens_models.run import execute_count

    total, nodes = 0, None
    for cube in content.cubes:
        run = execute_count(engine, instance.with_fixed(cube.fixed, cube.blocked), _limits(deadline))
        if not run.complete:
            return run.termination, None
        total += run.count * cube.images
        if "nodes" in run.statistics:
            nodes = (nodes or 0) + run.statistics["nodes"]
    return total, nodes


def _list_row_splits(
    instance: Instance, engine: Engine, content: RowSplits, deadline: float | None
) -> int | Termination:
    """Return what the join counts, found by listing the boards, or why it is not known."""
    from nqueens_models.run import execute
    from nqueens_models.units.listing import row_split_boards

    total = 0
    for boards in row_split_boards(instance.n, content.start, content.stop):
        run = execute(engine, boards.instance, boards.visit, _limits(deadline))
        if not run.complete:
            return run.termination
        total += boards.total
    return total


def _limits(deadline: float | None) -> Limits:
    return Limits(seconds=None if deadline is None else max(deadline - time.time(), 1e-6))


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
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,),
    idle: Callable[[], None] | None = None,
) -> Generator[CountedUnit]:
    """Count units of a division, all if none are given, on somebody's executor; yield each as it finishes.

    - A few units for each of so many `workers` are under way at a time. The executor is left running; when this
      generator ends, by whatever, units that nobody has begun are taken back.
    - A unit is tried again when its worker dies, which is what exceptions of the types `lost` say: these may come
      from the executor when a unit is submitted or from the future.
    - `idle` is called about every POLL_SECONDS, in this thread.

    Raises SearchStopped when `seconds` are over or a worker stopped, EngineError when a unit loses its worker
    ATTEMPTS times, and what `count_unit` raises.
    """
    counting = _Counting(division, executor, workers, seconds, lost)
    try:
        yield from counting.run(division.units if units is None else units, idle or (lambda: None))
    finally:
        counting.cancel()


@dataclass(frozen=True)
class _Attempt:
    unit: Unit
    number: int = 1


class _Counting:
    """The loop around an executor: submit, wait, take what is finished."""

    def __init__(
        self,
        division: Division,
        executor: Executor,
        workers: int,
        seconds: float | None,
        lost: tuple[type[BaseException], ...],
    ) -> None:
        self._division = division
        self._executor = executor
        self._in_flight = IN_FLIGHT_EACH * workers
        self._deadline = None if seconds is None else time.time() + seconds
        self._lost = lost
        self._running: dict[Future[CountedUnit | Termination], _Attempt] = {}

    def run(self, units: Iterable[Unit], idle: Callable[[], None]) -> Generator[CountedUnit]:
        """Yield counted units; raise SearchStopped when the time is up."""
        rest = deque(units)
        while rest or self._running:
            while rest and len(self._running) < self._in_flight:
                self._submit(_Attempt(rest.popleft()))
            yield from self._taken(wait(self._running, POLL_SECONDS, FIRST_COMPLETED).done)
            idle()
            if self._deadline is not None and time.time() >= self._deadline and (rest or self._running):
                yield from self._late()
                raise SearchStopped(Termination.TIME_LIMIT)

    def cancel(self) -> None:
        """Take back what nobody has begun."""
        for future in self._running:
            future.cancel()

    def _submit(self, attempt: _Attempt) -> None:
        division = self._division
        work = pickle.dumps(
            tuple(_Work(division.instance, division.engine, attempt.unit, self._worker_deadline()))
        )
        try:
            future = self._executor.submit(count_unit, package_version(), work)
        except self._lost as error:
            raise EngineError(f"{division.engine.name}: the workers are lost: {error}") from error
        self._running[future] = attempt

    def _worker_deadline(self) -> float | None:
        """Return when a worker is to stop: never if that would have it solve each cube in a process of its own."""
        if self._deadline is None:
            return None
        engine, instance = self._division.engine, self._division.instance
        killed = isinstance(engine, KilledEngine) and engine.needs_child(instance, Limits(seconds=1))
        return None if killed else self._deadline

    def _taken(self, finished: Iterable[Future[CountedUnit | Termination]]) -> Generator[CountedUnit]:
        stopped = None
        for future in finished:
            attempt = self._running.pop(future)
            try:
                counted = future.result()
            except self._lost as error:
                self._again(attempt, error)
                continue
            if isinstance(counted, CountedUnit):
                yield counted
            else:
                stopped = counted
        if stopped is not None:
            raise SearchStopped(stopped)

    def _again(self, attempt: _Attempt, error: BaseException) -> None:
        """Submit a unit again whose worker died: nothing of it has been taken, so nothing can count twice."""
        if attempt.number == ATTEMPTS:
            name, unit = self._division.engine.name, attempt.unit
            raise EngineError(
                f"{name}: {error}, {ATTEMPTS} times on unit {unit.position} of {self._division.instance}"
            )
        self._submit(_Attempt(attempt.unit, attempt.number + 1))

    def _late(self) -> Generator[CountedUnit]:
        """Yield what the workers have finished shortly after the time was up."""
        self.cancel()
        begun = [future for future in self._running if not future.cancelled()]
        for future in wait(begun, GRACE_SECONDS).done:
            with suppress(SearchStopped, *self._lost):
                counted = future.result()
                if isinstance(counted, CountedUnit):
                    yield counted
