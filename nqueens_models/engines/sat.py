"""SAT: the clauses of models/cnf.py in one of PySAT's solvers, each assignment found and blocked in turn.

A blocking clause speaks of the queens alone, so that a board comes once, however many values the auxiliary
variables of an encoding could take. engines/oracle.py has the solvers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Recorder, Visitor, conduct, setting
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.oracle import (
    COLD,
    INTERRUPTIBLE,
    Oracle,
    check_solver,
    enumerate_projected,
    pysat_oracle,
    solver_names,
)
from nqueens_models.instance import Instance
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import Cnf, queens_cnf

__all__ = ["COLD", "INTERRUPTIBLE", "SatEngine", "enumerate_boards", "solver_names"]


@dataclass(frozen=True)
class SatEngine:
    """CNF with any encoding of at-most-one, in any of PySAT's solvers."""

    name: ClassVar[str] = "sat"
    requires: ClassVar[tuple[str, ...]] = ("python-sat",)

    solver: str = setting("minisat22", "the solver, by PySAT's name", solver_names)
    at_most_one: str = setting("pairwise", "how at-most-one is encoded in clauses", tuple(ENCODINGS))
    warm_start: bool = setting(True, "search on from the last assignment, where the solver can")
    seed: int = setting(0, "shuffles the clauses; 0 leaves them in order")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance`; Engine.enumerate says more."""
        if limits.seconds is not None and not self.solver.startswith(INTERRUPTIBLE):
            return enumerate_in_child(self, instance, visit, limits)
        return conduct(self._search, instance, visit, limits)

    def _search(self, recorder: Recorder) -> None:
        check_solver(self.solver)
        cnf = self._cnf(recorder)
        with pysat_oracle(self.solver, recorder, self.warm_start) as oracle:
            enumerate_boards(oracle, cnf, recorder)

    def _cnf(self, recorder: Recorder) -> Cnf:
        cnf = queens_cnf(recorder.instance, self.at_most_one, recorder.check_time)
        recorder.statistics["variables"] = cnf.variables
        recorder.statistics["auxiliary_variables"] = cnf.variables - recorder.instance.n**2
        recorder.statistics["clauses"] = len(cnf.clauses)
        if self.seed:
            random.Random(self.seed).shuffle(cnf.clauses)
        return cnf


def enumerate_boards(oracle: Oracle, cnf: Cnf, recorder: Recorder) -> None:
    """Record each placement that satisfies `cnf`, the statement of the recorder's instance."""
    n = recorder.instance.n
    placement = [-1] * n
    undecided = [True] * (n * n)  # squares whose variable no fixed queen of their row decides
    for row, column in recorder.instance.fixed:
        placement[row] = column
        undecided[n * row : n * (row + 1)] = [False] * n

    def queens(assignment: list[int]) -> list[int]:
        return [square for square in compress(assignment, undecided) if square > 0]

    def record(squares: list[int]) -> None:
        for square in squares:
            row, column = divmod(square - 1, n)
            placement[row] = column
        recorder.solution(placement)

    some = cnf.clauses or [[cnf.variables + 1]]  # some solvers crash on an empty CNF
    enumerate_projected(oracle, some, queens, record, recorder)
