"""The commands `convert`, `show` and `verify`, which work on files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_models.answer_check import AnswerCheck, check_answers
from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import say
from nqueens_models.cli.options import (
    INSTANCE,
    OUTPUT,
    SEARCH,
    AsJson,
    Force,
    InstanceFormatName,
    Output,
    Timeout,
    engine_of,
    instance_of,
    source_of,
)
from nqueens_models.cli.output import encoding_of, refuse_existing, result_stream
from nqueens_models.errors import InvalidInput
from nqueens_models.formats.answers import Answers
from nqueens_models.formats.instances import instance_format, read_instance
from nqueens_models.formats.solution_formats import SOLUTION_FORMATS, read_solutions, solution_format
from nqueens_models.formats.source import SOLUTIONS_BYTES
from nqueens_models.instance import Instance
from nqueens_models.render import UNICODE, Columns, coloured, draw, signs_for
from nqueens_models.run import solve
from nqueens_models.solutions import SolutionSet

InstanceOrN = Annotated[
    str, typer.Argument(metavar="INSTANCE", help="A file with the instance, [b]-[/b] for standard input, or N.")
]
SolutionFormatName = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="FORMAT", rich_help_panel=INSTANCE,
        help=f"The format of the solutions, if their content does not prove it: {', '.join(SOLUTION_FORMATS)}.",
    ),
]  # fmt: skip


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, or [b]-[/b] for standard input.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A file, or [b]-[/b] for standard output.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="The format to write.")],
    from_: InstanceFormatName = None,
    solutions: Annotated[bool, typer.Option("--solutions", help="The file holds solutions.")] = False,
    instance: Annotated[
        str | None,
        typer.Option("--instance", "-i", metavar="FILE", help="With --solutions: a file with the instance, or N."),
    ] = None,
    force: Force = False,
) -> int:
    """Write an instance, or with --solutions a file of solutions, in another format.

    [b]nqueens convert board.param board.dzn --to dzn[/b] turns blocked squares of Essence into MiniZinc data.
    [b]nqueens solve 8 | nqueens convert - - --solutions --to fen[/b] writes chess positions.
    """
    refuse_existing(target, force)
    data = _converted_solutions(source, from_, to, instance) if solutions else _converted(source, from_, to)
    with result_stream(target, force) as stream:
        stream.write(data)
    return Exit.DONE


def _converted(source: str, from_: str | None, to: str) -> bytes:
    chosen = instance_format(to)
    return chosen.write(read_instance(source_of(source), from_)).encode("utf-8")


def _converted_solutions(source: str, from_: str | None, to: str, instance: str | None) -> bytes:
    chosen = solution_format(to)
    known = None if instance is None else _instance(instance)
    answers = read_solutions(source_of(source, SOLUTIONS_BYTES), None if known is None else known.n, from_)
    return chosen.write(known or Instance(answers.n), answers)


class Style(StrEnum):
    """How boards are drawn."""

    AUTO = "auto"
    COLOUR = "colour"
    UNICODE = "unicode"
    TEXT = "text"
    SVG = "svg"


def show(
    instance: InstanceOrN,
    solutions: Annotated[
        str | None, typer.Argument(metavar="[SOLUTIONS]", help="A file of solutions, to draw each on the board.")
    ] = None,
    from_: InstanceFormatName = None,
    format_: SolutionFormatName = None,
    number: Annotated[
        int | None, typer.Option("--number", metavar="K", help="Only the K-th solution, from 1.")
    ] = None,
    style: Annotated[
        Style, typer.Option(rich_help_panel=OUTPUT, help="auto: colour on a terminal, else what it can express.")
    ] = Style.AUTO,
    one_based: Annotated[
        bool,
        typer.Option("--one-based", rich_help_panel=OUTPUT, help="Number rows and columns from 1, not from 0."),
    ] = False,
    output: Output = None,
    force: Force = False,
) -> int:
    """Draw an instance, or each of its solutions, with regions, blocked squares and fixed queens told apart."""
    refuse_existing(output, force)
    board = _instance(instance, from_)
    placements = [None] if solutions is None else list(_chosen(board, solutions, format_, number))
    if style is Style.SVG and len(placements) != 1:
        raise InvalidInput(f"an SVG holds one board, not {len(placements)}: choose one with --number")
    style, encoding = _style(style, output)
    with result_stream(output, force) as stream:
        for placement in placements:
            text = _drawn(board, placement, style, int(one_based), encoding)
            stream.write((text + "\n" * (style is not Style.SVG)).encode(encoding))
    return Exit.DONE


def _chosen(instance: Instance, file: str, format_name: str | None, number: int | None) -> Iterator[Columns]:
    """Yield the placements of a file, or only the one of a number."""
    answers = read_solutions(source_of(file, SOLUTIONS_BYTES), instance.n, format_name)
    placements = answers.all_placements()
    if number is None:
        yield from placements.tolist()
    elif 1 <= number <= len(placements):
        yield placements[number - 1].tolist()
    else:
        raise InvalidInput(f"there is no solution {number}: the file has {len(placements)}")


def _style(style: Style, output: Path | None) -> tuple[Style, str]:
    """Return the style that is meant, and the encoding of what is written."""
    terminal = output is None and sys.stdout.isatty()
    encoding = "utf-8" if style is Style.SVG else encoding_of(output)
    if style is not Style.AUTO:
        return style, encoding
    if terminal:
        return Style.COLOUR, encoding
    return (Style.UNICODE if signs_for(encoding) is UNICODE else Style.TEXT), encoding


def _drawn(instance: Instance, placement: Columns | None, style: Style, base: int, encoding: str) -> str:
    if style is Style.SVG:
        from nqueens_models.render_svg import svg

        return svg(instance, placement, base=base)
    signs = signs_for("ascii" if style is Style.TEXT else encoding)
    if style is not Style.COLOUR:
        return draw(instance, placement, signs=signs, base=base) + "\n"
    from rich.console import Console

    console = Console(force_terminal=True, width=200, highlight=False)
    with console.capture() as capture:
        console.print(coloured(instance, placement, signs=signs, base=base))
    return capture.get()


def verify(
    instance: Annotated[
        str,
        typer.Argument(
            metavar="[INSTANCE]",
            help="A file with the instance, [b]-[/b] for standard input, or N. A folder of shards needs none.",
        ),
    ],
    solutions: Annotated[
        str | None,
        typer.Argument(
            metavar="SOLUTIONS", help="A file of solutions, [b]-[/b] for standard input, or a folder of shards."
        ),
    ] = None,
    from_: InstanceFormatName = None,
    format_: SolutionFormatName = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete", rich_help_panel=SEARCH,
            help="Find all solutions, and say which are missing; of a folder, count them in another way.",
        ),
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", "-e", metavar="SPEC", rich_help_panel=SEARCH,
            help="What finds them, with --complete. Default: bitmask; for a folder, rather not what listed it.",
        ),
    ] = None,
    timeout: Timeout = None,
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """Check somebody else's solutions against the rules: which rule is broken between which squares.

    Squares are named as the file counts them. Exit status 1 when an answer is wrong, comes twice or is missing.
    [b]nqueens verify 8 mine.txt --complete[/b] says whether a solver of yours found exactly the 92.
    [b]nqueens verify --complete DIR[/b] checks a folder of shards: hashes, rules, order, fingerprint and number.
    """
    shards = instance if solutions is None else solutions
    if Path(shards).is_dir():
        from nqueens_models.cli.shards import verify_folder

        known_board = None if solutions is None else _instance(instance, from_)
        return verify_folder(Path(shards), known_board, complete, engine, timeout, as_json)
    if solutions is None:
        raise InvalidInput("give the instance (or N) and a file of solutions, or a folder of shards")
    board = _instance(instance, from_)
    answers = read_solutions(source_of(solutions, SOLUTIONS_BYTES), board.n, format_)
    known = None
    status = Exit.DONE
    if complete:
        known, status = _all_solutions(board, engine or "bitmask", timeout)
    check = check_answers(board, answers, known)
    print(json.dumps(_facts(check, answers)) if as_json else "\n".join(_report(board, check, answers)))
    return status if check.is_right else Exit.DISAGREEMENT


def _all_solutions(instance: Instance, engine: str, timeout: float | None) -> tuple[SolutionSet | None, Exit]:
    """Return all solutions, or None and why not."""
    run = solve(instance, engine_of(engine), seconds=timeout)
    if run.complete:
        return run.solutions, Exit.DONE
    say(f"nqueens: whether any is missing is not known: {engine} found {run.count} and stopped")
    return None, exit_for(run.termination)


BOARDS = 3
"""How many missing solutions are drawn as boards too."""


def _report(instance: Instance, check: AnswerCheck, answers: Answers) -> Iterator[str]:
    yield from map(str, check.faults)
    yield from map(str, check.duplicates)
    for index, placement in enumerate(check.missing or ()):
        yield "missing: " + " ".join(str(column + answers.base) for column in placement)
        if index < BOARDS:
            yield draw(instance, placement, base=answers.base)
    words = [
        f"{check.answers} answers (rows and columns counted from {answers.base})",
        f"{check.distinct} distinct solutions",
        f"{check.answers - check.right} wrong",
        f"{len(check.duplicates)} repeated",
    ]
    if check.missing is not None:
        words.append(f"{len(check.missing)} missing")
    yield ", ".join(words)


def _facts(check: AnswerCheck, answers: Answers) -> dict[str, Any]:
    missing = check.missing
    return {
        "right": check.is_right,
        "base": answers.base,
        "answers": check.answers,
        "distinct_solutions": check.distinct,
        "wrong": check.answers - check.right,
        "faults": [asdict(fault) for fault in check.faults],
        "duplicates": [asdict(duplicate) for duplicate in check.duplicates],
        "missing": None if missing is None else (missing.array.astype(int) + answers.base).tolist(),
    }


def _instance(text: str, format_name: str | None = None) -> Instance:
    """Return the instance of a file, or the plain board of N rows."""
    is_number = text.isdecimal() and not Path(text).exists()
    return instance_of(text if is_number else None, None if is_number else text, format_name, None, None, None)
