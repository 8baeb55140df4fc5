"""A count beside the published one: what JSON says of a run, and the sentence and the exit status for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import say
from nqueens_models.instance import Instance
from nqueens_models.known import published_count
from nqueens_models.run import Run


def compare_with_published(run: Run, quiet: bool) -> Exit:
    """Say whether a complete count is the published one, if there is one; return the exit status."""
    if not run.complete:
        return exit_for(run.termination)
    return hold_against_published(run.instance, run.count, run.fundamental, quiet)


def hold_against_published(instance: Instance, count: int, fundamental: bool = False, quiet: bool = False) -> Exit:
    """Say whether so many solutions are as published, if that is known; a wrong number is said even if `quiet`."""
    published = published_count(instance, fundamental)
    if published is None:
        return Exit.DONE
    if count != published.count:
        say(f"wrong: OEIS {published.sequence} says {published.count}")
        return Exit.DISAGREEMENT
    if not quiet:
        say(f"equal to the published value (OEIS {published.sequence})")
    return Exit.DONE


def record(run: Run) -> dict[str, Any]:
    """Return what JSON output says about a run."""
    published = published_count(run.instance, run.fundamental)
    facts: Mapping[str, Any] = {
        "engine": run.engine,
        "search": run.search,
        "n": run.instance.n,
        "count": run.count,
        "fundamental": run.fundamental,
        "termination": str(run.termination),
        "complete": run.complete,
        "seconds": {name: round(getattr(run.timings, name), 6) for name in ("build", "solve", "total")},
        "statistics": dict(run.statistics),
    }
    known = {} if published is None else {"published": {"count": published.count, "oeis": published.sequence}}
    return {**facts, **known}
