"""The commands `generate completion|blocked|regions|modular`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from nqueens_models import generate as make
from nqueens_models.cli.exits import Exit
from nqueens_models.cli.options import OUTPUT, EngineSpec, Force, Output, engine_of
from nqueens_models.cli.output import result_stream
from nqueens_models.formats.instances import INSTANCE_FORMATS, instance_format
from nqueens_models.instance import Instance

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Random instances in the manner of the literature: the same for a seed on every machine.",
)

Rows = Annotated[int, typer.Argument(metavar="N", help="The number of rows, columns and queens.")]
Queens = Annotated[int, typer.Option("--queens", metavar="K", help="How many queens are placed already.")]
Seed = Annotated[int, typer.Option(help="Which of the random instances: 0 or more.")]
Unique = Annotated[bool, typer.Option("--unique", help="Exactly one solution.")]
FormatName = Annotated[
    str,
    typer.Option(
        "--format", "-f", metavar="FORMAT", rich_help_panel=OUTPUT, help=", ".join(INSTANCE_FORMATS) + "."
    ),
]


@app.command()
def completion(
    n: Rows,
    queens: Queens,
    seed: Seed = 0,
    unique: Unique = False,
    engine: EngineSpec = "bitmask",
    format_: FormatName = "json",
    output: Output = None,
    force: Force = False,
) -> int:
    """Queens that do not attack each other, placed at random (Gent, Jefferson, Nightingale 2017, CSPLib 079)."""
    return _write(lambda solver: make.completion(n, queens, seed, solver), unique, engine, format_, output, force)


@app.command()
def modular(
    n: Rows,
    queens: Queens,
    seed: Seed = 0,
    unique: Unique = False,
    engine: EngineSpec = "bitmask",
    format_: FormatName = "json",
    output: Output = None,
    force: Force = False,
) -> int:
    """The same on a board whose diagonals wrap round."""
    return _write(lambda solver: make.modular(n, queens, seed, solver), unique, engine, format_, output, force)


@app.command()
def blocked(
    n: Rows,
    squares: Annotated[int, typer.Option("--squares", metavar="K", help="How many squares are blocked.")],
    free: Annotated[int, typer.Option("--free", help="How many squares of each row and column stay free.")] = 1,
    seed: Seed = 0,
    unique: Unique = False,
    engine: EngineSpec = "bitmask",
    format_: FormatName = "json",
    output: Output = None,
    force: Force = False,
) -> int:
    """Squares blocked at random, while rows and columns keep free ones (CSPLib 080)."""
    return _write(
        lambda solver: make.blocked(n, squares, seed, free, solver), unique, engine, format_, output, force
    )


@app.command()
def regions(
    n: Rows,
    seed: Seed = 0,
    unique: Unique = False,
    engine: EngineSpec = "bitmask",
    format_: FormatName = "json",
    output: Output = None,
    force: Force = False,
) -> int:
    """Connected regions grown from queens that do not touch: a puzzle with a solution."""
    return _write(lambda solver: make.regions(n, seed, solver), unique, engine, format_, output, force)


def _write(
    generate: Callable[[make.Solver | None], Instance],
    unique: bool,
    engine: str,
    format_name: str,
    output: Path | None,
    force: bool,
) -> int:
    chosen = instance_format(format_name)
    solver = make.solver_of(engine_of(engine)) if unique else None
    text = chosen.write(generate(solver))
    with result_stream(output, force) as stream:
        stream.write(text.encode("utf-8"))
    return Exit.DONE
