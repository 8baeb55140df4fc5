"""What measuring costs: an empty engine, the same search with and without a worker around it, a second stopwatch.

    python benchmarks/measuring.py

The stopwatch is that of Bash, which stands between `compare` and its worker.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from nqueens_models.bench.isolate import execute_isolated
from nqueens_models.bench.machine import this_machine, usable_cores
from nqueens_models.bench.plan import make_case
from nqueens_models.bench.records import Allowance, Contender, Goal, MeasuredRun, Trial
from nqueens_models.bench.tables import seconds_text
from nqueens_models.engines.base import Block
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance

PLUG_INS = (
    Path(__file__).parents[1] / "tests" / "data" / "hostile"
)  # the empty engine is one of the tests' engines
REPEAT = 11
SEARCHES = (("bitmask:method=python", 10), ("column-sets", 9), ("sat", 9), ("cpsat", 8))
STOPWATCH = """#!/bin/bash
TIMEFORMAT=%R
exec 3>&2
{{ time {python} "$@" 2>&3; }} 2>>{log}
"""


def run(engine: str, n: int, repetition: int = 0, goal: Goal = Goal.LIST) -> MeasuredRun:
    """Make a run as `compare` does."""
    trial = Trial(
        case=make_case(Instance(n), goal),
        contender=Contender(engine=engine),
        allowance=Allowance(),
        repetition=repetition,
    )
    return execute_isolated(trial, "measuring", usable_cores()[-1:])


def empty_engine() -> None:
    """Print what a run costs in which nothing is searched."""
    runs = [run("hostile-empty", 8, number) for number in range(REPEAT)]
    solved = median((one.seconds.build or 0) + (one.seconds.solve or 0) for one in runs)
    print(
        f"empty engine: building and solving {seconds_text(solved)}, "
        f"imports {seconds_text(median(one.seconds.imports or 0 for one in runs))}, "
        f"whole process {seconds_text(median(one.seconds.total for one in runs))}, medians of {REPEAT}"
    )


def bare(engine: str, n: int) -> float:
    """Return the seconds of a search without anything around it."""
    searcher, board = make_engine(engine), Instance(n)
    blocks: list[Block] = []
    began = time.perf_counter()
    searcher.enumerate(board, blocks.append)
    return time.perf_counter() - began


def with_and_without() -> None:
    """Print the same searches, measured here in a loop and by runs, in turn."""
    for engine, n in SEARCHES:
        bare(engine, n)
        loop, runs = [], []
        for number in range(REPEAT):
            loop.append(bare(engine, n))
            seconds = run(engine, n, number).seconds
            runs.append((seconds.build or 0) + (seconds.solve or 0))
        print(
            f"{engine}, n={n}: bare {seconds_text(median(loop))}, run {seconds_text(median(runs))}, "
            f"ratio of the fastest {min(runs) / min(loop):.3f}, of the medians {median(runs) / median(loop):.3f}"
        )


def stopwatch() -> None:
    """Print total times of runs of more than a second beside those of the process in between."""
    with tempfile.TemporaryDirectory() as folder:
        log, script = Path(folder, "log"), Path(folder, "stopwatch")
        script.write_text(STOPWATCH.format(python=shlex.quote(sys.executable), log=shlex.quote(str(log))))
        script.chmod(0o755)
        python, sys.executable = sys.executable, str(script)
        try:
            totals = [run("column-sets", 11, number).seconds.total for number in range(5)]
        finally:
            sys.executable = python
        outside = [float(line) for line in log.read_text().split()]
    for ours, theirs in zip(totals, outside, strict=True):
        print(f"whole process {ours:.3f} s, outside stopwatch {theirs:.3f} s: {100 * (ours / theirs - 1):+.1f} %")


if __name__ == "__main__":
    sys.path.insert(0, str(PLUG_INS))
    os.environ["PYTHONPATH"] = str(PLUG_INS)
    print(this_machine().describe())
    empty_engine()
    with_and_without()
    stopwatch()
