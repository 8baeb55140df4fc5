"""Instances in JSON: our own form (instance.schema.json, version 1) and PyCSP3's, both 0-based."""

from __future__ import annotations

import json

from nqueens_models.formats import json_text
from nqueens_models.formats.base import InstanceFormat, Part
from nqueens_models.formats.source import Board, Source
from nqueens_models.instance import Diagonals, Instance

NAME = "nqueens_models.instance"
VERSION = 1
NOTES = ("name", "description", "source", "solutions")
KEYS = ("format", "version", "n", "diagonals", "fixed", "blocked", "regions", *NOTES)


def read_json(source: Source) -> Instance:
    """Read our own form: only `n` is needed; NOTES are for people and skipped."""
    content = json_text.only_keys(source, json_text.load(source), KEYS)
    if content.get("format", NAME) != NAME:
        raise source.error(f"the format is {json_text.brief(content['format'])}, not {NAME!r}")
    if content.get("version", VERSION) != VERSION:
        raise source.error(f"version {json_text.brief(content['version'])} is not known, only {VERSION}")
    if "n" not in content:
        raise source.error("there is no 'n'")
    n = json_text.size(source, content["n"], "n")
    diagonals = content.get("diagonals", "full")
    if diagonals not in tuple(Diagonals):
        raise source.error(f"no diagonals {json_text.brief(diagonals)}; there are {', '.join(Diagonals)}")
    fixed, blocked = (json_text.marks(source, content.get(key) or [], key) for key in ("fixed", "blocked"))
    regions = content.get("regions")
    rows = None if regions is None else json_text.label_rows(source, regions, "regions", n)
    return Board(source, n, base=0).instance(fixed, blocked, diagonals, rows)


def write_json(instance: Instance) -> str:
    """Return the canonical text."""
    return instance.canonical_json() + "\n"


def read_pycsp3(source: Source) -> Instance:
    """Read `{"n": 28, "blocks": [[0, 0], ...]}`."""
    content = json_text.only_keys(source, json_text.load(source), ("n", "blocks"))
    if "n" not in content:
        raise source.error("there is no 'n'")
    board = Board(source, json_text.size(source, content["n"], "n"), base=0)
    marks = json_text.marks(source, content.get("blocks", []), "blocks")
    return board.instance(blocked=marks)


def write_pycsp3(instance: Instance) -> str:
    """Return what PyCSP3's BlockedQueens.py takes as data."""
    return json.dumps({"n": instance.n, "blocks": [list(square) for square in instance.blocked]}) + "\n"


def _is_object(text: str) -> bool:
    return text.lstrip().startswith("{")


JSON = InstanceFormat(
    name="json",
    summary='our own form, {"n": 8, "diagonals": "full", "fixed": [[0, 3]], ...}: carries everything',
    base=0,
    parts=Part.EVERYTHING,
    read=read_json,
    write_unchecked=write_json,
    claims=lambda text: _is_object(text) and '"n"' in text and '"blocks"' not in text,
)
PYCSP3 = InstanceFormat(
    name="pycsp3",
    summary='data of PyCSP3\'s BlockedQueens, {"n": 28, "blocks": [[0, 0], ...]}',
    base=0,
    parts=Part.BLOCKED,
    read=read_pycsp3,
    write_unchecked=write_pycsp3,
    claims=lambda text: _is_object(text) and '"blocks"' in text,
)
