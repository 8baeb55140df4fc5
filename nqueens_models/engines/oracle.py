"""PySAT's solvers behind one interface, and projected enumeration: each assignment found and blocked in turn.

A running C++ function keeps Python from seeing the clock or Ctrl-C. Solvers with an `interrupt` are told by a
thread that waits for either. The others (CaDiCaL, Kissat, Lingeling, CryptoMiniSat) leave their search by a long
jump at Ctrl-C, and run in a process that can be killed when there is a time limit.

MiniSat and its descendants can search on, after a blocking clause, from the assignment that it forbids instead of
from an empty board (`warm_start`).
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

from nqueens_models.engines.base import Recorder
from nqueens_models.engines.registry import unknown
from nqueens_models.engines.stopping import Stopping
from nqueens_models.errors import EngineUnavailable, InvalidSetting
from nqueens_models.models.clauses import Clause

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
    return _names_of(SolverNames)


@cache  # it is asked for every cube
def _names_of(solvers: type) -> tuple[str, ...]:
    aliases = {name: names for name, names in vars(solvers).items() if not name.startswith("_")}
    return tuple(name if name in names else names[-1] for name, names in aliases.items())


class Oracle(Protocol):
    """A solver to which clauses are added, and which is asked for an assignment again and again.

    It is used as a context manager.
    """

    def __enter__(self) -> Any:
        """Start what it needs."""

    def __exit__(self, *error: object) -> None:
        """Release everything."""

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses, none of them empty."""

    def solve(self) -> bool:
        """Return whether there is an assignment; raise SearchStopped or KeyboardInterrupt."""
        ...

    def assignment(self) -> list[int]:
        """Return the literals that are true, by variable; unused variables at the end may be missing."""
        ...

    def statistics(self) -> dict[str, int]:
        """Return statistics under the names of `base.STATISTICS`, as far as there are any."""
        ...


def enumerate_projected(
    oracle: Oracle,
    clauses: Sequence[Clause],
    select: Callable[[list[int]], list[int]],
    record: Callable[[list[int]], None],
    recorder: Recorder,
) -> None:
    """Record what is selected of each assignment that satisfies `clauses`, once each.

    `select` returns the literals of an assignment by which solutions are told apart; the clause that blocks a
    solution negates them, and speaks of nothing else, so that a solution comes once, however many values the other
    variables could take (PySAT's enum_models() blocks those too).
    """
    for start in range(0, len(clauses), CHUNK):
        oracle.add(clauses[start : start + CHUNK])
        recorder.check_time()
    recorder.built()
    assignments = blocking_clauses = 0
    try:
        while oracle.solve():
            literals = select(oracle.assignment())
            assignments += 1
            record(literals)
            if not literals:
                return  # nothing tells this solution from another one
            oracle.add([[-literal for literal in literals]])
            blocking_clauses += 1
    finally:
        found = {"assignments": assignments, "blocking_clauses": blocking_clauses}
        recorder.statistics.update(oracle.statistics(), **found)


def pysat_oracle(name: str, recorder: Recorder, warm_start: bool = True) -> Oracle:
    """Return one of PySAT's solvers, empty; raise EngineUnavailable or InvalidSetting if there is none."""
    if name.startswith(INTERRUPTIBLE):
        return Interruptible(name, recorder, warm_start and name not in COLD)
    return _Refilled(name) if name.startswith("kissat") else Uninterruptible(name)


class Uninterruptible:
    """One of PySAT's solvers.

    At Ctrl-C its search is left by a long jump out of the signal handler, and what was half done stays half done:
    such a solver is abandoned, never called again, not even to free its memory.
    """

    def __init__(self, name: str, with_proof: bool = False) -> None:
        self.name = name
        self.solver: Any = _new_solver(name, with_proof)

    def __enter__(self) -> Uninterruptible:
        return self

    def __exit__(self, *error: object) -> None:
        if self.solver is not None:
            self.solver.delete()

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses."""
        self.solver.append_formula(clauses)

    def solve(self) -> bool:
        """Return whether there is an assignment; raise KeyboardInterrupt at Ctrl-C."""
        import pysolvers

        try:
            answer = self.solver.solve()
        except pysolvers.error:
            _restore_handler()
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.solver))
            self.solver = None
            raise KeyboardInterrupt from None
        if answer is None:  # CryptoMiniSat's word for Ctrl-C
            _restore_handler()
            raise KeyboardInterrupt
        return bool(answer)

    def assignment(self) -> list[int]:
        """Return the literals that are true, by variable; unused variables at the end may be missing."""
        literals: list[int] = self.solver.get_model()
        return literals

    def proof(self) -> list[str]:
        """Return the lines of the proof that there is no assignment, for a solver that was made `with_proof`."""
        lines: list[str] = self.solver.get_proof()
        return lines

    def statistics(self) -> dict[str, int]:
        """Return the solver's conflicts, decisions, propagations and restarts, as far as it tells."""
        try:
            return dict(self.solver.accum_stats())
        except (AttributeError, NotImplementedError):  # abandoned, or a solver without statistics
            return {}


def _restore_handler() -> None:
    """Put Python's handler of Ctrl-C back where a solver left its own, and let it be called.

    A signal is blocked while its handler runs, and a long jump out of the handler leaves it blocked.
    """
    with suppress(ValueError):  # only the main thread has one
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


class _Refilled(Uninterruptible):
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


class Interruptible(Uninterruptible):
    """A solver whose search another thread can end: at the time limit and at Ctrl-C."""

    def __init__(self, name: str, recorder: Recorder, warm_start: bool) -> None:
        super().__init__(name)
        self.recorder = recorder
        self.stopping = Stopping(recorder, self.solver.interrupt)
        if warm_start:
            with suppress(NotImplementedError):
                self.solver.start_mode(warm=True)

    def __enter__(self) -> Interruptible:
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


def _new_solver(name: str, with_proof: bool = False) -> Any:
    """Return one of PySAT's solvers, empty; raise EngineUnavailable or InvalidSetting if there is none."""
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
    return solvers.Solver(name, with_proof=True) if with_proof else solvers.Solver(name)
