"""Cubes: an instance split at squares of some lines, and the orbits of these cubes under its symmetries.

Every solution decides each square: a queen or none. The squares of a *stage* are decided together, in every way in
which no two queens attack each other; the cube of one way has its queens fixed and the other squares of the stage
blocked. So the cubes of one stage, or of several in turn, are disjoint and cover the instance.

The symmetries of the instance that map every stage onto itself map cubes onto cubes, and the solutions of a cube
onto those of its image: one cube of each orbit has to be solved. Orbits are found as the stages go on, by the
symmetries that are left: of the ways to decide a stage that the stabiliser of the queens so far maps onto each
other, the least is kept (orderly generation: Faradzev 1978, Read 1978).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance, Square
from nqueens_models.symmetry import IDENTITY, Symmetry, stabiliser

MOST_CUBES = 1 << 17  # more than that is a mistake: solving them one by one would take longer than not splitting
SPLITS = ("auto", "rows=K", "centre-lines", "centre-lines=K")


@dataclass(frozen=True)
class CubeOrbit:
    """A cube, by the squares that are fixed and blocked in it beyond the instance's own, and its orbit.

    `symmetries` has one symmetry, the identity first, for each distinct image of the cube.
    """

    fixed: tuple[Square, ...]
    blocked: tuple[Square, ...]
    symmetries: tuple[Symmetry, ...]


class Line(NamedTuple):
    """A row or a column of the board, 0-based."""

    kind: Literal["row", "column"]
    number: int

    def holds(self, square: Square) -> bool:
        """Whether a square lies on the line."""
        return square[self.kind == "column"] == self.number


class Stage(NamedTuple):
    """Squares that are decided together, and the lines that are decided with them: each must hold a queen.

    Cubes that have `enough` queens are not split at this stage: all, or those without a symmetry that is left.
    """

    squares: tuple[Square, ...]
    lines: tuple[Line, ...]
    enough: float = math.inf
    symmetric_too: bool = False


class SplitPlan(NamedTuple):
    """The stages of a split, and the symmetries of the instance that map each stage onto itself."""

    stages: tuple[Stage, ...]
    group: tuple[Symmetry, ...]


def cube_orbits(instance: Instance, split: str = "auto", symmetry: bool = True) -> list[CubeOrbit]:
    """Return disjoint cubes which, with their images, cover the instance: those with fewest queens first.

    `split` is one of SPLITS; without `symmetry` each cube is its own orbit. Raises InvalidSetting for another
    split and for one with more than MOST_CUBES ways to decide a stage.
    """
    plan = plan_split(instance, split)
    if not symmetry:
        plan = plan._replace(group=(IDENTITY,))
    orbits = _Refinement(instance, plan).orbits()
    return sorted(orbits, key=lambda orbit: (len(orbit.fixed), len(orbit.blocked)))


def check_split(split: str) -> None:
    """Raise InvalidSetting when there is no such split."""
    _parse(split)


def plan_split(instance: Instance, split: str = "auto") -> SplitPlan:
    """Return how `split` splits the instance.

    - `rows=K`: all squares of K rows at once: those with fewest free squares, the central ones among equals;
    - `centre-lines`: the squares of the central rows and columns, two of each if n is even, one if it is odd, from
      the centre outwards; and the lines beside these where there is only a queen in the centre yet;
    - `centre-lines=K`: the same until there are K queens and the cube has no symmetry of its own: larger cubes for
      a small K, smaller ones with more lines for a large one;
    - `auto`: what `fastest_split` says.
    """
    name, number = _parse(fastest_split(instance) if split.strip() == "auto" else split)
    return _plan_rows(instance, number or 0) if name == "rows" else _plan_centre_lines(instance, number)


def fastest_split(instance: Instance) -> str:
    """Return the split that was fastest for solvers (the table in `cubes.choice`), by size and symmetry.

    Two rows where there is no symmetry, and on modular boards, whose rows have more symmetries than their centre
    lines; the centre lines elsewhere: up to 1 queen up to n = 13, 2 for 14, 3 above.
    """
    if instance.diagonals is Diagonals.MODULAR or len(stabiliser(instance)) == 1:
        return "rows=2"
    return f"centre-lines={min(max(instance.n - 12, 1), 3)}"


def _parse(split: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(auto)|(rows)=(\d+)|(centre-lines)(?:=(\d+))?", split.strip())
    if not match:
        raise InvalidSetting(f"no split is called {split!r}; there are: {', '.join(SPLITS)}")
    name = match[1] or match[2] or match[4]
    number = match[3] or match[5]
    return name, None if number is None else int(number)


def _plan_rows(instance: Instance, number: int) -> SplitPlan:
    n = instance.n
    free = free_squares(instance)
    held = {row for row, _ in instance.fixed}
    rows = [row for row in range(n) if row not in held]
    rows.sort(key=lambda row: (free[row].sum(), abs(2 * row - (n - 1)), row))
    lines = [Line("row", row) for row in sorted(rows[:number])]
    squares = [(line.number, column) for line in lines for column in np.flatnonzero(free[line.number]).tolist()]
    return SplitPlan((Stage(tuple(squares), tuple(lines)),), _keeping(instance, lines))


def _plan_centre_lines(instance: Instance, queens: int | None) -> SplitPlan:
    n = instance.n
    stages: list[Stage] = []
    if n > 3:
        inner, outer = {(n - 1) // 2, n // 2}, {(n - 1) // 2 - 1, n // 2 + 1}
        stages += _rings(instance, inner, set(), enough=math.inf if queens is None else queens)
        stages += _rings(instance, outer, inner, enough=max(queens or 0, 2), symmetric_too=True)
    return SplitPlan(tuple(stages), tuple(s for s in stabiliser(instance) if s.down == s.right == 0))


def _rings(instance: Instance, numbers: set[int], before: set[int], **enough: Any) -> Iterator[Stage]:
    """Yield the free squares of some rows and columns, but of none `before`, from the centre outwards."""
    n = instance.n
    free = free_squares(instance)
    distances: dict[int, list[Square]] = {}
    for i, j in product(numbers, set(range(n)) - before):
        for square in {(i, j), (j, i)}:
            if free[square]:
                distances.setdefault(max(abs(2 * part - (n - 1)) for part in square), []).append(square)
    lines = {Line("row", i) for i in numbers} | {Line("column", i) for i in numbers}
    held = {line for row, column in instance.fixed for line in (Line("row", row), Line("column", column))}
    *rings, last = [sorted(set(distances[distance])) for distance in sorted(distances)] or [[]]
    yield from (Stage(tuple(ring), (), **enough) for ring in rings)
    yield Stage(tuple(last), tuple(sorted(lines - held)), **enough)


def _keeping(instance: Instance, lines: Sequence[Line]) -> tuple[Symmetry, ...]:
    """Return the symmetries of the instance that map this set of lines onto itself, the identity first."""
    if not lines:
        return (IDENTITY,)
    wanted = set(lines)
    return tuple(
        symmetry
        for symmetry in stabiliser(instance)
        if {_image_of_line(symmetry, line, instance.n) for line in lines} == wanted
    )


def _image_of_line(symmetry: Symmetry, line: Line, n: int) -> Line:
    becomes_row = (line.kind == "row") != symmetry.transpose
    reverse, shift = symmetry.reverse_columns, symmetry.right
    if becomes_row:
        reverse, shift = symmetry.reverse_rows, symmetry.down
    number = n - 1 - line.number if reverse else line.number
    return Line("row" if becomes_row else "column", (number + shift) % n)


def free_squares(instance: Instance) -> NDArray[np.bool_]:
    """Return an array of shape (n, n): which squares are neither blocked nor attacked by a fixed queen."""
    n = instance.n
    free = instance.unblocked()
    if not instance.fixed:
        return free
    fixed, squares = np.array(instance.fixed).T, np.indices((n, n)).reshape(2, -1)
    for queens, others in zip(_lines_through(instance, fixed), _lines_through(instance, squares), strict=True):
        free &= ~np.isin(others, queens).reshape(n, n)
    if instance.diagonals is Diagonals.ADJACENT:
        for step in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            beside = fixed + np.array(step)[:, None]
            rows, columns = beside[:, ((beside >= 0) & (beside < n)).all(axis=0)]
            free[rows, columns] = False
    return free


def _lines_through(instance: Instance, squares: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield, for squares as an array of rows and one of columns, the number of each line that they lie on.

    One array for every kind of line, or region, that may hold one queen.
    """
    n = instance.n
    rows, columns = squares
    yield rows
    yield columns
    if instance.diagonals is not Diagonals.ADJACENT:
        around = n if instance.diagonals is Diagonals.MODULAR else 2 * n
        yield (rows - columns) % around
        yield (rows + columns) % around
    if instance.regions is not None:
        yield np.array(instance.regions)[rows, columns]


def _attacks(instance: Instance, squares: Sequence[Square]) -> list[int]:
    """Return for each square a mask of those, of the same squares, that a queen there takes: itself too."""
    if not squares:
        return []
    rows, columns = np.array(squares).T
    attacks = np.zeros((len(squares), len(squares)), dtype=np.bool_)
    for lines in _lines_through(instance, np.array([rows, columns])):
        attacks |= lines[:, None] == lines
    if instance.diagonals is Diagonals.ADJACENT:
        attacks |= (abs(rows[:, None] - rows) == 1) & (abs(columns[:, None] - columns) == 1)
    packed = np.packbits(attacks, axis=1, bitorder="little")
    return [int.from_bytes(mask.tobytes(), "little") for mask in packed]


class _Cube(NamedTuple):
    """Numbers of the squares with queens, the mask of all squares that they take, the symmetries that are left."""

    queens: tuple[int, ...]
    taken: int
    group: tuple[int, ...]


def _has_enough(cube: _Cube, stage: Stage) -> bool:
    return len(cube.queens) >= stage.enough and (stage.symmetric_too or len(cube.group) == 1)


class _Refinement:
    """The stages of a plan, one after the other; squares have the numbers in which they are decided."""

    def __init__(self, instance: Instance, plan: SplitPlan) -> None:
        self._plan = plan
        self._squares = [square for stage in plan.stages for square in stage.squares]
        self._attacks = _attacks(instance, self._squares)
        numbers = {square: number for number, square in enumerate(self._squares)}
        self._maps = [[numbers[g.square(square, instance.n)] for square in self._squares] for g in plan.group]
        self._ways = 0  # to decide the squares of the present stage
        self._symmetries: dict[tuple[int, ...], tuple[Symmetry, ...]] = {}

    def orbits(self) -> Iterator[CubeOrbit]:
        """Yield one cube of each orbit."""
        cubes = [_Cube((), 0, tuple(range(len(self._plan.group))))]
        decided = 0
        for stage in self._plan.stages:
            yield from (self._orbit(cube, decided) for cube in cubes if _has_enough(cube, stage))
            squares = range(decided, decided + len(stage.squares))
            rest = (cube for cube in cubes if not _has_enough(cube, stage))
            self._ways = 0
            lines = [self._mask(line) for line in stage.lines]
            cubes = [child for cube in rest for child in self._children(cube, squares, lines)]
            decided += len(stage.squares)
        yield from (self._orbit(cube, decided) for cube in cubes)

    def _children(self, cube: _Cube, squares: range, lines: Sequence[int]) -> Iterator[_Cube]:
        """Yield the cube with some squares decided, in all ways that its symmetries do not map to lesser ones."""
        for queens, taken in self._placements(squares, cube.taken):
            placed = sum(1 << queen for queen in cube.queens + queens)
            if all(placed & line for line in lines) and (group := self._stabiliser(queens, cube.group)):
                yield _Cube(cube.queens + queens, taken, group)

    def _placements(self, squares: range, taken: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield all sets of squares, not taken, that do not attack each other; and all that is taken then."""
        self._ways += 1
        if self._ways > MOST_CUBES:
            raise InvalidSetting(f"a split into some {MOST_CUBES} cubes helps nobody: take fewer lines")
        yield (), taken
        for square in squares:
            if not taken >> square & 1:
                after = range(square + 1, squares.stop)
                for others, all_taken in self._placements(after, taken | self._attacks[square]):
                    yield (square, *others), all_taken

    def _stabiliser(self, queens: tuple[int, ...], group: tuple[int, ...]) -> tuple[int, ...]:
        """Return the part of the group that keeps the queens; nothing if they are not the least of their orbit."""
        if len(group) == 1:
            return group
        keeping = []
        for symmetry in group:
            image = self._image(symmetry, queens)
            if image < queens:
                return ()
            if image == queens:
                keeping.append(symmetry)
        return tuple(keeping)

    def _image(self, symmetry: int, queens: tuple[int, ...]) -> tuple[int, ...]:
        image = self._maps[symmetry]
        return tuple(sorted([image[queen] for queen in queens]))

    def _mask(self, line: Line) -> int:
        return sum(1 << number for number, square in enumerate(self._squares) if line.holds(square))

    def _orbit(self, cube: _Cube, decided: int) -> CubeOrbit:
        blocked = ~cube.taken & ((1 << decided) - 1)
        return CubeOrbit(
            tuple(self._squares[queen] for queen in cube.queens),
            tuple(self._squares[number] for number in range(decided) if blocked >> number & 1),
            self._representatives(cube),
        )

    def _representatives(self, cube: _Cube) -> tuple[Symmetry, ...]:
        """Return one symmetry for each image of the cube."""
        if len(cube.group) == 1:
            return self._plan.group
        first: dict[tuple[int, ...], int] = {}
        for symmetry in range(len(self._plan.group)):
            first.setdefault(self._image(symmetry, cube.queens), symmetry)
        numbers = tuple(first.values())
        if numbers not in self._symmetries:  # the same tuple for the same symmetries, so that they can be gathered
            self._symmetries[numbers] = tuple(self._plan.group[number] for number in numbers)
        return self._symmetries[numbers]
