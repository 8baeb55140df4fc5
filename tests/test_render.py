"""Drawings hold what they draw: read back from the characters, the colours, the elements."""

import itertools
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from nqueens_models.errors import UnsupportedInstance
from nqueens_models.formats.instances import read_instance
from nqueens_models.formats.source import Source
from nqueens_models.instance import Instance, Square
from nqueens_models.render import PALETTE, TEXT, UNICODE, coloured, draw, region_colours, signs_for
from nqueens_models.render_svg import describe, svg
from tests import brute_force

REGIONS = ["AAAABB", "AAACCB", "AACCCC", "DAACCC", "EEECFF", "EEEFFF"]
PUZZLE = Instance(6, "adjacent", fixed=[(3, 0)], blocked=[(0, 0)], regions=REGIONS)
SOLUTION = (4, 1, 3, 0, 2, 5)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_a_puzzle_in_unicode() -> None:
    assert draw(PUZZLE, SOLUTION, signs=UNICODE, base=1) == (
        "    1   2   3   4   5   6\n"
        "  ┌───────────────┬───────┐\n"
        "1 │ ×   ·   ·   · │ ♕   · │\n"
        "  │           ┌───┴───┐   │\n"
        "2 │ ·   ♕   · │ ·   · │ · │\n"
        "  │       ┌───┘       └───┤\n"
        "3 │ ·   · │ ·   ♕   ·   · │\n"
        "  ├───┐   └───┐           │\n"
        "4 │ ♛ │ ·   · │ ·   ·   · │\n"
        "  ├───┴───────┤   ┌───────┤\n"
        "5 │ ·   ·   ♕ │ · │ ·   · │\n"
        "  │           ├───┘       │\n"
        "6 │ ·   ·   · │ ·   ·   ♕ │\n"
        "  └───────────┴───────────┘"
    )


def test_a_board_in_ascii_is_the_board_format() -> None:
    instance = Instance(8, fixed=[(0, 3)], blocked=[(4, 4), (7, 7)])
    lines = draw(instance).split("\n")
    assert lines[0] == "  0 1 2 3 4 5 6 7"
    assert read_instance(Source.of_text("\n".join(line[2:] for line in lines[1:])), "board") == instance


@given(brute_force.instances(max_n=6), st.data())
def test_every_square_is_drawn(instance: Instance, data: st.DataObject) -> None:
    n = instance.n
    placement = data.draw(st.none() | st.lists(st.integers(-1, n), min_size=n, max_size=n))
    text = draw(instance, placement, width=1000)
    lines = text.split("\n")[1:] if n else []
    with_regions = instance.regions is not None
    for row, column in itertools.product(range(n), repeat=2):
        sign = (lines[2 * row + 1][4 * column + 4] if with_regions else lines[row][2 * column + 2]) if n else ""
        assert sign == expected_sign(instance, placement, (row, column))
    if instance.regions is not None:
        for row, column in itertools.product(range(n), range(n - 1)):
            border = lines[2 * row + 1][4 * column + 6] == "|"
            assert border == (instance.regions[row][column] != instance.regions[row][column + 1])
            border = lines[2 * column + 2][4 * row + 4] == "-"
            assert border == (instance.regions[column][row] != instance.regions[column + 1][row])


def expected_sign(instance: Instance, placement: list[int] | None, square: Square) -> str:
    if placement is None:
        return "Q" if square in instance.fixed else "*" if square in instance.blocked else "."
    if placement[square[0]] == square[1]:
        return "F" if square in instance.fixed else "Q"
    return "*" if square in instance.blocked else "."


@pytest.mark.parametrize("n", [1, 5, 10, 11, 18, 19, 30])
@pytest.mark.parametrize("regions", [False, True])
def test_boards_of_up_to_30_rows_fit_a_terminal_with_their_numbers(n: int, regions: bool) -> None:
    instance = Instance(n, "adjacent", regions=[[row] * n for row in range(n)] if regions else None)
    for base, text in ((0, draw(instance)), (1, draw(instance, range(n), base=1)), (0, str(coloured(instance)))):
        lines = text.split("\n")
        assert max(map(len, lines)) <= 80
        assert any(line.startswith(f"{n - 1 + base} ") for line in lines[-2:])


@pytest.mark.parametrize(("n", "width"), [(45, 80), (70, 80), (76, 80), (100, 100)])
def test_wide_boards_lose_gaps_then_numbers(n: int, width: int) -> None:
    assert max(len(line) for line in draw(Instance(n), width=width).split("\n")) == min(n + 3, width)
    assert len(str(coloured(Instance(n), width=width)).split("\n")[-1]) == min(n + 3, width)


def test_letters_where_the_encoding_has_no_queens() -> None:
    assert signs_for("utf-8") is UNICODE
    assert signs_for("ascii") is signs_for("cp1252") is signs_for("no such encoding") is TEXT
    assert draw(PUZZLE, SOLUTION).isascii()


def paper_of(text: Text, position: int) -> str:
    styles = [str(span.style) for span in text.spans if span.start <= position < span.end]
    return styles[-1].split(" on ")[1]


def test_regions_have_colours_in_a_terminal() -> None:
    text = coloured(PUZZLE, SOLUTION)
    papers = {}
    start = str(text).index("\n") + 1
    for row, column in itertools.product(range(6), repeat=2):
        papers[row, column] = paper_of(text, start + row * 15 + 2 + 2 * column)
    for (one, first), (other, second) in itertools.combinations(papers.items(), 2):
        if (0, 0) in (one, other):
            assert first != second  # a blocked square looks like no region
        else:
            assert (first == second) == (REGIONS[one[0]][one[1]] == REGIONS[other[0]][other[1]])


@pytest.mark.parametrize(
    ("n", "high", "wide"), [(4, 2, 2), (24, 6, 4), (25, 5, 5), (30, 6, 5), (36, 6, 6), (100, 10, 10)]
)
def test_regions_that_touch_have_different_colours(n: int, high: int, wide: int) -> None:
    regions = [[(row // high) * (n // wide) + column // wide for column in range(n)] for row in range(n)]
    colours = region_colours(regions)
    for row, column in itertools.product(range(n - 1), repeat=2):
        for down, right in ((0, 1), (1, 0), (1, 1)):
            one, other = regions[row][column], regions[row + down][column + right]
            assert one == other or colours[one] != colours[other]
    assert len(set(colours)) == min(n, len(PALETTE))


def test_the_palette_can_be_told_apart_and_carries_dark_ink() -> None:
    parts = [tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in PALETTE]
    for one, other in itertools.combinations(parts, 2):
        assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 25
    assert all(0.299 * r + 0.587 * g + 0.114 * b > 100 for r, g, b in parts)


def test_svg_holds_every_square_and_words_for_it() -> None:
    root = ET.fromstring(svg(PUZZLE, SOLUTION, base=1))
    assert root.get("role") == "img"
    assert root.findtext(NAMESPACE + "title") == f"n-queens board, {PUZZLE}"
    assert root.findtext(NAMESPACE + "desc") == describe(PUZZLE, SOLUTION, 1)
    assert "(4, 1)" in describe(PUZZLE, SOLUTION, 1)
    assert "Blocked squares: (1, 1)" in describe(PUZZLE, SOLUTION, 1)
    rectangles = list(root.iter(NAMESPACE + "rect"))
    assert len({(e.get("x"), e.get("y")) for e in rectangles}) == 36
    fills = Counter(e.get("fill") for e in rectangles)
    sizes = Counter("".join(REGIONS))
    sizes["A"] -= 1  # the blocked one
    assert sorted(fills.values()) == sorted([*sizes.values(), 1])
    crowns = [e.attrib["transform"] for e in root.iter(NAMESPACE + "g") if "transform" in e.attrib]
    assert sorted(crowns) == sorted(f"translate({40 * c},{40 * r})" for r, c in enumerate(SOLUTION))
    lines = [e for group in root.iter(NAMESPACE + "g") if group.get("stroke") for e in group]
    assert len(lines) == 24 + sum(
        (REGIONS[r][c] != REGIONS[r][c + 1]) + (REGIONS[c][r] != REGIONS[c + 1][r])
        for r, c in itertools.product(range(6), range(5))
    )


def test_svg_of_the_smallest_and_the_largest() -> None:
    assert ET.fromstring(svg(Instance(0))).get("width") == "4"
    assert svg(Instance(3)) == svg(Instance(3))
    with pytest.raises(UnsupportedInstance, match="at most 200 rows"):
        svg(Instance(201))
