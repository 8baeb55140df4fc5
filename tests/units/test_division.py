"""Units: the same everywhere, and together the whole count."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin, number_of_row_splits, row_splits
from nqueens_models.engines.bitmask.quadrant_tables import Part
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.units import Cubes, Division, RowSplits, divide, divide_as, division
from tests import brute_force

JOIN, SAT = nq.make_engine("bitmask:method=join"), nq.make_engine("sat")


def beginning_of_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


# ---------------------------------------------------------------------------------------------- identity

PLAIN_10 = (
    '{"blocked":[],"diagonals":"full","fixed":[],"format":"nqueens_models.instance","n":10,"regions":null,'
    '"version":1}'
)
BLOCKED_4 = (
    '{"blocked":[[1,1]],"diagonals":"modular","fixed":[[0,2]],"format":"nqueens_models.instance","n":4,'
    '"regions":null,"version":1}'
)


def test_a_range_of_row_splits_is_known_by_this_text() -> None:
    """Whoever changes what is hashed disowns every ledger there is: see division.RULES."""
    units = divide(Instance(10), JOIN).units
    text = f'{{"instance":{PLAIN_10},"rule":1,"split":"row-splits=64","unit":{{"row_splits":[0,64]}}}}'
    assert units[0].identity == beginning_of_sha256(text) == "ddc967e4dcd60ece"


def test_a_cube_is_known_by_this_text() -> None:
    board = Instance(4, "modular", fixed=[(0, 2)], blocked=[(1, 1)])
    text = f'{{"instance":{BLOCKED_4},"rule":1,"split":"cubes:rows=1","unit":{{"cubes":[[[[1,0]],[],1]]}}}}'
    unit = divide(board, SAT, "cubes:rows=1").units[0]
    assert unit.content == Cubes((division.WeightedCube(((1, 0),), (), 1),))
    assert unit.identity == beginning_of_sha256(text) == "41ff506bf580738b"


def test_a_division_is_known_by_its_units() -> None:
    whole = divide(Instance(10), JOIN)
    identities = json.dumps([unit.identity for unit in whole.units], separators=(",", ":"))
    text = f'{{"instance":{PLAIN_10},"rule":1,"split":"row-splits=64","units":{identities}}}'
    assert whole.identity == beginning_of_sha256(text) == "984b420d30ef9f53"


def test_the_numbers_of_row_splits_mean_what_they_meant() -> None:
    """Their order is part of the rule: a change needs a new version in division.RULES, and new digits here."""
    texts = [json.dumps(row_splits(5, part).tolist()) for part in Part]
    assert [beginning_of_sha256(text) for text in texts] == [
        "f457f29445a7f7f9",
        "f457f29445a7f7f9",
        "2434e263a6b8cbe8",
    ]


def test_the_engine_is_no_part_of_the_identity() -> None:
    one, other = divide(Instance(9), SAT), divide(Instance(9), nq.make_engine("cpsat"))
    assert one.identity == other.identity
    assert one.engine_spec != other.engine_spec


def test_instance_and_split_are_part_of_the_identity() -> None:
    divisions = [
        divide(board, engine, search, symmetry)
        for board in (Instance(7), Instance(7, "modular"), Instance(7, blocked=[(3, 3)]), Instance(8))
        for engine, search, symmetry in (
            (JOIN, None, True),
            (SAT, "cubes:rows=1", True),
            (SAT, "cubes:rows=1", False),
            (SAT, "cubes:rows=2", True),
        )
        if engine is SAT or board.is_plain
    ]
    identities = [unit.identity for one in divisions for unit in one.units]
    assert len({one.identity for one in divisions}) == len(divisions)
    assert len(set(identities)) == len(identities)


PROGRAM = """
import nqueens_models as nq
from nqueens_models.units import divide
board = nq.Instance(9, blocked=[(8, 1), (0, 0), (3, 4)], fixed=[(5, 5)])
print(divide(board, nq.make_engine("sat")).identity, divide(nq.Instance(12), nq.make_engine("bitmask")).identity)
"""


def test_other_hashes_of_strings_do_not_matter() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


# ---------------------------------------------------------------------------------------------- content


@pytest.mark.parametrize("size", [6, 7, 12, 13, 16, 19])
def test_ranges_of_row_splits_follow_each_other(size: int) -> None:
    units = divide(Instance(size), JOIN).units
    ranges = [unit.content for unit in units]
    assert all(isinstance(one, RowSplits) for one in ranges)
    splits = [split for one in ranges if isinstance(one, RowSplits) for split in range(one.start, one.stop)]
    assert splits == list(range(number_of_row_splits(size)))
    assert [unit.position for unit in units] == list(range(len(units)))


def test_the_number_of_row_splits_is_that_of_the_join() -> None:
    assert [number_of_row_splits(size) for size in (6, 11)] == [QuadrantJoin(size).row_splits for size in (6, 11)]


def brute_force_total(whole: Division) -> int:
    """Return the total of a division into cubes, from first principles."""
    total = 0
    for unit in whole.units:
        assert isinstance(unit.content, Cubes)
        for cube in unit.content.cubes:
            board = whole.instance.with_fixed(cube.fixed, cube.blocked)
            total += cube.images * len(brute_force.solutions(board))
    return total


@settings(max_examples=25, deadline=None)
@given(brute_force.instances(), st.sampled_from(["cubes", "cubes:rows=1", "cubes:centre-lines=2"]), st.booleans())
def test_cubes_and_their_images_are_all_solutions(instance: Instance, search: str, symmetry: bool) -> None:
    whole = divide(instance, SAT, search, symmetry)
    assert brute_force_total(whole) == len(brute_force.solutions(instance))


def test_many_cubes_are_counted_several_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = divide(Instance(6), SAT, "cubes:rows=2")
    monkeypatch.setattr(division, "MOST_UNITS", 4)
    grouped = divide(Instance(6), SAT, "cubes:rows=2")
    assert grouped.split == "cubes:rows=2,each=2"
    assert len(grouped.units) == -(-len(alone.units) // 2)
    assert brute_force_total(grouped) == brute_force_total(alone) == 4
    assert grouped.identity != alone.identity


@pytest.mark.parametrize(
    ("spec", "search", "symmetry"),
    [("bitmask:method=join", None, True), ("sat", "cubes:rows=2", False), ("sat", None, True)],
)
def test_a_division_is_made_again_from_what_its_split_says(
    spec: str, search: str | None, symmetry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(division, "MOST_UNITS", 10)
    whole = divide(Instance(8), nq.make_engine(spec), search, symmetry)
    again = divide_as(whole.instance, whole.engine, whole.split)
    assert again.units == whole.units
    assert again.identity == whole.identity
    assert pickle.loads(pickle.dumps(whole)) == whole


@pytest.mark.parametrize(
    ("n", "spec", "search", "split"),
    [
        (17, "bitmask", None, "row-splits=64"),
        (17, "bitmask", "plain", "row-splits=64"),
        (20, "bitmask", None, "row-splits=256"),
        (21, "bitmask", None, "row-splits=64"),
        (17, "bitmask", "cubes:rows=1", "cubes:rows=1"),
        (12, "bitmask", None, "cubes:centre-lines=1"),
        (17, "bitmask:method=compiled", "cubes:rows=1", "cubes:rows=1"),
        (6, "bitmask:method=join", None, "row-splits=64"),
        (9, "sat", "cubes", "cubes:centre-lines=1"),
        (9, "sat", "cubes:auto", "cubes:centre-lines=1"),
    ],
)
def test_how_a_count_is_divided(n: int, spec: str, search: str | None, split: str) -> None:
    assert divide(Instance(n), nq.make_engine(spec), search).split == split


@pytest.mark.parametrize("search", ["plain", "rows=2", "cubes:columns=1"])
def test_searches_without_units(search: str) -> None:
    with pytest.raises(InvalidSetting):
        divide(Instance(8), SAT, search)


@pytest.mark.parametrize(
    "split",
    ["", "plain", "row-splits=x", "row-splits=0", "cubes:rows=1,each=", "cubes:rows=1,each=0", "cubes:lines=1"],
)
def test_splits_that_are_none(split: str) -> None:
    with pytest.raises(InvalidSetting):
        divide_as(Instance(8), SAT, split)


def test_shards_are_disjoint_and_cover() -> None:
    whole = divide(Instance(9), SAT, "cubes:rows=2")
    shards = [whole.shard(number, 4) for number in (1, 2, 3, 4)]
    assert sorted(unit.position for unit in itertools.chain(*shards)) == list(range(len(whole.units)))
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    for number, of in ((0, 4), (5, 4), (1, 0)):
        with pytest.raises(InvalidSetting, match="I/K"):
            whole.shard(number, of)


def test_boards_without_solutions_have_no_more_than_their_units() -> None:
    contradiction = Instance(5, fixed=[(0, 0), (1, 1)])
    assert brute_force_total(divide(contradiction, SAT)) == 0
    assert brute_force_total(divide(Instance(0), SAT)) == 1
