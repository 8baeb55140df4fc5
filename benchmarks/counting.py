"""Claim: counting plain boards on one core, the four-quadrant join leaves a plain C search far behind.

    python benchmarks/counting.py [--sizes 12-17] [--repeats 3]

The yardstick is plain_bitmask.c, built with the C compiler (CC, else cc; without one it is left out). The times
are seconds of processor time, tables of the join included, its compiled code loaded before.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.engines.bitmask import quadrant_join

YARDSTICK = Path(__file__).with_name("plain_bitmask.c")
PLAIN_C, JOIN = "plain C", "quadrant join"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sizes", type=sizes, default="12-17", help="board sizes, as 12-17 or 16,17 (default: 12-17)"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        contestants: dict[str, Contestant] = {JOIN: join}
        if compiler := shutil.which(os.environ.get("CC", "cc")):
            contestants[PLAIN_C] = plain_c(compiler, Path(folder))
        else:
            print("no C compiler: without the yardstick\n")
        print(environment(["numba", "numpy"]) + (f"; {compiler_version(compiler)}" if compiler else "") + "\n")
        report(contestants, arguments.sizes, arguments.repeats)


def join(size: int) -> Measured:
    """Count by the four-quadrant join."""
    start = time.process_time()
    solutions = quadrant_join.count_plain(size)
    return Measured(solutions, time.process_time() - start)


def plain_c(compiler: str, folder: Path) -> Contestant:
    """Return the yardstick, built in `folder`."""
    program = folder / "plain_bitmask"
    subprocess.run([compiler, "-O3", "-o", program, YARDSTICK], check=True)

    def count(size: int) -> Measured:
        output = subprocess.run([program, str(size)], capture_output=True, text=True, check=True).stdout.split()
        return Measured(int(output[0]), float(output[1]))

    return count


def compiler_version(compiler: str) -> str:
    """Return what the compiler calls itself."""
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[
        0
    ]


def report(contestants: dict[str, Contestant], board_sizes: list[int], repeats: int) -> None:
    """Print a table with a line for each size."""
    quadrant_join.count_plain(quadrant_join.SMALLEST)  # compiled or loaded now
    rows = []
    for size in board_sizes:
        fastest = take_turns(contestants, size, repeats)
        seconds = [fastest[name].seconds for name in contestants]
        times = [f"{s:.4f}" for s in seconds]
        rows.append([str(size), f"{fastest[JOIN].result:,}", *times, f"{seconds[-1] / seconds[0]:.1f}"])
    print(table(["N", "solutions", *(f"{name}, s" for name in contestants), "times faster"], rows))


if __name__ == "__main__":
    main()
