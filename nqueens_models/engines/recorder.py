"""What every search needs around it: the clock, the limits, the blocks, Ctrl-C, and whoever watches.

An engine gives its search to `conduct`, which hands it a Recorder and makes an Outcome of how it ended.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination, Visitor, ignore
from nqueens_models.instance import Block, Instance, block_dtype


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


class Clock:
    """The time limit of what takes long, and Ctrl-C, which waits where it would do harm."""

    def __init__(self, limits: Limits = NO_LIMITS) -> None:
        self._started = time.perf_counter()
        self._deadline = math.inf if limits.seconds is None else self._started + limits.seconds
        self._uninterrupted = self._interrupted = False

    def seconds_left(self) -> float:
        """Return the seconds until the time limit: infinite without one, never negative."""
        return max(0.0, self._deadline - time.perf_counter())

    def check_time(self) -> None:
        """Raise SearchStopped when the time is up."""
        if time.perf_counter() >= self._deadline:
            raise SearchStopped(Termination.TIME_LIMIT)

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


class Recorder(Clock):
    """What every search needs around it: the clock, the limits, the blocks, the statistics.

    A search calls `built` when its model is complete, `solution` or `solutions` for what it finds, and
    `check_time` often enough to notice the time limit within a fraction of a second. Each may raise SearchStopped.
    """

    BLOCK = 1024  #          placements gathered at the most before they are visited
    FLUSH_SECONDS = 0.1  #   how long a placement may wait for that

    def __init__(self, instance: Instance, visit: Visitor, limits: Limits) -> None:
        super().__init__(limits)
        self.instance = instance
        self.statistics: dict[str, int] = {}
        self._settled = 0  #             solutions visited or counted
        self._visit = visit
        self._observer = _observer.get()
        self._limits = limits
        self._dtype = block_dtype(instance.n)
        self._waiting: list[Sequence[int]] = []
        self._flushed = -math.inf  # the first placement does not wait: somebody may want to know when it was found
        self._built: float | None = None
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

    def solutions_left(self) -> int | None:
        """Return how many solutions may still be visited: None without a limit."""
        return None if self._limits.solutions is None else self._limits.solutions - self.found

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
    with interrupts(recorder), recorder.uninterrupted():
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
def interrupts(clock: Clock) -> Iterator[None]:
    """Have Ctrl-C interrupt `clock`, in the main thread, unless the program handles it in a way of its own."""
    previous = signal.getsignal(signal.SIGINT)
    usual = previous is signal.default_int_handler or isinstance(previous, _Interrupt)
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _Interrupt(clock))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Have Ctrl-C wait for the end of the block, in the main thread: for processes that are being started."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


@dataclass(frozen=True)
class _Interrupt:
    """The signal handler while a search is conducted."""

    clock: Clock

    def __call__(self, _signal: int, _frame: object) -> None:
        self.clock.interrupt()
