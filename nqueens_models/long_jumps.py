"""PySAT without long jumps.

A C function of PySAT that is called in the main thread sets a handler of SIGINT of its own, and at Ctrl-C leaves
by a long jump out of it. A jump out of the middle of `malloc` leaves a lock taken that nobody will release: the
next allocation waits for ever (1 of 40 interrupts of a search that allocates much). In other threads, which get
no signals, PySAT leaves the handler alone. So it is told that it runs in one of those: Python's own handler then
notes Ctrl-C, and is called when the C function has returned, with everything in order.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_long_jumps() -> Iterator[None]:
    """Have PySAT leave SIGINT alone while it is called inside, and as it was afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield  # it does so already, and the main thread may be inside
        return
    from pysat._utils import MainThread

    check = vars(MainThread)["check"]
    try:
        MainThread.check = staticmethod(lambda: False)
        yield
    finally:
        MainThread.check = check
