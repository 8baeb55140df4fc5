"""Counting all units of a division, or a shard of them, under a ledger."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nqueens_models.engines.base import NO_LIMITS, Engine, Limits
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.run import Run, Timings
from nqueens_models.units.counting import count_units
from nqueens_models.units.division import Division, Unit, divide
from nqueens_models.units.executors import Workers, local_workers
from nqueens_models.units.ledger import Ledger


class Share(NamedTuple):
    """Every unit whose turn it is when `shards` take turns; `number` is 1 for the first of them."""

    number: int = 1
    shards: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.shards}"


WHOLE = Share()


@dataclass(frozen=True)
class UnitsRun(Run):
    """A run that counts units, of which some were in the ledger before.

    `count` is the total of all units in the ledger, where `done` of `units` have been counted; it is the answer
    only if `complete`. `shard_done` of `shard_units` are those of the shard. Timings, statistics and the
    termination are those of this run alone: it is exhausted when its shard is done.
    """

    division: str = ""
    shard: Share = WHOLE
    done: int = 0
    units: int = 0
    shard_done: int = 0
    shard_units: int = 0

    @property
    def complete(self) -> bool:
        """Whether every unit has been counted, so that nothing is missing."""
        return self.done == self.units


def execute_units(
    division: Division,
    ledger: Ledger,
    workers: Workers,
    limits: Limits = NO_LIMITS,
    shard: Share = WHOLE,
) -> UnitsRun:
    """Count the units of a shard that are not in the ledger yet, and record each there as it is done.

    Ends when all are done, when the time limit is reached, or on Ctrl-C; everything that was finished is recorded.
    Raises InvalidSetting for a limit of solutions, RefusedLedger if the ledger can no longer be written, and what
    `count_units` raises; what was finished until then is in the ledger.
    """
    if limits.solutions is not None:
        raise InvalidSetting("units are counted whole: there can be no limit of solutions")
    began = time.perf_counter()
    mine = division.shard(*shard)
    known = {unit.identity for unit in ledger.record.units}
    rest = in_order_of_work(division, [unit for unit in mine if unit.identity not in known])
    tally = _Tally(ledger, len(mine) - len(rest), len(mine))
    outcome = conduct(lambda recorder: tally.count(recorder, division, rest, workers, limits), division.instance)
    held = ledger.refresh()  # Ctrl-C may have come between recording a unit and adding it up
    known = {unit.identity for unit in held.units}
    seconds = time.perf_counter() - began
    return UnitsRun(
        division.engine_spec, division.split, division.instance, limits, False, outcome.termination,
        held.solutions, Timings(outcome.build_seconds, outcome.solve_seconds, seconds), outcome.statistics,
        division=division.identity, shard=shard, done=len(known), units=len(division.units),
        shard_done=sum(unit.identity in known for unit in mine), shard_units=len(mine),
    )  # fmt: skip


def count_under_ledger(
    path: Path | str,
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
    seconds: float | None = None,
    shard: Share = WHOLE,
) -> UnitsRun:
    """Count what the ledger at `path` lacks, on this machine; make the ledger if there is none.

    The arguments are those of `nqueens_models.count`, and a `shard`. Raises what `divide`, `Ledger` and
    `execute_units` raise.
    """
    board = instance if isinstance(instance, Instance) else Instance(instance)
    division = divide(board, make_engine(engine), search, symmetry)
    with Ledger(Path(path), division) as ledger, local_workers(division, workers) as local:
        return execute_units(division, ledger, local, Limits(seconds=seconds), shard)


class _Tally:
    """How far a run is, for the display of progress: `done` of the `wanted` units of its shard."""

    def __init__(self, ledger: Ledger, done: int, wanted: int) -> None:
        self._ledger, self._done, self._wanted = ledger, done, wanted

    def count(
        self, recorder: Recorder, division: Division, units: list[Unit], workers: Workers, limits: Limits
    ) -> None:
        """Count units, until a limit: what is finished is in the ledger whatever ends this."""
        recorder.built()
        self._show(recorder, self._ledger.record.solutions)
        counted = count_units(
            division, workers.executor, units, workers=workers.number, seconds=limits.seconds,
            idle=self._ledger.flush_if_due, uninterrupted=recorder.uninterrupted,
        )  # fmt: skip
        try:
            with closing(counted):
                for unit in counted:
                    self._ledger.add(unit)
                    self._done += 1
                    if unit.nodes is not None:
                        recorder.statistics["nodes"] = recorder.statistics.get("nodes", 0) + unit.nodes
                    self._show(recorder, unit.solutions)
        finally:
            self._ledger.flush()

    def _show(self, recorder: Recorder, solutions: int) -> None:
        recorder.count(solutions)
        recorder.progress(self._done / self._wanted if self._wanted else 1.0)


GOLDEN = 0.6180339887498949


def in_order_of_work(division: Division, units: list[Unit]) -> list[Unit]:
    """Return units in the order in which they are best counted.

    Cubes as they are, the largest first. Ranges of row splits are all short, but those next to each other are
    alike: by steps of the golden ratio, those that are done are at any time a fair sample of all.
    """
    if not division.by_row_splits:
        return units
    return sorted(units, key=lambda unit: (unit.position + 1) * GOLDEN % 1)
