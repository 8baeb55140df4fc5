"""Estimates with intervals: from independent replicates, each right on the average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

REPLICATES = 20
T_95 = 2.093  # the 0.975 quantile of Student's t with 19 degrees of freedom
NOTHING_SEEN = -math.log(0.025)  # so many expected and none seen: once in forty times


@dataclass(frozen=True)
class Interval:
    """An estimate, and the ends of its 95 % interval; `exact` if it is known, and then all three are equal."""

    value: float
    low: float
    high: float
    exact: bool = False

    def times(self, factor: float) -> Interval:
        """Return the estimate of so many times the quantity."""
        return Interval(self.value * factor, self.low * factor, self.high * factor, self.exact)

    def plus(self, other: Interval) -> Interval:
        """Return the estimate of a sum, with an interval wide enough however the two depend on each other."""
        exact = self.exact and other.exact
        return Interval(self.value + other.value, self.low + other.low, self.high + other.high, exact)

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def facts(self) -> dict[str, Any]:
        """Return what JSON says about it."""
        return {"value": self.value, "low": self.low, "high": self.high, "exact": self.exact}


def known(value: float) -> Interval:
    """Return a value that is known exactly."""
    return Interval(value, value, value, exact=True)


def interval(replicates: Sequence[float], least: float = 0.0, unseen: float = 0.0) -> Interval:
    """Return the mean of replicates and its 95 % interval, by Student's t, corrected for skewness.

    (Johnson, "Modified t tests and confidence intervals for asymmetrical populations", 1978.) The value is known
    to be `least` or more. Where all replicates are 0, the upper end is `unseen`.
    """
    scale = max(replicates)  # numbers of solutions may be too large for their cubes
    if scale == 0:
        return Interval(0.0, least, max(least, unseen))
    return _by_t(np.array(replicates, dtype=np.float64) / scale, least / scale).times(scale)


def _by_t(values: NDArray[np.float64], least: float) -> Interval:
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if len(values) > 1 else mean
    half = T_95 * math.sqrt(19 / max(1, len(values) - 1)) * deviation / math.sqrt(len(values))
    skew = 0.0
    if deviation:
        skew = float(((values - mean) ** 3).mean()) / (6 * deviation**2 * len(values))
    low, high = max(least, mean + skew - half), max(least, mean + skew + half)
    return Interval(max(least, mean), min(low, max(least, mean)), max(high, mean))
