"""How much work is left of a count, judged by the units in its ledger, and how fast it goes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, variance

from nqueens_models.units.counting import CountedUnit
from nqueens_models.units.division import Cubes, Division, Unit

FEWEST = 8  #         units without which nothing is said
TWO_SIDED = 1.96  #   standard errors of a 95 % interval
PAUSE_SECONDS = 10.0  # without a finished unit, and five times the longest one: there was a break


@dataclass(frozen=True)
class WorkLeft:
    """An estimate of the seconds of work, of one worker, in units that are not counted yet; a 95 % interval."""

    units: int
    seconds: float
    low: float
    high: float
    reason: str


@dataclass(frozen=True)
class Pace:
    """The latest stretch without a break: when (UTC, ISO 8601), how many units, a second and at a time."""

    first: str
    last: str
    units: int
    units_per_second: float
    workers: float


def work_left(division: Division, counted: Sequence[CountedUnit]) -> WorkLeft | None:
    """Return how much is left, or None as long as too few units are counted to say.

    Units of one class (all ranges of row splits; cubes with as many queens) are taken for a sample of their class:
    the rest of it takes its mean, with the error of a sum of so many. Classes of which none is counted yet take
    the mean of all that are.
    """
    done = {unit.position: unit.seconds for unit in counted}
    if len(done) < FEWEST and len(done) < len(division.units):
        return None
    seconds: dict[int, list[float]] = defaultdict(list)
    rest: dict[int, int] = defaultdict(int)
    for unit in division.units:
        if unit.position in done:
            seconds[_class_of(unit)].append(done[unit.position])
        else:
            rest[_class_of(unit)] += 1
    total, spread = _sum_of_rest(seconds, rest)
    error = TWO_SIDED * math.sqrt(spread)
    return WorkLeft(
        sum(rest.values()), total, max(0.0, total - error), total + error, _reason(division, seconds, rest)
    )


def _sum_of_rest(seconds: dict[int, list[float]], rest: dict[int, int]) -> tuple[float, float]:
    """Return the expected seconds of the units that are left, and their variance."""
    everything = [one for ones in seconds.values() for one in ones]
    total = spread = 0.0
    for kind, left in rest.items():
        sample = seconds[kind] if len(seconds[kind]) > 1 else everything
        total += left * fmean(sample)
        spread += variance(sample) * (left + left**2 / len(sample))
    return total, spread


def _class_of(unit: Unit) -> int:
    return min(len(cube.fixed) for cube in unit.content.cubes) if isinstance(unit.content, Cubes) else 0


def _reason(division: Division, seconds: dict[int, list[float]], rest: dict[int, int]) -> str:
    if division.by_row_splits:
        return "the mean of the ranges counted so far, which are spread evenly over all"
    text = "the mean of the cubes counted so far with as many queens"
    return text if all(len(seconds[kind]) > 1 for kind in rest) else f"{text}, or of all where there are none yet"


def pace(counted: Sequence[CountedUnit]) -> Pace | None:
    """Return how fast the latest units were counted, or None if there is none."""
    latest = sorted(
        (datetime.fromisoformat(unit.finished).timestamp(), unit.seconds, unit.finished) for unit in counted
    )
    if not latest:
        return None
    patience = max(PAUSE_SECONDS, 5 * max(seconds for _, seconds, _ in latest))
    first = len(latest) - 1
    while first and latest[first][0] - latest[first - 1][0] < patience:
        first -= 1
    stretch = latest[first:]
    wall = max(stretch[-1][0] - min(end - seconds for end, seconds, _ in stretch), 1e-3)
    work = sum(seconds for _, seconds, _ in stretch)
    return Pace(stretch[0][2], stretch[-1][2], len(stretch), len(stretch) / wall, work / wall)
