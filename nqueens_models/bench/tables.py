"""A Summary as tables of text, and those as Markdown and CSV; a Summary as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nqueens_models.bench.records import Case
from nqueens_models.bench.statistics import Estimate, growth
from nqueens_models.bench.summary import Cell, Measure, Standing, Summary
from nqueens_models.bench.verdicts import RunVerdict

FAR_APART = 4  # sizes of which no growth per queen is told
MODEL_SIZE = ("variables", "auxiliary_variables", "clauses", "constraints")


@dataclass(frozen=True)
class Table:
    """A table of text; the columns in `right` are numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()


def tables(summary: Summary) -> list[Table]:
    """Return the tables of a summary: how all stand, each case, growth with n, and what the letters mean."""
    everything = [
        standings(summary),
        *(case_table(summary, case) for case in summary.cases),
        growth_table(summary),
    ]
    return [table for table in everything if table.rows]


def verdict_sentence(summary: Summary) -> str:
    """Return the verdict on the whole comparison in a sentence or two."""
    counts = {verdict: summary.count(verdict) for verdict in RunVerdict}
    bad = counts[RunVerdict.WRONG] + counts[RunVerdict.DISPUTED]
    engines = len({cell.contender for cell in summary.cells})
    if bad:
        culprits = sorted({c.contender for c in summary.cells if c.judgement.verdict is RunVerdict.WRONG})
        start = f"{_cells(bad)} wrong or disputed: {', '.join(culprits) or 'nobody knows whose'}."
    else:
        start = f"No answer is wrong: {engines} contenders, {len(summary.cases)} cases."
    parts = [
        f"{counts[verdict]} {word}"
        for verdict, word in (
            (RunVerdict.RIGHT, "confirmed"),
            (RunVerdict.UNCONFIRMED, "unconfirmed"),
            (RunVerdict.INCOMPLETE, "stopped by the time limit"),
            (RunVerdict.FAILED, "failed"),
            (RunVerdict.NOT_TRIED, "not supported or not installed"),
        )
        if counts[verdict]
    ]
    return f"{start} Of {_cells(len(summary.cells))}: {', '.join(parts)}." if parts else start


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def standings(summary: Summary) -> Table:
    """Return how all contenders stand."""
    columns = ("contender", "solved", "of", "PAR-2", "first", "wrong", "failed", "time limit", "not tried")
    rows = tuple(_standing(one) for one in summary.standings)
    title = "Standings: cases solved within the limit, then PAR-2 (mean seconds, twice the limit if not solved)"
    return Table(title, columns, rows, frozenset(range(1, len(columns))))


def _standing(one: Standing) -> tuple[str, ...]:
    verdicts = one.verdicts
    numbers = (
        verdicts[RunVerdict.WRONG] + verdicts[RunVerdict.DISPUTED],
        verdicts[RunVerdict.FAILED],
        verdicts[RunVerdict.INCOMPLETE],
        verdicts[RunVerdict.NOT_TRIED] + one.cases - one.given,
    )
    return (
        one.contender, str(one.solved), str(one.cases), seconds_text(one.score), str(one.firsts),
        *(str(number) if number else "" for number in numbers),
    )  # fmt: skip


def case_table(summary: Summary, case: Case) -> Table:
    """Return the contenders on one case, best first."""
    cells = sorted((cell for cell in summary.cells if cell.case.name == case.name), key=_place)
    against = (f"/ {summary.baseline}",) if summary.baseline else ()
    columns = ("rank", "contender", str(summary.measure), "95 %", *against, "first", "memory", "model", "verdict")
    rows = tuple(_row(cell, summary) for cell in cells)
    return Table(case.name, columns, rows, frozenset({0, *range(2, len(columns) - 2)}))


def _place(cell: Cell) -> tuple[bool, int, str]:
    return cell.rank is None, cell.rank or 0, cell.contender


def _row(cell: Cell, summary: Summary) -> tuple[str, ...]:
    measured = cell.estimates.get(summary.measure) if cell.rank is not None else None
    against = (ratio_text(cell.ratio),) if summary.baseline else ()
    verdict = str(cell.judgement.verdict)
    reason = "" if cell.judgement.verdict.ranked else f": {cell.judgement.reason}"
    return (
        "" if cell.rank is None else str(cell.rank),
        cell.contender,
        value_text(measured.median if measured else None, summary.measure),
        interval_text(measured, summary.measure),
        *against,
        estimate_text(cell, Measure.FIRST),
        estimate_text(cell, Measure.MEMORY),
        model_text(cell),
        verdict + reason,
    )


def growth_table(summary: Summary) -> Table:
    """Return by which factor the time of each contender grows with n, in each group of cases."""
    rows = []
    for group in summary.groups:
        for contender in summary.contenders:
            points = scaling_points(summary, group, contender)
            factor = growth_per_queen(points)
            if factor is not None:
                sizes = f"{min(n for n, _ in points)}..{max(n for n, _ in points)}"
                rows.append((group, contender, f"{factor:.2f}", sizes))
    title = "Growth: the factor by which the time grows when n grows by 1 (times from 1 ms on)"
    return Table(title, ("group", "contender", "factor", "n"), tuple(rows), frozenset({2}))


def growth_per_queen(points: Sequence[tuple[int, float]]) -> float | None:
    """Return by which factor times grow with each queen; None for fewer than two sizes, or sizes far apart."""
    sizes = sorted({n for n, _ in points})
    if len(sizes) < 2 or max(b - a for a, b in pairwise(sizes)) > FAR_APART:
        return None
    return growth([n for n, _ in points], [time for _, time in points])


def scaling_points(
    summary: Summary, group: str, contender: str, least: float = 1e-3, measure: Measure = Measure.TIME
) -> list[tuple[int, float]]:
    """Return (n, median) of the solved cases of a group from `least` on, by n."""
    return sorted(
        (cell.case.n, cell.estimates[measure].median)
        for cell in summary.cells
        if cell.case.group == group and cell.contender == contender and cell.rank is not None
        if measure in cell.estimates and cell.estimates[measure].median >= least
    )


def estimate_text(cell: Cell, measure: Measure) -> str:
    """Return the median of a measure of a cell."""
    found = cell.estimates.get(measure)
    return value_text(found.median if found else None, measure)


def value_text(value: float | None, measure: Measure) -> str:
    """Return a value of a measure for people, "" for None."""
    if value is None:
        return ""
    return memory_text(value) if measure is Measure.MEMORY else seconds_text(value)


def seconds_text(seconds: float) -> str:
    """Return seconds with three digits and a unit."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 0.9995:
            return f"{_three_digits(seconds * factor)} {unit}"
    return f"{_three_digits(seconds * 1e6)} µs"


def memory_text(memory: float) -> str:
    """Return bytes in MiB or GiB."""
    size = memory / 2**20
    return f"{_three_digits(size)} MiB" if size < 1000 else f"{_three_digits(size / 1024)} GiB"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def interval_text(found: Estimate | None, measure: Measure) -> str:
    """Return the ends of an interval, "" if there is none."""
    if found is None or found.runs < 2:
        return ""
    low, high = value_text(found.low, measure), value_text(found.high, measure)
    same_unit = low.partition(" ")[2] == high.partition(" ")[2]
    return f"{low.partition(' ')[0] if same_unit else low} – {high}"


def ratio_text(found: Estimate | None) -> str:
    """Return a ratio with its interval, "" if there is none."""
    return "" if found is None else f"{found.median:.3g} {ratio_interval_text(found)}".strip()


def ratio_interval_text(found: Estimate | None) -> str:
    """Return the interval of a ratio, "" if there is none."""
    return f"({found.low:.3g} – {found.high:.3g})" if found is not None and found.runs > 1 else ""


def model_text(cell: Cell) -> str:
    """Return the size of a model in short, "" for an engine without one."""
    sizes = cell.statistics
    parts = [
        f"{sizes[name]:,} {short}".replace(",", " ")
        for name, short in (("variables", "var."), ("clauses", "cl."), ("constraints", "constr."))
        if name in sizes
    ]
    return ", ".join(parts)


def markdown(summary: Summary) -> str:
    """Return everything as Markdown."""
    parts = [f"# {summary.title}", verdict_sentence(summary), *remarks(summary)]
    parts += [markdown_table(table) for table in tables(summary)]
    return "\n\n".join(parts) + "\n"


def remarks(summary: Summary) -> list[str]:
    """Return how it was measured, what has been mixed, and what is missing."""
    last = summary.sessions[-1]
    if summary.conditions:
        lines = ["MIXED: these runs were made under different conditions, marked by letters."]
        lines += [f"[{letter}] {meaning}" for letter, meaning in summary.conditions.items()]
    else:
        versions = ", ".join(f"{name} {version}" for name, version in last.versions.items())
        lines = [f"{last.machine.describe()}. {versions}."]
    return [*lines, *summary.notes]


def markdown_table(table: Table) -> str:
    """Return a table under its title as Markdown."""
    rule = ["---:" if number in table.right else "---" for number in range(len(table.columns))]
    lines = [table.columns, rule, *table.rows]
    body = "\n".join(f"| {' | '.join(_escaped(text) for text in line)} |" for line in lines)
    return f"## {table.title}\n\n{body}"


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def csv_text(summary: Summary) -> str:
    """Return the cells as CSV: seconds, bytes, no units in the values."""
    stream = io.StringIO()
    rows = [cell_facts(cell) for cell in summary.cells]
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def cell_facts(cell: Cell) -> dict[str, Any]:
    """Return a cell as a flat mapping: medians in seconds and bytes with the ends of their intervals."""
    facts: dict[str, Any] = {
        "group": cell.case.group,
        "case": cell.case.name,
        "n": cell.case.n,
        "contender": cell.contender,
        "verdict": str(cell.judgement.verdict),
        "reason": cell.judgement.reason,
        "status": str(cell.runs[0].status),
        "runs": len(cell.runs),
        "rank": cell.rank,
        "solutions": cell.runs[0].solutions,
    }
    for measure in Measure:
        found = cell.estimates.get(measure)
        ends = (None, None, None) if found is None else (found.median, found.low, found.high)
        facts |= dict(zip((f"{measure}", f"{measure}_low", f"{measure}_high"), map(_short, ends), strict=True))
    facts |= {"ratio": cell.ratio and _short(cell.ratio.median)}
    return facts | {name: cell.statistics.get(name) for name in MODEL_SIZE}


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def json_facts(summary: Summary) -> dict[str, Any]:
    """Return everything as what JSON can say."""
    return {
        "title": summary.title,
        "verdict": verdict_sentence(summary),
        "measure": str(summary.measure),
        "baseline": summary.baseline,
        "conditions": dict(summary.conditions),
        "machine": summary.sessions[-1].machine.describe(),
        "versions": summary.sessions[-1].versions,
        "notes": list(summary.notes),
        "standings": [_standing_facts(one) for one in summary.standings],
        "cells": [cell_facts(cell) for cell in summary.cells],
    }


def _standing_facts(one: Standing) -> dict[str, Any]:
    verdicts = {str(verdict): number for verdict, number in one.verdicts.items()}
    return {
        "contender": one.contender, "cases": one.cases, "given": one.given, "solved": one.solved,
        "par2": _short(one.score), "first_places": one.firsts, "verdicts": verdicts,
    }  # fmt: skip
