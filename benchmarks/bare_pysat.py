"""The bare loop over PySAT that somebody would write for this task alone: python benchmarks/bare_pysat.py 8."""

import sys
from itertools import combinations

from pysat.solvers import Solver


def clauses(n):
    """Yield exactly one queen in every row and column, at most one on every diagonal, pairwise."""
    square = [[n * row + column + 1 for column in range(n)] for row in range(n)]
    for line in [*square, *map(list, zip(*square, strict=True))]:
        yield line
        yield from ([-one, -other] for one, other in combinations(line, 2))
    for number in range(1 - n, n):
        line = [square[row][row - number] for row in range(n) if 0 <= row - number < n]
        yield from ([-one, -other] for one, other in combinations(line, 2))
    for number in range(2 * n - 1):
        line = [square[row][number - row] for row in range(n) if 0 <= number - row < n]
        yield from ([-one, -other] for one, other in combinations(line, 2))


def solutions(n, solver="minisat22", warm_start=True):
    """Return all placements, the column of the queen of each row."""
    found = []
    with Solver(solver, bootstrap_with=clauses(n), warm_start=warm_start) as oracle:
        while oracle.solve():
            queens = [variable for variable in oracle.get_model() if variable > 0]
            found.append(tuple((queen - 1) % n for queen in queens))
            oracle.add_clause([-queen for queen in queens])
    return found


if __name__ == "__main__":
    for placement in solutions(int(sys.argv[1])):
        print(*placement)
