"""Instances and placements drawn as text, as Unicode, and in a terminal's colours.

Every drawing tells queens of the placement from fixed ones, blocked from free squares, and one region from the
next: by borders in text, by colours in a terminal, by both in SVG (render_svg.py).
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Instance, Square

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 80  # columns of a terminal
UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8  # arms of a border's character

Regions = Sequence[Sequence[int]]
Columns = Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Signs:
    """The characters of a drawing; `lines` are those of the borders, by the sum of their arms."""

    free: str
    blocked: str
    queen: str
    fixed: str
    lines: str


TEXT = Signs(free=".", blocked="*", queen="Q", fixed="F", lines=" |-+||++-+-+++++")
UNICODE = Signs(free="·", blocked="×", queen="♕", fixed="♛", lines=" ╵╶└╷│┌├╴┘─┴┐┤┬┼")


def board_text(placement: NDArray[np.integer[Any]]) -> str:
    """Return n lines of `Q` and `.`; a column off the board leaves its row empty."""
    n = len(placement)
    return "\n".join("".join(".Q"[column == queen] for column in range(n)) for queen in placement.tolist())


def signs_for(encoding: str) -> Signs:
    """Return UNICODE if `encoding` can express it, else TEXT."""
    try:
        "".join((UNICODE.free, UNICODE.blocked, UNICODE.queen, UNICODE.fixed, UNICODE.lines)).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return TEXT
    return UNICODE


def draw(
    instance: Instance, placement: Columns | None = None, *, signs: Signs = TEXT, base: int = 0, width: int = WIDTH
) -> str:
    """Return a drawing in lines without colour: squares, borders of regions, and numbers of rows and columns.

    Where a line would be longer than `width` characters, the gaps between squares go first, then the numbers.
    Without a placement the fixed queens are drawn as queens. Queens off the board are left out.
    """
    cells = _cells(instance, placement, signs)
    layouts = [Layout(0, 2, 0, 1), Layout(0, 1, 0, 1)]
    if instance.regions is not None:
        layouts = [Layout(2, 4, 1, 2), Layout(1, 2, 1, 2)]
    margin = len(str(instance.n)) + 1
    fitting = (one for one in layouts if margin + one.column(instance.n) <= width)
    layout = next(fitting, layouts[-1])
    if instance.regions is None:
        lines = [(" " * (layout.across - 1)).join(row) for row in cells]
    else:
        lines = list(_bordered(cells, instance.regions, layout, signs))
    if margin + layout.column(instance.n) <= width:
        lines = list(_numbered(lines, layout, instance.n, base))
    return "\n".join(line.rstrip() for line in lines)


def side_by_side(left: str, right: str, gap: int = 4, width: int = WIDTH) -> str:
    """Return two drawings beside each other, or below each other where they would be wider than `width`."""
    rows = list(zip_longest(left.split("\n"), right.split("\n"), fillvalue=""))
    across = max(len(line) for line, _ in rows) + gap
    if across + max(len(line) for _, line in rows) > width:
        return f"{left}\n\n{right}"
    return "\n".join((one.ljust(across) + other).rstrip() for one, other in rows)


@dataclass(frozen=True)
class Layout:
    """Where squares stand in a drawing: the first character and line, and the steps to the next."""

    left: int
    across: int
    top: int
    down: int

    def column(self, column: int) -> int:
        """Return the character of a column."""
        return self.left + column * self.across

    def line(self, row: int) -> int:
        """Return the line of a row."""
        return self.top + row * self.down


def _cells(instance: Instance, placement: Columns | None, signs: Signs) -> list[list[str]]:
    """Return the character of every square."""
    cells = [[signs.free] * instance.n for _ in range(instance.n)]
    for row, column in instance.blocked:
        cells[row][column] = signs.blocked
    fixed = set(instance.fixed)
    for row, column in queens_of(instance, placement):
        cells[row][column] = signs.fixed if placement is not None and (row, column) in fixed else signs.queen
    return cells


def queens_of(instance: Instance, placement: Columns | None) -> list[Square]:
    """Return the squares of the queens to draw: those of the placement, or the fixed ones."""
    if placement is None:
        return list(instance.fixed)
    return [(row, int(c)) for row, c in enumerate(placement[: instance.n]) if 0 <= c < instance.n]


def _bordered(cells: list[list[str]], regions: Regions, layout: Layout, signs: Signs) -> Iterator[str]:
    """Yield the lines of squares with borders between regions and around the board."""
    n = len(cells)
    pad = " " * (layout.across // 2 - 1)
    for row in range(n + 1):
        border = ""
        squares = ""
        for column in range(n + 1):
            arms = _arms(regions, row, column)
            border += signs.lines[arms]
            border += signs.lines[LEFT | RIGHT if arms & RIGHT else 0] * (layout.across - 1)
            squares += signs.lines[UP | DOWN if arms & DOWN else 0]
            squares += pad + cells[row][column] + pad if row < n and column < n else ""
        yield border[: layout.across * n + 1]
        if row < n:
            yield squares


def _arms(regions: Regions, row: int, column: int) -> int:
    """Return which borders meet at the upper left corner of a square."""

    def at(r: int, c: int) -> int:
        return regions[r][c] if 0 <= r < len(regions) and 0 <= c < len(regions) else -1

    above_left, above, left, here = (at(row - a, column - b) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0)))
    return (
        UP * (above_left != above) | RIGHT * (above != here) | DOWN * (left != here) | LEFT * (above_left != left)
    )


def _numbered(lines: list[str], layout: Layout, n: int, base: int) -> Iterator[str]:
    """Yield the lines with the numbers of the columns above, a digit a line, and of the rows at the left."""
    digits = len(str(n - 1 + base))
    for digit in range(digits):
        heading = [" "] * (layout.column(n) + 1)
        for column in range(n):
            heading[layout.column(column)] = str(column + base).rjust(digits)[digit]
        yield " " * (digits + 1) + "".join(heading)
    row_of = {layout.line(row): row for row in range(n)}
    for number, line in enumerate(lines):
        label = str(row_of[number] + base) if number in row_of else ""
        yield label.rjust(digits) + " " + line


# Colours


def _palette() -> tuple[str, ...]:
    """Return 24 light colours, hues far apart one after the other, as #rrggbb."""
    colours = []
    for index in range(24):
        hue, lightness = (index * 5 % 12) / 12, (0.80, 0.62)[index // 12]
        parts = colorsys.hls_to_rgb(hue, lightness, 0.75)
        colours.append("#" + "".join(f"{round(part * 255):02x}" for part in parts))
    return tuple(colours)


PALETTE = _palette()
LIGHT, DARK = "#f0d9b5", "#d8b48a"  # squares of a board without regions
INK, FIXED_INK, BLOCKED_INK, BLOCKED_PAPER = "#1a1a1a", "#a00000", "#808080", "#303030"


def region_colours(regions: Regions) -> list[int]:
    """Return for each region the index of its colour in PALETTE.

    Up to 24 regions have a colour each; beyond, a colour is repeated only among regions that do not touch, sides
    or corners, wherever the palette is large enough for that.
    """
    n = len(regions)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for row in range(n):
        for column in range(n):
            for r, c in ((row, column + 1), (row + 1, column - 1), (row + 1, column), (row + 1, column + 1)):
                if r < n and 0 <= c < n:
                    neighbours[regions[row][column]].add(regions[r][c])
                    neighbours[regions[r][c]].add(regions[row][column])
    colours: list[int] = []
    for region in range(n):
        near = [colours[other] for other in neighbours[region] if other < region]
        colours.append(min(range(len(PALETTE)), key=lambda colour: (near.count(colour), colours.count(colour))))
    return colours


def paper(instance: Instance, square: Square, colours: list[int]) -> str:
    """Return the background of a square."""
    row, column = square
    if instance.regions is None:
        return (LIGHT, DARK)[(row + column) % 2]
    return PALETTE[colours[instance.regions[row][column]]]


def coloured(
    instance: Instance,
    placement: Columns | None = None,
    *,
    signs: Signs = UNICODE,
    base: int = 0,
    width: int = WIDTH,
) -> Text:
    """Return a drawing in colours for a Rich console: two characters a square, one where that is too wide."""
    from rich.text import Text

    n = instance.n
    cells = _cells(instance, placement, signs)
    fixed, blocked = set(instance.fixed), set(instance.blocked)
    colours = [] if instance.regions is None else region_colours(instance.regions)
    margin = len(str(n)) + 1
    layout = Layout(0, 2 if margin + 2 * n <= width else 1, 0, 1)
    numbers = list(_numbered([""] * n, layout, n, base)) if margin + layout.column(n) <= width else [""] * n
    text = Text("\n".join(numbers[: len(numbers) - n]), end="", no_wrap=True)
    for row, label in enumerate(numbers[len(numbers) - n :]):
        text.append(("\n" if text else "") + label)
        for column in range(n):
            square = (row, column)
            ink = BLOCKED_INK if square in blocked else FIXED_INK if square in fixed else INK
            under = BLOCKED_PAPER if square in blocked else paper(instance, square, colours)
            sign = cells[row][column].replace(signs.free, " ")
            text.append(sign.ljust(layout.across), style=f"bold {ink} on {under}")
    return text
