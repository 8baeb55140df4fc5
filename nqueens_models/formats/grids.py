"""Instances drawn as grids: a board of free and blocked squares and queens, or a map of regions.

A board is read with full diagonals, a map of regions with adjacent ones (the rule of the LinkedIn puzzle).
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable
from itertools import islice

from nqueens_models.formats.base import InstanceFormat, Part
from nqueens_models.formats.source import INSTANCE_BYTES, Board, Mark, Source
from nqueens_models.instance import Diagonals, Instance

FREE, BLOCKED, QUEENS = "._-·", "*x#", "Q♛♕"
MOST_ROWS = math.isqrt(INSTANCE_BYTES)
OTHER_SYNTAX = re.compile(r"^(?!#).*[\[\]{}()=:;,\"']", re.MULTILINE)
LABELS = string.ascii_uppercase + string.ascii_lowercase + string.digits

Row = tuple[int, list[str]]
"""A line's number and the signs or labels on it."""


def read_board(source: Source) -> Instance:
    """Read n lines of n signs: free `.`, blocked `*`, `x` or `#`, queens already placed `Q`; gaps are skipped.

    `X` is refused: it means blocked for some, free for others, and a queen for others again.
    """
    rows = [(number, list("".join(line.split()))) for number, line in _lines(source)]
    _check_square(source, rows)
    fixed, blocked = [], []
    for row, (number, signs) in enumerate(rows):
        for column, sign in enumerate(signs):
            if sign in QUEENS:
                fixed.append(Mark(row, column, number))
            elif sign in BLOCKED:
                blocked.append(Mark(row, column, number))
            elif sign not in FREE:
                raise source.error(f"{sign!r} is no sign for a square: use . for free, * for blocked, Q", number)
    return Board(source, len(rows), base=0).instance(fixed, blocked)


def write_board(instance: Instance) -> str:
    """Return n lines of n signs."""
    rows = [[FREE[0]] * instance.n for _ in range(instance.n)]
    for row, column in instance.blocked:
        rows[row][column] = BLOCKED[0]
    for row, column in instance.fixed:
        rows[row][column] = QUEENS[0]
    return "".join("".join(row) + "\n" for row in rows)


def read_regions(source: Source) -> Instance:
    """Read n lines of n labels, or one line with `|` between the rows.

    Labels are single characters, or words with white space between. Lines that begin with `#` are comments,
    unless the rest is not a square without them.
    """
    lines = _lines(source)
    rows = _labels(source, [(number, line) for number, line in lines if not line.startswith("#")])
    if len(rows) < len(lines) and not _is_square(rows):
        everything = _labels(source, lines)
        rows = everything if _is_square(everything) else rows
    _check_square(source, rows)
    board = Board(source, len(rows), base=0)
    return board.instance(diagonals=Diagonals.ADJACENT, regions=[labels for _, labels in rows])


def write_regions(instance: Instance) -> str:
    """Return n lines of n letters or digits; of numbers with spaces between where these are too few."""
    regions = instance.regions or ()
    if instance.n <= len(LABELS):
        return "".join("".join(LABELS[region] for region in row) + "\n" for row in regions)
    return "".join(" ".join(map(str, row)) + "\n" for row in regions)


def _lines(source: Source) -> list[tuple[int, str]]:
    """Return the lines that are not blank; raise FormatError when they are too many for a grid."""
    return _few(source, ((number, line) for number, line in source.lines() if line))


def _labels(source: Source, lines: list[tuple[int, str]]) -> list[Row]:
    separate = ((number, part.strip()) for number, line in lines for part in line.strip("|").split("|"))
    parts = _few(source, separate)
    spaced = any(len(part.split()) > 1 for _, part in parts)
    return [(number, part.split() if spaced else list(part)) for number, part in parts]


def _few(source: Source, rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the rows; raise FormatError for more than a board can have whose squares fit the largest file."""
    few = list(islice(rows, MOST_ROWS + 1))
    if len(few) > MOST_ROWS:
        raise source.error(f"more than {MOST_ROWS} rows, the most that are read of a grid")
    return few


def _is_square(rows: list[Row]) -> bool:
    return bool(rows) and all(len(labels) == len(rows) for _, labels in rows)


def _check_square(source: Source, rows: list[Row]) -> None:
    """Raise FormatError, naming the line, unless there are as many rows as each has squares."""
    if not rows:
        raise source.error("there is no row")
    width = len(rows[0][1])
    for number, labels in rows:
        if len(labels) != width:
            raise source.error(f"{len(labels)} squares in a row, but {width} in the first", number)
    if len(rows) != width:
        raise source.error(f"{len(rows)} rows of {width} squares: as many rows as columns are needed", rows[-1][0])


def _claims_board(text: str) -> bool:
    signs = set(text).difference(string.whitespace)
    return signs <= set(FREE + BLOCKED + QUEENS + "X")


def _claims_regions(text: str) -> bool:
    """Whether there is nothing of another format's syntax, comments apart; one character is no map."""
    if len(text.strip()) == 1:
        return False
    return OTHER_SYNTAX.search(text) is None


BOARD = InstanceFormat(
    name="board",
    summary="n lines of . (free), * or x or # (blocked) and Q (a queen already placed)",
    base=0,
    parts=Part.FIXED | Part.BLOCKED,
    read=read_board,
    write_unchecked=write_board,
    claims=_claims_board,
    smallest=1,
)
REGIONS = InstanceFormat(
    name="regions",
    summary="n lines of n labels, one label a region; or the rows joined by |; adjacent diagonals",
    base=0,
    parts=Part.REGIONS | Part.ADJACENT,
    read=read_regions,
    write_unchecked=write_regions,
    claims=_claims_regions,
    always=Part.REGIONS | Part.ADJACENT,
    smallest=1,
)
