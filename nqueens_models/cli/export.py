"""The command `export`."""

from __future__ import annotations

from typing import Annotated

import typer

from nqueens_models.cli.exits import Exit
from nqueens_models.cli.messages import plural, say
from nqueens_models.cli.options import (
    OUTPUT,
    SEARCH,
    BlockOut,
    DiagonalRule,
    Fix,
    Force,
    InstanceFile,
    InstanceFormatName,
    Output,
    Size,
    instance_of,
    source_of,
)
from nqueens_models.cli.output import result_stream
from nqueens_models.formats.exports import EXPORTS
from nqueens_models.formats.exports import export as exported
from nqueens_models.formats.solution_formats import SOLUTION_FORMATS, read_solutions
from nqueens_models.formats.source import SOLUTIONS_BYTES
from nqueens_models.instance import Block, Instance
from nqueens_models.verify import valid_rows


def export(
    n: Size = None,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", rich_help_panel=OUTPUT, help=f"One of: {', '.join(EXPORTS)}.")
    ] = "dimacs",
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", "-e", metavar="SPEC", rich_help_panel=SEARCH,
            help="Settings of [b]sat[/b] for dimacs, of [b]cpsat[/b] for cpsat-proto.",
        ),
    ] = None,
    with_blocking: Annotated[
        str | None,
        typer.Option(
            "--with-blocking", metavar="FILE", rich_help_panel=OUTPUT,
            help="Rule out the solutions in a file (dimacs, opb, lp).",
        ),
    ] = None,
    blocking_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", rich_help_panel=OUTPUT,
            help=f"The format of that file, if its content does not prove it: {', '.join(SOLUTION_FORMATS)}.",
        ),
    ] = None,
    output: Output = None,
    force: Force = False,
) -> int:  # fmt: skip
    """Write the model of an instance for other people's solvers.

    [b]nqueens export 8 --engine sat:at_most_one=product -o queens.cnf[/b] writes what that engine solves.
    [b]nqueens solve 8 | nqueens export 8 --to opb --with-blocking -[/b] has no solution left.
    """
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    blocked = None
    if with_blocking is not None:
        answers = read_solutions(source_of(with_blocking, SOLUTIONS_BYTES), instance.n, blocking_format)
        placements = answers.all_placements()
        _warn_of(placements, instance)
        blocked = placements.tolist()
    with result_stream(output, force) as stream:
        for part in exported(instance, to, engine, blocked):
            stream.write(part)
    return Exit.DONE


def _warn_of(placements: Block, instance: Instance) -> None:
    """Say when there is nothing to block, or when what is blocked is no solution: nobody may have meant that."""
    wrong = len(placements) - int(valid_rows(instance, placements).sum())
    if not len(placements):
        say("nothing is blocked: the file holds no solutions")
    elif wrong:
        say(f"blocked without need: {plural(wrong, 'answer')} of {len(placements)}, which break a rule")
