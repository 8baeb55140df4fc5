"""Claim: a ledger costs a count of plain boards less than 5 %.

    python benchmarks/ledger.py [--size 19] [--pairs 7] [--workers 1]

Counts are made in pairs, with and without a ledger, in turn and in one process whose compiled code and tables are
loaded; who goes first alternates. Ratios of wall-clock time, commits included, and of processor time, which says
more on a machine that does other things too.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from side_by_side import environment

from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin
from nqueens_models.instance import Instance
from nqueens_models.units import Division, Ledger, count_units, divide, execute_units, local_workers


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=19, help="rows of the board, 13 to 24 (default: 19)")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of counts (default: 7)")
    parser.add_argument("--workers", type=int, default=1, help="threads (default: 1)")
    arguments = parser.parse_args()
    division = divide(Instance(arguments.size), BitmaskEngine(workers=arguments.workers))
    print(environment(["numba", "numpy"]) + f"\n\nn = {arguments.size}, {len(division.units)} units\n")
    with tempfile.TemporaryDirectory() as folder:
        report(division, Path(folder), arguments.pairs)


class Seconds(NamedTuple):
    """Wall-clock time, and processor time of all threads."""

    wall: float
    processor: float


@contextmanager
def stopwatch() -> Iterator[list[Seconds]]:
    """Give a list that will hold the time that the block took."""
    taken: list[Seconds] = []
    began = Seconds(time.perf_counter(), time.process_time())
    yield taken
    taken.append(Seconds(time.perf_counter() - began.wall, time.process_time() - began.processor))


def without(division: Division) -> Seconds:
    """Return how long the engine's own count takes, as `count` without a ledger makes it, but for its tables."""
    join = QuadrantJoin(division.instance.n)
    workers = division.engine.workers if isinstance(division.engine, BitmaskEngine) else 1
    with stopwatch() as taken:
        solutions = sum(counted.solutions for counted in join.iterate(workers))
    assert solutions == EXPECTED.setdefault(division.identity, solutions)
    return taken[0]


def under(division: Division, path: Path) -> Seconds:
    """Return how long the same count takes under a new ledger; the tables are there."""
    with local_workers(division) as workers:
        list(count_units(division, workers.executor, division.units[:1]))
        with stopwatch() as taken, Ledger(path, division) as ledger:
            run = execute_units(division, ledger, workers)
    assert run.count == EXPECTED.setdefault(division.identity, run.count)
    path.unlink()
    return taken[0]


EXPECTED: dict[str, int] = {}


def report(division: Division, folder: Path, pairs: int) -> None:
    """Print a line for each pair, and the ratios."""
    path, ratios = folder / "ledger.sqlite", list[Seconds]()
    for pair in range(pairs):
        if pair % 2:
            kept, plain = under(division, path), without(division)
        else:
            plain, kept = without(division), under(division, path)
        ratio = Seconds(kept.wall / plain.wall, kept.processor / plain.processor)
        ratios.append(ratio)
        print(f"{plain.wall:.3f} s without, {kept.wall:.3f} s with: {ratio.wall:.3f}", end="")
        print(
            f"; of processor time {plain.processor:.3f} s, {kept.processor:.3f} s: {ratio.processor:.3f}",
            flush=True,
        )
    for name, one in (("wall-clock", [r.wall for r in ratios]), ("processor", [r.processor for r in ratios])):
        print(f"{name} time: median ratio {median(one):.3f}, from {min(one):.3f} to {max(one):.3f}")


if __name__ == "__main__":
    main()
