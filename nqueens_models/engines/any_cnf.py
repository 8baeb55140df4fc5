"""Any CNF: what satisfies it, projected on the variables by which its file says that solutions are told apart.

Solutions are visited in blocks of shape (k, p): the values, 0 or 1, of the p variables of the projection in their
order. Limits, processes and Ctrl-C are those of the engines; a row stands where a placement would.
"""

from __future__ import annotations

import random
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination, Visitor, ignore, killable
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.oracle import Oracle, enumerate_projected
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import InvalidInput
from nqueens_models.formats.dimacs import CnfFile
from nqueens_models.instance import Instance
from nqueens_models.models.clauses import Clause

MAX_FREE = 1_000_000
"""How many variables may be free: the number of solutions has a third as many digits."""
HARDER = 4  #    a CNF is taken to be as hard as a board with so many squares a variable (pigeons and holes are)
CLAUSES = 80  #  a square, which a board has at the most where that matters


class OracleEngine(Protocol):
    """An engine that asks a SAT solver."""

    @property
    def seed(self) -> int:
        """What shuffles the clauses; 0 leaves them in order."""
        ...

    def oracle(self, recorder: Recorder) -> Oracle:
        """Return the solver, without clauses; raise EngineUnavailable or InvalidSetting if there is none."""
        ...

    def endures(self, squares: int) -> bool:
        """Whether it notices the clock and Ctrl-C soon enough on a board of so many squares."""
        ...


def enumerate_cnf(cnf: CnfFile, engine: OracleEngine, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
    """Visit each solution of `cnf` once, projected: blocks of shape (k, p) of 0 and 1."""
    primary = np.array(cnf.primary, dtype=np.int64)
    return _Search(cnf, primary, engine).enumerate(Instance(len(primary)), visit, limits)


def count_cnf(cnf: CnfFile, engine: OracleEngine, limits: Limits = NO_LIMITS) -> Outcome:
    """Count the solutions of `cnf`, projected.

    Variables that no clause mentions are free: each doubles the number, and none is enumerated. Raises
    InvalidInput if there are more than MAX_FREE of them.
    """
    used = np.unique(np.abs(cnf.literals[cnf.literals != 0]))
    primary = np.array(cnf.projection, dtype=np.int64) if cnf.projection is not None else used
    free = len(cnf.primary) - int(np.isin(primary, used).sum())
    if free > MAX_FREE:
        raise InvalidInput(f"no clause mentions {free} of the variables: 2 ** {free} solutions or none")
    search = _Search(cnf, primary[np.isin(primary, used)], engine)
    wanted = limits.solutions
    inner = Limits(None if wanted is None else -(-wanted >> free), limits.seconds)
    outcome = search.enumerate(Instance(len(search.primary)), ignore, inner)
    solutions = outcome.solutions << free
    if wanted is not None and solutions >= wanted:
        return _counted(outcome, wanted, Termination.SOLUTION_LIMIT)
    return _counted(outcome, solutions, outcome.termination)


def _counted(outcome: Outcome, solutions: int, termination: Termination) -> Outcome:
    return Outcome(termination, solutions, outcome.build_seconds, outcome.solve_seconds, outcome.statistics)


class _Search:
    """An engine for one CNF; the instance that it is given says only how long a row is.

    Variables are renumbered, those of the projection first, so that a gap in their numbers costs no memory.
    """

    name: ClassVar[str] = "cnf"
    requires: ClassVar[tuple[str, ...]] = ()

    def __init__(self, cnf: CnfFile, primary: NDArray[np.int64], engine: OracleEngine) -> None:
        self.cnf = cnf
        self.primary = primary
        self.engine = engine

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution once."""
        if self.needs_child(instance, limits):
            return enumerate_in_child(self, instance, visit, limits)
        return conduct(self._search, instance, visit, limits)

    def needs_child(self, instance: Instance, limits: Limits) -> bool:  # noqa: ARG002
        """Whether the solver may be deaf for too long, and this process cannot be killed."""
        clauses = int(np.count_nonzero(self.cnf.literals == 0))
        variables = len(np.unique(np.abs(self.cnf.literals)))
        return not self.engine.endures(max(HARDER * variables, clauses // CLAUSES)) and not killable()

    def _search(self, recorder: Recorder) -> None:
        width = len(self.primary)
        clauses = self._clauses(recorder)
        if not all(clauses):
            recorder.built()
            return

        def record(assignment: list[int]) -> list[int]:
            missing = range(len(assignment) + 1, width + 1)  # unused variables at the end
            literals = assignment[:width] + [-variable for variable in missing]
            recorder.solution([literal > 0 for literal in literals])
            return literals

        with self.engine.oracle(recorder) as oracle:
            enumerate_projected(oracle, clauses, record, recorder)

    def _clauses(self, recorder: Recorder) -> list[Clause]:
        """Return the clauses over renumbered variables, at least one."""
        literals = self.cnf.literals
        others = np.setdiff1d(np.abs(literals[literals != 0]), self.primary)
        variables = len(self.primary) + len(others)
        recorder.statistics["variables"] = variables
        old = np.concatenate([self.primary, others])
        order = np.argsort(old)
        new = np.append(order + 1, 0)[np.searchsorted(old[order], np.abs(literals))]
        numbered = (np.sign(literals) * new).astype(np.int32)
        clauses = CnfFile(variables, numbered).clauses
        recorder.statistics["clauses"] = len(clauses)
        if self.engine.seed:
            random.Random(self.engine.seed).shuffle(clauses)
        return clauses or [[variables + 1]]  # some solvers crash on an empty CNF
