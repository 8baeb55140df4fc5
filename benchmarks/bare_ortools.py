"""The bare OR-Tools program that somebody would write for this task alone: python benchmarks/bare_ortools.py 8."""

import sys

from ortools.sat.python import cp_model


class Collecting(cp_model.CpSolverSolutionCallback):
    """Collects the placements, the column of the queen of each row."""

    def __init__(self, queens):
        super().__init__()
        self.queens = queens
        self.found = []

    def on_solution_callback(self):
        """Collect one."""
        self.found.append(tuple(self.value(queen) for queen in self.queens))


def solutions(n):
    """Return all placements."""
    model = cp_model.CpModel()
    queens = [model.new_int_var(0, n - 1, f"q{row}") for row in range(n)]
    model.add_all_different(queens)
    model.add_all_different([queens[row] - row for row in range(n)])
    model.add_all_different([queens[row] + row for row in range(n)])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    collecting = Collecting(queens)
    solver.solve(model, collecting)
    return collecting.found


if __name__ == "__main__":
    for placement in solutions(int(sys.argv[1])):
        print(*placement)
