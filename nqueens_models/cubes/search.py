"""CubeSearch: an engine made from an engine, which solves one cube of each orbit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import ClassVar

from nqueens_models.cubes.gathering import Gathering
from nqueens_models.cubes.split import CubeOrbit, check_split, cube_orbits
from nqueens_models.engines.base import (
    NO_LIMITS,
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Recorder,
    SearchStopped,
    Termination,
    Visitor,
    conduct,
    observed,
)
from nqueens_models.engines.registry import spec_of
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class CubeSearch:
    """Solve one cube of each orbit with `engine`, and expand its solutions by the symmetries.

    `split` says at which lines the instance is split (`cubes.split`), `symmetry` whether one cube stands for its
    orbit under the instance's stabiliser. The statistics are those of the inner engine, summed, and `cubes`, the
    number of cubes solved. An engine that cannot express fixed queens raises UnsupportedInstance as it would for
    any instance with some.
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

    def describe(self) -> str:
        """Return what is searched and how, for people: `sat:solver=minicard, cubes:centre-lines, 2 workers`."""
        parts = [spec_of(self.engine), f"cubes:{self.split}"]
        parts += [] if self.symmetry else ["no symmetry"]
        parts += [] if self.workers == 1 else [f"{self.workers} workers"]
        return ", ".join(parts)

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once: each solution of a cube is followed by its images."""
        return self._conduct(instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Count the solutions: those of each cube times the number of its images."""
        return self._conduct(instance, None, limits)

    def _conduct(self, instance: Instance, visit: Visitor | None, limits: Limits) -> Outcome:
        """List for a visitor, count without one."""
        totals = Totals()

        def search(recorder: Recorder) -> None:
            gathering = Gathering(recorder)
            orbits = cube_orbits(instance, self.split, self.symmetry)
            recorder.built()
            try:
                self._solve_here(instance, orbits, recorder, gathering, visit is not None, totals)
            except (SearchStopped, KeyboardInterrupt):
                gathering.flush()
                raise
            gathering.flush()

        outcome = conduct(search, instance, visit or _discard, limits)
        return totals.completed(outcome)

    def _solve_here(
        self,
        instance: Instance,
        orbits: list[CubeOrbit],
        recorder: Recorder,
        gathering: Gathering,
        listing: bool,
        totals: Totals,
    ) -> None:
        with observed(_unobserved):
            for number, orbit in enumerate(orbits):
                cube, images = instance.with_fixed(orbit.squares), orbit.symmetries
                limits = gathering.limits(len(images))
                if listing:
                    outcome = self.engine.enumerate(cube, lambda block: gathering.add(block, images), limits)  # noqa: B023
                else:
                    outcome = count_cube(self.engine, cube, limits)
                    recorder.count(outcome.solutions * len(images))
                totals.add(outcome)
                if outcome.termination is not Termination.EXHAUSTED:
                    gathering.flush()
                    raise SearchStopped(outcome.termination)
                gathering.flush_when_due()
                recorder.progress((number + 1) / len(orbits))


class Totals:
    """Sums over the cubes that were solved."""

    def __init__(self) -> None:
        self.cubes = 0
        self.build_seconds = 0.0
        self.statistics: Counter[str] = Counter()

    def add(self, outcome: Outcome) -> None:
        """Take the outcome of one cube."""
        self.cubes += 1
        self.build_seconds += outcome.build_seconds
        self.statistics.update(outcome.statistics)

    def completed(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the whole search: making the cubes and building their models are building."""
        building = min(self.build_seconds, outcome.solve_seconds)
        statistics: Mapping[str, int] = {**self.statistics, "cubes": self.cubes}
        return replace(
            outcome,
            build_seconds=outcome.build_seconds + building,
            solve_seconds=outcome.solve_seconds - building,
            statistics=statistics,
        )


def count_cube(engine: Engine, cube: Instance, limits: Limits) -> Outcome:
    """Count with an engine that may only be able to list."""
    if isinstance(engine, CountingEngine):
        return engine.count(cube, limits)
    return engine.enumerate(cube, _discard, limits)


def _discard(block: Block) -> None:
    """Visit without doing anything."""


def _unobserved(found: int, fraction: float | None) -> None:
    """Keep the progress of one cube from being shown as that of the search."""
