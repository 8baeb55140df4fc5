"""Symmetry: a group, relative to an instance, acting alike on squares and on blocks; orbits by brute force."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nqueens_models.engines.base import block_dtype
from nqueens_models.instance import Diagonals, Instance, Placement, Square
from nqueens_models.symmetry import IDENTITY, MIRRORS, Symmetry, expand, orbits, stabiliser
from tests import brute_force

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference-numbers.json").read_text(encoding="utf-8"))
Map = tuple[Square, ...]
"""The image of every square, row by row."""


def board(n: int) -> list[Square]:
    return [(row, column) for row in range(n) for column in range(n)]


def as_map(symmetry: Symmetry, n: int) -> Map:
    return tuple(symmetry.square(square, n) for square in board(n))


def as_block(n: int, placements: list[Placement]) -> NDArray[np.unsignedinteger]:
    return np.array(placements, dtype=block_dtype(n)).reshape(len(placements), n)


def image(symmetry: Symmetry, placement: Placement) -> Placement:
    """The image of a placement, queen by queen."""
    n = len(placement)
    return tuple(column for _, column in sorted(symmetry.square(queen, n) for queen in enumerate(placement)))


@st.composite
def symmetric_instances(draw: st.DrawFn) -> Instance:
    """Instances that some symmetry may well preserve: squares closed under one of the eight, or nothing but n."""
    n, diagonals = draw(st.integers(0, 6)), draw(st.sampled_from(Diagonals))
    if n == 0 or draw(st.booleans()):
        return draw(brute_force.instances(max_n=5))
    mirror = draw(st.sampled_from(MIRRORS))
    squares = draw(st.lists(st.sampled_from(board(n)), max_size=4))
    for _ in range(4):
        squares += [mirror.square(square, n) for square in squares if len(squares) < 200]
    kind = draw(st.sampled_from(["fixed", "blocked", "none"]))
    if kind == "none":
        return Instance(n, diagonals)
    return Instance(n, diagonals, **{kind: squares})


@given(symmetric_instances())
def test_the_stabiliser_is_a_group(instance: Instance) -> None:
    n = instance.n
    group = stabiliser(instance)
    assert group[0] == IDENTITY
    maps = {as_map(symmetry, n) for symmetry in group}
    assert len(group) % len(maps) == 0, "on tiny boards several symmetries are one map, each as often"
    assert_closed(maps, n, sample=sorted(maps)[:30])


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_modular_boards_have_all_translations(n: int) -> None:
    group = stabiliser(Instance(n, "modular"))
    assert len(group) == len(set(group)) == 8 * n * n
    maps = {as_map(symmetry, n) for symmetry in group}
    for down, right in product(range(n), repeat=2):
        assert tuple(((r + down) % n, (c + right) % n) for r, c in board(n)) in maps
    assert_closed(maps, n, sample=maps if n < 5 else sorted(maps)[:60])


def assert_closed(maps: set[Map], n: int, sample: Iterable[Map]) -> None:
    """One map after another is a map of the set, for all pairs of a sample."""
    index = {square: i for i, square in enumerate(board(n))}
    for first, second in product(sample, repeat=2):
        assert tuple(second[index[square]] for square in first) in maps


@pytest.mark.parametrize("diagonals", ["full", "adjacent"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
def test_other_boards_have_the_eight_of_the_square(n: int, diagonals: str) -> None:
    assert stabiliser(Instance(n, diagonals)) == MIRRORS
    wanted = {
        tuple(turned(square, n, turns, mirror) for square in board(n)) for turns in range(4) for mirror in (0, 1)
    }
    assert {as_map(symmetry, n) for symmetry in MIRRORS} == wanted


def turned(square: Square, n: int, quarter_turns: int, mirror: int) -> Square:
    row, column = square
    if mirror:
        column = n - 1 - column
    for _ in range(quarter_turns):
        row, column = column, n - 1 - row
    return row, column


@given(symmetric_instances())
def test_the_stabiliser_is_what_preserves_the_instance(instance: Instance) -> None:
    n = instance.n
    translations = range(n) if instance.diagonals is Diagonals.MODULAR and n else range(1)
    steps = list(product(translations, repeat=2))
    every = [replace(mirror, down=down, right=right) for mirror in MIRRORS for down, right in steps]
    assert set(stabiliser(instance)) == {symmetry for symmetry in every if mapped(symmetry, instance) == instance}


def mapped(symmetry: Symmetry, instance: Instance) -> Instance:
    """The image of an instance, square by square."""
    n = instance.n
    regions = None
    if instance.regions is not None:
        regions = [[0] * n for _ in range(n)]
        for row, column in board(n):
            image_row, image_column = symmetry.square((row, column), n)
            regions[image_row][image_column] = instance.regions[row][column]
    fixed, blocked = ([symmetry.square(s, n) for s in squares] for squares in (instance.fixed, instance.blocked))
    return Instance(n, instance.diagonals, fixed, blocked, regions)


@given(symmetric_instances())
def test_solutions_are_mapped_to_solutions(instance: Instance) -> None:
    solutions = brute_force.solutions(instance)
    for symmetry in stabiliser(instance):
        assert sorted(image(symmetry, solution) for solution in solutions) == solutions


@given(st.data(), st.sampled_from([0, 1, 2, 5, 8, 16, 17, 255, 256, 257]))
def test_squares_and_blocks_are_mapped_alike(data: st.DataObject, n: int) -> None:
    flags = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    step = st.integers(0, max(0, n - 1))
    symmetry = Symmetry(*flags, data.draw(step), data.draw(step))
    placements = [tuple(data.draw(st.permutations(range(n)))) for _ in range(2)]
    block = as_block(n, placements)
    before = block.copy()
    images = symmetry.block(block)
    assert [tuple(row.tolist()) for row in images] == [image(symmetry, placement) for placement in placements]
    assert images.dtype == block.dtype
    assert np.array_equal(block, before)


@settings(deadline=None)
@given(symmetric_instances())
def test_orbits_by_brute_force(instance: Instance) -> None:
    solutions = brute_force.solutions(instance)
    group = stabiliser(instance)
    found = orbits(as_block(instance.n, solutions), group)
    orbit_of = [{image(symmetry, solution) for symmetry in group} for solution in solutions]
    assert found.size.tolist() == [len(orbit) for orbit in orbit_of]
    assert found.least.tolist() == [s == min(orbit) for s, orbit in zip(solutions, orbit_of, strict=True)]
    assert int(found.size[found.least].sum()) == len(solutions)


@settings(deadline=None)
@given(symmetric_instances())
def test_fundamental_solutions_expand_to_all(instance: Instance) -> None:
    solutions = brute_force.solutions(instance)
    block = as_block(instance.n, solutions)
    group = stabiliser(instance)
    fundamental = block[orbits(block, group).least]
    for part in (fundamental, block, np.concatenate([block, block])):
        assert [tuple(row.tolist()) for row in expand(part, group)] == solutions


@given(st.data(), st.sampled_from([16, 17, 33, 70]))
def test_images_of_large_boards_are_sorted_and_distinct(data: st.DataObject, n: int) -> None:
    """Where a placement fills more than one word."""
    placements = [tuple(data.draw(st.permutations(range(n)))) for _ in range(3)]
    images = {image(symmetry, placement) for symmetry in MIRRORS for placement in placements}
    assert [tuple(row.tolist()) for row in expand(as_block(n, placements), MIRRORS)] == sorted(images)


@pytest.mark.parametrize("n", range(1, 8))
def test_published_numbers_of_fundamental_solutions(n: int) -> None:
    block = as_block(n, brute_force.solutions(Instance(n)))
    assert int(orbits(block, stabiliser(Instance(n))).least.sum()) == REFERENCE["A002562"]["values"][n - 1]


def test_eight_symmetries_of_any_placement_have_an_orbit_of_1_2_4_or_8() -> None:
    block = as_block(5, brute_force.solutions(Instance(5)))
    found = orbits(block, MIRRORS)
    assert sorted(found.size[found.least].tolist()) == [2, 8]  # 10 solutions, 2 of them fundamental (A002562)


def test_the_empty_board() -> None:
    one, group = as_block(0, [()]), stabiliser(Instance(0))
    assert orbits(one, group).least.tolist() == [True]
    assert orbits(one, group).size.tolist() == [1]
    assert expand(one, group).shape == (1, 0)
    none = as_block(0, [])
    assert orbits(none, group).least.shape == (0,)
    assert expand(none, group).shape == (0, 0)
