"""Ending a search that runs in compiled code, where Python sees neither the clock nor Ctrl-C."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from nqueens_models.engines.base import Recorder

FINISHED = b"\0"  # no signal has this number
AGAIN_SECONDS = 0.05  # a solver that is told to stop just before it starts is told again


@contextmanager
def stopping(recorder: Recorder, stop: Callable[[], None]) -> Iterator[None]:
    """While the block runs, call `stop` when the time is up and at Ctrl-C, from a thread of its own.

    The solver must release the interpreter's lock. After Ctrl-C Python itself raises KeyboardInterrupt as soon as
    the compiled code returns, in the main thread alone. The time being up, `stop` is called until the block ends.
    """
    listener, bell = socket.socketpair()
    bell.setblocking(False)
    with listener, bell, _bell_rings_at_signals(bell):
        thread = threading.Thread(target=_listen, args=(listener, recorder, stop), daemon=True)
        thread.start()
        try:
            yield
        finally:
            bell.send(FINISHED)
            thread.join()


@contextmanager
def _bell_rings_at_signals(bell: socket.socket) -> Iterator[None]:
    """Have the number of each signal that arrives sent to `bell` by Python's C handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)


def _listen(listener: socket.socket, recorder: Recorder, stop: Callable[[], None]) -> None:
    rung = b""
    while FINISHED not in rung:
        seconds = recorder.seconds_left()
        if seconds == 0 or signal.SIGINT in rung:
            stop()
        listener.settimeout(min(max(seconds, AGAIN_SECONDS), 3600.0))
        rung = b""
        with suppress(TimeoutError):
            rung = listener.recv(64)
