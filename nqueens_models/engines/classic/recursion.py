"""Room for searches that call themselves once a row."""

from __future__ import annotations

import sys
from collections.abc import Callable

from nqueens_models.engines.base import Limits, Outcome, Visitor
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.instance import Instance


def conduct_recursion(
    search: Callable[[Recorder], None], instance: Instance, visit: Visitor, limits: Limits
) -> Outcome:
    """Do as `conduct` does for a search that nests one call a row, however many rows there are.

    Half of Python's recursion limit is left to the caller and the visitor; only boards of more rows raise it, and
    put it back.
    """
    usual = sys.getrecursionlimit()
    if instance.n <= usual // 2:
        return conduct(search, instance, visit, limits)
    sys.setrecursionlimit(usual + instance.n)
    try:
        return conduct(search, instance, visit, limits)
    finally:
        sys.setrecursionlimit(usual)
