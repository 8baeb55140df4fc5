"""The contract between an engine and everyone else.

An engine pushes blocks of solutions to a visitor: a callback (CP-SAT), a loop (SAT) and a recursion
(backtracking) can all do that without threads. What every engine owes, and `nqueens_models.testing.check_engine`
checks:

- each solution is visited exactly once, in any order; the same seed gives the same order;
- an exception raised by the visitor propagates, and the solver is released;
- EXHAUSTED means a completed search; a limit that was reached is reported even if no solution remains;
- the time limit covers building and solving; partial results are kept, also on Ctrl-C;
- what it cannot do raises UnsupportedInstance before any search, a missing solver EngineUnavailable.
"""

from __future__ import annotations

import dataclasses
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Block as Block  # part of the contract, and so named here too
from nqueens_models.instance import Instance
from nqueens_models.instance import block_dtype as block_dtype

Visitor = Callable[[Block], None]

STATISTICS = (
    "nodes", "repeated_nodes", "conflicts", "decisions", "propagations", "restarts", "variables",
    "auxiliary_variables", "clauses", "constraints", "blocking_clauses", "assignments", "cubes",
)  # fmt: skip
"""The names an engine may use in `Outcome.statistics`; a number that does not exist is left out."""


def ignore(block: Block) -> None:
    """Visit without doing anything: for those who count, or warm up."""


class Termination(StrEnum):
    """Why a search ended."""

    EXHAUSTED = "exhausted"  #           it was completed: the list holds every solution
    SOLUTION_LIMIT = "solution-limit"  # as many solutions as were asked for
    TIME_LIMIT = "time-limit"
    INTERRUPTED = "interrupted"  #       Ctrl-C


@dataclass(frozen=True)
class Limits:
    """When to stop early: after so many `solutions` (1 or more), or after so many `seconds` (more than 0)."""

    solutions: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.solutions is not None and not (isinstance(self.solutions, int) and self.solutions >= 1):
            raise InvalidSetting(f"the limit must be a whole number of solutions, 1 or more, not {self.solutions}")
        if self.seconds is not None and not (self.seconds > 0 and math.isfinite(self.seconds)):
            raise InvalidSetting(f"the time limit must be a finite number of seconds above 0, not {self.seconds}")


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """What a search reports about itself: `solutions` is how many it visited (or counted)."""

    termination: Termination
    solutions: int
    build_seconds: float
    solve_seconds: float
    statistics: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Engine(Protocol):
    """A searcher, configured by its constructor and stateless between runs.

    By convention a frozen dataclass: its fields, made by `setting`, are its settings, the first line of its
    docstring is what `engines` shows, and `requires` names the distributions it needs. Settings that have no
    useful default are named in a class variable `required`. An engine that can count without listing also has
    `count(instance, limits) -> Outcome`.
    """

    requires: ClassVar[tuple[str, ...]]

    @property
    def name(self) -> str:
        """What it is called in specifications: a class variable will do."""
        ...

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in blocks, unless a limit ends the search."""
        ...


@runtime_checkable
class CountingEngine(Engine, Protocol):
    """An engine that can count without listing."""

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Return an outcome whose `solutions` is the number of solutions, in constant memory."""
        ...


@runtime_checkable
class KilledEngine(Engine, Protocol):
    """An engine some of whose searches see neither the clock nor Ctrl-C, and end with their process alone."""

    def needs_child(self, instance: Instance, limits: Limits) -> bool:
        """Whether a search has to be in a process that somebody can kill, and this is none (`killable`)."""
        ...


def killable() -> bool:
    """Whether this process was made by another one that kills it when it has to: see engines/child.py."""
    return _killable


def may_be_killed() -> None:
    """Say that it was."""
    global _killable
    _killable = True


_killable = False


def setting(default: Any, summary: str, choices: Sequence[str] | Callable[[], Sequence[str]] = ()) -> Any:
    """Declare one setting of an engine: a dataclass field whose values may be restricted to `choices`.

    `choices` may be a function, called only when a value is checked, so that no solver is imported early.
    """
    return dataclasses.field(default=default, metadata={"summary": summary, "choices": choices})


class SearchStopped(Exception):  # noqa: N818 - not an error: it unwinds a search
    """Raised inside a search to end it; `conduct` turns it into an Outcome."""

    def __init__(self, termination: Termination) -> None:
        super().__init__(termination)
        self.termination = termination


Observer = Callable[[int, float | None], None]
"""Called with the number of solutions so far and the fraction of the search that is done (0 to 1, or None)."""

_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
_begun: ContextVar[Callable[[Recorder], None] | None] = ContextVar("begun", default=None)


@contextmanager
def observed(observer: Observer, begun: Callable[[Recorder], None] | None = None) -> Iterator[None]:
    """Let `observer` watch the searches that are started inside, for a display of progress.

    `begun` is given the recorder of each, for statistics that outlive a search that has to be killed.
    """
    token, other = _observer.set(observer), _begun.set(begun)
    try:
        yield
    finally:
        _observer.reset(token)
        _begun.reset(other)


class Recorder:
    """What every search needs around it: the clock, the limits, the blocks, the statistics.

    A search calls `built` when its model is complete, `solution` or `solutions` for what it finds, and
    `check_time` often enough to notice the time limit within a fraction of a second. Each may raise SearchStopped.
    """

    BLOCK = 1024  #          placements gathered at the most before they are visited
    FLUSH_SECONDS = 0.1  #   how long a placement may wait for that

    def __init__(self, instance: Instance, visit: Visitor, limits: Limits) -> None:
        self.instance = instance
        self.statistics: dict[str, int] = {}
        self._settled = 0  #             solutions visited or counted
        self._visit = visit
        self._uninterrupted = self._interrupted = False
        self._observer = _observer.get()
        self._limits = limits
        self._dtype = block_dtype(instance.n)
        self._waiting: list[Sequence[int]] = []
        self._flushed = -math.inf  # the first placement does not wait: somebody may want to know when it was found
        self._started = time.perf_counter()
        self._built: float | None = None
        self._deadline = math.inf if limits.seconds is None else self._started + limits.seconds
        if (begun := _begun.get()) is not None:
            begun(self)

    @property
    def build_seconds(self) -> float | None:
        """How long it took to build the model, None as long as that goes on."""
        return None if self._built is None else self._built - self._started

    @property
    def found(self) -> int:
        """How many solutions were found."""
        return self._settled + len(self._waiting)

    def built(self, seconds_ago: float = 0.0) -> None:
        """Mark the end of model building: the last call counts."""
        self._built = time.perf_counter() - seconds_ago

    def seconds_left(self) -> float:
        """Return the seconds until the time limit: infinite without one, never negative."""
        return max(0.0, self._deadline - time.perf_counter())

    def solutions_left(self) -> int | None:
        """Return how many solutions may still be visited: None without a limit."""
        return None if self._limits.solutions is None else self._limits.solutions - self.found

    def check_time(self) -> None:
        """Raise SearchStopped when the time is up."""
        if time.perf_counter() >= self._deadline:
            raise SearchStopped(Termination.TIME_LIMIT)

    def node(self) -> None:
        """Count a node, a partial placement that breaks no rule, in the statistics; notice the time limit."""
        nodes = self.statistics["nodes"] = self.statistics.get("nodes", 0) + 1
        if nodes % 16 == 0:  # often enough for searches whose nodes take milliseconds on large boards
            self.check_time()

    def solution(self, placement: Sequence[int]) -> None:
        """Take one solution, the column of each row; the sequence is not kept."""
        self._waiting.append(tuple(placement))
        if self._settled + len(self._waiting) == self._limits.solutions:
            raise SearchStopped(Termination.SOLUTION_LIMIT)
        now = time.perf_counter()
        if len(self._waiting) >= self.BLOCK or now - self._flushed >= self.FLUSH_SECONDS:
            self.flush()
        if now >= self._deadline:
            raise SearchStopped(Termination.TIME_LIMIT)

    def solutions(self, block: Block) -> None:
        """Take a block of solutions, shape (k, n) of any integer dtype; the array is not kept."""
        self.flush()
        left = self.solutions_left()
        taken = block if left is None else block[:left]
        if len(taken):
            self._deliver(taken.astype(self._dtype))
        self.progress()
        if self.found == self._limits.solutions:
            raise SearchStopped(Termination.SOLUTION_LIMIT)
        self.check_time()

    def count(self, number: int) -> None:
        """Take `number` solutions that are counted but not listed."""
        left = self.solutions_left()
        self._settled += number if left is None else min(number, left)
        if self.found == self._limits.solutions:
            raise SearchStopped(Termination.SOLUTION_LIMIT)
        self.check_time()

    def progress(self, fraction: float | None = None) -> None:
        """Tell whoever watches how far the search is: the fraction done, 0 to 1, if the engine knows it."""
        if self._observer is not None:
            self._observer(self.found, fraction)

    def flush(self) -> None:
        """Visit what has been gathered."""
        self._flushed = time.perf_counter()
        if self._waiting:
            block = np.array(self._waiting, dtype=self._dtype)
            self._deliver(block.reshape(len(self._waiting), self.instance.n))
        self.progress()

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt; the first time after an `uninterrupted` block that is going on."""
        if not self._uninterrupted or self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        """Have Ctrl-C wait for the end of the block: where it would lose a solution, a lock or a process."""
        outer, self._uninterrupted = self._uninterrupted, True
        try:
            yield
        finally:
            self._uninterrupted = outer
        if not outer:
            self._raise_interrupt()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within an `uninterrupted` block, take Ctrl-C as it comes."""
        outer, self._uninterrupted = self._uninterrupted, False
        try:
            self._raise_interrupt()
            yield
        finally:
            self._uninterrupted = outer

    def _raise_interrupt(self) -> None:
        """Raise the KeyboardInterrupt that has waited, if one has."""
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def _deliver(self, block: Block) -> None:
        """Visit a block; what was waiting is part of it, or was visited before."""
        with self.uninterrupted():
            self._waiting.clear()
            self._settled += len(block)
            self._visit(block)

    def outcome(self, termination: Termination) -> Outcome:
        """Return the outcome as of now."""
        now = time.perf_counter()
        built = now if self._built is None else self._built
        return Outcome(termination, self.found, built - self._started, now - built, dict(self.statistics))


def conduct(
    search: Callable[[Recorder], None],
    instance: Instance,
    visit: Visitor = ignore,
    limits: Limits = NO_LIMITS,
) -> Outcome:
    """Run `search` to its end or to a limit, and say how it ended.

    `search` takes a Recorder and returns when the search is exhausted. Ctrl-C ends it with INTERRUPTED.
    """
    recorder = Recorder(instance, visit, limits)
    with _interrupts(recorder), recorder.uninterrupted():
        ends = [_end_of(recorder, call) for call in (lambda: search(recorder), recorder.flush, _nothing)]
    return recorder.outcome(next((end for end in reversed(ends) if end is not Termination.EXHAUSTED), ends[0]))


def _end_of(recorder: Recorder, call: Callable[[], None]) -> Termination:
    """Say how a call ended; Ctrl-C that came before it ends it too."""
    try:
        with recorder.interruptible():
            call()
    except SearchStopped as stop:
        return stop.termination
    except KeyboardInterrupt:
        return Termination.INTERRUPTED
    return Termination.EXHAUSTED


def _nothing() -> None:
    """Do nothing but notice Ctrl-C that came while nobody looked."""


@contextmanager
def _interrupts(recorder: Recorder) -> Iterator[None]:
    """Have Ctrl-C interrupt `recorder`, in the main thread, unless the program handles it in a way of its own."""
    previous = signal.getsignal(signal.SIGINT)
    usual = previous is signal.default_int_handler or isinstance(previous, _Interrupt)
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _Interrupt(recorder))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@dataclass(frozen=True)
class _Interrupt:
    """The signal handler while a search is conducted."""

    recorder: Recorder

    def __call__(self, _signal: int, _frame: object) -> None:
        self.recorder.interrupt()
