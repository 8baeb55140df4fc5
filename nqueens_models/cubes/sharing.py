"""Sharing cubes out: batches of them go to an executor, their solutions come back as they are found."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace

from nqueens_models.cubes.capacity import Capacity
from nqueens_models.cubes.gathering import Gathering
from nqueens_models.cubes.pool import WorkerPool
from nqueens_models.cubes.solving import Request, solve_batch, solve_orbits
from nqueens_models.cubes.split import CubeOrbit
from nqueens_models.engines.base import Block, Engine, Outcome, Termination, ignore
from nqueens_models.engines.recorder import SearchStopped
from nqueens_models.errors import EngineError
from nqueens_models.instance import Instance

BATCHES_EACH = 4  #     a batch is the rest of the cubes divided by so many for each worker: ever smaller
IN_FLIGHT_EACH = 2  #   batches given to each worker, so that none waits for its next one
ATTEMPTS = 3  #         times that a batch is tried when worker processes die
POLL_SECONDS = 0.05  #  between two looks at the clock while waiting
GRACE_SECONDS = 0.5  #  for workers to hand in what they have when the time is up


def solve_with_processes(
    request: Request, orbits: Sequence[CubeOrbit], gathering: Gathering, workers: int
) -> None:
    """Solve in this process and `workers` - 1 others, which are gone when this returns or raises."""
    recorder = gathering.recorder
    with recorder.uninterrupted():
        pool = WorkerPool(workers - 1, prepare, request.engine)
        try:
            with recorder.interruptible():
                _Sharing(request, orbits, gathering, pool, workers, helping=True).run()
        finally:
            pool.shutdown()


def solve_on_executor(
    request: Request, orbits: Sequence[CubeOrbit], gathering: Gathering, executor: Executor, workers: int
) -> None:
    """Solve on somebody's executor, which is left running; batches that it has begun may outlive a limit."""
    sharing = _Sharing(request, orbits, gathering, executor, workers, helping=False)
    try:
        sharing.run()
    finally:
        sharing.cancel()


def prepare(engine: Engine) -> None:
    """Import in a new process what the engine imports when it is used first."""
    engine.enumerate(Instance(4), ignore)


@dataclass(frozen=True)
class _Batch:
    orbits: Sequence[CubeOrbit]
    attempt: int = 1
    by_clock: bool = True  # whether the worker may believe its clock


class _Sharing:
    """The loop around an executor: submit batches, work on the rest if `helping`, take what is finished.

    Futures have locks that Ctrl-C might leave taken, as those of `queue.Queue`: it waits while they are used.
    """

    def __init__(
        self,
        request: Request,
        orbits: Sequence[CubeOrbit],
        gathering: Gathering,
        executor: Executor,
        workers: int,
        helping: bool,
    ) -> None:
        self._request = request
        self._rest = deque(orbits)
        self._gathering = gathering
        self._recorder = gathering.recorder
        self._executor = executor
        self._helping = helping
        self._capacity = Capacity(executor, workers - helping)
        self._running: dict[Future[tuple[Block, Outcome]], _Batch] = {}

    def run(self) -> None:
        """Solve all; raise SearchStopped when a limit is reached."""
        try:
            while self._rest or self._running:
                self._submit_from_rest()
                busy = self._helping and self._help()
                with self._recorder.uninterrupted():
                    finished = wait(self._running, 0.0 if busy else POLL_SECONDS, FIRST_COMPLETED).done
                self._take(finished)
                self._recorder.check_time()
        except SearchStopped as stop:
            if stop.termination is Termination.TIME_LIMIT:
                self._take_late()
            raise

    def cancel(self) -> None:
        """Take back what nobody has begun."""
        with self._recorder.uninterrupted():
            for future in self._running:
                future.cancel()

    def _submit_from_rest(self) -> None:
        with self._recorder.uninterrupted():
            workers = self._capacity()
            while self._rest and len(self._running) < IN_FLIGHT_EACH * workers:
                self._submit(_Batch(self._next_orbits(workers + self._helping)))

    def _next_orbits(self, workers: int) -> list[CubeOrbit]:
        number = max(1, len(self._rest) // (BATCHES_EACH * workers))
        return [self._rest.popleft() for _ in range(number)]

    def _submit(self, batch: _Batch) -> None:
        limits = self._gathering.limits(1)
        deadline = time.time() + limits.seconds if limits.seconds is not None and batch.by_clock else None
        try:
            with self._recorder.uninterrupted():
                future = self._executor.submit(solve_batch, self._request, batch.orbits, limits, deadline)
        except BrokenExecutor as error:
            raise EngineError(f"{self._request.engine.name}: the workers are lost: {error}") from error
        self._running[future] = batch

    def _help(self) -> bool:
        """Solve one cube here, or one given away but not begun yet; return whether there was one."""
        if not self._rest:
            with self._recorder.uninterrupted():
                self._take_back()
        if not self._rest:
            return False
        solve_orbits(self._request, [self._rest.popleft()], self._gathering)
        return True

    def _take_back(self) -> None:
        """Take one batch back; not one that a process died of: it might be this process the next time."""
        for future, batch in list(self._running.items()):
            if batch.attempt == 1 and future.cancel():
                del self._running[future]
                self._rest.extend(batch.orbits)
                return

    def _take(self, finished: set[Future[tuple[Block, Outcome]]]) -> None:
        for future in finished:
            batch = self._running.pop(future)
            try:
                with self._recorder.uninterrupted():
                    block, outcome = future.result()
            except BrokenExecutor as error:
                self._again(batch, error)
                continue
            if outcome.termination is Termination.TIME_LIMIT and self._recorder.seconds_left() > GRACE_SECONDS:
                self._submit(replace(batch, by_clock=False))  # the clock of its worker is ahead of ours
                continue
            self._take_result(batch, block, outcome)

    def _take_result(self, batch: _Batch, block: Block, outcome: Outcome) -> None:
        self._gathering.totals.statistics.update(outcome.statistics)
        if self._request.listing:
            self._recorder.solutions(block)
        else:
            self._gathering.count(outcome.solutions)
        if outcome.termination is not Termination.EXHAUSTED:
            raise SearchStopped(outcome.termination)
        self._gathering.cube_done(len(batch.orbits))

    def _again(self, batch: _Batch, error: BrokenExecutor) -> None:
        """Submit a batch again whose worker died: nothing of it has been taken, so nothing can come twice."""
        if batch.attempt == ATTEMPTS:
            name = self._request.engine.name
            raise EngineError(f"{name}: {error}, {ATTEMPTS} times on the same cubes of {self._request.instance}")
        self._submit(replace(batch, attempt=batch.attempt + 1))

    def _take_late(self) -> None:
        """Take what the workers have found when the time is up; a cluster does not say what it has begun."""
        with self._recorder.uninterrupted():
            finished = wait(self._running, GRACE_SECONDS).done
        for future in finished:
            with suppress(SearchStopped, BrokenExecutor):
                with self._recorder.uninterrupted():
                    result = future.result()
                self._take_result(self._running[future], *result)
        self.cancel()
