"""Claim: one cube of each orbit makes CP-SAT and SAT list all solutions many times faster than their plain search.

    python benchmarks/cubes.py [--sizes 8-12] [--engines sat,cpsat] [--repeats 3] [--plain-up-to 12]
    python benchmarks/cubes.py --workers 2 --sizes 13 --engines sat

Without --workers: seconds of processor time of this process, imports done before, for the plain search and for
cubes split in several ways; the ratio is of plain to the search that is chosen by default. With --workers: seconds
by the clock of the default search on one worker and on so many, the start of their processes included.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from functools import partial

from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.cubes import make_search
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance

SPLITS = ("rows=2", "centre-lines=1", "centre-lines=2", "centre-lines=3", "centre-lines")
PLAIN, DEFAULT = "plain", "default"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=sizes, default="8-12", help="board sizes, as 8-12 or 13,14")
    parser.add_argument("--engines", default="sat,cpsat", help="engines, with commas between them")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    parser.add_argument("--plain-up-to", type=int, default=12, help="boards above take the plain search too long")
    parser.add_argument("--workers", type=int, default=0, help="compare so many workers with one")
    arguments = parser.parse_args()
    print(environment(["ortools", "python-sat", "numpy"]) + "\n")
    rows = []
    for engine in arguments.engines.split(","):
        listing(engine, "plain", 1, time.process_time, 6)  # imports
        for size in arguments.sizes:
            if arguments.workers:
                contestants = by_workers(engine, arguments.workers)
            else:
                contestants = by_split(engine, size <= arguments.plain_up_to)
            rows.append([engine, str(size), *cells(take_turns(contestants, size, arguments.repeats))])
    names = list(by_workers("", arguments.workers) if arguments.workers else by_split("", plain=True))
    print(table(["engine", "n", *names, "ratio"], rows))


def by_split(engine: str, plain: bool) -> dict[str, Contestant]:
    """Return the plain search, cubes in several ways, and what is chosen by default."""
    searches = {PLAIN: "plain"} | {split: f"cubes:{split}" for split in SPLITS} | {DEFAULT: None}
    if not plain:
        del searches[PLAIN]
    return {name: partial(listing, engine, search, 1, time.process_time) for name, search in searches.items()}


def by_workers(engine: str, workers: int) -> dict[str, Contestant]:
    """Return the default search with one worker and with more."""
    names = {1: "1 worker", workers: f"{workers} workers"}
    return {name: partial(listing, engine, None, number, time.perf_counter) for number, name in names.items()}


def listing(engine: str, search: str | None, workers: int, clock: Callable[[], float], size: int) -> Measured:
    """List every solution, and throw them away."""
    instance = Instance(size)
    searcher = make_search(make_engine(engine), instance, search, workers=workers)
    start = clock()
    outcome = searcher.enumerate(instance, lambda _: None)
    return Measured(outcome.solutions, clock() - start)


def cells(measured: Mapping[str, Measured]) -> list[str]:
    """Return the seconds of each, and how many times the first takes what the last takes."""
    names = list(measured)
    seconds = [f"{measured[name].seconds:.3f}" for name in names]
    if names[0] in (PLAIN, "1 worker"):
        return [*seconds, f"{measured[names[0]].seconds / measured[names[-1]].seconds:.1f}"]
    return ["", *seconds, ""]


if __name__ == "__main__":
    main()
