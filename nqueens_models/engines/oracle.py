"""PySAT's solvers behind one interface, and projected enumeration: each assignment found and blocked in turn.

A running C++ function keeps Python from seeing the clock or Ctrl-C, and PySAT's own way to leave it at Ctrl-C may
end in a deadlock (`long_jumps`). So

- solvers with an `interrupt` (INTERRUPTIBLE) are told by a thread that waits for the time limit or Ctrl-C;
- CaDiCaL searches for CONFLICTS conflicts at a time, and Python looks up in between;
- Kissat and Lingeling know neither: on small boards their calls are short;
- what would be deaf for too long by ENDURED runs in a process that can be killed.

MiniSat and its descendants can search on, after a blocking clause, from the assignment that it forbids instead of
from an empty board (`warm_start`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Protocol

from nqueens_models.engines.recorder import Clock, Recorder
from nqueens_models.engines.registry import unknown
from nqueens_models.engines.stopping import Stopping
from nqueens_models.errors import EngineUnavailable, InvalidSetting
from nqueens_models.long_jumps import no_long_jumps
from nqueens_models.models.clauses import Clause

INTERRUPTIBLE = ("ergo", "gluecard", "glucose", "maple", "mergesat", "minicard", "minisat")
"""How the names of the solvers begin whose search another thread can end."""
COLD = ("glucose42",)
"""Interruptible solvers that must not start warm: glucose42 then finds 250 of the 724 boards of n = 10."""
CHUNK = 10_000  # clauses handed to a solver between two looks at the clock
CONFLICTS = 1000  # that a solver with a budget may run into between two looks at the clock
ENDURED = {"cadical103": 400, "cadical": 2500, "kissat": 100, "lingeling": 100}
"""Up to how many squares a solver of this name, or whose name begins so, answers soon enough; others never do.

The longest call in 10 to 20 s of listing, plain boards and such with many blocked squares (python-sat 1.9.dev24):
0.31 s by cadical195 and 0.14 s by cadical153 on n = 50, where cadical103 took 2.9 s, and 1.3 s on n = 30; 0.22 s
by kissat404 and 0.03 s by lingeling on n = 10, which nothing bounds on larger ones.

CryptoMiniSat is not among them: its module has a handler of SIGINT of its own, which loses a Ctrl-C that comes
just before or after its search.
"""


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
    record: Callable[[list[int]], list[int]],
    recorder: Recorder,
) -> None:
    """Have each solution of `clauses`, of which there is at least one, recorded once.

    `record` is given an assignment, records what it says, and returns its literals by which solutions are told
    apart; the clause that blocks a solution negates them, and speaks of nothing else, so that a solution comes
    once, however many values the other variables could take (PySAT's enum_models() blocks those too).
    """
    for start in range(0, len(clauses), CHUNK):
        oracle.add(clauses[start : start + CHUNK])
        recorder.check_time()
    recorder.built()
    assignments = blocking_clauses = 0
    try:
        while oracle.solve():
            assignments += 1
            literals = record(oracle.assignment())
            if not literals:
                return  # nothing tells this solution from another one
            oracle.add([[-literal for literal in literals]])
            blocking_clauses += 1
    finally:
        found = {"assignments": assignments, "blocking_clauses": blocking_clauses}
        recorder.statistics.update(oracle.statistics(), **found)


def endures(name: str, squares: int) -> bool:
    """Whether a solver notices the clock and Ctrl-C soon enough on a board of so many squares."""
    longest = max((key for key in ENDURED if name.startswith(key)), key=len, default=None)
    return name.startswith(INTERRUPTIBLE) or (longest is not None and squares <= ENDURED[longest])


def pysat_oracle(name: str, clock: Clock, warm_start: bool = True, with_proof: bool = False) -> PysatOracle:
    """Return one of PySAT's solvers, empty; raise EngineUnavailable or InvalidSetting if there is none."""
    if name.startswith(INTERRUPTIBLE):
        return _Interruptible(name, clock, with_proof, warm_start and name not in COLD)
    kinds = {"cadical": _Budgeted, "kissat": _Refilled}
    kind = next((kinds[key] for key in kinds if name.startswith(key)), PysatOracle)
    return kind(name, clock, with_proof)


class PysatOracle:
    """One of PySAT's solvers; Ctrl-C waits until it has answered."""

    def __init__(self, name: str, clock: Clock, with_proof: bool = False) -> None:
        self.name = name
        self.clock = clock
        self.solver: Any = _new_solver(name, with_proof)

    def __enter__(self) -> PysatOracle:
        return self

    def __exit__(self, *error: object) -> None:
        self.solver.delete()

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses."""
        self.solver.append_formula(clauses)

    def solve(self) -> bool:
        """Return whether there is an assignment; raise SearchStopped or KeyboardInterrupt."""
        while (answer := self._answer()) is None:
            self.clock.check_time()
        return answer

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
        except NotImplementedError:
            return {}

    def _answer(self) -> bool | None:
        """Search; return None for a search that ended without an answer."""
        with no_long_jumps():
            answer: bool | None = self.solver.solve()
        if answer is None:  # CryptoMiniSat's word for Ctrl-C, of which Python has not heard
            raise KeyboardInterrupt
        return answer


class _Budgeted(PysatOracle):
    """A solver that gives up after so many conflicts, and goes on when it is asked again (CaDiCaL)."""

    def _answer(self) -> bool | None:
        self.solver.conf_budget(CONFLICTS)
        with no_long_jumps():
            answer: bool | None = self.solver.solve_limited()
        return answer


class _Refilled(PysatOracle):
    """A solver that answers once (Kissat): every question goes to a new one with all the clauses."""

    def __init__(self, name: str, clock: Clock, with_proof: bool = False) -> None:
        super().__init__(name, clock, with_proof)
        self.clauses: list[Clause] = []

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses."""
        self.clauses += clauses

    def _answer(self) -> bool | None:
        self.solver.delete()
        self.solver = _new_solver(self.name)
        super().add(self.clauses)
        return super()._answer()


class _Interruptible(PysatOracle):
    """A solver whose search another thread can end: at the time limit and at Ctrl-C."""

    def __init__(self, name: str, clock: Clock, with_proof: bool, warm_start: bool) -> None:
        super().__init__(name, clock, with_proof)
        self.stopping = Stopping(clock, self.solver.interrupt)
        if warm_start:
            with suppress(NotImplementedError):
                self.solver.start_mode(warm=True)

    def __enter__(self) -> PysatOracle:
        self.stopping.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.stopping.__exit__(*error)
        super().__exit__(*error)

    def _answer(self) -> bool | None:
        answer: bool | None = self.solver.solve_limited(expect_interrupt=True)
        if answer is None:
            self.solver.clear_interrupt()  # a signal whose handler does not raise
        return answer


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
