"""Solving cubes one after the other: in this process, or as a batch in another one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from nqueens_models.cubes.gathering import Gathering, Totals
from nqueens_models.cubes.split import CubeOrbit
from nqueens_models.engines.base import (
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Termination,
    Visitor,
    block_dtype,
    ignore,
)
from nqueens_models.engines.recorder import Recorder, SearchStopped, conduct, observed
from nqueens_models.engines.stopping import Stopping
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class Request:
    """What is asked of all cubes: whose they are, which engine solves them, whether to list or only to count."""

    engine: Engine
    instance: Instance
    listing: bool


def solve_orbits(request: Request, orbits: Sequence[CubeOrbit], gathering: Gathering) -> None:
    """Solve the least cube of each orbit, and give the solutions of all orbits to `gathering`.

    Raises SearchStopped when a cube is not exhausted; what was found until then has been taken.
    """
    with observed(_unobserved):
        for orbit in orbits:
            outcome = _solve_cube(request, orbit, gathering)
            gathering.totals.add_cube(outcome)
            if outcome.termination is not Termination.EXHAUSTED:
                raise SearchStopped(outcome.termination)
            gathering.cube_done()


def _solve_cube(request: Request, orbit: CubeOrbit, gathering: Gathering) -> Outcome:
    cube, images = request.instance.with_fixed(orbit.fixed, orbit.blocked), orbit.symmetries
    limits = gathering.limits(len(images))
    if request.listing:
        return request.engine.enumerate(cube, partial(gathering.add, images), limits)
    outcome = _count(request.engine, cube, limits)
    gathering.count(outcome.solutions * len(images))
    return outcome


def _count(engine: Engine, cube: Instance, limits: Limits) -> Outcome:
    """Count with an engine that may only be able to list."""
    if isinstance(engine, CountingEngine):
        return engine.count(cube, limits)
    return engine.enumerate(cube, ignore, limits)


def solve_batch(
    request: Request, orbits: Sequence[CubeOrbit], limits: Limits, deadline: float | None
) -> tuple[Block, Outcome]:
    """Solve some orbits in a worker; return their solutions, none when counting, and the outcome.

    The seconds of the limits begin here. The deadline is a time of day, `time.time()`, as a batch may have waited
    for its worker: an upper bound, since the clocks of two machines may differ.
    """
    n, blocks = request.instance.n, list[Block]()
    if deadline is not None and limits.seconds is not None:
        limits = replace(limits, seconds=max(min(limits.seconds, deadline - time.time()), 1e-6))
    outcome = conduct_cubes(
        request, lambda gathering: solve_orbits(request, orbits, gathering), blocks.append, limits
    )
    return np.concatenate([np.zeros((0, n), dtype=block_dtype(n)), *blocks]), outcome


def conduct_cubes(request: Request, solve: Callable[[Gathering], None], visit: Visitor, limits: Limits) -> Outcome:
    """Run `solve`, like `conduct`, with a place to gather solutions and to add up statistics."""
    totals = Totals()

    def search(recorder: Recorder) -> None:
        gathering = Gathering(recorder, totals)
        try:
            with Stopping(recorder, _nothing_to_stop):  # lends its thread to the searches of the cubes
                solve(gathering)
        except (SearchStopped, KeyboardInterrupt):
            gathering.flush()  # but not after an exception of the visitor: nothing is visited after that
            raise
        gathering.flush()

    return totals.completed(conduct(search, request.instance, visit, limits))


def _nothing_to_stop() -> None:
    """Between two cubes, Python sees the clock and Ctrl-C by itself."""


def _unobserved(found: int, fraction: float | None) -> None:
    """Keep the progress of one cube from being shown as that of the search."""
