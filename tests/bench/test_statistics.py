"""Medians, intervals, ratios, growth and PAR-2, against what can be worked out by hand or by other means."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.bench.statistics import estimate, growth, par2, ratio

TIMES = st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=9)


@given(TIMES)
def test_the_median_is_that_of_the_standard_library_and_inside_its_interval(values: list[float]) -> None:
    found = estimate(values)
    assert found.median == pytest.approx(statistics.median(values))
    assert min(values) <= found.low <= found.median * (1 + 1e-12)
    assert found.median * (1 - 1e-12) <= found.high <= max(values)
    assert found.runs == len(values)


@given(TIMES, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert estimate(shuffled) == estimate(values)


def test_one_run_has_no_width() -> None:
    found = estimate([2.5])
    assert (found.low, found.median, found.high) == (2.5, 2.5, 2.5)


def test_the_interval_of_five_is_that_of_all_resamples() -> None:
    """The bootstrap distribution of five values can be enumerated: 3125 resamples."""
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    medians = [statistics.median(drawn) for drawn in itertools.product(values, repeat=5)]
    low, high = np.percentile(medians, [2.5, 97.5])
    found = estimate(values)
    assert (found.low, found.high) == (low, high)


def test_intervals_overlap_or_not() -> None:
    slow, fast = estimate([2.0, 2.1, 2.2]), estimate([1.0, 1.1, 1.2])
    assert not slow.overlaps(fast)
    assert not fast.overlaps(slow)
    assert slow.overlaps(estimate([1.0, 2.1, 3.0]))


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=9), st.floats(0.1, 10))
def test_a_ratio_scales(values: list[float], factor: float) -> None:
    found = ratio([factor * value for value in values], values)
    assert found is not None
    assert found.median == pytest.approx(factor)
    assert found.low <= found.median * (1 + 1e-9)
    assert found.median <= found.high * (1 + 1e-9)


def test_a_ratio_needs_something_to_divide_by() -> None:
    assert ratio([1.0], [0.0]) is None


@given(st.floats(0.5, 20), st.floats(1e-6, 10))
def test_growth_of_an_exact_power(factor: float, start: float) -> None:
    sizes = [4, 6, 7, 10]
    assert growth(sizes, [start * factor**n for n in sizes]) == pytest.approx(factor)


def test_growth_needs_two_sizes_and_times() -> None:
    assert growth([5, 5], [1.0, 2.0]) is None
    assert growth([5, 6], [0.0, 2.0]) is None


def test_par2() -> None:
    assert par2([(1.0, 10.0), (None, 10.0), (3.0, 5.0), (None, 5.0)]) == (1 + 20 + 3 + 10) / 4
