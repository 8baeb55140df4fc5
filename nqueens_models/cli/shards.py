"""What `solve` and `verify` do with folders of shards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.foresight import foresee
from nqueens_models.cli.messages import ended, plural, progress, say
from nqueens_models.cli.published import hold_against_published
from nqueens_models.cubes import make_search
from nqueens_models.engines.base import Engine, Limits
from nqueens_models.engines.registry import full_spec
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Instance
from nqueens_models.known import published_count
from nqueens_models.run import Run
from nqueens_models.shards import Examination, Listing, check_shards, list_in_shards
from nqueens_models.shards.checking import count_again
from nqueens_models.shards.manifest import NAME


def solve_into_folder(
    folder: Path, instance: Instance, engine: Engine, refused: Mapping[str, Any], *, quiet: bool, **settings: Any
) -> int:
    """List into a folder, or go on; `refused` are the options that make no sense there, with what was given."""
    for option, value in refused.items():
        if value is not None and value is not False:  # 0 was given too
            raise InvalidInput(
                f"all solutions go into a folder, sorted, from 0, by processes here: not with {option}"
            )
    try:
        limits = Limits(seconds=settings["seconds"])
        if not quiet and (settings["restart"] or not (folder / NAME).exists()):
            searcher = make_search(engine, instance, settings["search"], settings["symmetry"])
            foresee(searcher, instance, limits, folder, settings["files"], settings["workers"])
        with progress(f"{full_spec(engine)}, {instance}", wanted=not quiet) as observer:
            listing = list_in_shards(folder, instance, engine, observer=observer, **settings)
    except OSError as error:
        where = error.filename or folder
        kept = "; what is finished is kept, and the same command goes on" if (folder / NAME).exists() else ""
        say(f"nqueens: {where}: {error.strerror or error}{kept}")
        return Exit.BAD_INPUT
    if not quiet or listing.fingerprint is None:
        say(f"{full_spec(engine)}: {_outcome(listing)}")
    return _status(listing)


def _outcome(listing: Listing) -> str:
    number, shards = plural(listing.count, "solution"), f"{listing.finished} of {listing.shards} shards"
    before = f" ({listing.resumed} from before)" if listing.resumed else ""
    if listing.fingerprint is None:
        end = f"{ended(listing.termination)}; the same command goes on"
    else:
        end = f"complete; fingerprint {listing.fingerprint}"
    return f"{number} in {shards}{before}, {end}; {listing.seconds:.3f} s"


def _status(listing: Listing) -> Exit:
    if listing.fingerprint is None:
        return exit_for(listing.termination)
    return hold_against_published(listing.instance, listing.count, quiet=True)


def verify_folder(
    folder: Path,
    instance: Instance | None,
    complete: bool,
    engine: str | None,
    seconds: float | None,
    as_json: bool,
) -> int:
    """Examine a folder; with `complete`, and unless faults are found, count the solutions again by another way."""
    examination = check_shards(folder, instance)
    faults, run = list(examination.faults), None
    if complete and examination.instance is not None and not faults:
        run = count_again(examination, engine, seconds)
        faults += _of_number(examination, run)
    print(
        json.dumps(_facts(examination, run, faults)) if as_json else _report(examination, run, faults), flush=True
    )
    if run is not None and not run.complete:
        say(f"nqueens: whether any is missing is not known: {run.engine} counted {run.count} and stopped")
    if faults:
        return Exit.DISAGREEMENT
    return Exit.DONE if run is None else exit_for(run.termination)


def _of_number(examination: Examination, run: Run) -> list[str]:
    """Return what is wrong with the number of solutions."""
    found, published = examination.count, published_count(run.instance)
    said = [] if published is None else [(f"OEIS {published.sequence}", published.count)]
    said += [(run.engine, run.count)] if run.complete else []
    where = f"{examination.folder}: {plural(found, 'solution')}"
    return [f"{where}, and {number} by {source}" for source, number in said if number != found]


def _report(examination: Examination, run: Run | None, faults: list[str]) -> str:
    words = [
        f"{plural(examination.count, 'solution')} in {plural(examination.shards, 'shard')}",
        plural(len(faults), "fault"),
    ]
    if run is not None and run.complete and not faults:
        published = published_count(run.instance)
        oeis = "" if published is None else f" and is the published one (OEIS {published.sequence})"
        words.append(f"the number is that of {run.engine}{oeis}")
    if examination.fingerprint is not None:
        words.append(f"fingerprint {examination.fingerprint}")
    return "\n".join([*faults, ", ".join(words)])


def _facts(examination: Examination, run: Run | None, faults: list[str]) -> dict[str, Any]:
    counted = None if run is None else {"engine": run.engine, "count": run.count, "complete": run.complete}
    return {
        "right": not faults,
        "instance": None if examination.instance is None else examination.instance.to_dict(),
        "shards": examination.shards,
        "solutions": examination.count,
        "fingerprint": examination.fingerprint,
        "faults": faults,
        "counted": counted,
    }
