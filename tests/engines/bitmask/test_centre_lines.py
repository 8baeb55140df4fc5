"""The starts: least of their orbits, and together with their images every placement on the centre lines, once."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.bitmask.centre_lines import NONE, centre_lines, starts, symmetries
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.symmetry import Symmetry, stabiliser
from tests import brute_force

Squares = frozenset[tuple[int, int]]


def mirror(symmetry: int) -> Symmetry:
    return Symmetry(bool(symmetry & 4), bool(symmetry & 2), bool(symmetry & 1))


def squares_on_lines(instance: Instance, placement: Placement) -> Squares:
    """Return the queens of a solution that are fixed or stand on a centre line."""
    middle = range((instance.n - 1) // 2, instance.n // 2 + 1)
    queens = set(enumerate(placement))
    return frozenset(s for s in queens if s in set(instance.fixed) or s[0] in middle or s[1] in middle)


def images(instance: Instance) -> list[Squares]:
    """Return the distinct images of all starts."""
    found = starts(instance)
    queens = [[(r, c) for r, c in enumerate(row) if c != NONE] for row in found.placements.tolist()]
    return [
        frozenset(mirror(symmetry).square(square, instance.n) for square in start)
        for start, which in zip(queens, found.images.tolist(), strict=True)
        for symmetry in range(8)
        if which >> symmetry & 1
    ]


def without_attack(instance: Instance) -> Instance:
    """Keep the first of the fixed queens."""
    return Instance(instance.n, instance.diagonals, instance.fixed[:1], instance.blocked)


@settings(max_examples=150, deadline=None)
@given(brute_force.instances().map(without_attack))
def test_each_solution_has_exactly_one_start(instance: Instance) -> None:
    found = images(instance)
    assert len(found) == len(set(found))
    for placement in brute_force.solutions(instance):
        assert squares_on_lines(instance, placement) in found


@pytest.mark.parametrize(("n", "number"), [(14, 849), (15, 22), (16, 1814), (17, 29), (18, 3465)])
def test_the_numbers_of_starts_of_plain_boards(n: int, number: int) -> None:
    """Found by another program."""
    assert len(starts(Instance(n)).images) == number


@pytest.mark.parametrize("n", range(9))
def test_the_centre_lines_are_mapped_onto_themselves(n: int) -> None:
    lines = {frozenset(zip(rows.tolist(), columns.tolist(), strict=True)) for rows, columns in centre_lines(n)}
    assert len(lines) == (0, 1, 4, 2, 4, 2, 4, 2, 4)[n]
    for symmetry, line in itertools.product(range(8), lines):
        assert frozenset(mirror(symmetry).square(square, n) for square in line) in lines


@given(brute_force.instances(6), st.sampled_from([Diagonals.FULL, Diagonals.ADJACENT]))
def test_the_symmetries_are_those_of_the_stabiliser(instance: Instance, diagonals: Diagonals) -> None:
    instance = Instance(instance.n, diagonals, instance.fixed, instance.blocked)
    assert {mirror(symmetry) for symmetry in symmetries(instance)} == set(stabiliser(instance))


def test_the_empty_board_has_the_empty_start() -> None:
    found = starts(Instance(0))
    assert found.placements.shape == (1, 0)
    assert np.bitwise_count(found.images).tolist() == [1]
