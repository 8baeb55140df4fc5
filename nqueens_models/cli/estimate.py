"""The command `estimate`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from nqueens_models.cli.exits import Exit
from nqueens_models.cli.options import (
    SEARCH,
    AsJson,
    BlockOut,
    DiagonalRule,
    EngineSpec,
    Fix,
    InstanceFile,
    InstanceFormatName,
    Search,
    Size,
    UseSymmetry,
    Workers,
    engine_of,
    instance_of,
)
from nqueens_models.estimate import Estimate
from nqueens_models.estimate import estimate as estimate_instance

DAY = 86_400.0  # seconds
UNITS = (("days", DAY), ("h", 3600.0), ("min", 60.0), ("s", 1.0))
SIZES = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")


def estimate(
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    engine: EngineSpec = "bitmask",
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    search: Search = None,
    symmetry: UseSymmetry = True,
    workers: Workers = 1,
    seconds: Annotated[
        float,
        typer.Option(metavar="BUDGET", rich_help_panel=SEARCH, help="How long it may take, loading code apart."),
    ] = 1.5,
    boards: Annotated[
        int | None,
        typer.Option(
            metavar="B",
            rich_help_panel=SEARCH,
            help="Boards of each of 20 populations: the same solutions for the same seed, however long it takes.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(rich_help_panel=SEARCH, help="Of the random choices.")] = 0,
    as_json: AsJson = False,
) -> int:
    """Estimate solutions, nodes, seconds and bytes, with 95 % intervals, without the search itself.

    [b]nqueens estimate 20[/b] says what counting and listing 20 queens will take here.
    [b]nqueens estimate --instance FILE --engine sat --workers 2[/b] says it for a board and an engine.
    """
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    found = estimate_instance(
        instance, engine_of(engine), search=search, symmetry=symmetry, workers=workers, seconds=seconds,
        boards=boards, seed=seed,
    )  # fmt: skip
    print(json.dumps(found.facts()) if as_json else report(found), flush=True)
    return Exit.DONE


def report(found: Estimate) -> str:
    """Return the estimate as a table."""
    rows = [("", "estimate", "95 % interval")]
    for name, value, text in (
        ("solutions", found.solutions, number_text),
        ("nodes", found.nodes, number_text),
        ("time to count", found.seconds_to_count, seconds_text),
        ("time to list", found.seconds_to_list, seconds_text),
        ("list as text", found.text_bytes, bytes_text),
        ("list as npy", found.npy_bytes, bytes_text),
    ):
        if value is not None:
            ends = "exact" if value.exact else f"{text(value.low)} to {text(value.high)}"
            rows.append((name, text(value.value), ends))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{a.ljust(widths[0])}  {b.rjust(widths[1])}  {c}".rstrip() for a, b, c in rows]
    lines.append(f"{found.instance}, {found.engine}; timed: {found.by}")
    if found.published is not None:
        lines.append(f"OEIS {found.published.sequence}: {found.published.count} solutions")
    return "\n".join(lines)


def number_text(number: float) -> str:
    """Return a number of things: all digits up to a million."""
    return f"{number:,.0f}" if number < 1e6 else f"{number:.3g}"


def seconds_text(seconds: float) -> str:
    """Return a time, with three digits, in the largest unit of which there are 2, or in seconds."""
    unit, size = next((one for one in UNITS if seconds >= 2 * one[1]), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def bytes_text(number: float) -> str:
    """Return a number of bytes, of thousands, of millions, ..."""
    for unit in SIZES[:-1]:
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} {SIZES[-1]}"
