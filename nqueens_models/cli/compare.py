"""The commands `compare` and `suites`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from nqueens_models.bench import suite as suites_of
from nqueens_models.bench.compare import Comparison, Listener, new_session, refuse_mixture
from nqueens_models.bench.plan import Plan, every_cell, in_bytes, make_case, make_contender, sizes
from nqueens_models.bench.records import Allowance, Case, Goal, MeasuredRun
from nqueens_models.bench.store import Archive, Store, read
from nqueens_models.bench.summary import summarise
from nqueens_models.bench.tables import seconds_text, verdict_sentence
from nqueens_models.bench.verdicts import RunVerdict
from nqueens_models.cli.exits import Exit
from nqueens_models.cli.messages import say
from nqueens_models.cli.options import INSTANCE, OUTPUT, SEARCH, AsJson, DiagonalRule, Quiet, UseSymmetry
from nqueens_models.cli.output import refuse_existing
from nqueens_models.engines.registry import split_specs
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Diagonals, Instance

LIMITS = "The limits"


def compare(
    n: Annotated[str | None, typer.Argument(metavar="N", help="Sizes, as in [b]6..12[/b] or [b]8,10[/b].")] = None,
    suite: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="What to run: a suite that [b]suites[/b] lists, or a TOML file."),
    ] = None,
    instances: Annotated[
        Path | None,
        typer.Option(metavar="DIR", rich_help_panel=INSTANCE, help="A folder of instances, in any format."),
    ] = None,
    diagonals: DiagonalRule = None,
    count: Annotated[
        bool, typer.Option("--count", rich_help_panel=INSTANCE, help="Count; the default is to list.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(metavar="K", rich_help_panel=INSTANCE, help="Ask for this many solutions; default: all."),
    ] = None,
    engines: Annotated[
        str,
        typer.Option(metavar="SPEC,SPEC,...", rich_help_panel=SEARCH, help="What is compared."),
    ] = "bitmask,cpsat,sat",
    search: Annotated[
        str,
        typer.Option(
            metavar="plain,cubes,...", rich_help_panel=SEARCH, help="How each searches; several are compared."
        ),
    ] = "plain",
    symmetry: UseSymmetry = True,
    workers: Annotated[
        int, typer.Option(metavar="W", rich_help_panel=SEARCH, help="Processes that search, with cubes.")
    ] = 1,
    repeat: Annotated[
        int | None, typer.Option(metavar="R", rich_help_panel=LIMITS, help="Runs of each cell. Default: 5.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", rich_help_panel=LIMITS, help="For building and solving. Default: 60."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", rich_help_panel=LIMITS, help="Of the process tree. Default: 2GiB."),
    ] = None,
    at_once: Annotated[
        int | None,
        typer.Option(metavar="K", rich_help_panel=LIMITS, help="Runs at the same time, each on its own core."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(rich_help_panel=LIMITS, help="Of the order in which cells take turns.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", rich_help_panel=OUTPUT, help="The file of runs.")
    ] = Path("runs.jsonl"),
    resume: Annotated[
        bool, typer.Option("--resume", rich_help_panel=OUTPUT, help="Go on where the file ends.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", rich_help_panel=OUTPUT, help="Overwrite the file if it exists.")
    ] = False,
    mix: Annotated[
        bool, typer.Option("--mix", rich_help_panel=OUTPUT, help="Go on even on another machine or version.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    """Compare engines under equal conditions: each run in its own process, kept in a file as it ends.

    [b]nqueens compare --suite smoke[/b], then [b]nqueens report runs.jsonl[/b].
    [b]nqueens compare 6..10 --engines bitmask,cpsat,sat --search plain,cubes[/b] compares six ways.
    [b]nqueens compare --resume[/b] finishes what was stopped.
    """
    if output.exists() and resume:
        archive = read([output])
    else:
        refuse_existing(output, force)
        archive = Archive()
    if suite is not None:
        if n is not None or instances is not None:
            raise InvalidInput("give a suite, or N and --instances, not both")
        plan = suites_of.load(suite)
    elif n is None and instances is None:
        plan = _planned(archive)
    else:
        cases = list(_cases(n, instances, diagonals, Goal.COUNT if count else Goal.LIST, limit))
        plan = _plan(cases, engines, search, symmetry, workers)
    plan = plan.with_changes(
        repeat=repeat, seconds=timeout, memory=None if memory is None else in_bytes(memory), seed=seed,
        at_once=at_once,
    )  # fmt: skip
    if force and output.is_file() and not resume:
        output.unlink()
    _carry_out(plan, output, archive, mix, quiet)
    return _conclude(output, mix, quiet)


def suites(as_json: AsJson = False) -> int:
    """List the suites that come with the program."""
    found = {name: suites_of.shipped(name) for name in suites_of.names()}
    plans = {name: one.plan() for name, one in found.items()}
    if as_json:
        facts = [
            {"name": name, "title": one.title, "description": one.description, "runs": plans[name].runs}
            for name, one in found.items()
        ]
        print(json.dumps(facts, indent=2))
        return Exit.DONE
    for name, one in found.items():
        plan = plans[name]
        size = f"{len(plan.cases)} cases, {len(plan.contenders)} contenders, {plan.runs} runs"
        print(f"{name}  ({size})\n    {' '.join(one.description.split())}")
    return Exit.DONE


def _cases(
    n: str | None, folder: Path | None, diagonals: Diagonals | None, goal: Goal, limit: int | None
) -> Iterator[Case]:
    for size in sizes(n or ""):
        yield make_case(Instance(size, diagonals or Diagonals.FULL), goal, limit)
    if folder is not None:
        files = sorted(path for path in folder.glob("*") if path.is_file() and not path.name.startswith("."))
        for name, board in suites_of.boards_of(files, str(folder)):
            yield make_case(board, goal, limit, name)


def _plan(cases: list[Case], engines: str, searches: str, symmetry: bool, workers: int) -> Plan:
    """Return the plan in which every engine meets every case by every search."""
    contenders = tuple(
        make_contender(spec, way) if way == "plain" else make_contender(spec, way, symmetry, workers)
        for spec in split_specs(engines)
        for way in filter(None, (part.strip() for part in searches.split(",")))
    )
    if workers > 1 and all(contender.search == "plain" for contender in contenders):
        raise InvalidInput("a plain search has no workers but by the engine's own settings: add --search cubes")
    return Plan("A comparison", tuple(cases), contenders, every_cell(cases, contenders), Allowance())


def _planned(archive: Archive) -> Plan:
    """Return the plan that stands in the file."""
    if not archive.sessions:
        raise InvalidInput("say what to compare: --suite NAME, N or --instances DIR")
    return Plan.of(list(archive.sessions.values())[-1])


def _carry_out(plan: Plan, output: Path, archive: Archive, mix: bool, quiet: bool) -> None:
    command = "nqueens " + shlex.join(argument for argument in sys.argv[1:] if argument != "--resume")
    session = new_session(plan, command)
    refuse_mixture(session, archive, mix)
    with Store(output) as store, _told(quiet) as listener:
        comparison = Comparison(plan, session, store, listener)
        comparison.resume(archive)
        try:
            comparison.execute()
        except KeyboardInterrupt:
            say(f"stopped after {len(comparison.done)} of {plan.runs} runs; compare --resume -o {output} goes on")
            raise


@contextmanager
def _told(quiet: bool) -> Iterator[Listener]:
    """Give a listener that tells a watching person about each run: one line, drawn anew on a terminal."""
    if quiet or sys.stderr is None:
        yield lambda *_: None
        return
    if not sys.stderr.isatty():
        yield lambda done, planned, run: say(_line(done, planned, run))
        return
    from rich.console import Console

    with Console(stderr=True).status("the first run") as status:
        yield lambda done, planned, run: status.update(_line(done, planned, run))


def _line(done: int, planned: int, run: MeasuredRun) -> str:
    spent = seconds_text(run.seconds.total)
    return f"[{done}/{planned}] {run.contender}, {run.case}: {run.status}, {spent}"


def _conclude(output: Path, mix: bool, quiet: bool) -> Exit:
    """Say what came out, and where it is."""
    summary = summarise(read([output]), mix=mix)
    if not quiet:
        say(verdict_sentence(summary))
        say(f"nqueens report {shlex.quote(str(output))} shows more")
    wrong = summary.count(RunVerdict.WRONG) + summary.count(RunVerdict.DISPUTED)
    return Exit.DISAGREEMENT if wrong else Exit.DONE
