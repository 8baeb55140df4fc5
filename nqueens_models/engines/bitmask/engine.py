"""The engine: which form of the search an instance gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Recorder, Visitor, conduct, setting
from nqueens_models.engines.bitmask import family, search
from nqueens_models.instance import Instance

ROW_BY_ROW = 20  # plain boards up to this size go row by row; above, only the fewest free squares lead anywhere


@dataclass(frozen=True)
class BitmaskEngine:
    """Native bitmask search: masks of columns and diagonals, and the lowest set bit."""

    name: ClassVar[str] = "bitmask"
    requires: ClassVar[tuple[str, ...]] = ()

    method: str = setting("auto", "the form of the search", ("auto", "python"))

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once."""
        return conduct(self._listing(instance), instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Count the solutions without listing them."""
        return conduct(self._counting(instance), instance, limits=limits)

    def _listing(self, instance: Instance) -> Callable[[Recorder], None]:
        if instance.is_plain and instance.n <= ROW_BY_ROW:
            return lambda recorder: search.list_solutions(instance.n, recorder)
        return lambda recorder: family.search(instance, recorder.solution, recorder)

    def _counting(self, instance: Instance) -> Callable[[Recorder], None]:
        if instance.is_plain and instance.n <= ROW_BY_ROW:
            return lambda recorder: search.count_solutions(instance.n, recorder)
        return lambda recorder: family.search(instance, lambda _: recorder.count(1), recorder)
