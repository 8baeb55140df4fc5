"""Estimates of the work that is left, and of the pace."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import nqueens_models as nq
from nqueens_models.instance import Instance
from nqueens_models.units import CountedUnit, Cubes, Division, Unit, divide
from nqueens_models.units.division import WeightedCube
from nqueens_models.units.pace import pace, work_left
from nqueens_models.units.running import in_order_of_work
from tests.units.engines import Plain
from tests.units.test_ledger import counted

JOIN = divide(Instance(16), nq.make_engine("bitmask:method=join"))
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def took(division: Division, seconds: dict[int, float]) -> list[CountedUnit]:
    return [replace(counted(division, position), seconds=value) for position, value in seconds.items()]


def test_units_of_one_length_leave_no_doubt() -> None:
    left = work_left(JOIN, took(JOIN, dict.fromkeys(range(10), 0.5)))
    assert left is not None
    number = len(JOIN.units) - 10
    assert (left.units, left.seconds, left.low, left.high) == (number, number / 2, number / 2, number / 2)


def test_too_few_units_say_nothing() -> None:
    assert work_left(JOIN, took(JOIN, dict.fromkeys(range(7), 0.5))) is None
    assert work_left(JOIN, []) is None


def test_nothing_is_left_in_the_end() -> None:
    small = divide(Instance(6), nq.make_engine("bitmask:method=join"))
    left = work_left(small, took(small, {0: 1.0}))
    assert left is not None
    assert (left.units, left.seconds, left.high) == (0, 0.0, 0.0)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Units that vary as those of n = 19 do, counted in the order of work: at least 180 of 200 random cases."""
    chance, hits = random.Random(5), 0
    for _ in range(200):
        true = [chance.lognormvariate(0, 0.8) * (1 + unit.position / 20) for unit in JOIN.units]
        order = [unit.position for unit in in_order_of_work(JOIN, list(JOIN.units))]
        done = order[: len(order) // 2]
        left = work_left(JOIN, took(JOIN, {position: true[position] for position in done}))
        assert left is not None
        hits += left.low <= sum(true[position] for position in order[len(done) :]) <= left.high
    assert hits >= 180


def cubes(*queens: int) -> Division:
    """Return a division of cubes with so many queens each."""
    whole = divide(Instance(8), Plain(), "cubes:rows=1")
    units = tuple(
        Unit(
            position, f"{position:016x}", Cubes((WeightedCube(tuple((row, row) for row in range(number)), (), 1),))
        )
        for position, number in enumerate(queens)
    )
    return replace(whole, units=units)


def test_cubes_are_judged_by_those_with_as_many_queens() -> None:
    whole = cubes(*[1] * 10, *[2] * 10)
    left = work_left(whole, took(whole, {**dict.fromkeys(range(8), 8.0), 10: 1.0, 11: 1.0}))
    assert left is not None
    assert left.seconds == pytest.approx(2 * 8.0 + 8 * 1.0)
    assert "or of all" not in left.reason


def test_a_class_of_which_none_is_counted_takes_the_mean_of_all() -> None:
    whole = cubes(*[1] * 10, *[2] * 10)
    left = work_left(whole, took(whole, dict.fromkeys(range(10), 8.0)))
    assert left is not None
    assert left.seconds == pytest.approx(10 * 8.0)
    assert "or of all where there are none yet" in left.reason


def finished(*ends: float, seconds: float = 1.0) -> list[CountedUnit]:
    return [
        replace(counted(JOIN, position), seconds=seconds, finished=(BEGIN + timedelta(seconds=end)).isoformat())
        for position, end in enumerate(ends)
    ]


def test_the_pace_is_that_of_the_latest_stretch() -> None:
    steady = pace(finished(1, 1, 2, 2, 3, 3))
    assert steady is not None
    assert (steady.units, steady.units_per_second, steady.workers) == (6, 2.0, 2.0)
    assert (steady.first, steady.last) == ("2026-01-01T00:00:01+00:00", "2026-01-01T00:00:03+00:00")
    resumed = pace(finished(1, 2, 3, 1001, 1002))
    assert resumed is not None
    assert (resumed.units, resumed.units_per_second, resumed.workers) == (2, 1.0, 1.0)
    long_ones = pace(finished(100, 200, 300, seconds=100))
    assert long_ones is not None
    assert (long_ones.units, long_ones.workers) == (3, 1.0)
    assert pace([]) is None
