"""Units of a ledger counted again, by another engine."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import dataclass

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidSetting
from nqueens_models.units.counting import CountedUnit, Uninterrupted, count_units
from nqueens_models.units.division import Division
from nqueens_models.units.executors import Workers
from nqueens_models.units.ledger import Record

AUDITORS = ("bitmask", "sat", "cpsat", "column-sets")


@dataclass(frozen=True)
class Audited:
    """A unit as the ledger has it, and as it was counted again."""

    recorded: CountedUnit
    again: CountedUnit

    @property
    def agrees(self) -> bool:
        """Whether both say the same number."""
        return self.recorded.solutions == self.again.solutions


def auditor(record: Record, engine: Engine | None = None) -> Division:
    """Return the division of a ledger for an engine other than the one that counted.

    If none is given it is the first of AUDITORS that counted none of the cubes; ranges of row splits are listed by
    `bitmask:method=compiled`, which shares nothing with the join. Raises InvalidSetting for an engine that counted
    units of the ledger itself.
    """
    if engine is None:
        engine = make_engine(_other_engine(record))
    whole = record.make_division(engine)
    if whole.by_join:
        raise InvalidSetting("these units were counted by the join: take another engine to audit them")
    if not whole.by_row_splits and any(_counted_by(unit) == engine.name for unit in record.units):
        raise InvalidSetting(f"{engine.name} counted units of {record.path}: take another engine to audit them")
    return whole


def sample_of(record: Record, size: int | None, seed: int = 0) -> list[CountedUnit]:
    """Return so many of the counted units, chosen at random: the same for a seed. None, or too many, is all.

    Raises InvalidSetting for a ledger without any.
    """
    if not record.units:
        raise InvalidSetting(f"{record.path} has no counted unit to be audited")
    if size is not None and size < 1:
        raise InvalidSetting(f"a sample has 1 unit or more, not {size}")
    if size is None or size >= len(record.units):
        return list(record.units)
    return random.Random(seed).sample(record.units, size)


def audit_units(
    sample: list[CountedUnit],
    division: Division,
    workers: Workers,
    seconds: float | None = None,
    uninterrupted: Uninterrupted = nullcontext,
) -> Generator[Audited]:
    """Count units again and yield each pair. Raises what `count_units` raises: SearchStopped when time is up."""
    recorded = {unit.identity: unit for unit in sample}
    units = [division.units[unit.position] for unit in sample]
    counted = count_units(
        division, workers.executor, units, workers=workers.number, seconds=seconds, uninterrupted=uninterrupted
    )
    for again in counted:
        yield Audited(recorded[again.identity], again)


def _other_engine(record: Record) -> str:
    if record.split.startswith("row-splits"):
        return "bitmask:method=compiled"
    known = {_counted_by(unit) for unit in record.units}
    return next((name for name in AUDITORS if name not in known), AUDITORS[-1])


def _counted_by(unit: CountedUnit) -> str:
    """Return the name of the engine that counted a unit."""
    return unit.kernel.partition(":")[0].partition(" ")[0]
