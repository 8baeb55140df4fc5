"""Carrying out a plan: one run after the other, each stored before the next begins."""

from __future__ import annotations

import queue
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nqueens_models.bench.conditions import unlike
from nqueens_models.bench.isolate import execute_isolated
from nqueens_models.bench.machine import this_machine, usable_cores, versions
from nqueens_models.bench.plan import Plan
from nqueens_models.bench.records import MeasuredRun, Session, Status, Trial
from nqueens_models.bench.store import Archive, Store
from nqueens_models.errors import InvalidInput

NOT_REPEATED = (Status.TIME_LIMIT, Status.TIME_OUT, Status.OUT_OF_MEMORY, Status.UNSUPPORTED, Status.UNAVAILABLE)
"""What would come out the same again, after as long a time."""

Listener = Callable[[int, int, MeasuredRun], None]
"""Called after each run with the number of runs that are done, the number that are planned, and the run."""


def new_session(plan: Plan, command: str) -> Session:
    """Return the session that begins now, on this machine."""
    engines = {contender.engine.partition(":")[0] for contender in plan.contenders}
    return Session(
        id=secrets.token_hex(6),
        title=plan.title,
        command=command,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        cases=plan.cases,
        contenders=plan.contenders,
        cells=plan.cells,
        allowance=plan.allowance,
        repeat=plan.repeat,
        seed=plan.seed,
        at_once=plan.at_once,
        machine=this_machine(),
        versions=versions(sorted(engines)),
    )


def refuse_mixture(session: Session, archive: Archive, mix: bool = False) -> None:
    """Raise InvalidInput if runs of this session would join those that may not stand beside them in a table."""
    for other in archive.sessions.values():
        if not mix and (what := unlike(other, session)):
            raise InvalidInput(f"the file was made under other conditions ({what}); --mix goes on all the same")


@dataclass
class Comparison:
    """A plan being carried out: `done` are the identities of the runs that need not be made (again)."""

    plan: Plan
    session: Session
    store: Store
    listener: Listener
    done: set[str] = field(default_factory=set)
    given_up: set[str] = field(default_factory=set)  # cells whose repetition would bring nothing new

    def __post_init__(self) -> None:
        self._trials = [(trial.identity, trial.cell, trial) for trial in self.plan.trials()]

    def resume(self, archive: Archive) -> None:
        """Leave out what is in the archive."""
        for run in archive.runs:
            self._note(run)

    def execute(self) -> None:
        """Make all runs that remain, `plan.at_once` at a time; on an exception those under way are killed."""
        self.store.append(self.session)
        if self.plan.at_once == 1:
            for trial in self._remaining():
                self._finish(execute_isolated(trial, self.session.id, _cores(0, trial.contender.workers)))
            return
        self._execute_at_once()

    def _execute_at_once(self) -> None:
        slots: queue.Queue[int] = queue.Queue()
        for slot in range(self.plan.at_once):
            slots.put(slot)
        stopped = threading.Event()
        finished: queue.Queue[Future[MeasuredRun]] = queue.Queue()

        def execute(trial: Trial) -> MeasuredRun:
            slot = slots.get()
            try:
                cores = _cores(slot, trial.contender.workers)
                return execute_isolated(trial, self.session.id, cores, stopped)
            finally:
                slots.put(slot)

        with ThreadPoolExecutor(self.plan.at_once) as executor:
            try:
                under_way = 0
                for trial in self._remaining():
                    executor.submit(execute, trial).add_done_callback(finished.put)
                    under_way += 1
                    if under_way == self.plan.at_once:
                        self._finish(finished.get().result())
                        under_way -= 1
                for _ in range(under_way):
                    self._finish(finished.get().result())
            finally:
                stopped.set()

    def _remaining(self) -> Iterator[Trial]:
        for identity, cell, trial in self._trials:
            if identity not in self.done and cell not in self.given_up:
                yield trial

    def _finish(self, run: MeasuredRun) -> None:
        self.store.append(run)
        self._note(run)
        skipped = sum(cell in self.given_up and identity not in self.done for identity, cell, _ in self._trials)
        self.listener(len(self.done), self.plan.runs - skipped, run)

    def _note(self, run: MeasuredRun) -> None:
        self.done.add(run.trial)
        if run.status in NOT_REPEATED:
            self.given_up.add(run.trial.rpartition("-")[0])


def _cores(slot: int, workers: int) -> tuple[int, ...]:
    """Return the cores for a run: the last ones, since whatever else runs here tends to the first."""
    cores = usable_cores()[::-1]
    first = slot * workers
    return tuple(sorted(cores[first : first + workers])) if first + workers <= len(cores) else ()
