"""Region puzzles in JSON or pasted JavaScript, in the shapes in which they are published; all 0-based.

An object, perhaps inside others, with a matrix under one of MATRICES: rows of letters or numbers, texts, or
objects with a list under `colors`; perhaps its size and queens already placed. Other keys are names and colours
for people. The diagonals are adjacent.
"""

from __future__ import annotations

import json
import re
from typing import Any

from nqueens_models.formats import json_text
from nqueens_models.formats.base import InstanceFormat, Part
from nqueens_models.formats.grids import LABELS
from nqueens_models.formats.js_objects import literals
from nqueens_models.formats.source import Board, Source
from nqueens_models.instance import Diagonals, Instance

MATRICES = ("regions", "colorRegions", "regionGrid", "colorGrid")
SIZES = ("n", "size", "gridSize", "boardSize", "caseNumber")
QUEENS = ("queens", "initialQueens", "preplacedQueens", "prePlacedQueens", "fixed")


def read_region_json(source: Source) -> Instance:
    """Read the one puzzle of a file."""
    values = literals(source)
    puzzles = [puzzle for value in values for puzzle in _puzzles(value)]
    if not puzzles:
        puzzles = [{MATRICES[0]: value} for value in values if _is_matrix(value)]
    if len(puzzles) != 1:
        missing = f"no matrix of regions under {' or '.join(MATRICES)}"
        raise source.error(f"{len(puzzles)} puzzles: keep one of them" if puzzles else missing)
    return _instance(source, puzzles[0])


def _instance(source: Source, puzzle: dict[str, Any]) -> Instance:
    matrices = [key for key in MATRICES if _is_matrix(puzzle.get(key))]
    if len(matrices) > 1:
        raise source.error(f"two matrices, under {matrices[0]!r} and under {matrices[1]!r}")
    rows = json_text.label_rows(source, puzzle[matrices[0]], matrices[0], None)
    for key in SIZES:
        if type(puzzle.get(key)) is int and puzzle[key] != len(rows):
            raise source.error(f"{key!r} is {puzzle[key]}, but {matrices[0]!r} has {len(rows)} rows")
    queens = [
        mark
        for key in QUEENS
        if isinstance(puzzle.get(key), list)
        for mark in json_text.marks(source, puzzle[key], key, objects=True)
    ]
    return Board(source, len(rows), base=0).instance(queens, diagonals=Diagonals.ADJACENT, regions=rows)


def _puzzles(value: Any) -> list[dict[str, Any]]:
    """Return the objects in `value` that have a matrix."""
    if isinstance(value, dict):
        if any(_is_matrix(value.get(key)) for key in MATRICES):
            return [value]
        value = list(value.values())
    return [puzzle for item in value for puzzle in _puzzles(item)] if isinstance(value, list) else []


def _is_matrix(value: Any) -> bool:
    """Whether this is a list of rows, well-formed or not."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(row, list | str) or (isinstance(row, dict) and "colors" in row) for row in value)


def write_region_json(instance: Instance) -> str:
    """Return an object with `size`, `regions` and, where there are some, `queens`; JSON, one row a line."""
    letters = instance.n <= len(LABELS)
    rows = [[LABELS[region] if letters else region for region in row] for row in instance.regions or ()]
    lines = ",\n    ".join(json.dumps(row) for row in rows)
    queens = f',\n  "queens": {json.dumps(instance.fixed)}' if instance.fixed else ""
    return f'{{\n  "size": {instance.n},\n  "regions": [\n    {lines}\n  ]{queens}\n}}\n'


CLAIM = re.compile(r"\b(" + "|".join(MATRICES) + r")[\"']?\s*[:=]|^\s*\[|=\s*\[|default\s*\[")
OURS = re.compile(r"\"diagonals\"\s*:|\"nqueens_models\.instance\"")

REGION_JSON = InstanceFormat(
    name="region-json",
    summary='JSON or JavaScript, {size: 8, colorRegions: [["A", "A", ...], ...]}; adjacent diagonals',
    base=0,
    parts=Part.REGIONS | Part.ADJACENT | Part.FIXED,
    read=read_region_json,
    write_unchecked=write_region_json,
    claims=lambda text: bool(CLAIM.search(text)) and not OURS.search(text),
    always=Part.REGIONS | Part.ADJACENT,
    smallest=1,
)
