"""How a count is divided into units that can be counted anywhere, in any order, by anyone.

Two kinds of units:

- `RowSplits`: a range of row splits of the four-quadrant join, for plain boards that `bitmask` counts. The ranges
  have a fixed length, so that they are the same on every machine.
- `Cubes`: one cube of an orbit, or a few, each counted as often as it has images; for every instance and engine.

A unit is known by its *identity*: the first 16 hexadecimal digits of the SHA-256 of a text, in canonical JSON,
that holds the instance, the name and version of the rule by which it is split, and what the unit itself consists
of. It says nothing of the engine: whoever counts the unit must find the same number.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nqueens_models.cubes.split import CubeOrbit, cube_orbits, fastest_split
from nqueens_models.engines.base import Engine
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.registry import full_spec
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance, Square

RULES = {"row-splits": 1, "cubes": 1}
"""The versions of the rules; to be raised when a rule comes to give other units, or the same in another order."""
ROW_SPLITS_EACH = {18: 256, 19: 256, 20: 256}
"""Row splits of a unit, by the rows of the board; FEW_ROW_SPLITS where nothing is said.

A unit should take 0.03 s or more, against which what it costs besides is little. Below 18 rows a whole count
takes a second; from 21 on single row splits take longer.
"""
FEW_ROW_SPLITS = 64  # 0.08 s at n = 21, 0.7 s at n = 22, 11 s at n = 24
MOST_UNITS = 1 << 12  #  of cubes: more of them are counted several at a time, as a unit costs about a millisecond
JOIN_FROM = 13  #        rows of plain boards that `bitmask` counts by the join here; below, Python needs a second

_SPLIT = re.compile(
    r"(?P<join>row-splits=(?P<length>[1-9]\d*))"
    r"|cubes:(?P<cubes>[^,]+)(?P<alone>,no-symmetry)?(,each=(?P<each>[1-9]\d*))?"
)


@dataclass(frozen=True)
class RowSplits:
    """The row splits start..stop - 1 of the join for the instance's size."""

    start: int
    stop: int

    def to_json(self) -> dict[str, Any]:
        """Return what the unit consists of."""
        return {"row_splits": [self.start, self.stop]}


@dataclass(frozen=True)
class WeightedCube:
    """The squares that are fixed and blocked in a cube beyond the instance's own, and how many images it has."""

    fixed: tuple[Square, ...]
    blocked: tuple[Square, ...]
    images: int


@dataclass(frozen=True)
class Cubes:
    """Cubes, each of which stands for all its images."""

    cubes: tuple[WeightedCube, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what the unit consists of."""
        return {"cubes": [[sorted(c.fixed), sorted(c.blocked), c.images] for c in self.cubes]}


@dataclass(frozen=True)
class Unit:
    """One part of a count: its position among the units of its division, from 0, its identity and its content."""

    position: int
    identity: str
    content: RowSplits | Cubes


@dataclass(frozen=True)
class Division:
    """The units of one count, in order; `split` says how they were made, `engine` counts them.

    Divisions with equal identity have the same units: their engines may differ.
    """

    instance: Instance
    engine: Engine
    split: str
    units: tuple[Unit, ...]

    @property
    def engine_spec(self) -> str:
        """The specification of the engine with all its settings."""
        return full_spec(self.engine)

    @property
    def by_row_splits(self) -> bool:
        """Whether the units are row splits."""
        return self.split.startswith("row-splits")

    @property
    def by_join(self) -> bool:
        """Whether the units are row splits that the join counts: other engines list the boards of each."""
        return self.by_row_splits and joins(self.instance, self.engine)

    @cached_property
    def identity(self) -> str:
        """What stands for all units together: 16 hexadecimal digits."""
        return _digest({**_frame(self.instance, self.split), "units": [unit.identity for unit in self.units]})

    def shard(self, number: int, shards: int) -> tuple[Unit, ...]:
        """Return every unit whose turn it is when `shards` take turns: `number` is 1 for the first of them."""
        if not 1 <= number <= shards:
            raise InvalidSetting(f"a shard is I/K, with I from 1 to K, not {number}/{shards}")
        return self.units[number - 1 :: shards]


def divide(instance: Instance, engine: Engine, search: str | None = None, symmetry: bool = True) -> Division:
    """Return the division by which `engine` counts `instance`.

    `search` is None or `plain` for the join, where it can count, and `cubes` or `cubes:SPLIT` for cubes (the
    default elsewhere), each standing for its orbit if there is `symmetry`. Raises InvalidSetting for another one.
    """
    kind, _, lines = (search or "").strip().partition(":")
    if kind in ("", "plain") and not lines and joins(instance, engine):
        return divide_as(instance, engine, f"row-splits={ROW_SPLITS_EACH.get(instance.n, FEW_ROW_SPLITS)}")
    if kind not in ("", "cubes"):
        raise InvalidSetting(f"search {search} has no units that could be counted one by one: take cubes")
    lines = fastest_split(instance) if lines.strip() in ("", "auto") else lines.strip()
    orbits = cube_orbits(instance, lines, symmetry)
    each = -(-len(orbits) // MOST_UNITS)
    split = f"cubes:{lines}" + ("" if symmetry else ",no-symmetry") + (f",each={each}" if each > 1 else "")
    return _of_cubes(instance, engine, split, orbits, max(each, 1))


def divide_as(instance: Instance, engine: Engine, split: str) -> Division:
    """Return the division that a `split` describes, as that of another division does.

    Raises InvalidSetting if it is none.
    """
    match = _SPLIT.fullmatch(split)
    if match is None:
        raise InvalidSetting(f"{split!r} does not say how a count is divided")
    if match["join"]:
        return _of_row_splits(instance, engine, split, int(match["length"]))
    orbits = cube_orbits(instance, match["cubes"], symmetry=not match["alone"])
    return _of_cubes(instance, engine, split, orbits, int(match["each"] or 1))


def rule_version(split: str) -> int:
    """Return the version of the rule by which a split divides: 0 for one that there is not."""
    return RULES.get(re.split("[:=]", split)[0], 0)


def joins(instance: Instance, engine: Engine) -> bool:
    """Whether this engine counts this instance by the join."""
    if not (isinstance(engine, BitmaskEngine) and instance.is_plain and engine.method in ("auto", "join")):
        return False
    from nqueens_models.engines.bitmask.quadrant_join import LARGEST, SMALLEST  # imports Numba

    return (SMALLEST if engine.method == "join" else JOIN_FROM) <= instance.n <= LARGEST


def _of_row_splits(instance: Instance, engine: Engine, split: str, length: int) -> Division:
    from nqueens_models.engines.bitmask.quadrant_join import number_of_row_splits

    number = number_of_row_splits(instance.n)
    ranges = [RowSplits(start, min(start + length, number)) for start in range(0, number, length)]
    return Division(instance, engine, split, _units(instance, split, ranges))


def _of_cubes(instance: Instance, engine: Engine, split: str, orbits: Sequence[CubeOrbit], each: int) -> Division:
    cubes = [WeightedCube(orbit.fixed, orbit.blocked, len(orbit.symmetries)) for orbit in orbits]
    groups = [Cubes(tuple(cubes[start : start + each])) for start in range(0, len(cubes), each)]
    return Division(instance, engine, split, _units(instance, split, groups))


def _units(instance: Instance, split: str, contents: Sequence[RowSplits | Cubes]) -> tuple[Unit, ...]:
    frame = _frame(instance, split)
    identities = (_digest({**frame, "unit": content.to_json()}) for content in contents)
    return tuple(
        Unit(position, identity, content)
        for position, (identity, content) in enumerate(zip(identities, contents, strict=True))
    )


def _frame(instance: Instance, split: str) -> dict[str, Any]:
    """Return what all units of a division have in common."""
    return {"instance": instance.to_dict(), "split": split, "rule": rule_version(split)}


def _digest(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
