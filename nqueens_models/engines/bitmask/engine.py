"""The engine: which form of the search an instance gets."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Recorder, Visitor, conduct, setting
from nqueens_models.engines.bitmask import family, search
from nqueens_models.errors import EngineUnavailable
from nqueens_models.instance import Instance

ROW_BY_ROW = 20  # plain boards up to this size go row by row; above, only the fewest free squares lead anywhere


@dataclass(frozen=True)
class BitmaskEngine:
    """Native bitmask search: masks of columns and diagonals, and the lowest set bit."""

    name: ClassVar[str] = "bitmask"
    requires: ClassVar[tuple[str, ...]] = ()

    method: str = setting("auto", "the form of the search", ("auto", "python", "compiled"))

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once."""
        return conduct(self._listing(instance), instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Count the solutions without listing them."""
        return conduct(self._counting(instance), instance, limits=limits)

    def _listing(self, instance: Instance) -> Callable[[Recorder], None]:
        if instance.is_plain and instance.n <= ROW_BY_ROW and self.method != "compiled":
            return lambda recorder: search.list_solutions(instance.n, recorder)
        return lambda recorder: self._family(instance, recorder, recorder.solution, listing=True)

    def _counting(self, instance: Instance) -> Callable[[Recorder], None]:
        if instance.is_plain and instance.n <= ROW_BY_ROW and self.method != "compiled":
            return lambda recorder: search.count_solutions(instance.n, recorder)
        return lambda recorder: self._family(instance, recorder, lambda _: recorder.count(1), listing=False)

    def _family(
        self, instance: Instance, recorder: Recorder, found: Callable[[list[int]], None], listing: bool
    ) -> None:
        """Search in Python, and let compiled code finish what takes long."""
        finish = None
        if self._may_compile():
            finish = _Lazily(instance, recorder, listing)
        family.search(instance, found, recorder, finish, 0 if self.method == "compiled" else family.PATIENCE)

    def _may_compile(self) -> bool:
        """Whether to use Numba; it is an optional part of the package."""
        if self.method == "python":
            return False
        present = importlib.util.find_spec("numba") is not None
        if self.method == "compiled" and not present:
            raise EngineUnavailable("bitmask:method=compiled is not available: pip install numba")
        return present


class _Lazily:
    """The compiled search, imported when the first board is given to it."""

    def __init__(self, instance: Instance, recorder: Recorder, listing: bool) -> None:
        self._instance = instance
        self._recorder = recorder
        self._listing = listing
        self._finish: family.Finish | None = None

    def __call__(self, board: family.Board, placement: list[int]) -> bool:
        if self._finish is None:
            from nqueens_models.engines.bitmask.compiled_family import CompiledFamily

            self._finish = CompiledFamily(self._instance, self._recorder, self._listing).finish
        return self._finish(board, placement)
