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
    ordered = sorted(values)
    size = len(ordered)
    median = (ordered[(size - 1) // 2] + ordered[size // 2]) / 2
    if size % 2:  # every median is one of the values, and the ends of the interval have always the same ranks
        low, high = _ranks_of_interval(size)
        return Estimate(median, ordered[low], ordered[high], size)
    return Estimate(median, *_interval(_medians(np.asarray(ordered), 0)), size)


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
    low, high = _middles(len(data), stream)
    ordered = np.sort(data)
    return np.asarray((ordered[low] + ordered[high]) / 2)


@functools.cache
def _middles(size: int, stream: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the ranks of the two values in the middle of each resample (of an odd size, the same one twice)."""
    draws = np.random.default_rng((size, stream)).integers(0, size, (RESAMPLES, size))
    ranks = np.sort(draws, axis=1)
    return ranks[:, (size - 1) // 2], ranks[:, size // 2]


def _interval(medians: NDArray[Any]) -> tuple[float, float]:
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(medians, [tail, 100 - tail], method="nearest")
    return float(low), float(high)


@functools.cache
def _ranks_of_interval(size: int) -> tuple[int, int]:
    """Return the ranks of the values that end the interval of an odd number of them."""
    low, high = _interval(_medians(np.arange(size, dtype=np.float64), 0))
    return int(low), int(high)
