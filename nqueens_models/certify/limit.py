"""The time limit of making or checking a certificate: of all of it together; and Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nqueens_models.engines.base import Limits
from nqueens_models.engines.recorder import Clock, SearchStopped, interrupts
from nqueens_models.errors import IncompleteSearch


@contextmanager
def time_limit(seconds: float | None, what: str) -> Iterator[Clock]:
    """Give a clock to those who do `what` in its block; raise IncompleteSearch when the time is up.

    Ctrl-C is the clock's meanwhile, and waits for the end of its `uninterrupted` blocks. Raises InvalidSetting for
    a limit that is none.
    """
    try:
        clock = Clock(Limits(seconds=seconds))
        with interrupts(clock):
            yield clock
    except SearchStopped:
        raise IncompleteSearch(f"the time was up before {what}", 0) from None
