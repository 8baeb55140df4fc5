"""Claim: a ledger costs a count of plain boards less than 5 %.

    python benchmarks/ledger.py [--size 19] [--pairs 7] [--workers 1]

Counts are made in pairs, with and without a ledger, in turn and in one process whose compiled code and tables are
loaded; who goes first alternates. The ratio of each pair is of wall-clock seconds, commits included.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from side_by_side import environment, table

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


def without(division: Division) -> float:
    """Return the seconds of the engine's own count, as `count` without a ledger makes it, but for its tables."""
    join = QuadrantJoin(division.instance.n)
    workers = division.engine.workers if isinstance(division.engine, BitmaskEngine) else 1
    began = time.perf_counter()
    solutions = sum(counted.solutions for counted in join.iterate(workers))
    seconds = time.perf_counter() - began
    assert solutions == EXPECTED.setdefault(division.identity, solutions)
    return seconds


def under(division: Division, path: Path) -> float:
    """Return the seconds of the same count under a new ledger; the tables are there."""
    with local_workers(division) as workers:
        list(count_units(division, workers.executor, division.units[:1]))
        began = time.perf_counter()
        with Ledger(path, division) as ledger:
            run = execute_units(division, ledger, workers)
        seconds = time.perf_counter() - began
    assert run.count == EXPECTED.setdefault(division.identity, run.count)
    path.unlink()
    return seconds


EXPECTED: dict[str, int] = {}


def report(division: Division, folder: Path, pairs: int) -> None:
    """Print a line for each pair, and the ratios."""
    path, rows, ratios = folder / "ledger.sqlite", [], []
    under(division, path)
    without(division)
    for pair in range(pairs):
        if pair % 2:
            with_ledger, plain = under(division, path), without(division)
        else:
            plain, with_ledger = without(division), under(division, path)
        ratios.append(with_ledger / plain)
        rows.append([str(pair + 1), f"{plain:.3f}", f"{with_ledger:.3f}", f"{ratios[-1]:.3f}"])
    print(table(["pair", "without, s", "with a ledger, s", "ratio"], rows))
    print(f"\nmedian ratio {median(ratios):.3f}, from {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
