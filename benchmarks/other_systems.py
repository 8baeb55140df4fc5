"""The engines, searching as they do by default, beside other systems that list all solutions.

    python benchmarks/other_systems.py [--sizes 8-10] [--repeats 3]

Each system that is installed lists every solution of the plain board, in the statement that its documentation
suggests, and all of them are counted as Python objects; one that is missing is left out with a word. The times are
seconds of processor time of this process, imports done before.

    pip install clingo python-constraint2 xcover exact-cover cpmpy
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable

from side_by_side import Contestant, Measured, environment, sizes, table, take_turns

from nqueens_models.cubes import make_search
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=sizes, default="8-10", help="board sizes, as 8-10 or 11,12")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, of which the fastest counts")
    arguments = parser.parse_args()
    contestants = {f"{name} here": timed(ours(name)) for name in ("bitmask", "sat", "cpsat")}
    distributions = ["ortools", "python-sat", "numpy"]
    for distribution, (module, listing) in SYSTEMS.items():
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"{distribution} is not installed: without it")
            continue
        contestants[distribution] = timed(listing)
        distributions.append(distribution)
    print(environment(distributions) + "\n")
    for contestant in contestants.values():
        contestant(4)  # imports
    rows = []
    for size in arguments.sizes:
        measured = take_turns(contestants, size, arguments.repeats)
        rows.append([str(size), *(f"{one.seconds:.3f}" for one in measured.values())])
    print(table(["n", *contestants], rows))


def timed(listing: Callable[[int], int]) -> Contestant:
    """Return what measures one listing; its result is the number of solutions."""

    def run(size: int) -> Measured:
        start = time.process_time()
        solutions = listing(size)
        return Measured(solutions, time.process_time() - start)

    return run


def ours(engine: str) -> Callable[[int], int]:
    """Return the search that is chosen here by default."""

    def listing(n: int) -> int:
        return make_search(make_engine(engine), Instance(n)).enumerate(Instance(n), lambda _: None).solutions

    return listing


def clingo(n: int) -> int:
    """Answer set programming: diagonals as cardinality constraints (Gebser et al., Potassco guide)."""
    from clingo import Control

    control = Control(["0", "--warn=none"])
    control.add(
        "base",
        [],
        f"""
        #const n={n}.
        1 {{ queen(R,C) : C=1..n }} 1 :- R=1..n.
        1 {{ queen(R,C) : R=1..n }} 1 :- C=1..n.
        :- D=2..2*n, 2 {{ queen(R,D-R) }}.
        :- D=1-n..n-1, 2 {{ queen(D+C,C) }}.
        """,
    )
    control.ground([("base", [])])
    placements = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            queens = (atom.arguments for atom in model.symbols(atoms=True))
            placements.append(sorted((row.number, column.number) for row, column in queens))
    return len(placements)


def python_constraint(n: int) -> int:
    """A constraint solver in Python: one variable a row, one constraint a pair of rows."""
    from constraint import AllDifferentConstraint, Problem

    problem = Problem()
    problem.addVariables(range(n), range(n))
    problem.addConstraint(AllDifferentConstraint())
    for first in range(n):
        for second in range(first + 1, n):
            down = second - first
            problem.addConstraint(lambda a, b, down=down: abs(a - b) != down, (first, second))
    return len(problem.getSolutions())


def lines_of(row: int, column: int, n: int) -> tuple[int, int, int, int]:
    """Return the numbers of the lines through a square: its row, its column, and the two diagonals."""
    return row, n + column, 2 * n + row + column, 4 * n - 1 + (row - column + n - 1)


def xcover(n: int) -> int:
    """Exact cover by Knuth's Algorithm C (xcover): rows and columns are covered, diagonals at most once."""
    from xcover import covers

    options = [lines_of(row, column, n) for row in range(n) for column in range(n)]
    diagonals = list(range(2 * n, 6 * n - 2))
    return sum(1 for _ in covers(options, primary=list(range(2 * n)), secondary=diagonals))


def exact_cover(n: int) -> int:
    """Exact cover by Algorithm X; each diagonal may also be covered by an option of its own."""
    import numpy as np
    from exact_cover import get_all_solutions

    width = 6 * n - 2
    options = np.zeros((n * n + width - 2 * n, width), dtype=np.int32)
    for square in range(n * n):
        options[square, list(lines_of(*divmod(square, n), n))] = 1
    for number, diagonal in enumerate(range(2 * n, width), start=n * n):
        options[number, diagonal] = 1
    return len({tuple(sorted(o for o in solution if o < n * n)) for solution in get_all_solutions(options)})


def cpmpy(n: int) -> int:
    """The three all-different constraints, over CP-SAT (CPMpy's own example)."""
    import cpmpy as cp
    import numpy as np

    queens = cp.intvar(0, n - 1, shape=n)
    rows = np.arange(n)
    model = cp.Model(cp.AllDifferent(queens), cp.AllDifferent(queens - rows), cp.AllDifferent(queens + rows))
    placements: list[list[int]] = []
    model.solveAll(solver="ortools", display=lambda: placements.append(queens.value().tolist()))
    return len(placements)


SYSTEMS: dict[str, tuple[str, Callable[[int], int]]] = {
    "clingo": ("clingo", clingo),
    "python-constraint2": ("constraint", python_constraint),
    "xcover": ("xcover", xcover),
    "exact-cover": ("exact_cover", exact_cover),
    "cpmpy": ("cpmpy", cpmpy),
}
"""Distributions, the modules that they install, and how all solutions are listed."""


if __name__ == "__main__":
    main()
