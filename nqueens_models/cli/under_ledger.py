"""`count --ledger` and `count --cluster`: counts unit by unit, which go on where they were stopped."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from nqueens_models.cli.cluster import cluster_for
from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import ended, plural, progress, say
from nqueens_models.cli.published import compare_with_published, record
from nqueens_models.engines.base import Limits
from nqueens_models.errors import InvalidInput
from nqueens_models.units import Division, Ledger, Share, UnitsRun, Workers, execute_units, local_workers


def refuse_options(path: Path | None, shard: str | None, fundamental: bool, limit: int | None) -> None:
    """Raise InvalidInput for options that a count unit by unit cannot obey."""
    if path is None and shard is not None:
        raise InvalidInput("--shard needs --ledger FILE: what one shard has counted is put together from ledgers")
    option = "--cluster" if path is None else "--ledger"
    if fundamental:
        raise InvalidInput(f"fundamental solutions cannot be counted unit by unit: leave out {option}")
    if limit is not None:
        raise InvalidInput(f"{option} counts units to their end: it goes without --limit")


def count_under_ledger(
    division: Division,
    path: Path | None,
    shard: str | None,
    workers: int,
    cluster: str | None,
    seconds: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Count what the ledger lacks, and print the total when nothing is missing; without a path, count it all."""
    share, limits, label = shard_of(shard), Limits(seconds=seconds), f"{division.engine_spec} by {division.split}"
    division.shard(*share)  # refused before there is a ledger
    with (
        _ledger(path, division) as ledger,
        counting_workers(division, workers, cluster, quiet) as chosen,
        progress(f"{label}, {division.instance}", wanted=not quiet),
    ):
        run = execute_units(division, ledger, chosen, limits, share)
    if as_json:
        print(json.dumps({**record(run), "units": _unit_facts(run, path)}), flush=True)
    elif run.complete or exit_for(run.termination) is not Exit.DONE:
        print(run.count, flush=True)
    if not quiet:
        say(f"{label}: {_sentence(run, kept=path is not None)}")
    return compare_with_published(run, quiet)


@contextmanager
def _ledger(path: Path | None, division: Division) -> Iterator[Ledger]:
    """Open the ledger; one that nobody is to see again if there is no path."""
    with ExitStack() as stack:
        if path is None:
            path = (
                Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nqueens-ledger-"))) / "ledger.sqlite"
            )
        yield stack.enter_context(Ledger(path, division))


def counting_workers(
    division: Division, workers: int, cluster: str | None = None, quiet: bool = False
) -> AbstractContextManager[Workers]:
    """Return who counts the units of a division: workers of this machine, or a cluster."""
    return local_workers(division, workers) if cluster is None else _cluster_workers(division, cluster, quiet)


@contextmanager
def _cluster_workers(division: Division, cluster: str, quiet: bool) -> Iterator[Workers]:
    with cluster_for(division.engine, cluster, quiet) as executor:
        yield Workers(executor, executor.cores)


def shard_of(text: str | None) -> Share:
    """Return the shard that a text such as `2/4` names; the only one of one if there is none."""
    match = re.fullmatch(r"\s*(\d{1,9})/(\d{1,9})\s*", "1/1" if text is None else text)
    if match is None:
        raise InvalidInput(f"--shard takes I/K, as in 2/4, not {text!r}")
    return Share(int(match[1]), int(match[2]))


def _sentence(run: UnitsRun, kept: bool) -> str:
    """Return one line: how much is counted, and what is to be done next."""
    again = "; the same command goes on" if kept else ""
    found = f"{plural(run.count, 'solution')} in {run.done} of {run.units} units"
    seconds = f"in all {run.timings.total:.3f} s"
    if run.complete:
        return f"{found}, complete; {seconds}"
    if exit_for(run.termination) is not Exit.DONE:
        return f"{found}, {ended(run.termination)}; {seconds}{again}"
    done = f"shard {run.shard} done: {run.shard_units} of {run.units} units"
    return f"{done}; merge the ledgers; {found}; {seconds}"


def _unit_facts(run: UnitsRun, path: Path | None) -> dict[str, Any]:
    return {
        "ledger": None if path is None else str(path),
        "division": run.division,
        "split": run.search,
        "done": run.done,
        "of": run.units,
        "shard": str(run.shard),
        "shard_done": run.shard_done,
        "shard_of": run.shard_units,
    }
