"""SAT: the clauses of models/cnf.py in one of PySAT's solvers, each assignment found and blocked in turn.

A blocking clause speaks of the queens alone, so that a board comes once, however many values the auxiliary
variables of an encoding could take. engines/oracle.py has the solvers.

What unit clauses decide, as on the lines of fixed queens, never reaches the solver: the variables that are left
are numbered anew. Otherwise every assignment of a completion board of n = 1000 would be a million literals.

The defaults are the fastest measured on plain boards, with minicard, minisat-gh and minisatep as fast (`python
benchmarks/default_settings.py sat --sizes 10,12`, python-sat 1.9.dev24): processor time over that of the default
for n = 10 and 12 is 1.8 and 15.8 with warm_start=false; 1.2 and 1.6 with cadical195, which leads without a warm
start and on hard blocked boards of n = 50; 1.9 and 4.0 with glucose4; 1.0 and 1.4 with bimander, 1.2 and 1.4
with bitwise, 1.7 and 2.2 with ladder.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, killable, setting
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.oracle import (
    CHUNK,
    Oracle,
    endures,
    enumerate_projected,
    pysat_oracle,
    solver_names,
)
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.instance import Instance, Square
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.clauses import Clause, Cnf
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.models.column_cnf import COLUMN_VARIABLES, Columns, column_cnf
from nqueens_models.symmetry import Symmetry, orbit, stabiliser
from nqueens_models.watch import Watch, unwatched

VARIABLES = ("direct", *COLUMN_VARIABLES)
CONTRADICTION: list[Clause] = [[1], [-1]]


@dataclass(frozen=True)
class SatEngine:
    """CNF with any encoding of at-most-one, in any of PySAT's solvers."""

    name: ClassVar[str] = "sat"
    requires: ClassVar[tuple[str, ...]] = ("python-sat",)

    solver: str = setting("minisat22", "the solver, by PySAT's name", solver_names)
    at_most_one: str = setting("pairwise", "how at-most-one is encoded in clauses", tuple(ENCODINGS))
    warm_start: bool = setting(True, "search on from the last assignment, where the solver can")
    seed: int = setting(0, "shuffles the clauses; 0 leaves them in order")
    symmetry_breaking: bool = setting(False, "let the solver find one solution of each orbit, and add its images")
    variables: str = setting("direct", "one a square, or the columns in another encoding", VARIABLES)

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance`; Engine.enumerate says more."""
        if self.needs_child(instance, limits):
            return enumerate_in_child(self, instance, visit, limits)
        return conduct(self._search, instance, visit, limits)

    def needs_child(self, instance: Instance, limits: Limits) -> bool:  # noqa: ARG002
        """Whether the solver is deaf for too long on a board of this size, and this process cannot be killed."""
        return not self.endures(instance.n**2) and not killable()

    def endures(self, squares: int) -> bool:
        """Whether the solver notices the clock and Ctrl-C soon enough on so many squares."""
        return endures(self.solver, squares)

    def oracle(self, recorder: Recorder) -> Oracle:
        """Return the solver, without clauses; raise EngineUnavailable or InvalidSetting if there is none."""
        return pysat_oracle(self.solver, recorder, self.warm_start)

    def _search(self, recorder: Recorder) -> None:
        with self.oracle(recorder) as oracle:
            cnf = self.cnf(recorder.instance, recorder.check_time)
            recorder.statistics["variables"] = cnf.variables
            recorder.statistics["auxiliary_variables"] = cnf.variables - self._primary(recorder.instance.n)
            recorder.statistics["clauses"] = len(cnf.clauses)
            group = stabiliser(recorder.instance) if self.symmetry_breaking else ()
            if self.variables == "direct":
                enumerate_boards(oracle, cnf, recorder, group)
            else:
                enumerate_columns(oracle, Columns(recorder.instance.n, self.variables), cnf, recorder, group)

    def cnf(self, instance: Instance, watch: Watch = unwatched) -> Cnf:
        """Return the clauses that are solved; `watch` is called as they are added."""
        if self.variables == "direct":
            cnf = queens_cnf(instance, self.at_most_one, watch, self.symmetry_breaking)
        else:
            cnf = column_cnf(instance, self.variables, watch, self.symmetry_breaking)
        if self.seed:
            random.Random(self.seed).shuffle(cnf.clauses)
        return cnf

    def _primary(self, n: int) -> int:
        return n * n if self.variables == "direct" else Columns(n, self.variables).primary


def enumerate_columns(
    oracle: Oracle, columns: Columns, cnf: Cnf, recorder: Recorder, group: Sequence[Symmetry] = ()
) -> None:
    """Record each placement that satisfies `cnf`, stated over `columns`, and its images."""
    rows = range(columns.n)

    def record(assignment: list[int]) -> list[int]:
        placement = [columns.column(row, assignment) for row in rows]
        for image in orbit(placement, group) if group else [placement]:
            recorder.solution(image)
        return [literal for row in rows for literal in columns.stands(row, placement[row])]

    enumerate_projected(oracle, _digestible(cnf.clauses), record, recorder)


def enumerate_boards(oracle: Oracle, cnf: Cnf, recorder: Recorder, group: Sequence[Symmetry] = ()) -> None:
    """Record each placement that satisfies `cnf`, the statement of the recorder's instance, and its images."""
    undecided = _undecided(cnf, recorder)
    squares, placement = undecided.squares, undecided.placement

    def record(assignment: list[int]) -> list[int]:
        queens = [variable for variable in islice(assignment, len(squares)) if variable > 0]
        for variable in queens:
            row, column = squares[variable - 1]
            placement[row] = column
        for image in orbit(placement, group) if group else [placement]:
            recorder.solution(image)
        return queens

    enumerate_projected(oracle, undecided.clauses, record, recorder)


def _digestible(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """Return clauses that say the same, one at least and none of them empty: some solvers crash on others."""
    return (clauses or [[1]]) if all(clauses) else CONTRADICTION


@dataclass(frozen=True)
class _Undecided:
    """What unit clauses leave of a CNF, `_digestible`.

    `squares` has the square of each of the first variables, as they are numbered now; auxiliary ones follow.
    `placement` has the columns of the queens that are decided, -1 in the other rows.
    """

    clauses: Sequence[Clause]
    squares: Sequence[Square]
    placement: list[int]


def _undecided(cnf: Cnf, recorder: Recorder) -> _Undecided:
    """Apply the unit clauses of `cnf`, once."""
    n = recorder.instance.n
    true = {clause[0] for clause in cnf.clauses if len(clause) == 1}
    left = [v for v in range(1, cnf.variables + 1) if v not in true and -v not in true]
    squares = [divmod(v - 1, n) for v in left if v <= n * n]
    placement = [-1] * n
    for row, column in (divmod(literal - 1, n) for literal in true if 0 < literal <= n * n):
        placement[row] = column
    clauses = _renumbered(cnf.clauses, true, left, recorder) if true else cnf.clauses
    if any(-literal in true for literal in true):
        clauses = CONTRADICTION
    return _Undecided(_digestible(clauses), squares, placement)


def _renumbered(clauses: list[Clause], true: set[int], left: list[int], recorder: Recorder) -> list[Clause]:
    """Return the clauses that no literal in `true` satisfies, without false literals; `left` counts from 1."""
    number = {variable: now for now, variable in enumerate(left, start=1)}
    number |= {-variable: -now for variable, now in number.items()}
    renumbered: list[Clause] = []
    for start in range(0, len(clauses), CHUNK):
        for clause in clauses[start : start + CHUNK]:
            try:
                renumbered.append([number[literal] for literal in clause])
            except KeyError:  # a literal is decided
                if true.isdisjoint(clause):
                    renumbered.append([number[literal] for literal in clause if -literal not in true])
        recorder.check_time()
    return renumbered
