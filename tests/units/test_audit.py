"""Units counted again: by listing, by other engines; and what is found when a number is not right."""

from __future__ import annotations

import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nqueens_models as nq
from nqueens_models.engines.base import Termination
from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin
from nqueens_models.engines.recorder import SearchStopped
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.units import Ledger, Record, Workers, count_units, counting, divide, execute_units, read_ledger
from nqueens_models.units.audit import audit_units, auditor, sample_of
from nqueens_models.units.division import RowSplits
from nqueens_models.units.listing import row_split_boards
from tests import brute_force
from tests.units.engines import Slow

JOIN = nq.make_engine("bitmask:method=join")
LISTING = nq.make_engine("bitmask:method=python")


def recorded(path: Path, n: int, spec: str, search: str | None = None) -> Record:
    """Return the ledger of a count that was completed."""
    division = divide(Instance(n), nq.make_engine(spec), search)
    with Ledger(path, division) as ledger, ThreadPoolExecutor(1) as executor:
        assert execute_units(division, ledger, Workers(executor, 1)).complete
    return read_ledger(path)


# ---------------------------------------------------------------------------------------------- by listing


@pytest.mark.parametrize("size", [6, 7])
def test_row_splits_from_first_principles(size: int) -> None:
    """By looking at every permutation: what the join says of each row split."""
    join = QuadrantJoin(size)
    for number, boards in enumerate(row_split_boards(size, 0, join.row_splits)):
        solutions = brute_force.solutions(boards.instance)
        boards.visit(np.array(solutions, np.uint8).reshape(-1, size))
        assert boards.total == join.count(number, number + 1)


@pytest.mark.parametrize("size", [8, 9, 10, 11])
def test_every_row_split_is_listed_as_the_join_counts_it(size: int) -> None:
    join = QuadrantJoin(size)
    for number, boards in enumerate(row_split_boards(size, 0, join.row_splits)):
        LISTING.enumerate(boards.instance, boards.visit)
        assert boards.total == join.count(number, number + 1), number


def test_a_range_in_the_middle_of_both_parts() -> None:
    every = [(boards.instance, boards._images) for boards in row_split_boards(9, 0, 10_000)]
    for start, stop in ((0, 3), (10, 25), (20, 40), (40, 41), (5, 5)):
        assert [(b.instance, b._images) for b in row_split_boards(9, start, stop)] == every[start:stop]


@pytest.mark.parametrize("engine", ["sat", "column-sets"])
def test_any_engine_counts_row_splits(engine: str) -> None:
    division = divide(Instance(8), JOIN)
    other = replace(division, engine=nq.make_engine(engine))
    assert not other.by_join
    with ThreadPoolExecutor(1) as executor:
        (unit,) = count_units(other, executor)
    assert unit.solutions == 92
    assert unit.kernel.startswith(engine)


def test_listing_notices_the_time_limit() -> None:
    division = replace(divide(Instance(15), JOIN), engine=LISTING)
    with ThreadPoolExecutor(1) as executor, pytest.raises(SearchStopped) as stopped:
        list(count_units(division, executor, seconds=0.3))
    assert stopped.value.termination is Termination.TIME_LIMIT
    assert isinstance(division.units[0].content, RowSplits)
    outcome = counting._list_row_splits(Instance(8), Slow(0.0), RowSplits(0, 0), math.inf)
    assert outcome == 0


# ---------------------------------------------------------------------------------------------- audits


@pytest.mark.parametrize(
    ("n", "spec", "search", "other"),
    [
        (11, "bitmask:method=join", None, "bitmask:method=compiled"),
        (9, "bitmask", "cubes:rows=1", "sat"),
        (9, "sat", None, "bitmask"),
        (8, "cpsat", "cubes:rows=1", "bitmask"),
    ],
)
def test_all_agree(tmp_path: Path, n: int, spec: str, search: str | None, other: str) -> None:
    record = recorded(tmp_path / "one.sqlite", n, spec, search)
    division = auditor(record)
    assert division.engine == nq.make_engine(other)
    with ThreadPoolExecutor(1) as executor:
        pairs = list(audit_units(sample_of(record, None), division, Workers(executor, 1)))
    assert len(pairs) == len(record.units)
    assert all(pair.agrees for pair in pairs)


@pytest.mark.parametrize(("spec", "search"), [("bitmask:method=join", None), ("sat", "cubes:rows=2")])
def test_a_tampered_unit_is_found(tmp_path: Path, spec: str, search: str | None) -> None:
    path = tmp_path / "one.sqlite"
    record = recorded(path, 10, spec, search)
    victim = record.units[len(record.units) // 2]
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE units SET solutions = ? WHERE identity = ?", (str(victim.solutions + 8), victim.identity)
        )
    connection.close()
    record = read_ledger(path)
    division = auditor(record, LISTING if search is None else None)
    with ThreadPoolExecutor(1) as executor:
        pairs = list(audit_units(sample_of(record, None), division, Workers(executor, 1)))
    (wrong,) = [pair for pair in pairs if not pair.agrees]
    assert wrong.recorded.position == victim.position
    assert wrong.again.solutions == victim.solutions == wrong.recorded.solutions - 8


def test_samples_are_the_same_for_a_seed(tmp_path: Path) -> None:
    record = recorded(tmp_path / "one.sqlite", 9, "bitmask", "cubes:rows=2")
    assert sample_of(record, 3, 1) == sample_of(record, 3, 1)
    assert len({unit.identity for unit in sample_of(record, 3, 1)}) == 3
    assert len({tuple(unit.position for unit in sample_of(record, 3, seed)) for seed in range(9)}) > 3
    assert sample_of(record, 10_000) == sample_of(record, None) == list(record.units)
    with pytest.raises(InvalidSetting, match="1 unit or more"):
        sample_of(record, 0)


def test_nobody_audits_himself(tmp_path: Path) -> None:
    record = recorded(tmp_path / "join.sqlite", 8, "bitmask:method=join")
    with pytest.raises(InvalidSetting, match="counted by the join"):
        auditor(record, JOIN)
    record = recorded(tmp_path / "cubes.sqlite", 8, "sat", "cubes:rows=1")
    with pytest.raises(InvalidSetting, match="sat counted units of"):
        auditor(record, nq.make_engine("sat:solver=cadical195"))
    mixed = replace(record, units=tuple(replace(u, kernel=k) for u, k in zip(record.units, KERNELS, strict=False)))
    assert auditor(mixed).engine.name == "cpsat"


KERNELS = ("bitmask:method=auto,workers=1", "sat:solver=x (python-sat 1)", "bitmask", "sat")
