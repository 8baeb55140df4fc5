"""The commands `ledger status|units|merge|audit`."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import say
from nqueens_models.cli.options import OUTPUT, SEARCH, AsJson, Quiet, Timeout, Workers, engine_of
from nqueens_models.cli.published import hold_against_published
from nqueens_models.cli.under_ledger import counting_workers
from nqueens_models.engines.base import Limits
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import InvalidInput
from nqueens_models.units import (
    Division,
    Record,
    read_ledger,
)
from nqueens_models.units.audit import Audited, audit_units, auditor, sample_of
from nqueens_models.units.merging import merge_ledgers
from nqueens_models.units.pace import Pace, WorkLeft, pace, work_left

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="What [b]count --ledger FILE[/b] has recorded: how far it is, its units; merge ledgers, audit one.",
)

LedgerArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A ledger that [b]count --ledger[/b] writes.")
]


# ---------------------------------------------------------------------------------------------- ledger status


@app.command()
def status(ledger: LedgerArgument, as_json: AsJson = False) -> int:
    """How far a count is, how fast, what is left by an estimate; another process may be counting."""
    held = read_ledger(ledger)
    left, recent = work_left(held.make_division(BitmaskEngine()), held.units), pace(held.units)
    if as_json:
        print(json.dumps(_status_facts(held, left, recent)))
    else:
        print("\n".join(_status_lines(held, left, recent)))
    sys.stdout.flush()
    return Exit.DONE


def _status_lines(held: Record, left: WorkLeft | None, recent: Pace | None) -> Iterator[str]:
    share = len(held.units) / held.number if held.number else 1.0
    yield f"{held.path}: {held.instance}, divided by {held.split}"
    yield f"{len(held.units)} of {held.number} units ({share:.1%}), {held.solutions:,} solutions in them"
    work = sum(unit.seconds for unit in held.units)
    for (host, kernel, version), units in Counter((u.host, u.kernel, u.version) for u in held.units).items():
        yield f"counted: {units} on {host} by {kernel}, nqueens_models {version}"
    if recent is not None:
        pace_is = f"{recent.units_per_second:.3g} units a second, {recent.workers:.1f} at a time"
        yield f"pace: {pace_is}, from {recent.first} to {recent.last}; {duration(work)} of work in all"
    if held.complete:
        yield "nothing is left"
    elif left is None:
        yield "left: too few units are counted to say"
    else:
        at_that_pace = "" if recent is None else f"; at that pace {_interval(left, recent.workers)}"
        yield f"left: {left.units} units, an estimated {_interval(left)} of work{at_that_pace}"
        yield f"estimated by {left.reason}; the interval is 95 %"


def _interval(left: WorkLeft, workers: float = 1.0) -> str:
    mean, low, high = (duration(value / workers) for value in (left.seconds, left.low, left.high))
    return f"{mean} ({low} to {high})"


def duration(seconds: float) -> str:
    """Return a duration for people: two significant parts at the most."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    for size, name in ((86400 * 365.25, "years"), (86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size or size == 60:
            return f"{seconds / size:.1f} {name}"
    raise AssertionError


def _status_facts(held: Record, left: WorkLeft | None, recent: Pace | None) -> dict[str, Any]:
    return {
        **_ledger_facts(held),
        "work_seconds": sum(unit.seconds for unit in held.units),
        "hosts": sorted({unit.host for unit in held.units}),
        "kernels": sorted({unit.kernel for unit in held.units}),
        "versions": sorted({unit.version for unit in held.units}),
        "pace": None if recent is None else asdict(recent),
        "left": None if left is None else asdict(left),
    }


def _ledger_facts(held: Record) -> dict[str, Any]:
    return {
        "ledger": str(held.path),
        "instance": held.instance.to_dict(),
        "split": held.split,
        "division": held.division,
        "engine": held.engine,
        "done": len(held.units),
        "of": held.number,
        "complete": held.complete,
        "solutions": held.solutions,
    }


# ---------------------------------------------------------------------------------------------- ledger units

COLUMNS = ("position", "identity", "solutions", "nodes", "seconds", "host", "kernel", "version", "finished")


@app.command()
def units(
    ledger: LedgerArgument,
    as_csv: Annotated[bool, typer.Option("--csv", rich_help_panel=OUTPUT, help="Comma-separated values.")] = False,
    as_json: AsJson = False,
) -> int:
    """Every unit that is recorded: position, identity, solutions, nodes, seconds, who counted it, when."""
    if as_csv and as_json:
        raise InvalidInput("give one of --csv and --json")
    lines = [asdict(unit) for unit in read_ledger(ledger).units]
    if as_json:
        print(json.dumps(lines))
    elif as_csv:
        sheet = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
        sheet.writeheader()
        sheet.writerows(lines)
    else:
        _print_table([COLUMNS, *([_cell(line[name]) for name in COLUMNS] for line in lines)])
    sys.stdout.flush()
    return Exit.DONE


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)


def _print_table(lines: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


# ---------------------------------------------------------------------------------------------- ledger merge


@app.command()
def merge(
    ledgers: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Ledgers of shares of one count.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", rich_help_panel=OUTPUT, help="The ledger to be made.")
    ],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Put several ledgers of one count together in a new one, and print the total if nothing is missing.

    Refused if two of them say different numbers for one unit.
    """
    held = merge_ledgers(ledgers, output)
    if as_json:
        print(json.dumps(_ledger_facts(held)), flush=True)
    elif held.complete:
        print(held.solutions, flush=True)
    if not quiet:
        say(f"{output}: {len(held.units)} of {held.number} units{', complete' if held.complete else ''}")
    return hold_against_published(held.instance, held.solutions, quiet=quiet) if held.complete else Exit.DONE


# ---------------------------------------------------------------------------------------------- ledger audit


@app.command()
def audit(
    ledger: LedgerArgument,
    sample: Annotated[
        int, typer.Option(metavar="K", rich_help_panel=SEARCH, help="How many units, at random.")
    ] = 10,
    every: Annotated[bool, typer.Option("--all", rich_help_panel=SEARCH, help="All units.")] = False,
    seed: Annotated[int, typer.Option(rich_help_panel=SEARCH, help="Which random sample.")] = 0,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            "-e",
            metavar="SPEC",
            rich_help_panel=SEARCH,
            help="Who counts again. Default: one that shares nothing with who counted.",
        ),
    ] = None,
    workers: Workers = 1,
    timeout: Timeout = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Count units again by another engine; exit status 1, and the units named, if any number differs.

    Ranges of row splits, which the join counted, are listed board by board: seconds for each unit at n = 19.
    """  # fmt: skip
    limits, held = Limits(seconds=timeout), read_ledger(ledger)
    again = auditor(held, None if engine is None else engine_of(engine))
    chosen = sample_of(held, None if every else sample, seed)
    pairs: list[Audited] = []

    def search(recorder: Recorder) -> None:
        audited = audit_units(chosen, again, local, limits.seconds, recorder.uninterrupted)
        with closing(audited):
            for pair in audited:
                pairs.append(pair)
                if not as_json:
                    _tell(pair, quiet)

    with counting_workers(again, workers) as local:
        status = exit_for(conduct(search, held.instance).termination)
    wrong = [pair for pair in pairs if not pair.agrees]
    if as_json:
        print(json.dumps(_audit_facts(held, again, len(chosen), pairs)), flush=True)
    if not quiet:
        say(_verdict(held, again, len(chosen), len(pairs), len(wrong)))
    return Exit.DISAGREEMENT if wrong else status


def _tell(pair: Audited, quiet: bool) -> None:
    """Print a unit that differs; say on standard error that one agrees."""
    unit, again = pair.recorded, pair.again
    name = f"unit {unit.position} ({unit.identity})"
    if not pair.agrees:
        print(f"{name}: recorded {unit.solutions} by {unit.kernel}, counted {again.solutions} by {again.kernel}")
        sys.stdout.flush()
    elif not quiet:
        say(f"{name}: {unit.solutions}, in {again.seconds:.3g} s")


def _verdict(held: Record, again: Division, wanted: int, audited: int, wrong: int) -> str:
    engine = again.engine_spec
    result = "none was reached" if not audited else "all agree" if not wrong else f"{wrong} WRONG"
    rest = f", {wanted - audited} not reached" if 0 < audited < wanted else ""
    return f"{held.path}: {audited} of {len(held.units)} units counted again by {engine}: {result}{rest}"


def _audit_facts(held: Record, again: Division, wanted: int, pairs: Sequence[Audited]) -> dict[str, Any]:
    return {
        **_ledger_facts(held),
        "auditor": again.engine_spec,
        "sample": wanted,
        "audited": len(pairs),
        "wrong": [
            {
                "position": pair.recorded.position,
                "identity": pair.recorded.identity,
                "recorded": pair.recorded.solutions,
                "again": pair.again.solutions,
            }
            for pair in pairs
            if not pair.agrees
        ],
    }
