"""The time limit of making or checking a certificate: of all of it together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nqueens_models.engines.base import Limits, ignore
from nqueens_models.engines.recorder import Recorder, SearchStopped
from nqueens_models.errors import IncompleteSearch
from nqueens_models.instance import Instance

Clock = Recorder
"""What tells how much of the time is left; its `check_time` raises SearchStopped when none is."""


@contextmanager
def time_limit(seconds: float | None, what: str) -> Iterator[Clock]:
    """Give a clock to those who do `what` in its block; raise IncompleteSearch when the time is up.

    Raises InvalidSetting for a limit that is none.
    """
    try:
        yield Recorder(Instance(0), ignore, Limits(seconds=seconds))
    except SearchStopped:
        raise IncompleteSearch(f"the time was up before {what}", 0) from None
