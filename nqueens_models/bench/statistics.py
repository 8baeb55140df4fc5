"""Medians with bootstrap intervals, ratios of medians, growth, and the PAR-2 score.

The bootstrap is the percentile bootstrap (Efron, 1979): medians of samples drawn from the sample with replacement.
Its random numbers are fixed, so that the same runs give the same table.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median of `runs` values with the ends of its interval, in the unit of the values."""

    median: float
    low: float
    high: float
    runs: int

    def overlaps(self, other: Estimate) -> bool:
        """Return whether the intervals have a value in common."""
        return self.low <= other.high and other.low <= self.high


def estimate(values: Sequence[float]) -> Estimate:
    """Return the median of one value or more with its bootstrap interval of 95 %."""
    data = np.asarray(values, dtype=np.float64)
    low, high = _interval(_medians(data, 0))
    return Estimate(float(np.median(data)), low, high, len(data))


def ratio(values: Sequence[float], base: Sequence[float]) -> Estimate | None:
    """Return the ratio of two medians with its interval, None if the lower one is not above 0."""
    below = np.asarray(base, dtype=np.float64)
    above = np.asarray(values, dtype=np.float64)
    if np.median(below) <= 0:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _interval(_medians(above, 0) / _medians(below, 1))
    return Estimate(float(np.median(above) / np.median(below)), low, high, len(above))


def growth(sizes: Sequence[int], times: Sequence[float]) -> float | None:
    """Return by which factor times grow with each step of the size: from a line through the logarithms.

    None for fewer than two different sizes, or times that are not above 0.
    """
    if len(set(sizes)) < 2 or min(times) <= 0:
        return None
    x, y = np.asarray(sizes, dtype=np.float64), np.log(np.asarray(times, dtype=np.float64))
    x = x - x.mean()
    return math.exp(float((x * y).sum() / (x * x).sum()))


def par2(results: Sequence[tuple[float | None, float]]) -> float:
    """Return PAR-2: the mean of the times, of which those not solved (None) count as twice their limits."""
    return float(np.mean([2 * limit if seconds is None else seconds for seconds, limit in results]))


def _medians(data: NDArray[np.float64], stream: int) -> NDArray[np.float64]:
    """Return the medians of the resamples, shape (RESAMPLES,)."""
    drawn = np.sort(data)[_draws(len(data), stream)]
    return np.asarray(np.median(drawn, axis=1))


@functools.cache
def _draws(size: int, stream: int) -> NDArray[np.intp]:
    """Return which values each resample takes, shape (RESAMPLES, size)."""
    return np.random.default_rng((size, stream)).integers(0, size, (RESAMPLES, size))


def _interval(medians: NDArray[Any]) -> tuple[float, float]:
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(medians, [tail, 100 - tail])
    return float(low), float(high)
