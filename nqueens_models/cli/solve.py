"""The commands `solve` and `count`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from nqueens_models.cli.cluster import Cluster, refuse_workers, searcher_on
from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.foresight import foresee
from nqueens_models.cli.messages import progress, say, summary
from nqueens_models.cli.options import (
    OUTPUT,
    SEARCH,
    AsJson,
    BlockOut,
    CnfOption,
    DiagonalRule,
    EngineSpec,
    Fix,
    Force,
    Fundamental,
    InstanceFile,
    InstanceFormatName,
    LedgerFile,
    Limit,
    OutputOrFolder,
    Quiet,
    Search,
    Seed,
    ShardOption,
    Size,
    Timeout,
    UseSymmetry,
    Workers,
    engine_of,
    instance_of,
)
from nqueens_models.cli.output import encoding_of, names_folder, refuse_existing, result_stream
from nqueens_models.cli.published import compare_with_published, record
from nqueens_models.cubes import label, make_search
from nqueens_models.engines.base import Block, Engine, Limits
from nqueens_models.errors import InvalidInput
from nqueens_models.formats.solutions_out import WRITERS, SolutionWriter, writer, writer_class
from nqueens_models.instance import Instance
from nqueens_models.render import draw, side_by_side, signs_for
from nqueens_models.run import Collector, Run, execute, execute_count, with_solutions
from nqueens_models.symmetry import orbits, stabiliser

FormatName = Annotated[
    str,
    typer.Option(
        "--format", "-f", metavar="FORMAT", rich_help_panel=OUTPUT,
        help=f"How solutions are written: {', '.join(WRITERS)}, parquet (in shards only).",
    ),
]  # fmt: skip


def solve(
    context: typer.Context,
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    cnf: CnfOption = None,
    engine: EngineSpec = "bitmask",
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    limit: Limit = None,
    timeout: Timeout = None,
    fundamental: Fundamental = False,
    unique: Annotated[
        bool,
        typer.Option(
            "--unique", rich_help_panel=SEARCH, help="Is there exactly one? Status 1 and two drawn if not."
        ),
    ] = False,
    search: Search = None,
    symmetry: UseSymmetry = True,
    workers: Workers = 1,
    cluster: Cluster = None,
    seed: Seed = None,
    no_sort: Annotated[
        bool,
        typer.Option("--no-sort", rich_help_panel=SEARCH, help="Write solutions as they are found, in no order."),
    ] = False,
    format_: FormatName = "columns",
    output: OutputOrFolder = None,
    force: Force = False,
    one_based: Annotated[
        bool, typer.Option("--one-based", rich_help_panel=OUTPUT, help="Count columns from 1, not from 0.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """List every solution: the column of the queen of each row, one solution a line, in order.

    [b]nqueens solve 8[/b] lists the 92 solutions of the eight queens.
    [b]nqueens solve 8 --fundamental --format board[/b] draws the 12 that differ by more than symmetry.
    [b]nqueens solve 12 --engine sat --limit 3[/b] asks a SAT solver for three.
    [b]nqueens solve --cnf FILE[/b] lists what satisfies any CNF, projected as its file says.
    [b]nqueens solve 16 --format npy -o DIR/ --workers 2[/b] writes a folder of sorted shards; stopped, it goes on.
    """
    path = None if output is None else Path(output)
    if cnf is not None:
        from nqueens_models.cli.cnf import solve_cnf

        return solve_cnf(context, cnf, Limits(limit, timeout), seed, no_sort, path, force, quiet)
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    if names_folder(output, format_):
        from nqueens_models.cli.shards import solve_into_folder

        refused = {
            "--limit": limit, "--fundamental": fundamental, "--unique": unique, "--no-sort": no_sort,
            "--one-based": one_based, "--cluster": cluster,
        }  # fmt: skip
        return solve_into_folder(
            Path(output or ""), instance, engine_of(engine, seed), refused, files=format_, search=search,
            symmetry=symmetry, workers=workers, seconds=timeout, restart=force, quiet=quiet,
        )  # fmt: skip
    if format_ == "parquet":
        raise InvalidInput("parquet is written in shards: name a folder with -o DIR/")
    if unique and (limit is not None or fundamental):
        raise InvalidInput("--unique looks for two solutions: it goes without --limit and --fundamental")
    limits = Limits(2 if unique else limit, timeout)
    if path is not None and path.is_dir():
        raise InvalidInput(f"{path} is a folder: --format npy or parquet writes shards into one")
    refuse_existing(path, force)
    if writer_class(format_).binary and path is None and sys.stdout.isatty():
        raise InvalidInput(f"{format_} is not text: name a file with -o, or use a pipe")
    with (
        searcher_on(cluster, engine_of(engine, seed), instance, search, symmetry, workers, quiet) as searcher,
        result_stream(path, force) as stream,
    ):
        expected = None if quiet else foresee(searcher, instance, limits, path, format_)
        sink = writer(
            format_, instance, stream, base=int(one_based), sizes=fundamental, encoding=encoding_of(path)
        )
        wanted = not quiet and not (no_sort and path is None)
        with progress(f"{label(searcher)}, {instance}", wanted, expected):
            run = _list(searcher, instance, limits, fundamental, sink, stream if no_sort else None)
        if path is not None and exit_for(run.termination) is Exit.INTERRUPTED:
            raise KeyboardInterrupt  # no file that holds half of the solutions
        sink.close(record(run))
        stream.flush()
    if not quiet:
        say(summary(run, label(searcher)))
    return _uniqueness(run, quiet) if unique else compare_with_published(run, quiet=True)


def count(
    context: typer.Context,
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    cnf: CnfOption = None,
    engine: EngineSpec = "bitmask",
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    limit: Limit = None,
    timeout: Timeout = None,
    fundamental: Fundamental = False,
    search: Search = None,
    symmetry: UseSymmetry = True,
    workers: Workers = 1,
    cluster: Cluster = None,
    seed: Seed = None,
    ledger: LedgerFile = None,
    shard: ShardOption = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Count the solutions, in constant memory, and compare with the published number if there is one.

    [b]nqueens count 16[/b] prints 14772512, which is what OEIS A000170 says.
    [b]nqueens count 20 --ledger q20.sqlite[/b] can be stopped at any moment; the same command goes on.
    [b]nqueens count --cnf FILE[/b] counts what satisfies any CNF, projected as its file says.
    """
    if cnf is not None:
        from nqueens_models.cli.cnf import count_cnf_file

        return count_cnf_file(context, cnf, Limits(limit, timeout), seed, as_json, quiet)
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    if (ledger, shard, cluster) != (None, None, None):
        from nqueens_models.cli.under_ledger import count_under_ledger, refuse_options
        from nqueens_models.units import divide

        refuse_options(ledger, shard, fundamental, limit)
        refuse_workers(cluster, workers)
        division = divide(instance, engine_of(engine, seed), search, symmetry)
        return count_under_ledger(division, ledger, shard, workers, cluster, timeout, as_json, quiet)
    searcher = make_search(engine_of(engine, seed), instance, search, symmetry, workers)
    limits = Limits(limit, timeout)
    expected = None if quiet else foresee(searcher, instance, limits)
    with progress(f"{label(searcher)}, {instance}", not quiet, expected):
        run = execute_count(searcher, instance, limits, fundamental=fundamental)
    print(json.dumps(record(run)) if as_json else run.count, flush=True)
    if not quiet:
        say(summary(run, label(searcher)))
    return compare_with_published(run, quiet)


def _list(
    engine: Engine,
    instance: Instance,
    limits: Limits,
    fundamental: bool,
    sink: SolutionWriter,
    stream: BinaryIO | None,
) -> Run:
    """Execute and write: at the end and in order, or at once if there is a `stream` to flush."""
    collector = Collector(instance)
    group = stabiliser(instance) if fundamental else ()

    def write(block: Block) -> None:
        sink.write(block, orbits(block, group).size if fundamental else None)

    def write_at_once(block: Block) -> None:
        collector(block)
        write(block)
        if stream is not None:
            stream.flush()

    visit = collector if stream is None else write_at_once
    run = with_solutions(execute(engine, instance, visit, limits, fundamental=fundamental), collector)
    if stream is None and run.solutions is not None:
        write(run.solutions.array)
    return run


def _uniqueness(run: Run, quiet: bool) -> Exit:
    """Say whether there is exactly one solution; draw two if there are more."""
    if run.count < 2 and not run.complete:
        return exit_for(run.termination)
    words = ("no solution", "exactly one solution", "more than one solution, such as these two:")[run.count]
    drawn = ""
    if run.count == 2 and run.solutions is not None:
        encoding = (sys.stderr and sys.stderr.encoding) or "ascii"
        one, other = (draw(run.instance, row, signs=signs_for(encoding)) for row in run.solutions.array)
        drawn = f"\n{side_by_side(one, other)}"
    if not quiet:
        say(f"{words}{drawn}")
    return Exit.DONE if run.count == 1 else Exit.DISAGREEMENT
