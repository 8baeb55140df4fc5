"""The page: everything about a comparison in one HTML file that needs no network."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from nqueens_models.bench.plots import plots
from nqueens_models.bench.records import MeasuredRun
from nqueens_models.bench.style import DASHES, MARKERS, SERIES, drawing, inline_svg, variables
from nqueens_models.bench.summary import Cell, Measure, Summary
from nqueens_models.bench.tables import (
    estimate_text,
    growth_table,
    interval_text,
    memory_text,
    model_text,
    ratio_interval_text,
    remarks,
    seconds_text,
    value_text,
    verdict_sentence,
)
from nqueens_models.bench.verdicts import Judgement, RunVerdict
from nqueens_models.errors import InvalidInput

MARKS: Mapping[RunVerdict, str] = {
    RunVerdict.RIGHT: "✓",
    RunVerdict.UNCONFIRMED: "○",
    RunVerdict.INCOMPLETE: "◔",
    RunVerdict.FAILED: "✗",
    RunVerdict.NOT_TRIED: "–",
    RunVerdict.DISPUTED: "?",
    RunVerdict.WRONG: "✗",
}
"""Signs of verdicts, so that colour is not the only one."""


@dataclass(frozen=True)
class Row:
    """A cell as a row of the table of results: texts, and values to sort by."""

    cell: Cell
    number: int  # of the contender
    texts: Mapping[str, str]
    values: Mapping[str, float | None]
    bar: float  # 0 for the fastest of the case, 1 for the slowest, logarithmic


def page(summary: Summary) -> str:
    """Return the page; raise InvalidInput, naming the extra to install, without Jinja2 or matplotlib."""
    with drawing(for_page=True):
        drawn = [(plot, inline_svg(plot)) for plot in plots(summary)]
    template = _template()
    text: str = template.render(
        summary=summary,
        good=not (summary.count(RunVerdict.WRONG) + summary.count(RunVerdict.DISPUTED)),
        sentence=verdict_sentence(summary),
        verdicts=[(verdict, MARKS[verdict], summary.count(verdict)) for verdict in RunVerdict],
        remarks=remarks(summary),
        standings=[(one, summary.contenders.index(one.contender)) for one in summary.standings],
        plots=drawn,
        rows=rows(summary),
        growth=growth_table(summary),
        wrong=_wrong(summary),
        runs=_embedded(run_facts(summary)),
        variables=variables(),
        signs=[sign(number) for number in range(len(summary.contenders))],
        marks=MARKS,
        sessions=summary.sessions,
        seconds=seconds_text,
        memory=memory_text,
        style=_text("page.css"),
        script=_text("page.js"),
    )
    return text


def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise InvalidInput("the page needs the extra report: pip install 'nqueens-models[report]'") from error
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(_text("page.html"))


def _text(name: str) -> str:
    return (resources.files("nqueens_models.bench") / "templates" / name).read_text(encoding="utf-8")


def rows(summary: Summary) -> list[Row]:
    """Return the rows of the table of results, case by case, best first."""
    by_case: dict[str, list[Cell]] = defaultdict(list)
    for cell in summary.cells:
        by_case[cell.case.name].append(cell)
    return [row for cells in by_case.values() for row in _case_rows(summary, cells)]


def _case_rows(summary: Summary, cells: Sequence[Cell]) -> Iterator[Row]:
    measured = [c.estimates[summary.measure].median for c in cells if c.rank is not None]
    ends = (math.log(min(measured) or 1e-9), math.log(max(measured) or 1e-9)) if measured else (0.0, 0.0)
    for cell in sorted(cells, key=lambda cell: (cell.rank is None, cell.rank or 0)):
        yield _row(summary, cell, ends)


def _row(summary: Summary, cell: Cell, ends: tuple[float, float]) -> Row:
    found = cell.estimates.get(summary.measure) if cell.rank is not None else None
    place = math.log(found.median or 1e-9) if found else ends[0]
    others = {m: cell.estimates[m].median for m in (Measure.FIRST, Measure.MEMORY) if m in cell.estimates}
    return Row(
        cell=cell,
        number=summary.contenders.index(cell.contender),
        texts={
            "time": value_text(found.median, summary.measure) if found else "",
            "interval": interval_text(found, summary.measure),
            "ratio": f"{cell.ratio.median:.3g}" if cell.ratio else "",
            "ratio_interval": ratio_interval_text(cell.ratio),
            "first": estimate_text(cell, Measure.FIRST),
            "memory": estimate_text(cell, Measure.MEMORY),
            "model": model_text(cell),
        },
        values={
            "time": found.median if found else None,
            "ratio": cell.ratio.median if cell.ratio else None,
            "first": others.get(Measure.FIRST),
            "memory": others.get(Measure.MEMORY),
            "model": cell.statistics.get("clauses", cell.statistics.get("constraints")),
        },
        bar=0.0 if ends[0] == ends[1] else (place - ends[0]) / (ends[1] - ends[0]),
    )


def _wrong(summary: Summary) -> list[Cell]:
    """Return the cells that a reader has to see first."""
    bad = (RunVerdict.WRONG, RunVerdict.DISPUTED, RunVerdict.FAILED)
    return [cell for cell in summary.cells if cell.judgement.verdict in bad]


def sign(number: int) -> dict[str, Any]:
    """Return how a contender is drawn, for the swatch beside its name."""
    dashes = ("", "4 2", "1.5 2")[number // len(SERIES) % len(DASHES)]
    return {
        "colour": f"var(--series-{number % len(SERIES)})",
        "marker": MARKERS[number % len(MARKERS)],
        "dashes": dashes,
    }


def run_facts(summary: Summary) -> dict[str, Any]:
    """Return every run in full, as compactly as its texts allow: those that come again are in lists."""
    lists: dict[str, dict[str, int]] = {
        name: {} for name in ("cases", "statuses", "verdicts", "reasons", "sessions")
    }

    def number(name: str, text: str) -> int:
        return lists[name].setdefault(text, len(lists[name]))

    contenders = {name: place for place, name in enumerate(summary.contenders)}
    shown = {id(run): contenders[cell.contender] for cell in summary.cells for run in cell.runs}
    facts = [
        {
            "case": number("cases", run.case),
            "contender": shown[id(run)],
            "repetition": run.repetition,
            "status": number("statuses", str(run.status)),
            "verdict": number("verdicts", str(judgement.verdict)),
            "reason": number("reasons", judgement.reason),
            "session": number("sessions", run.session),
            **_details(run, judgement),
        }
        for run, judgement in summary.judgements
    ]
    return {**{name: list(texts) for name, texts in lists.items()}, "contenders": list(contenders), "runs": facts}


def _details(run: MeasuredRun, judgement: Judgement) -> dict[str, Any]:
    """Return what is not in every run only where it is there."""
    seconds = run.seconds
    parts = {
        "imports": seconds.imports, "warm-up": seconds.warm_up, "build": seconds.build, "solve": seconds.solve,
        "check": seconds.check, "total": seconds.total,
    }  # fmt: skip
    facts = {
        "seconds": {name: value for name, value in parts.items() if value is not None},
        "cpu": run.cpu_seconds,
        "memory": run.peak_memory,
        "solutions": run.solutions,
        "began": run.began,
        "load": run.load,
        "pinned": run.pinned,
        "first": run.first_solution,
        "fingerprint": run.fingerprint,
        "wrong": run.wrong,
        "witness": run.witness,
        "statistics": run.statistics,
        "output": run.output,
        "detail": run.detail if run.detail not in judgement.reason else "",
    }
    return {name: value for name, value in facts.items() if value not in (None, "", {}, ())}


def _embedded(facts: dict[str, Any]) -> str:
    """Return JSON that may stand in a script element."""
    text = json.dumps(facts, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
