"""Options that several commands share, and what is made of them."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidInput
from nqueens_models.formats import INSTANCE_FORMAT_NAMES
from nqueens_models.formats.source import INSTANCE_BYTES, Source
from nqueens_models.instance import Diagonals, Instance, Square

INSTANCE = "The instance"
SEARCH = "The search"
OUTPUT = "The output"

Size = Annotated[
    str | None, typer.Argument(metavar="N", help="The number of queens, rows and columns: 0 or more.")
]
InstanceFile = Annotated[
    str | None,
    typer.Option(
        "--instance", "-i", metavar="FILE", rich_help_panel=INSTANCE,
        help="Read the instance from a file, or from standard input if it is [b]-[/b].",
    ),
]  # fmt: skip
InstanceFormatName = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FORMAT", rich_help_panel=INSTANCE,
        help=f"The format of the file, if its content does not prove it: {', '.join(INSTANCE_FORMAT_NAMES)}.",
    ),
]  # fmt: skip
CnfOption = Annotated[
    str | None,
    typer.Option(
        "--cnf", metavar="FILE", rich_help_panel=INSTANCE,
        help="Any DIMACS CNF instead of an instance, with its projection ([b]c p show[/b] or [b]c ind[/b]); "
        "[b]-[/b] is standard input.",
    ),
]  # fmt: skip
DiagonalRule = Annotated[
    Diagonals | None,
    typer.Option(
        "--diagonals", rich_help_panel=INSTANCE, help="What queens may not share besides rows and columns."
    ),
]
Fix = Annotated[
    str | None,
    typer.Option(
        "--fix", metavar="R:C,...", rich_help_panel=INSTANCE, help="Queens that every solution has (0-based)."
    ),
]
BlockOut = Annotated[
    str | None,
    typer.Option(
        "--block", metavar="R:C,...", rich_help_panel=INSTANCE, help="Squares without a queen (0-based)."
    ),
]
EngineSpec = Annotated[
    str,
    typer.Option(
        "--engine", "-e", metavar="SPEC", rich_help_panel=SEARCH,
        help="An engine with settings, as in [b]sat:solver=glucose4,at_most_one=ladder[/b]; see [b]engines[/b].",
    ),
]  # fmt: skip
Seed = Annotated[
    int | None,
    typer.Option(rich_help_panel=SEARCH, help="For engines that make random choices: same seed, same order."),
]
Search = Annotated[
    str | None,
    typer.Option(
        metavar="plain|cubes", rich_help_panel=SEARCH,
        help="[b]plain[/b]: the engine's own enumeration; [b]cubes[/b], [b]cubes:rows=K[/b], "
        "[b]cubes:centre-lines[/b]: split, and solve one cube of each orbit. Default: the faster.",
    ),
]  # fmt: skip
UseSymmetry = Annotated[
    bool,
    typer.Option("--symmetry/--no-symmetry", rich_help_panel=SEARCH, help="Let one cube stand for its orbit."),
]
Workers = Annotated[
    int, typer.Option(metavar="W", rich_help_panel=SEARCH, help="Processes or threads that search.")
]
Limit = Annotated[
    int | None, typer.Option(metavar="K", rich_help_panel=SEARCH, help="Stop after this many solutions.")
]
Timeout = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", rich_help_panel=SEARCH, help="Stop building and solving after this long."),
]
Fundamental = Annotated[
    bool,
    typer.Option(
        "--fundamental", rich_help_panel=SEARCH, help="One solution of each orbit of the instance's symmetries."
    ),
]
LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger", metavar="FILE", rich_help_panel=SEARCH,
        help="Record each part of the count in a file as it is done; the same command goes on from there.",
    ),
]  # fmt: skip
ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/K", rich_help_panel=SEARCH,
        help="Count the I-th of K shares, under a ledger of its own; [b]ledger merge[/b] puts them together.",
    ),
]  # fmt: skip
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", rich_help_panel=OUTPUT,
        help="Write to a file; an interrupted run leaves none.",
    ),
]  # fmt: skip
OutputOrFolder = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE|DIR", rich_help_panel=OUTPUT,
        help="Write to a file, which an interrupted run does not leave; or, with --format npy or parquet and a "
        "name that ends in [b]/[/b], is a folder, or is new and has no suffix, to a folder of shards.",
    ),
]  # fmt: skip
Force = Annotated[bool, typer.Option("--force", rich_help_panel=OUTPUT, help="Overwrite the file if it exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", rich_help_panel=OUTPUT, help="No summary, no progress.")]
AsJson = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUTPUT, help="One JSON document on standard output.")
]


def instance_of(
    n: str | None,
    file: str | None,
    format_name: str | None,
    diagonals: Diagonals | None,
    fix: str | None,
    block: str | None,
) -> Instance:
    """Return the instance that N or a file describes, with what the options add; raise InvalidInput if none."""
    if (n is None) == (file is None):
        raise InvalidInput(
            "give N, the number of queens, or --instance FILE" + ("" if n is None else ", not both")
        )
    base = Instance(_number_of_queens(n or "")) if file is None else _instance_in(file, format_name)
    rule = base.diagonals if diagonals is None else diagonals
    fixed = (*base.fixed, *_squares("--fix", fix))
    return Instance(base.n, rule, fixed, (*base.blocked, *_squares("--block", block)), base.regions)


def _instance_in(file: str, format_name: str | None) -> Instance:
    from nqueens_models.formats.instances import read_instance  # takes long to import, and N needs none of it

    return read_instance(source_of(file), format_name)


def source_of(file: str, limit: int = INSTANCE_BYTES) -> Source:
    """Return the content of a file of at most `limit` bytes, or of standard input if the name is `-`."""
    if file == "-":
        return Source.of_stream(sys.stdin.buffer, "standard input", limit)
    return Source.of_file(file, limit)


def _number_of_queens(text: str) -> int:
    if re.fullmatch(r"[0-9]{10,}", text):
        raise InvalidInput(f"N must be less than 10**9, not {text}")
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise InvalidInput(f"N must be a whole number, 0 or more, not {text!r}")
    return int(text)


def engine_of(spec: str, seed: int | None = None) -> Engine:
    """Return the engine of a specification, with the seed if it has such a setting."""
    engine = make_engine(spec)
    if seed is None or not hasattr(engine, "seed"):
        return engine
    return dataclasses.replace(engine, seed=seed)  # type: ignore[type-var]


def _squares(option: str, text: str | None) -> list[Square]:
    """Return the squares of a text such as `0:3,4:1`."""
    squares = []
    for part in (text or "").replace(",", " ").split():
        match = re.fullmatch(r"(\d{1,9}):(\d{1,9})", part)
        if match is None:
            raise InvalidInput(f"{option} takes squares as ROW:COLUMN,..., counted from 0; {part!r} is none")
        squares.append((int(match[1]), int(match[2])))
    return squares
