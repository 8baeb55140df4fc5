"""CubeSearch: an engine made from an engine, which solves one cube of each orbit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nqueens_models.cubes.gathering import Gathering
from nqueens_models.cubes.solving import Request, conduct_cubes, solve_orbits
from nqueens_models.cubes.split import check_split, cube_orbits
from nqueens_models.engines.base import NO_LIMITS, Engine, KilledEngine, Limits, Outcome, Visitor, ignore
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True)
class CubeSearch:
    """Solve one cube of each orbit with `engine`, and expand its solutions by the symmetries.

    `split` says at which lines the instance is split (`cubes.split`), `symmetry` whether one cube stands for its
    orbit under the instance's stabiliser. The statistics are those of the inner engine, summed, and `cubes`, the
    number of cubes solved. An engine that cannot express fixed queens raises UnsupportedInstance as it would for
    any instance with some.

    With W `workers` this process and W - 1 others share the cubes; they need no `if __name__ == "__main__"` in a
    script, but the engine must come from a module that they can import. On an `executor` of concurrent.futures
    all cubes are solved by it: processes, threads, or a cluster (then `workers` is how many batches it works on
    at a time). The order of the solutions is the same each time with one worker only.
    """

    requires: ClassVar[tuple[str, ...]] = ()

    engine: Engine
    split: str = "auto"
    symmetry: bool = True
    workers: int = 1
    executor: Executor | None = None

    def __post_init__(self) -> None:
        check_split(self.split)
        if self.workers < 1:
            raise InvalidSetting(f"there must be 1 worker or more, not {self.workers}")

    @property
    def name(self) -> str:
        """The name of the inner engine."""
        return self.engine.name

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once: each solution of a cube is followed by its images."""
        return self._conduct(Request(self.engine, instance, listing=True), visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Count the solutions: those of each cube times the number of its images."""
        return self._conduct(Request(self.engine, instance, listing=False), ignore, limits)

    def _conduct(self, request: Request, visit: Visitor, limits: Limits) -> Outcome:
        killed = isinstance(self.engine, KilledEngine) and self.engine.needs_child(request.instance, limits)
        if killed and self.executor is None:
            from nqueens_models.engines.child import enumerate_in_child

            return enumerate_in_child(self, request.instance, visit, limits)  # one process, not one for each cube
        return conduct_cubes(request, lambda gathering: self._solve(request, gathering), visit, limits)

    def _solve(self, request: Request, gathering: Gathering) -> None:
        orbits = cube_orbits(request.instance, self.split, self.symmetry)
        gathering.cubes = len(orbits)
        gathering.recorder.built()
        if self.executor is not None:
            from nqueens_models.cubes.sharing import solve_on_executor

            workers = max(self.workers, os.cpu_count() or 1)
            solve_on_executor(request, orbits, gathering, self.executor, workers)
        elif self.workers > 1 and len(orbits) > 1:
            from nqueens_models.cubes.sharing import solve_with_processes

            solve_with_processes(request, orbits, gathering, self.workers)
        else:
            solve_orbits(request, orbits, gathering)
