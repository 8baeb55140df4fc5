"""Several ledgers of one division made into one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import DifferentCounts, InvalidInput, RefusedLedger
from nqueens_models.moving import move_to_new
from nqueens_models.units.counting import CountedUnit
from nqueens_models.units.ledger import Ledger, Record, difference, read_ledger, refuse_strangers


def merge_ledgers(paths: Sequence[Path], target: Path) -> Record:
    """Write the units of several ledgers to a new one, each once, and return what it holds.

    Of a unit that is in several, the one that was finished first is kept. Raises RefusedLedger for ledgers of
    different divisions, DifferentCounts, naming the unit and both values, for a unit on which two disagree, and
    InvalidInput if there is a file at `target` or it cannot be written; then nothing is left of it.
    """
    if target.exists():
        raise InvalidInput(f"{target} exists: ledgers are merged into a new one")
    records = [read_ledger(path) for path in paths]
    if not records:
        raise InvalidInput("there is no ledger to merge")
    units, division = merged_units(records), records[0].make_division(BitmaskEngine())
    for record in records:
        refuse_strangers(record, division)
    temporary = _beside(target)
    try:
        with Ledger(temporary, division, records[0].engine) as ledger:
            for unit in units:
                ledger.add(unit)
        move_to_new(temporary, target)
    except FileExistsError:
        raise InvalidInput(f"{target} exists: somebody wrote it meanwhile") from None
    finally:
        for name in (temporary, *(temporary.with_name(temporary.name + end) for end in ("-wal", "-shm"))):
            with suppress(OSError):
                name.unlink()
    return read_ledger(target)


def merged_units(records: Sequence[Record]) -> list[CountedUnit]:
    """Return the units of several ledgers, each once, by position; raises what `merge_ledgers` raises."""
    merged: dict[str, tuple[CountedUnit, Record]] = {}
    for record in records:
        if why := difference(record, records[0]):
            raise RefusedLedger(f"{record.path} and {records[0].path} do not go together: {why}")
        for unit in record.units:
            other, where = merged.setdefault(unit.identity, (unit, record))
            if other.solutions != unit.solutions:
                raise DifferentCounts(
                    f"unit {unit.position} ({unit.identity}): {where.path} says {other.solutions}, "
                    f"{record.path} {unit.solutions}"
                )
            if unit.finished < other.finished:
                merged[unit.identity] = unit, record
    return sorted((unit for unit, _ in merged.values()), key=lambda unit: unit.position)


def _beside(target: Path) -> Path:
    """Return the name of a new empty file in the same folder."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}") from error
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o666 & ~umask)
    return Path(name)
