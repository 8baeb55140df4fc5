"""Claim: the bitmask engine lists all solutions of a plain board as one array faster than any plain search.

    python benchmarks/listing.py [--sizes 10-15] [--python 10-12] [--repeats 3]

The yardsticks are plain_listing.c, built with the C compiler (CC, else cc; without one it is left out), and the
textbook search in Python, for the sizes that --python says. The times are seconds of processor time until all
boards are in one array of bytes, compiled code loaded before. All must have listed the same boards.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.engines.base import Block
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance
from nqueens_models.known import A000170

YARDSTICK = Path(__file__).with_name("plain_listing.c")
PLAIN_C, PYTHON, OURS = "plain C", "Python", "bitmask"
Lister = Callable[[int], NDArray[np.uint8]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=sizes, default="10-15", help="board sizes (default: 10-15)")
    parser.add_argument("--python", type=sizes, default="10-12", help="those for Python, too (default: 10-12)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    contestants = {OURS: timed(engine("compiled"))}
    with tempfile.TemporaryDirectory() as folder:
        if compiler := shutil.which(os.environ.get("CC", "cc")):
            contestants[PLAIN_C] = timed(plain_c(compiler, Path(folder)))
        else:
            print("no C compiler: without that yardstick\n")
        contestants[PYTHON] = timed(engine("python"))
        print(environment(["numba", "numpy"]) + "\n")
        report(contestants, arguments.sizes, arguments.python, arguments.repeats)


def engine(method: str) -> Lister:
    """Return the engine as a lister."""

    def run(n: int) -> NDArray[np.uint8]:
        blocks: list[Block] = []
        BitmaskEngine(method).enumerate(Instance(n), blocks.append)
        return np.concatenate(blocks).astype(np.uint8, copy=False)

    return run


def plain_c(compiler: str, folder: Path) -> Lister:
    """Return the yardstick, built in `folder`."""
    library = folder / "plain_listing.so"
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", library, YARDSTICK], check=True)
    fill = ctypes.CDLL(str(library)).list
    fill.argtypes, fill.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_uint64

    def run(n: int) -> NDArray[np.uint8]:
        boards = np.empty((A000170[n], n), dtype=np.uint8)
        assert fill(n, boards.ctypes.data) == len(boards)
        return boards

    return run


def timed(lister: Lister) -> Contestant:
    """Return a contestant whose result says which boards it listed, in whatever order."""

    def run(n: int) -> Measured:
        start = time.process_time()
        boards = lister(n)
        seconds = time.process_time() - start
        return Measured(fingerprint(boards), seconds)

    return run


def fingerprint(boards: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the number of boards and the sum of their hashes."""
    hashes = np.zeros(len(boards), dtype=np.uint64)
    for column in boards.T:
        hashes = (hashes ^ column) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    return len(boards), int(hashes.sum())


def report(contestants: dict[str, Contestant], board_sizes: list[int], python: list[int], repeats: int) -> None:
    """Print a table with a line for each size."""
    contestants[OURS](8)  # compiled or loaded now
    rows = []
    for size in board_sizes:
        taking_part = {name: run for name, run in contestants.items() if name != PYTHON or size in python}
        fastest = take_turns(taking_part, size, repeats)
        ours = fastest[OURS]
        times = [f"{fastest[name].seconds:.4f}" if name in fastest else "" for name in contestants]
        ratios = [f"{fastest[name].seconds / ours.seconds:.1f}" if name in fastest else "" for name in contestants]
        rows.append([str(size), f"{ours.result[0]:,}", *times, *ratios[1:]])
    faster = [f"times faster than {name}" for name in contestants if name != OURS]
    print(table(["N", "solutions", *(f"{name}, s" for name in contestants), *faster], rows))


if __name__ == "__main__":
    main()
