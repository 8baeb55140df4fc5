"""`count --ledger`: a count that can be stopped at any moment and goes on by the same command."""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import ended, progress, say
from nqueens_models.cli.solve import compare_with_published, record
from nqueens_models.engines.base import Limits
from nqueens_models.errors import InvalidInput
from nqueens_models.units import Division, Ledger, Shard, UnitsRun, Workers, execute_units, local_workers


def ledger_for(path: Path | None, fundamental: bool, limit: int | None) -> Path:
    """Return the ledger of a count; raise InvalidInput where there can be none."""
    if path is None:
        raise InvalidInput("--shard needs --ledger FILE: what one shard has counted is put together from ledgers")
    if fundamental:
        raise InvalidInput("--ledger keeps counts, and fundamental solutions cannot be counted unit by unit")
    if limit is not None:
        raise InvalidInput("--ledger counts units to their end: it goes without --limit")
    return path


def count_under_ledger(
    division: Division,
    path: Path,
    shard: str | None,
    workers: int,
    seconds: float | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Count what the ledger lacks, and print the total when nothing is missing."""
    share, limits, label = shard_of(shard), Limits(seconds=seconds), f"{division.engine_spec} by {division.split}"
    division.shard(*share)
    with (
        Ledger(path, division) as ledger,
        counting_workers(division, workers) as chosen,
        progress(f"{label}, {division.instance}", wanted=not quiet),
    ):
        run = execute_units(division, ledger, chosen, limits, share)
    if as_json:
        print(json.dumps({**record(run), "units": _unit_facts(run, path)}), flush=True)
    elif run.complete or exit_for(run.termination) is not Exit.DONE:
        print(run.count, flush=True)
    if not quiet:
        say(f"{label}: {_sentence(run)}")
    return compare_with_published(run, quiet)


def counting_workers(division: Division, workers: int) -> AbstractContextManager[Workers]:
    """Return who counts the units of a division: the one place where a command chooses that."""
    return local_workers(division, workers)


def shard_of(text: str | None) -> Shard:
    """Return the shard that a text such as `2/4` names; the only one of one if there is none."""
    match = re.fullmatch(r"\s*(\d{1,9})/(\d{1,9})\s*", "1/1" if text is None else text)
    if match is None:
        raise InvalidInput(f"--shard takes I/K, as in 2/4, not {text!r}")
    return Shard(int(match[1]), int(match[2]))


def _sentence(run: UnitsRun) -> str:
    """Return one line: how much is counted, and what is to be done next."""
    found = f"{run.count} solution{'' if run.count == 1 else 's'} in {run.done} of {run.units} units"
    seconds = f"in all {run.timings.total:.3f} s"
    if run.complete:
        return f"{found}, complete; {seconds}"
    if exit_for(run.termination) is not Exit.DONE:
        return f"{found}, {ended(run.termination)}; {seconds}; the same command goes on"
    done = f"shard {run.shard} done: {run.shard_units} of {run.units} units"
    return f"{done}; merge the ledgers; {found}; {seconds}"


def _unit_facts(run: UnitsRun, path: Path) -> dict[str, Any]:
    return {
        "ledger": str(path),
        "division": run.division,
        "split": run.search,
        "done": run.done,
        "of": run.units,
        "shard": str(run.shard),
        "shard_done": run.shard_done,
        "shard_of": run.shard_units,
    }
