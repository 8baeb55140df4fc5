import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.cubes import CubeOrbit, cube_orbits
from nqueens_models.cubes.split import Line, cover, invariant_group, split_lines
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance, Square
from nqueens_models.symmetry import MIRRORS
from tests import brute_force

SPLITS = (
    "auto",
    "rows=0",
    "rows=1",
    "rows=2",
    "rows=3",
    "rows=9",
    "centre-lines",
    "centre-lines=1",
    "centre-lines=3",
)
Cube = frozenset[Square]


def images(orbit: CubeOrbit, n: int) -> list[Cube]:
    """The cubes of an orbit, one by one."""
    return [frozenset(symmetry.square(s, n) for s in orbit.squares) for symmetry in orbit.symmetries]


def cubes_of(instance: Instance, split: str, symmetry: bool) -> list[Cube]:
    orbits = cube_orbits(instance, split, symmetry)
    return [cube for orbit in orbits for cube in images(orbit, instance.n)]


def check_cover(instance: Instance, split: str) -> None:
    """Every solution lies in exactly one cube, and no cube comes twice."""
    solutions = [frozenset(enumerate(p)) for p in brute_force.solutions(instance)]
    for symmetry in (False, True):
        cubes = cubes_of(instance, split, symmetry)
        assert len(set(cubes)) == len(cubes)
        for solution in solutions:
            assert sum(cube <= solution for cube in cubes) == 1


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("diagonals", ["full", "modular", "adjacent"])
@pytest.mark.parametrize("n", range(7))
def test_cubes_are_disjoint_and_cover_the_board(n: int, diagonals: str, split: str) -> None:
    check_cover(Instance(n, diagonals), split)


@given(brute_force.instances(6), st.sampled_from(SPLITS))
@settings(max_examples=150, deadline=None)
def test_cubes_are_disjoint_and_cover_any_instance(instance: Instance, split: str) -> None:
    check_cover(instance, split)


@pytest.mark.parametrize("split", ["rows=2", "rows=3", "centre-lines", "centre-lines=3"])
@pytest.mark.parametrize("diagonals", ["full", "modular", "adjacent"])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_an_orbit_has_each_image_of_its_cube_once(n: int, diagonals: str, split: str) -> None:
    instance = Instance(n, diagonals)
    group = invariant_group(instance, split_lines(instance, split).everywhere)
    for orbit in cube_orbits(instance, split):
        every = {frozenset(symmetry.square(s, n) for s in orbit.squares) for symmetry in group}
        assert set(images(orbit, n)) == every
        assert len(orbit.symmetries) == len(every)


def test_symmetry_leaves_the_same_cubes_to_cover() -> None:
    for n, split in itertools.product(range(4, 9), ("rows=2", "centre-lines")):
        plain = cubes_of(Instance(n), split, False)
        assert set(plain) == set(cubes_of(Instance(n), split, True))


def test_starts_on_the_centre_lines_of_large_boards() -> None:
    """Their numbers as another program found them."""
    numbers = [len(cube_orbits(Instance(n), f"centre-lines={2 - n % 2}")) for n in range(14, 19)]
    assert numbers == [849, 22, 1814, 29, 3465]


def test_lines_of_the_splits() -> None:
    rows, columns = (Line("row", 3), Line("row", 4)), (Line("column", 3), Line("column", 4))
    assert split_lines(Instance(8), "rows=2") == (rows, ())
    assert split_lines(Instance(8), "centre-lines") == ((*rows, *columns), ())
    assert split_lines(Instance(7), "centre-lines=1") == ((rows[0], columns[0]), ())
    assert len(split_lines(Instance(7), "centre-lines").at_centre) == 6
    blocked = [(1, column) for column in range(6)]
    assert split_lines(Instance(8, blocked=blocked), "rows=1") == ((Line("row", 1),), ())
    assert Line("row", 3) not in split_lines(Instance(8, fixed=[(3, 0)]), "rows=4").everywhere


def test_the_queen_in_the_centre_is_not_left_alone() -> None:
    alone = ((6, 6),)
    assert alone in [orbit.squares for orbit in cube_orbits(Instance(13), "centre-lines=1")]
    assert alone not in [orbit.squares for orbit in cube_orbits(Instance(13), "centre-lines")]


def test_the_group_keeps_the_lines() -> None:
    def order(instance: Instance, split: str) -> int:
        return len(invariant_group(instance, split_lines(instance, split).everywhere))

    assert order(Instance(8), "centre-lines") == len(MIRRORS)
    assert order(Instance(8), "rows=2") == 4
    assert order(Instance(8), "rows=3") == 2  # not in the middle: one mirror is left
    assert order(Instance(7, "modular"), "rows=1") == 4 * 7  # all steps along the row


def test_no_cubes_where_a_row_is_full() -> None:
    assert cube_orbits(Instance(5, blocked=[(2, column) for column in range(5)]), "rows=1") == []
    assert len(cover(Instance(2), split_lines(Instance(2), "centre-lines").everywhere)) == 0


@pytest.mark.parametrize("split", ["", "rows", "rows=", "rows=x", "rows=-1", "columns=2", "centre-lines="])
def test_unknown_splits(split: str) -> None:
    with pytest.raises(InvalidSetting, match="centre-lines=K"):
        cube_orbits(Instance(4), split)


def test_a_split_into_too_many_cubes() -> None:
    with pytest.raises(InvalidSetting, match="fewer lines"):
        cube_orbits(Instance(16), "rows=16")
