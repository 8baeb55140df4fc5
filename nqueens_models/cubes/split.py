"""Cubes: an instance split at some of its lines, and the orbits of these cubes under its symmetries.

A *line* is a row or a column. Each solution has one queen in every line, so the queens of a solution on chosen
lines name one cube, and the cubes of all ways to fill these lines are disjoint and cover the instance. The lines
are filled in turn: one that holds a queen already is passed over, else each square of it that no queen attacks is
tried. A symmetry of the instance that maps the set of lines onto itself maps cubes onto cubes, and the solutions
of a cube onto those of its image: one cube of each orbit has to be solved.

Cubes are arrays of shape (m, q) here, the numbers row * n + column of up to q squares in ascending order, filled
up with n * n. Which squares attack each other is stated by the numbers of the lines through a square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance, Square
from nqueens_models.symmetry import IDENTITY, Symmetry, stabiliser

Squares = NDArray[np.int64]
MOST_CUBES = 1 << 18  # more than that is a mistake: solving them one by one would take longer than not splitting
SPLITS = ("auto", "rows=K", "centre-lines", "centre-lines=K")


class Line(NamedTuple):
    """A row or a column of the board, 0-based."""

    kind: Literal["row", "column"]
    number: int


@dataclass(frozen=True)
class CubeOrbit:
    """A cube, as the squares on which it has queens beyond the fixed ones, and its orbit.

    `symmetries` has one symmetry, the identity first, for each distinct image of the cube.
    """

    squares: tuple[Square, ...]
    symmetries: tuple[Symmetry, ...]


def cube_orbits(instance: Instance, split: str = "auto", symmetry: bool = True) -> list[CubeOrbit]:
    """Return disjoint cubes which, with their images, cover the instance: those with most free squares first.

    `split` is one of SPLITS; without `symmetry` each cube is its own orbit. Raises InvalidSetting for another
    split and for one into more than MOST_CUBES cubes.
    """
    lines, lines_at_centre = split_lines(instance, split)
    group = invariant_group(instance, lines) if symmetry and lines else (IDENTITY,)
    cubes = cover(instance, lines, lines_at_centre)
    cubes, images = _least_of_orbits(cubes, group, instance.n)
    order = np.argsort(-_free_squares_left(instance, cubes), kind="stable")
    squares, symmetries = _as_squares(cubes[order], instance.n), _as_symmetries(images[order], group)
    return [CubeOrbit(*orbit) for orbit in zip(squares, symmetries, strict=True)]


def check_split(split: str) -> None:
    """Raise InvalidSetting when there is no such split."""
    _parse(split)


class Lines(NamedTuple):
    """The lines at which an instance is split, and those at which its cube with one queen, in the centre, is too.

    That cube is larger than the others, and its own only image: splitting it saves most of its work. The second
    set of lines is as symmetric as the first.
    """

    everywhere: tuple[Line, ...]
    at_centre: tuple[Line, ...] = ()


def split_lines(instance: Instance, split: str = "auto") -> Lines:
    """Return the lines at which `split` splits the instance.

    - `rows=K`: the K rows with fewest free squares, those nearest the centre first among equals;
    - `centre-lines=K`: K central rows and columns;
    - `centre-lines`: two of each if n is even; one of each if it is odd, three where that leaves the one queen in
      the centre;
    - `auto`: the centre lines if the instance has symmetries that keep them, else two rows.
    """
    name, width = _parse(split)
    if name == "auto":
        centred = instance.diagonals is not Diagonals.MODULAR and len(stabiliser(instance)) > 1
        name, width = ("centre-lines", None) if centred else ("rows", 2)
    if name == "rows":
        return Lines(tuple(Line("row", row) for row in _most_constrained_rows(instance, width or 0)))
    if width is not None:
        return Lines(_centre_lines(instance.n, width))
    if instance.n % 2 == 0:
        return Lines(_centre_lines(instance.n, 2))
    return Lines(_centre_lines(instance.n, 1), _centre_lines(instance.n, 3))


def _parse(split: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(auto)|(rows)=(\d+)|(centre-lines)(?:=(\d+))?", split.strip())
    if not match:
        raise InvalidSetting(f"no split is called {split!r}; there are: {', '.join(SPLITS)}")
    name = match[1] or match[2] or match[4]
    width = match[3] or match[5]
    return name, None if width is None else int(width)


def _most_constrained_rows(instance: Instance, number: int) -> list[int]:
    n = instance.n
    free = free_squares(instance).sum(axis=1)
    held = {row for row, _ in instance.fixed}
    rows = [row for row in range(n) if row not in held]
    rows.sort(key=lambda row: (free[row], abs(2 * row - (n - 1)), row))
    return sorted(rows[:number])


def _centre_lines(n: int, width: int) -> tuple[Line, ...]:
    """Return the `width` central rows and columns, one fewer when that cannot be symmetric."""
    width = min(width, n)
    width -= (n - width) % 2
    numbers = range((n - width) // 2, (n + width) // 2)
    return tuple(Line("row", i) for i in numbers) + tuple(Line("column", i) for i in numbers)


def invariant_group(instance: Instance, lines: Sequence[Line]) -> tuple[Symmetry, ...]:
    """Return the symmetries of the instance that map this set of lines onto itself, the identity first."""
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
    fixed = np.array([row * n + column for row, column in instance.fixed])
    everywhere = np.arange(n * n)
    for queens, squares in zip(_lines_through(instance, fixed), _lines_through(instance, everywhere), strict=True):
        free &= ~np.isin(squares, queens).reshape(n, n)
    if instance.diagonals is Diagonals.ADJACENT:
        for down, right in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            rows, columns = fixed // n + down, fixed % n + right
            on_board = (rows >= 0) & (rows < n) & (columns >= 0) & (columns < n)
            free[rows[on_board], columns[on_board]] = False
    return free


def _lines_through(instance: Instance, squares: Squares) -> Iterator[Squares]:
    """Yield the number of each line, or region, of each kind that may hold one queen and that a square lies on."""
    n = instance.n
    rows, columns = squares // n, squares % n
    yield rows
    yield columns
    if instance.diagonals is not Diagonals.ADJACENT:
        around = n if instance.diagonals is Diagonals.MODULAR else 2 * n
        yield (rows - columns) % around
        yield (rows + columns) % around
    if instance.regions is not None:
        regions = np.array([*instance.regions, (-1,) * n])  # the last row is where fillers are
        yield regions[rows, columns]


def _attacks(instance: Instance, queens: Squares, squares: Squares) -> NDArray[np.bool_]:
    """Return which of the queens, shape (m, q), attack which of the squares, shape (s,): shape (m, q, s)."""
    n = instance.n
    attacks = np.zeros((*queens.shape, len(squares)), dtype=np.bool_)
    for ours, theirs in zip(_lines_through(instance, queens), _lines_through(instance, squares), strict=True):
        attacks |= ours[..., None] == theirs
    if instance.diagonals is Diagonals.ADJACENT:
        down = np.abs((queens // n)[..., None] - squares // n)
        right = np.abs((queens % n)[..., None] - squares % n)
        attacks |= (down == 1) & (right == 1)
    attacks[queens == n * n] = False
    return attacks


def cover(instance: Instance, lines: Sequence[Line], lines_at_centre: Sequence[Line] = ()) -> Squares:
    """Return the cubes of all ways to fill the lines, shape (m, q): disjoint, and they cover the instance.

    The cube with one queen, in the centre, is replaced by those of all ways to fill the `lines_at_centre` too.
    """
    n = instance.n
    cubes = _filled(instance, np.zeros((1, 0), dtype=np.int64), lines)
    is_centre = (cubes == n * n // 2).any(axis=1) & ((cubes < n * n).sum(axis=1) == 1)
    if lines_at_centre and is_centre.any():
        centre = _filled(instance, cubes[is_centre], lines_at_centre)
        width = max(centre.shape[1], cubes.shape[1])
        parts = (centre, cubes[~is_centre])
        cubes = np.concatenate(
            [np.pad(p, ((0, 0), (0, width - p.shape[1])), constant_values=n * n) for p in parts]
        )
    return np.sort(cubes, axis=1)


def _filled(instance: Instance, cubes: Squares, lines: Sequence[Line]) -> Squares:
    """Return the cubes with a queen on each of the lines, in all ways."""
    free = np.flatnonzero(free_squares(instance))
    held = {line for row, column in instance.fixed for line in (Line("row", row), Line("column", column))}
    for line in lines:
        if line not in held:
            cubes = _fill(instance, cubes, line, free)
        if len(cubes) > MOST_CUBES:
            raise InvalidSetting(f"a split into more than {MOST_CUBES} cubes helps nobody: take fewer lines")
    return cubes


def _fill(instance: Instance, cubes: Squares, line: Line, free: Squares) -> Squares:
    """Return the cubes with a queen on one more line, in all ways."""
    n = instance.n
    on_line = free[_on_line(line, free, n)]
    filled = (_on_line(line, cubes, n) & (cubes < n * n)).any(axis=1)
    rest = cubes[~filled]
    which, square = np.nonzero(~_attacks(instance, rest, on_line).any(axis=1))
    extended = np.column_stack([rest[which], on_line[square]])
    passed = np.column_stack([cubes[filled], np.full(int(filled.sum()), n * n)])
    return np.concatenate([passed, extended])


def _on_line(line: Line, squares: Squares, n: int) -> NDArray[np.bool_]:
    return np.asarray((squares // n if line.kind == "row" else squares % n) == line.number)


def _image(symmetry: Symmetry, cubes: Squares, n: int) -> Squares:
    rows, columns = symmetry.square((cubes // n, cubes % n), n)  # type: ignore[arg-type]
    image = np.where(cubes == n * n, n * n, rows * n + columns)
    return np.sort(image, axis=1)


def _least_of_orbits(cubes: Squares, group: Sequence[Symmetry], n: int) -> tuple[Squares, NDArray[np.bool_]]:
    """Return the least cube of each orbit, (k, q), and which symmetries give its distinct images, (k, group)."""
    if len(group) == 1:
        return cubes, np.ones((len(cubes), 1), dtype=np.bool_)
    least = np.ones(len(cubes), dtype=np.bool_)
    for symmetry in group:
        least &= ~_less(_image(symmetry, cubes, n), cubes)
    cubes = cubes[least]
    images = np.stack([_image(symmetry, cubes, n) for symmetry in group])
    return cubes, _first_of_each(images).T


def _less(left: Squares, right: Squares) -> NDArray[np.bool_]:
    """Return which rows of one array come before those of another in lexicographic order."""
    less = np.zeros(len(left), dtype=np.bool_)
    equal = ~less
    for mine, theirs in zip(left.T, right.T, strict=True):
        less |= equal & (mine < theirs)
        equal &= mine == theirs
    return less


def _first_of_each(images: Squares) -> NDArray[np.bool_]:
    """For images of shape (group, k, q), return which are the first of the equal images of a cube: (group, k)."""
    order_of_group, k, q = images.shape
    numbered = np.column_stack([np.tile(np.arange(k), order_of_group), images.reshape(order_of_group * k, q)])
    order = np.lexsort(numbered.T[::-1])  # stable: of equals the first comes first
    ordered = numbered[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    result = np.zeros(len(order), dtype=np.bool_)
    result[order[first]] = True
    return result.reshape(order_of_group, k)


def _free_squares_left(instance: Instance, cubes: Squares) -> NDArray[np.int64]:
    """Return how many free squares each cube leaves: a measure of its cost."""
    free = np.flatnonzero(free_squares(instance))
    left = np.full(len(cubes), len(free))
    rows = max(1, (1 << 22) // max(1, len(free) * cubes.shape[1]))  # cubes judged at a time
    for start in range(0, len(cubes), rows):
        attacked = _attacks(instance, cubes[start : start + rows], free).any(axis=1)
        left[start : start + rows] -= attacked.sum(axis=1)
    return left


def _as_squares(cubes: Squares, n: int) -> Iterator[tuple[Square, ...]]:
    for cube in cubes.tolist():
        yield tuple(divmod(square, n) for square in cube if square < n * n)


def _as_symmetries(images: NDArray[np.bool_], group: Sequence[Symmetry]) -> Iterator[tuple[Symmetry, ...]]:
    """Yield the symmetries of each row of flags, the same tuple for the same flags."""
    seen: dict[Any, tuple[Symmetry, ...]] = {}
    for flags in images.tolist():
        key = tuple(flags)
        if key not in seen:
            seen[key] = tuple(symmetry for symmetry, flag in zip(group, key, strict=True) if flag)
        yield seen[key]
