"""SAT: the clauses of models/cnf.py in one of PySAT's solvers, each assignment found and blocked in turn.

Projected enumeration: a blocking clause speaks of the queens alone, so that a board comes once, however many
values the auxiliary variables of an encoding could take (PySAT's enum_models() blocks those too).

A running C++ function keeps Python from seeing the clock or Ctrl-C. Solvers with an `interrupt` are told by a
thread that waits for either. The others (CaDiCaL, Kissat, Lingeling, CryptoMiniSat) leave their search by a long
jump at Ctrl-C, and run in a process that can be killed when there is a time limit.

MiniSat and its descendants can search on, after a blocking clause, from the assignment that it forbids instead of
from an empty board (`warm_start`).
"""

from __future__ import annotations

import ctypes
import random
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Recorder, Visitor, conduct, setting
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.registry import unknown
from nqueens_models.engines.stopping import Stopping
from nqueens_models.errors import EngineUnavailable, InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import Clause, Cnf, queens_cnf

INTERRUPTIBLE = ("ergo", "gluecard", "glucose", "maple", "mergesat", "minicard", "minisat")
"""How the names of the solvers begin whose search another thread can end."""
COLD = ("glucose42",)
"""Interruptible solvers that must not start warm: glucose42 then finds 250 of the 724 boards of n = 10."""
CHUNK = 10_000  # clauses handed to a solver between two looks at the clock


def solver_names() -> tuple[str, ...]:
    """Return the names of PySAT's solvers, () when PySAT is not installed."""
    try:
        from pysat.solvers import SolverNames
    except ImportError:
        return ()
    aliases = {name: names for name, names in vars(SolverNames).items() if not name.startswith("_")}
    return tuple(name if name in names else names[-1] for name, names in aliases.items())


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
        _check_solver(self.solver)
        cnf = self._cnf(recorder)
        if not cnf.clauses:  # n = 0; maplesat crashes on an empty CNF
            recorder.built()
            recorder.statistics.update(assignments=1, blocking_clauses=0)
            recorder.solution(())
            return
        with self._oracle(recorder) as oracle:
            for start in range(0, len(cnf.clauses), CHUNK):
                oracle.add(cnf.clauses[start : start + CHUNK])
                recorder.check_time()
            recorder.built()
            _block_one_by_one(oracle, recorder)

    def _cnf(self, recorder: Recorder) -> Cnf:
        cnf = queens_cnf(recorder.instance, self.at_most_one, recorder.check_time)
        recorder.statistics["variables"] = cnf.variables
        recorder.statistics["auxiliary_variables"] = cnf.variables - recorder.instance.n**2
        recorder.statistics["clauses"] = len(cnf.clauses)
        if self.seed:
            random.Random(self.seed).shuffle(cnf.clauses)
        return cnf

    def _oracle(self, recorder: Recorder) -> _Oracle:
        """Return the solver, still without clauses."""
        if self.solver.startswith(INTERRUPTIBLE):
            return _Interruptible(self.solver, recorder, self.warm_start and self.solver not in COLD)
        return _Refilled(self.solver) if self.solver.startswith("kissat") else _Oracle(self.solver)


def _block_one_by_one(oracle: _Oracle, recorder: Recorder) -> None:
    """Record each placement that an assignment stands for, and add the clause that blocks it."""
    n = recorder.instance.n
    placement = [-1] * n
    undecided = [True] * (n * n)  # squares whose variable no fixed queen of their row decides
    for row, column in recorder.instance.fixed:
        placement[row] = column
        undecided[n * row : n * (row + 1)] = [False] * n
    assignments = blocking_clauses = 0
    try:
        while oracle.solve():
            queens = [square for square in compress(oracle.assignment(), undecided) if square > 0]
            for square in queens:
                row, column = divmod(square - 1, n)
                placement[row] = column
            assignments += 1
            recorder.solution(placement)
            if not queens:
                return  # every queen is fixed: this placement is the only one
            oracle.add([[-square for square in queens]])
            blocking_clauses += 1
    finally:
        found = {"assignments": assignments, "blocking_clauses": blocking_clauses}
        recorder.statistics.update(oracle.statistics(), **found)


class _Oracle:
    """One of PySAT's solvers.

    At Ctrl-C its search is left by a long jump out of the signal handler, and what was half done stays half done:
    such a solver is abandoned, never called again, not even to free its memory.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.solver: Any = _new_solver(name)

    def __enter__(self) -> _Oracle:
        return self

    def __exit__(self, *error: object) -> None:
        if self.solver is not None:
            self.solver.delete()

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses."""
        for clause in clauses:
            self.solver.add_clause(clause)

    def solve(self) -> bool:
        """Return whether there is an assignment; raise KeyboardInterrupt at Ctrl-C."""
        import pysolvers

        try:
            return bool(self.solver.solve())
        except pysolvers.error:
            signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))  # the jump left PySAT's handler in place
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.solver))
            self.solver = None
            raise KeyboardInterrupt from None

    def assignment(self) -> list[int]:
        """Return the literals that are true, by variable; unused variables at the end may be missing."""
        literals: list[int] = self.solver.get_model()
        return literals

    def statistics(self) -> dict[str, int]:
        """Return the solver's conflicts, decisions, propagations and restarts, as far as it tells."""
        try:
            return dict(self.solver.accum_stats())
        except (AttributeError, NotImplementedError):  # abandoned, or a solver without statistics
            return {}


class _Refilled(_Oracle):
    """A solver that answers once (Kissat): every question goes to a new one with all the clauses."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.clauses: list[Clause] = []

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses."""
        self.clauses += clauses

    def solve(self) -> bool:
        """Return whether there is an assignment."""
        self.solver.delete()
        self.solver = _new_solver(self.name)
        super().add(self.clauses)
        return super().solve()


class _Interruptible(_Oracle):
    """A solver whose search another thread can end: at the time limit and at Ctrl-C."""

    def __init__(self, name: str, recorder: Recorder, warm_start: bool) -> None:
        super().__init__(name)
        self.recorder = recorder
        self.stopping = Stopping(recorder, self.solver.interrupt)
        if warm_start:
            with suppress(NotImplementedError):
                self.solver.start_mode(warm=True)

    def __enter__(self) -> _Interruptible:
        self.stopping.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopping.__exit__(*error)
        super().__exit__(*error)

    def solve(self) -> bool:
        """Return whether there is an assignment; raise SearchStopped or KeyboardInterrupt."""
        while (answer := self.solver.solve_limited(expect_interrupt=True)) is None:
            self.recorder.check_time()
            self.solver.clear_interrupt()  # a signal whose handler does not raise
        return bool(answer)


def _check_solver(name: str) -> None:
    """Raise EngineUnavailable or InvalidSetting when there is no such solver here."""
    try:
        from pysat import solvers
    except ImportError as error:
        raise EngineUnavailable(f"engine sat needs PySAT: pip install python-sat ({error})") from error
    if name not in solver_names():
        raise InvalidSetting(unknown("PySAT solver", name, solver_names()))
    if name == "cryptominisat5" and not solvers.cms_present:
        raise EngineUnavailable("PySAT needs another package for cryptominisat5: pip install pycryptosat")
    if name == "ergo" and not solvers.ergo_present:
        raise EngineUnavailable("this build of PySAT has no ergo")


def _new_solver(name: str) -> Any:
    """Return one of PySAT's solvers, without clauses."""
    from pysat.solvers import Solver

    return Solver(name)
