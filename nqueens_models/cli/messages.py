"""What commands say on standard error: summaries, and progress while a person watches."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nqueens_models.engines.base import Termination
from nqueens_models.engines.recorder import Observer, observed
from nqueens_models.run import Run

PROGRESS_AFTER = 2.0  # seconds
LEAST_FRACTION = 0.02  # of a search by which the rest is judged


def say(text: str) -> None:
    """Write a line to standard error, whatever characters its encoding lacks."""
    if sys.stderr is None:
        return
    encoding = sys.stderr.encoding or "ascii"
    with suppress(OSError):  # a full disk behind standard error does not change what was found
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)


def summary(run: Run, engine: str) -> str:
    """Return one line: engine, number, complete or why not, seconds."""
    found = plural(run.count, "fundamental solution" if run.fundamental else "solution")
    t = run.timings
    seconds = f"build {t.build:.3f} s, solve {t.solve:.3f} s, in all {t.total:.3f} s"
    return f"{engine}: {found}, {ended(run.termination)}; {seconds}"


def plural(number: int, noun: str) -> str:
    """Return a number and what is counted: `1 shard`, `2 shards`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def ended(termination: Termination) -> str:
    """Return in words whether a search was completed, or why not."""
    return {
        Termination.EXHAUSTED: "complete",
        Termination.SOLUTION_LIMIT: "stopped at the limit of solutions",
        Termination.TIME_LIMIT: "incomplete: stopped by the time limit",
        Termination.INTERRUPTED: "incomplete: interrupted",
    }[termination]


def duration(seconds: float) -> str:
    """Return a time roughly: seconds, minutes, hours or days."""
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def progress(label: str, wanted: bool = True, expected: float | None = None) -> Iterator[Observer | None]:
    """Show on standard error, from two seconds on, how long it has taken and how much was found.

    And how much is left, by the fraction that the engine knows or else by the seconds that were `expected`. Only
    on a terminal: never in a pipe or a file. Gives what has to be told about searches in other processes.
    """
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield None
        return
    display = _Display(label, expected)
    display.start()
    try:
        with observed(display.observe):
            yield display.observe
    finally:
        display.stop()


class _Display(threading.Thread):
    """A line that is redrawn twice a second until it is stopped."""

    def __init__(self, label: str, expected: float | None = None) -> None:
        super().__init__(name="progress", daemon=True)
        self._label = label
        self._expected = expected
        self._found = 0
        self._fraction: float | None = None
        self._ended = threading.Event()

    def observe(self, found: int, fraction: float | None) -> None:
        """Take note of how far the search is."""
        self._found = max(found, self._found)
        self._fraction = fraction if fraction is not None else self._fraction

    def run(self) -> None:
        """Wait, then draw until the end."""
        started = time.monotonic()
        if self._ended.wait(PROGRESS_AFTER):
            return
        from rich.console import Console

        with Console(stderr=True).status(self._label) as status:
            while not self._ended.wait(0.5):
                status.update(self._line(time.monotonic() - started))

    def _line(self, seconds: float) -> str:
        done = "" if self._fraction is None else f", {self._fraction:.0%} searched"
        return f"{self._label}: {self._found:,} solutions{done}, {seconds:.0f} s{self._left(seconds)}"

    def _left(self, seconds: float) -> str:
        """Return the time that is left, once there is something to tell it by."""
        whole = self._expected
        if self._fraction is not None and self._fraction >= LEAST_FRACTION:
            whole = seconds / self._fraction
        return "" if whole is None or whole <= seconds else f", some {duration(whole - seconds)} left"

    def stop(self) -> None:
        """Remove the line."""
        self._ended.set()
        self.join()
