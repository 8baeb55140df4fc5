"""The engine: which form of the search an instance gets.

- `search`: the textbook, in Python.
- `family`: the fewest free squares first, in Python; what takes long is finished by `compiled_family`.
- `compiled_rows`: the textbook compiled, from starts on the centre lines.
- `quadrant_join`: counts plain boards of many rows.

In a process that has loaded everything, compiled code would be right from 8 rows on. But importing Numba and
loading a kernel takes a second, compiling it for the first time 2 to 3 (the join 8 to 12), while pure Python lists
the solutions of 12 queens in 0.2 s, of 13 in 1.2 s. So this is the rule of `auto`. It looks at the
instance alone except where it says so, so that the same search gives the same order.

- Plain boards of up to 12 rows go by the textbook, from 13 by compiled rows. From 21, where nobody will see all
  solutions, they go by the fewest free squares, which soon finds some.
- Plain boards of 17 rows and more are counted by the join; those of 16, which take compiled rows 1.5 s, if it was
  compiled before.
- Of the others, those of 12 to 20 rows without a queen where more than 11 of 20 squares are free go by compiled
  rows. These visit 10 to 40 times the nodes, each in a thirtieth of the time: with fewer free squares they lose.
- The rest goes by the fewest free squares, in Python for 0.2 s, then compiled.

Where there is no Numba, or a time limit that leaves no time to load or to compile, it is Python alone.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.bitmask import family, search
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import EngineUnavailable, InvalidSetting, UnsupportedInstance
from nqueens_models.instance import Instance

MOST_ROWS = 20  #                  that are searched row by row
PLAIN_COMPILED, COMPILED = 13, 12  # rows without a queen from which compiled rows pay
DENSE = 0.55  #                    share of free squares
JOIN_READY, JOIN = 16, 17  #       rows of plain boards from which the join counts
LARGEST_JOIN = 22  #              above, its tables take more than 2 GiB
LOADING, COMPILING = 2.0, 10.0  #  seconds that must be left to import Numba, and to compile


@dataclass(frozen=True)
class BitmaskEngine:
    """Native bitmask search: masks of columns and diagonals, and the lowest set bit."""

    name: ClassVar[str] = "bitmask"
    requires: ClassVar[tuple[str, ...]] = ()

    method: str = setting(
        "auto", "the form of the search; join only counts", ("auto", "python", "compiled", "join")
    )
    workers: int = setting(1, "threads for compiled code")

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise InvalidSetting(f"workers must be 1 or more, not {self.workers}")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once."""
        if self.method == "join":
            raise UnsupportedInstance("bitmask:method=join counts; it does not list solutions")
        self._require_numba()
        return conduct(lambda recorder: self._search(recorder, listing=True), instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Count the solutions without listing them."""
        self._require_numba()
        if self.method == "join":
            join = self.join_for(instance)
            return conduct(lambda recorder: _join(join, recorder, self.workers), instance, limits=limits)
        return conduct(lambda recorder: self._search(recorder, listing=False), instance, limits=limits)

    def _require_numba(self) -> None:
        if self.method in ("compiled", "join") and not _installed("numba"):
            raise EngineUnavailable(f"bitmask:method={self.method} is not available: pip install numba")

    def join_for(
        self, instance: Instance, seconds_left: Callable[[], float] = lambda: math.inf
    ) -> ModuleType | None:
        """Return the join (the module `quadrant_join`) if it counts an instance, None if another form does.

        `seconds_left` are those to load and compile it in. Raises UnsupportedInstance and EngineUnavailable if
        it has to count and cannot.
        """
        if self.method == "join":
            return self._join_alone(instance)
        if self.method != "auto" or not instance.is_plain or not JOIN_READY <= instance.n <= LARGEST_JOIN:
            return None
        return self._load("quadrant_join", "count_row_splits", seconds_left, compiling=instance.n >= JOIN)

    def _join_alone(self, instance: Instance) -> ModuleType:
        self._require_numba()
        from nqueens_models.engines.bitmask import quadrant_join

        smallest, largest = quadrant_join.SMALLEST, quadrant_join.LARGEST
        if not (instance.is_plain and smallest <= instance.n <= largest):
            raise UnsupportedInstance(f"bitmask:method=join counts plain boards of {smallest} to {largest} rows")
        return quadrant_join

    def _search(self, recorder: Recorder, listing: bool) -> None:
        """Choose the form and search."""
        instance = recorder.instance
        if not listing and (join := self.join_for(instance, recorder.seconds_left)):
            _join(join, recorder, self.workers)
            return
        rules = family.Family(instance)
        board = rules.residual()
        if board is None:
            recorder.statistics["nodes"] = 0
        elif rows := self._rows_for(board, recorder):
            rows.search(recorder, listing, self.workers)
        elif instance.is_plain and instance.n <= MOST_ROWS and self.method != "compiled":
            (search.list_solutions if listing else search.count_solutions)(instance.n, recorder)
        else:
            found = recorder.solution if listing else lambda _: recorder.count(1)
            family.search(rules, board, found, recorder, *self._finish(recorder, listing))

    def _rows_for(self, board: family.Board, recorder: Recorder) -> ModuleType | None:
        """Return the compiled search row by row if it is to search."""
        if not self.searches_rows(board, recorder.instance):
            return None
        return self._load("compiled_rows", "advance", recorder.seconds_left)

    def searches_rows(self, board: family.Board, instance: Instance) -> bool:
        """Whether the compiled search row by row is for what fixed queens leave of an instance, given Numba."""
        r = len(board.rows)
        least = 1 if self.method == "compiled" else PLAIN_COMPILED if instance.is_plain else COMPILED
        if self.method == "python" or instance.regions or not least <= r <= MOST_ROWS or instance.n > 64:
            return False
        return sum(free.bit_count() for free in board.rows.values()) >= DENSE * r * r

    def _finish(self, recorder: Recorder, listing: bool) -> tuple[family.Finish | None, int]:
        """Return the compiled search for the fewest free squares, and the patience before it takes over."""
        if self.method == "python":
            return None, 0
        finish: family.Finish | None = None

        def loaded(board: family.Board, placement: list[int]) -> bool:
            nonlocal finish
            if finish is None:
                module = self._load("compiled_family", "advance", recorder.seconds_left)
                finish = (
                    module.CompiledFamily(recorder, listing, self.workers).finish if module else lambda *_: False
                )
            return finish(board, placement)

        return loaded, 0 if self.method == "compiled" else family.PATIENCE

    def _load(
        self, name: str, kernel: str, seconds_left: Callable[[], float], compiling: bool = True
    ) -> ModuleType | None:
        """Return a module of kernels; None if it is not to be had in time, or not without `compiling`."""
        path, wanted = f"{__package__}.{name}", self.method == "compiled"
        in_time = path in sys.modules or seconds_left() >= LOADING
        if not (_installed("numba") and (in_time or wanted)):
            return None
        module = importlib.import_module(path)
        ready = importlib.import_module(f"{__package__}.compiled").is_ready(getattr(module, kernel))
        in_time = ready or (compiling and seconds_left() >= COMPILING)
        return module if in_time or wanted else None


def _join(module: Any, recorder: Recorder, workers: int) -> None:
    """Count by the four-quadrant join."""
    join = module.QuadrantJoin(recorder.instance.n, recorder.check_time)
    recorder.built()
    done = 0
    with closing(join.iterate(workers)) as ranges:
        for counted in ranges:
            done += counted.stop - counted.start
            recorder.count(counted.solutions)
            recorder.progress(done / join.row_splits)


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
