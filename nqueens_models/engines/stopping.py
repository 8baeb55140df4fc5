"""Ending a search that runs in compiled code, where Python sees neither the clock nor Ctrl-C."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar

from nqueens_models.engines.recorder import Clock

STOPPING = frozenset({signal.SIGINT, signal.SIGTERM})
FINISHED = b"\0"  # no signal has this number
AGAIN_SECONDS = 0.05  # Glucose forgets what it was told just before it starts, and is told again
CALLS = 4  # at a signal, whose handler may yet decide to go on

_outermost: ContextVar[Stopping | None] = ContextVar("outermost", default=None)


class Stopping:
    """Calls `stop` when the time is up, and at Ctrl-C or SIGTERM, from a thread of its own, while its block runs.

    The solver must release the interpreter's lock. After a signal, what its handler raises (KeyboardInterrupt)
    comes up as soon as the compiled code returns, in the main thread, which alone receives signals. The time being
    up, `stop` is called until the block ends. `signalled` says whether there was a signal.

    Inside the block of another, on the same thread, it borrows that one's thread: a search of many cubes, each of
    them solved in a fraction of a millisecond, starts one thread, not one for each. Its time is then the other's.
    """

    def __init__(self, clock: Clock, stop: Callable[[], None]) -> None:
        self.clock = clock
        self.stop = stop
        self.signalled = False

    def __enter__(self) -> Stopping:
        self._lender = _outermost.get()
        if self._lender is not None:
            self._lender._watch(self)
            return self
        with self.clock.uninterrupted():
            self._begin()
            try:
                with self.clock.interruptible():
                    return self
            except KeyboardInterrupt:  # which leaves the block before it begins
                self._end()
                raise

    def __exit__(self, *error: object) -> None:
        if self._lender is not None:
            self._lender._watch(self._lender)
            return
        with self.clock.uninterrupted():
            self._end()

    def _begin(self) -> None:
        self._token = _outermost.set(self)
        self._watched = self
        self._lock = threading.Lock()  # held while `stop` is called: not after the block that it belongs to
        self._listener, self._bell = socket.socketpair()
        self._bell.setblocking(False)
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:  # Python's C handler sends the number of each signal to the bell
            self._previous = signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _end(self) -> None:
        _outermost.reset(self._token)
        if self._main:
            signal.set_wakeup_fd(self._previous)
        self._bell.send(FINISHED)
        self._thread.join()
        del self._watched, self._thread  # a cycle would be found some time later, and Ctrl-C lost in the finding
        self._listener.close()
        self._bell.close()

    def _watch(self, watched: Stopping) -> None:
        with self._lock:
            self._watched = watched

    def _listen(self) -> None:
        rung, calls = b"", 0
        while FINISHED not in rung:
            seconds = self.clock.seconds_left()
            signals = STOPPING.intersection(rung)
            calls = CALLS if signals else calls
            if calls or not seconds:
                with self._lock:
                    self._watched.signalled |= bool(signals)
                    self._watched.stop()
                seconds, calls = AGAIN_SECONDS, max(calls - 1, 0)
            self._listener.settimeout(min(seconds, 3600.0))
            rung = b""
            with suppress(TimeoutError):
                rung = self._listener.recv(64)
