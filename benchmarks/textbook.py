"""Claims of the textbooks: which row-by-row method is fast, and what iterative deepening repeats.

    python benchmarks/textbook.py [--sizes 4-10] [--repeats 3]

All methods list every solution in this process, in pure Python, taking turns; the fastest run of each counts. A
node is a partial placement that breaks no rule, the empty one included: https://oeis.org/A319283 of them for every
method but iterative deepening. The bitmask search does not count its own. What iterative deepening costs is in the
nodes that it repeats: it tests a square in a way of its own, so that its times do not show that alone.
"""

from __future__ import annotations

import argparse
import time

from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance

YARDSTICK = "bitmask:method=python"
METHODS = (
    YARDSTICK,
    "column-sets",
    "column-sets:container=set",
    "conflict-check",
    "iterative-deepening",
    "attack-table",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=sizes, default="4-10", help="board sizes, as 4-10 or 8,10 (default: 4-10)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    contestants = {spec: listing(make_engine(spec)) for spec in METHODS}
    fastest = {size: take_turns(contestants, size, arguments.repeats) for size in arguments.sizes}
    print(environment(["numpy"]))
    print("\nMilliseconds to list every solution:\n")
    print(table(["N", "solutions", *METHODS], [times(size, runs) for size, runs in fastest.items()]))
    print(f"\nTimes as long as {YARDSTICK}:\n")
    print(table(["N", *METHODS], [ratios(size, runs) for size, runs in fastest.items()]))
    print("\nNodes, and those that iterative deepening meets again:\n")
    print(
        table(["N", "one search", "iterative deepening", "repeated", "ratio"], [nodes(size) for size in fastest])
    )


def listing(engine: Engine) -> Contestant:
    """Return a contestant that lists every solution."""
    return lambda size: Measured(*_timed(engine, size))


def _timed(engine: Engine, size: int) -> tuple[int, float]:
    start = time.process_time()
    outcome = engine.enumerate(Instance(size), lambda _: None)
    return outcome.solutions, time.process_time() - start


def times(size: int, runs: dict[str, Measured]) -> list[str]:
    """Return a line of times."""
    return [str(size), str(runs[YARDSTICK].result), *(f"{1000 * run.seconds:.2f}" for run in runs.values())]


def ratios(size: int, runs: dict[str, Measured]) -> list[str]:
    """Return a line of times in those of the yardstick."""
    return [str(size), *(f"{run.seconds / runs[YARDSTICK].seconds:.1f}" for run in runs.values())]


def nodes(size: int) -> list[str]:
    """Return a line of node counts."""
    once, deepening = (
        make_engine(name).enumerate(Instance(size), lambda _: None).statistics
        for name in ("conflict-check", "iterative-deepening")
    )
    ratio = deepening["nodes"] / once["nodes"]
    return [str(size), *map(str, (once["nodes"], deepening["nodes"], deepening["repeated_nodes"])), f"{ratio:.2f}"]


if __name__ == "__main__":
    main()
