"""The process in which one run is made, which `isolate` starts with an order on its standard input.

Events go to what was standard output; that is then pointed at standard error, so that nothing an engine prints, in
whatever language, gets between them. Clocks start after everything is loaded, which the warm-up sees to.

No engine is told of the time limit, or makes a process of its own to be able to keep it: when the time is up the
parent sends SIGINT, and the engine ends as at Ctrl-C, which keeps what it has found; later it kills.
"""

from __future__ import annotations

import builtins
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import numpy as np

from nqueens_models.bench.events import (
    Checked,
    Ended,
    Entered,
    Event,
    Finished,
    Partial,
    Progress,
    Warm,
    WorkOrder,
)
from nqueens_models.bench.records import Contender, Goal, Phase, Status
from nqueens_models.cubes.choice import make_search
from nqueens_models.engines.base import (
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Visitor,
    ignore,
    may_be_killed,
)
from nqueens_models.engines.pipes import take_standard_output
from nqueens_models.engines.recorder import Recorder, observed
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import EngineUnavailable, UnsupportedInstance
from nqueens_models.instance import Instance
from nqueens_models.run import Collector
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import valid_rows

COMPILERS = ("numba", "llvmlite")
SAMPLE_SECONDS = 0.05  #    between two events of progress at the beginning, and later
SAMPLE_GROWTH = 0.02  #     this part of the time that has passed: long runs have hundreds of them, not thousands
SNAPSHOT_SECONDS = 0.25  #  between two looks at the statistics of a search that may have to be killed


def main() -> None:
    """Read a work order, make the run, report."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    may_be_killed()
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=WorkOrder)
    report = Report(order)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, sys.stdin.fileno())
    if order.cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, order.cores)
    Execution(order, report).execute()
    report.enter(Phase.END)
    report(Finished(_peak_memory()))


class Report:
    """Sends events to the parent; any thread may call it."""

    def __init__(self, order: WorkOrder) -> None:
        self._order = order
        self._stream = take_standard_output()
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        """Send an event."""
        with self._lock:
            self._stream.write(self._order.token.encode() + b" " + msgspec.json.encode(event) + b"\n")
            self._stream.flush()

    def enter(self, phase: Phase) -> None:
        """Say that a phase begins."""
        self(Entered(phase, time.monotonic() - self._order.spawned))


Handler = Callable[[int, FrameType | None], Any]
"""What answers a signal."""


class Execution:
    """One run, in its phases."""

    def __init__(self, order: WorkOrder, report: Report) -> None:
        self.case = order.trial.case
        self.contender = order.trial.contender
        self.allowance = order.trial.allowance
        self.board = self.case.board()
        self.report = report

    def execute(self) -> None:
        """Load, warm up, measure and check."""
        try:
            engine = engine_of(self.contender, self.board)
            if self.allowance.warm_up:
                self._warm_up(engine)
            self.report.enter(Phase.BUILD)
            collector = Collector(self.board)
            self.report(self._measure(engine, collector))
        except BaseException as error:  # whatever it is, this process has to say what happened
            self.report(failure(error))
            return
        if self.case.goal is Goal.LIST:
            self.report.enter(Phase.CHECK)
            self.report(check(self.board, collector))

    def _warm_up(self, engine: Engine) -> None:
        """Search for one solution of the case, so that what is imported, compiled and read from disk is there."""
        self.report.enter(Phase.WARM_UP)
        began = time.perf_counter()
        with ImportClock(self.report) as clock, WarmUp(self.report) as handler:
            self._search(engine, ignore, Limits(1), handler)
        self.report(Warm(clock.seconds, time.perf_counter() - began - clock.seconds))

    def _measure(self, engine: Engine, collector: Collector) -> Ended:
        """Run the engine as asked, observed."""
        sampler = Sampler(self.report)
        listing = self.case.goal is Goal.LIST

        def visit(block: Block) -> None:
            collector(block)
            sampler.add(len(block))

        def observe(found: int, _: float | None) -> None:
            if not listing:
                sampler.at(found)

        with observed(observe, sampler.watch), sampler:
            began = time.perf_counter()
            outcome = self._search(engine, visit, Limits(self.case.solutions), signal.default_int_handler)
            seconds = time.perf_counter() - began
        build = min(max(outcome.build_seconds, 0.0), seconds)  # what the engine says; the sum is what passed here
        return Ended(
            Status.of(outcome.termination), "", build, seconds - build, outcome.solutions,
            plain(outcome.statistics),
        )  # fmt: skip

    def _search(self, engine: Engine, visit: Visitor, limits: Limits, handler: Handler) -> Outcome:
        """Search; meanwhile `handler` answers SIGINT."""
        signal.signal(signal.SIGINT, handler)
        try:
            if self.case.goal is Goal.COUNT and isinstance(engine, CountingEngine):
                return engine.count(self.board, limits)
            return engine.enumerate(self.board, visit, limits)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def engine_of(contender: Contender, board: Instance) -> Engine:
    """Return the engine that searches as the contender does; a plain search is left to the engine's settings."""
    engine = make_engine(contender.engine)
    if contender.search == "plain":
        return engine
    search = None if contender.search == "auto" else contender.search
    return make_search(engine, board, search, contender.symmetry, contender.workers)


def failure(error: BaseException) -> Ended:
    """Return what an exception means."""
    kinds = {
        UnsupportedInstance: Status.UNSUPPORTED,
        EngineUnavailable: Status.UNAVAILABLE,
        MemoryError: Status.OUT_OF_MEMORY,
        KeyboardInterrupt: Status.TIME_LIMIT,
    }
    status = next((kind for cause, kind in kinds.items() if isinstance(error, cause)), Status.ERROR)
    told = status in (Status.UNSUPPORTED, Status.UNAVAILABLE, Status.TIME_LIMIT)
    return Ended(status, str(error) if told else f"{type(error).__name__}: {error}".rstrip(": "))


def plain(statistics: Any) -> dict[str, int]:
    """Return statistics as Python numbers, whatever the engine gave."""
    return {str(name): int(value) for name, value in dict(statistics).items()}


def check(board: Instance, collector: Collector) -> Checked:
    """Judge what was visited by the rules, and find repetitions."""
    try:
        visited = collector.array
        valid = valid_rows(board, visited)
        solutions = SolutionSet(board.n, visited[valid])
    except (ValueError, TypeError, IndexError) as error:
        return Checked(0, problem=f"what it visited are no placements: {error}")
    wrong = np.flatnonzero(~valid)
    witness = tuple(int(column) for column in visited[wrong[0]]) if len(wrong) else None
    return Checked(len(visited), len(solutions), len(wrong), witness, solutions.fingerprint)


class Sampler:
    """Reports solutions over time, and snapshots of the statistics; a context manager around the search."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._found = 0
        self._due = 0.0
        self._recorder: Recorder | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._snapshots, name="snapshots", daemon=True)
        self._parent = os.getppid()

    def __enter__(self) -> None:
        self._thread.start()
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def watch(self, recorder: Recorder) -> None:
        """Take the recorder of the outermost search, which is the first."""
        self._recorder = self._recorder or recorder

    def add(self, number: int) -> None:
        """Note that more solutions were visited."""
        self.at(self._found + number)

    def at(self, found: int) -> None:
        """Note how many solutions there are by now."""
        seconds = time.perf_counter() - self._began
        self._found = found
        if found and seconds >= self._due:
            self._due = seconds + max(SAMPLE_SECONDS, SAMPLE_GROWTH * seconds)
            self._report(Progress(seconds, found))

    def _snapshots(self) -> None:
        """Report what the statistics have become; end everything when the parent is gone."""
        last = None
        while not self._done.wait(SNAPSHOT_SECONDS):
            if os.getppid() != self._parent:
                os.killpg(0, signal.SIGKILL)
            if self._recorder is None:
                continue
            partial = Partial(self._recorder.build_seconds, plain(self._recorder.statistics))
            if partial != last:
                self._report(last := partial)


class WarmUp:
    """What answers SIGINT in a warm-up: the search ends, but a compilation under way gets the time of an import.

    A context manager that drops whatever exception such an end leads to.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._interrupted = False

    def __call__(self, _signal: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, unless this is the first time and a compilation is under way."""
        compiling = not self._interrupted and in_compiler(frame)
        self._interrupted = True
        if not compiling:
            raise KeyboardInterrupt
        self._report.enter(Phase.IMPORT)

    def __enter__(self) -> WarmUp:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and self._interrupted


def in_compiler(frame: FrameType | None) -> bool:
    """Return whether a frame is in Numba, or was called by it."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in COMPILERS:
            return True
        frame = frame.f_back
    return False


class ImportClock:
    """Adds up the seconds spent in import statements, nested ones once; a context manager around the warm-up.

    SIGINT is no use in an import, since a module that is half there cannot be imported again: the parent is told
    when one begins and ends, and does not count it as warm-up.
    """

    def __init__(self, report: Report) -> None:
        self.seconds = 0.0
        self._report = report
        self._inside = False

    def __enter__(self) -> ImportClock:
        self._original: Callable[..., Any] = builtins.__import__
        builtins.__import__ = self._import
        return self

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self._original

    def _import(self, name: str, *arguments: Any, **named: Any) -> Any:
        elsewhere = threading.current_thread() is not threading.main_thread()
        if self._inside or elsewhere or name in sys.modules:
            return self._original(name, *arguments, **named)
        self._inside, began = True, time.perf_counter()
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._report.enter(Phase.IMPORT)
        try:
            return self._original(name, *arguments, **named)
        finally:
            self._inside = False
            self.seconds += time.perf_counter() - began
            self._report.enter(Phase.WARM_UP)
            signal.signal(signal.SIGINT, handler)


def _peak_memory() -> int:
    """Return the most memory this process had resident, in bytes.

    Not `ru_maxrss`: Linux hands that on from the process that spawned this one.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:")), 0)
