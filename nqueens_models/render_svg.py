"""Instances and placements drawn as SVG, with a title and a description in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drawsvg import Circle, Drawing, DrawingBasicElement, Group, Line, Lines, Rectangle, Title

from nqueens_models.errors import UnsupportedInstance
from nqueens_models.instance import Instance, Square
from nqueens_models.render import (
    BLOCKED_INK,
    BLOCKED_PAPER,
    FIXED_INK,
    INK,
    Columns,
    paper,
    queens_of,
    region_colours,
)

SIDE = 40  # of a square, in pixels
CROWN = (9, 32, 31, 32, 36, 14, 27, 21, 20, 9, 13, 21, 4, 14)
POINTS = ((36, 12), (20, 7), (4, 12))
MOST_ROWS = 200


class Description(Title):  # type: ignore[misc]
    """What a screen reader says of the drawing."""

    TAG_NAME = "desc"


def svg(instance: Instance, placement: Columns | None = None, *, base: int = 0) -> str:
    """Return an SVG document; squares in its description count from `base`.

    Without a placement the fixed queens are drawn. Raises UnsupportedInstance for more than MOST_ROWS rows.
    """
    if instance.n > MOST_ROWS:
        raise UnsupportedInstance(f"a drawing has at most {MOST_ROWS} rows, not {instance.n}")
    size = instance.n * SIDE
    drawing = Drawing(size + 4, size + 4, origin=(-2, -2), role="img")
    drawing.append_title(f"n-queens board, {instance}")
    drawing.append(Description(describe(instance, placement, base)))
    colours = [] if instance.regions is None else region_colours(instance.regions)
    fixed, blocked = set(instance.fixed), set(instance.blocked)
    squares = [(row, column) for row in range(instance.n) for column in range(instance.n)]
    drawing.extend(
        _square(square, paper(instance, square, colours)) for square in squares if square not in blocked
    )
    drawing.extend(_blocked(square) for square in instance.blocked)
    drawing.append(Group(list(_borders(instance)), stroke=INK, stroke_width=3, stroke_linecap="square"))
    drawing.extend(
        _queen(square, FIXED_INK if square in fixed else INK) for square in queens_of(instance, placement)
    )
    text: str = drawing.as_svg()
    return text + "\n"


def describe(instance: Instance, placement: Columns | None = None, base: int = 0) -> str:
    """Return a drawing in words: size, queens, blocked squares and regions, counted from `base`."""

    def listed(squares: Sequence[Square]) -> str:
        return ", ".join(f"({row + base}, {column + base})" for row, column in squares) or "none"

    queens = listed(queens_of(instance, placement))
    words = [f"{instance.n} rows and columns, counted from {base}. Queens on (row, column): {queens}."]
    if instance.fixed:
        words.append(f"Fixed queens: {listed(instance.fixed)}.")
    if instance.blocked:
        words.append(f"Blocked squares: {listed(instance.blocked)}.")
    if instance.regions is not None:
        rows = "; ".join(" ".join(str(region + base) for region in row) for row in instance.regions)
        words.append(f"Regions, row by row: {rows}.")
    return " ".join(words)


def _square(square: Square, colour: str) -> DrawingBasicElement:
    row, column = square
    return Rectangle(column * SIDE, row * SIDE, SIDE, SIDE, fill=colour)


def _blocked(square: Square) -> DrawingBasicElement:
    row, column = square
    x, y = column * SIDE, row * SIDE
    cross = [
        Line(x + 12, y + 12, x + 28, y + 28, stroke=BLOCKED_INK, stroke_width=3),
        Line(x + 28, y + 12, x + 12, y + 28, stroke=BLOCKED_INK, stroke_width=3),
    ]
    return Group([_square(square, BLOCKED_PAPER), *cross])


def _queen(square: Square, colour: str) -> DrawingBasicElement:
    """Return a crown; with a font it would look different, or be missing, on every machine."""
    row, column = square
    points = [Circle(x, y, 3) for x, y in POINTS]
    move = f"translate({column * SIDE},{row * SIDE})"
    return Group([Lines(*CROWN, close=True), *points], fill=colour, transform=move)


def _borders(instance: Instance) -> Iterator[DrawingBasicElement]:
    """Yield the lines round the board and between regions."""
    n, regions = instance.n, instance.regions
    for row in range(n + 1):
        for column in range(n + 1):
            x, y = column * SIDE, row * SIDE
            if column < n and (row in (0, n) or (regions and regions[row - 1][column] != regions[row][column])):
                yield Line(x, y, x + SIDE, y)
            if row < n and (column in (0, n) or (regions and regions[row][column - 1] != regions[row][column])):
                yield Line(x, y, x, y + SIDE)
