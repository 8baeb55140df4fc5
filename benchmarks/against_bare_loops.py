"""Claim: an engine costs little more than a bare program for the same solver, written for this task alone.

    python benchmarks/against_bare_loops.py [--sizes 10,12] [--repeats 3]

Two comparisons, each in seconds of processor time: enumeration inside one process, with what the solver needs
imported before, and whole commands, `python -m nqueens_models solve N` against bare_pysat.py and bare_ortools.py.
For small boards the second compares what is imported. The bare loop has the engine's solver, clauses and warm
start; the bare OR-Tools program has the engine's model, in OR-Tools' own configuration.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import bare_ortools
import bare_pysat
from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance
from nqueens_models.models.cnf import queens_cnf

HERE = Path(__file__).parent
ALLOWED = {"sat": 1.2, "cpsat": 1.15}
BARE = {"sat": bare_pysat, "cpsat": bare_ortools}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=sizes, default="10,12", help="board sizes (default: 10,12)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    print(environment(["ortools", "python-sat", "numpy"]) + "\n")
    rows = [row for n in arguments.sizes for row in report(n, arguments.repeats)]
    print(table(["n", "engine", "compared", "engine, s", "bare, s", "ratio", "allowed"], rows))


def report(n: int, repeats: int) -> list[list[str]]:
    """Return the rows of the table for one board size."""
    stated = [sorted(clause) for clause in queens_cnf(Instance(n)).clauses]
    if stated != [sorted(clause) for clause in bare_pysat.clauses(n)]:
        raise ValueError("the bare loop solves other clauses")
    rows = []
    for name in BARE:
        for compared, engine, bare in (
            ("enumeration", enumeration(name), bare_enumeration(name)),
            ("command", command("-m", "nqueens_models", "solve", "--engine", name), command(bare_file(name))),
        ):
            times = take_turns({"engine": engine, "bare": bare}, n, repeats)
            ours, theirs = times["engine"].seconds, times["bare"].seconds
            figures = (f"{ours:.3f}", f"{theirs:.3f}", f"{ours / theirs:.2f}", f"{ALLOWED[name]:.2f}")
            rows.append([str(n), name, compared, *figures])
    return rows


def enumeration(name: str) -> Contestant:
    """Enumerate by an engine, in this process."""

    def run(n: int) -> Measured:
        start = time.process_time()
        found: list[tuple[int, ...]] = []
        make_engine(name).enumerate(Instance(n), lambda block: found.extend(map(tuple, block.tolist())))
        return Measured(frozenset(found), time.process_time() - start)

    return run


def bare_enumeration(name: str) -> Contestant:
    """Enumerate by a bare program's function, in this process."""

    def run(n: int) -> Measured:
        start = time.process_time()
        found = BARE[name].solutions(n)
        return Measured(frozenset(found), time.process_time() - start)

    return run


def bare_file(name: str) -> str:
    """Return the path of the bare program."""
    return str(HERE / f"{BARE[name].__name__}.py")


def command(*arguments: str) -> Contestant:
    """Run a Python program to its end; the processor time is that of its process."""

    def run(n: int) -> Measured:
        before = os.times()
        done = subprocess.run(
            [sys.executable, *arguments, str(n)], capture_output=True, check=True, cwd=HERE.parent
        )
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        return Measured(frozenset(done.stdout.splitlines()), seconds)

    return run


if __name__ == "__main__":
    main()
