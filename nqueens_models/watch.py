"""Looking up from long work: at the clock, above all.

It is here, and not where clauses are made, because those who check clauses share nothing with those who make them.
"""

from __future__ import annotations

from collections.abc import Callable

Watch = Callable[[], None]
"""Called now and then in the course of long work; it may raise to end it."""


def unwatched() -> None:
    """Watch nothing."""
