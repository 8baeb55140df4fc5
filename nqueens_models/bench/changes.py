"""What changed between two comparisons: versions, verdicts, and times beyond a threshold and their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nqueens_models.bench.conditions import difference
from nqueens_models.bench.records import digest
from nqueens_models.bench.statistics import Estimate, ratio
from nqueens_models.bench.summary import Cell, Measure, Summary
from nqueens_models.bench.tables import Table, interval_text, ratio_text, value_text


class Kind(StrEnum):
    """What became of a cell."""

    REGRESSED = "regressed"  # the answer was right and there in time, and is no longer
    SLOWER = "slower"  #         by more than the threshold, and the intervals have nothing in common
    FASTER = "faster"
    MENDED = "mended"  #         the contrary of regressed
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


BAD = (Kind.REGRESSED, Kind.SLOWER)
ENOUGH = 3  # runs from which an interval says anything


@dataclass(frozen=True)
class Change:
    """A cell before and after; `factor` is new over old."""

    kind: Kind
    old: Cell | None
    new: Cell | None
    factor: Estimate | None = None

    @property
    def cell(self) -> Cell:
        """The cell, as it is or was."""
        cell = self.new or self.old
        assert cell is not None
        return cell


@dataclass(frozen=True)
class Changes:
    """Everything that changed, in the order of the new comparison; `conditions` says how the machines differ."""

    measure: Measure
    threshold: float
    conditions: str
    changes: tuple[Change, ...]

    @property
    def bad(self) -> bool:
        """Whether something regressed or is slower."""
        return any(change.kind in BAD for change in self.changes)

    def of(self, kind: Kind) -> list[Change]:
        """Return the changes of a kind."""
        return [change for change in self.changes if change.kind is kind]


def changes(old: Summary, new: Summary, threshold: float = 0.1, least: float = 1e-3) -> Changes:
    """Compare two summaries of the same measure; medians below `least` (seconds) are never slower or faster."""
    before = {_key(cell): cell for cell in old.cells}
    after = {_key(cell): cell for cell in new.cells}
    found = [_change(before.get(key), cell, new.measure, threshold, least) for key, cell in after.items()]
    found += [Change(Kind.REMOVED, cell, None) for key, cell in before.items() if key not in after]
    conditions = difference(old.sessions[-1], new.sessions[-1])
    return Changes(new.measure, threshold, conditions, tuple(found))


def _key(cell: Cell) -> str:
    case = cell.case
    return digest((case.board().canonical_json(), case.goal, case.solutions, cell.contender))


def _change(old: Cell | None, new: Cell, measure: Measure, threshold: float, least: float) -> Change:
    if old is None:
        return Change(Kind.ADDED, None, new)
    if old.rank is None or new.rank is None:
        kind = Kind.REGRESSED if old.rank is not None else Kind.MENDED if new.rank is not None else Kind.SAME
        return Change(kind, old, new)
    factor = ratio(new.values(measure), old.values(measure))
    before, after = old.estimates[measure], new.estimates[measure]
    too_small = measure is not Measure.MEMORY and max(before.median, after.median) < least
    telling = min(before.runs, after.runs) < ENOUGH or not before.overlaps(after)
    if factor is None or too_small or not telling:
        return Change(Kind.SAME, old, new, factor)
    if factor.median > 1 + threshold:
        return Change(Kind.SLOWER, old, new, factor)
    return Change(Kind.FASTER if factor.median < 1 / (1 + threshold) else Kind.SAME, old, new, factor)


def change_table(found: Changes, *, everything: bool = False) -> Table:
    """Return the cells that changed, worst kind first, or all of them."""
    order = list(Kind)
    shown = [change for change in found.changes if everything or change.kind is not Kind.SAME]
    rows = [_row(change, found.measure) for change in sorted(shown, key=lambda change: order.index(change.kind))]
    columns = ("change", "case", "contender", "old", "95 %", "new", "95 %", "new / old", "verdict")
    return Table(f"Changes of {found.measure}", columns, tuple(rows), frozenset(range(3, 8)))


def _row(change: Change, measure: Measure) -> tuple[str, ...]:
    sides: list[str] = []
    for cell in (change.old, change.new):
        found = cell.estimates.get(measure) if cell is not None and cell.rank is not None else None
        sides += [value_text(found.median if found else None, measure), interval_text(found, measure)]
    verdicts = [str(cell.judgement.verdict) for cell in (change.old, change.new) if cell is not None]
    verdict = " → ".join(dict.fromkeys(verdicts))
    cell = change.cell
    return (str(change.kind), cell.case.name, cell.contender, *sides, ratio_text(change.factor), verdict)


def sentence(found: Changes) -> str:
    """Return what changed in a sentence."""
    parts = [f"{len(found.of(kind))} {kind}" for kind in Kind if found.of(kind)]
    return f"{found.measure}, threshold {found.threshold:.0%}: {', '.join(parts) or 'no cells'}."


def change_facts(found: Changes) -> dict[str, Any]:
    """Return the changes as what JSON can say."""
    return {
        "measure": str(found.measure),
        "threshold": found.threshold,
        "conditions": found.conditions,
        "bad": found.bad,
        "changes": [_facts(change, found.measure) for change in found.changes],
    }


def _facts(change: Change, measure: Measure) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "change": str(change.kind),
        "case": change.cell.case.name,
        "contender": change.cell.contender,
        "factor": change.factor and [change.factor.median, change.factor.low, change.factor.high],
    }
    for name, cell in (("old", change.old), ("new", change.new)):
        estimate = cell.estimates.get(measure) if cell is not None else None
        facts[name] = cell and {
            "verdict": str(cell.judgement.verdict),
            "reason": cell.judgement.reason,
            "median": estimate and estimate.median,
            "low": estimate and estimate.low,
            "high": estimate and estimate.high,
        }
    return facts
