import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.cubes import CubeOrbit, cube_orbits
from nqueens_models.cubes.split import Line, plan_split
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance, Square
from nqueens_models.symmetry import IDENTITY, MIRRORS, Symmetry
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
Cube = tuple[frozenset[Square], frozenset[Square]]
"""The squares with a queen, and those without."""


def images(orbit: CubeOrbit, n: int) -> list[Cube]:
    """The cubes of an orbit, one by one."""

    def image(symmetry: Symmetry, squares: tuple[Square, ...]) -> frozenset[Square]:
        return frozenset(symmetry.square(square, n) for square in squares)

    return [(image(symmetry, orbit.fixed), image(symmetry, orbit.blocked)) for symmetry in orbit.symmetries]


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
            assert sum(fixed <= solution and not blocked & solution for fixed, blocked in cubes) == 1


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("diagonals", ["full", "modular", "adjacent"])
@pytest.mark.parametrize("n", range(7))
def test_cubes_are_disjoint_and_cover_the_board(n: int, diagonals: str, split: str) -> None:
    check_cover(Instance(n, diagonals), split)


@given(brute_force.instances(6), st.sampled_from(SPLITS))
@settings(max_examples=150, deadline=None)
def test_cubes_are_disjoint_and_cover_any_instance(instance: Instance, split: str) -> None:
    check_cover(instance, split)


@pytest.mark.parametrize("split", ["rows=2", "rows=3", "centre-lines", "centre-lines=1", "centre-lines=3"])
@pytest.mark.parametrize("diagonals", ["full", "modular", "adjacent"])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_an_orbit_has_each_image_of_its_cube_once(n: int, diagonals: str, split: str) -> None:
    instance = Instance(n, diagonals)
    group = plan_split(instance, split).group
    for orbit in cube_orbits(instance, split):
        every = {frozenset(symmetry.square(s, n) for s in orbit.fixed) for symmetry in group}
        assert {fixed for fixed, _ in images(orbit, n)} == every
        assert len(orbit.symmetries) == len(every)
        assert orbit.symmetries[0] == IDENTITY


@pytest.mark.parametrize("split", ["rows=2", "rows=3", "centre-lines"])
@pytest.mark.parametrize("n", range(4, 9))
def test_the_images_are_the_cubes_without_symmetry(n: int, split: str) -> None:
    with_symmetry, without = (cubes_of(Instance(n), split, symmetry) for symmetry in (True, False))
    assert set(with_symmetry) == set(without)


def test_starts_on_the_centre_lines_of_large_boards() -> None:
    """Their numbers as another program found them, with all four lines filled."""
    assert [len(cube_orbits(Instance(n), "centre-lines")) for n in (14, 16, 18)] == [849, 1814, 3465]


def lines_of(instance: Instance, split: str) -> list[Line]:
    return [line for stage in plan_split(instance, split).stages for line in stage.lines]


def test_lines_of_the_splits() -> None:
    rows, columns = [Line("row", 3), Line("row", 4)], [Line("column", 3), Line("column", 4)]
    assert lines_of(Instance(8), "rows=2") == rows
    assert lines_of(Instance(8), "centre-lines")[:4] == columns + rows
    assert lines_of(Instance(7), "centre-lines")[:2] == [columns[0], rows[0]]
    blocked = [(1, column) for column in range(6)]
    assert lines_of(Instance(8, blocked=blocked), "rows=1") == [Line("row", 1)]
    assert Line("row", 3) not in lines_of(Instance(8, fixed=[(3, 0)]), "rows=4")


def test_the_queen_in_the_centre_is_not_left_alone() -> None:
    orbits = cube_orbits(Instance(13), "centre-lines")
    assert min(len(orbit.fixed) for orbit in orbits) == 2
    assert sum((6, 6) in orbit.fixed for orbit in orbits) > 1


def test_fewer_queens_make_larger_cubes() -> None:
    numbers = [len(cube_orbits(Instance(12), f"centre-lines={queens}")) for queens in range(1, 6)]
    assert numbers == sorted(set(numbers))


def test_the_group_keeps_the_lines() -> None:
    def order(instance: Instance, split: str) -> int:
        return len(plan_split(instance, split).group)

    assert order(Instance(8), "centre-lines") == len(MIRRORS)
    assert order(Instance(8), "rows=2") == 4
    assert order(Instance(8), "rows=3") == 2  # not in the middle: one mirror is left
    assert order(Instance(7, "modular"), "rows=1") == 4 * 7  # all steps along the row


def test_no_cubes_where_a_row_is_full() -> None:
    instance = Instance(5, blocked=[(2, column) for column in range(5)])
    assert cube_orbits(instance, "rows=1") == []
    assert cube_orbits(instance, "centre-lines") == []


@pytest.mark.parametrize("split", ["", "rows", "rows=", "rows=x", "rows=-1", "columns=2", "centre-lines="])
def test_unknown_splits(split: str) -> None:
    with pytest.raises(InvalidSetting, match="centre-lines=K"):
        cube_orbits(Instance(4), split)


def test_a_split_into_too_many_cubes() -> None:
    with pytest.raises(InvalidSetting, match="fewer lines"):
        cube_orbits(Instance(16), "rows=16")
