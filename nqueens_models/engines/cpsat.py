"""CP-SAT: the models of models/cpsat.py in OR-Tools' solver, which lists all solutions by itself.

With two or more workers it loses solutions and still reports OPTIMAL, so it gets one. With one, OPTIMAL and
INFEASIBLE mean that the search was completed, and every other status that it was not.

The defaults are the fastest measured on plain boards, or close to it (`python benchmarks/default_settings.py
cpsat --sizes 10,11,12`, ortools 9.15): processor time over that of the default for n = 10, 11, 12 is 1.06, 0.99,
1.00 with model=boolean; 0.99, 0.93, 0.88 to 1.06 with presolve=false; 1.79, 1.25, 0.99 with inprocessing=true.
Elsewhere alldifferent is built in a twentieth of the time at n = 1000, and presolve won by 2.7 on a region
puzzle of n = 12.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination, Visitor, setting
from nqueens_models.engines.recorder import Recorder, SearchStopped, conduct
from nqueens_models.engines.stopping import Stopping
from nqueens_models.errors import EngineError, EngineUnavailable
from nqueens_models.instance import Instance
from nqueens_models.models.cpsat import FORMULATIONS, QueensModel, queens_model
from nqueens_models.symmetry import Symmetry, orbit, stabiliser

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpSolver


@dataclass(frozen=True)
class CpSatEngine:
    """Constraint programming by OR-Tools' CP-SAT, with one worker."""

    name: ClassVar[str] = "cpsat"
    requires: ClassVar[tuple[str, ...]] = ("ortools",)

    model: str = setting("alldifferent", "the formulation", tuple(FORMULATIONS))
    presolve: bool = setting(True, "let CP-SAT simplify the model first")
    inprocessing: bool = setting(False, "let CP-SAT simplify its clauses between restarts")
    seed: int = setting(0, "CP-SAT's random seed")
    symmetry_breaking: bool = setting(False, "let the solver find one solution of each orbit, and add its images")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance`; Engine.enumerate says more."""
        return conduct(self._search, instance, visit, limits)

    def statement(self, instance: Instance, watch: Callable[[], None] | None = None) -> QueensModel:
        """Return the model that is solved; `watch` is called as it is built."""
        return queens_model(instance, self.model, watch or (lambda: None), self.symmetry_breaking)

    def _search(self, recorder: Recorder) -> None:
        solver = self._solver()
        queens = self.statement(recorder.instance, recorder.check_time)
        size = queens.model.proto
        recorder.statistics.update(variables=len(size.variables), constraints=len(size.constraints))
        recorder.built()
        callback = _reporter(queens, recorder, stabiliser(recorder.instance) if self.symmetry_breaking else ())
        with Stopping(recorder, solver.stop_search) as stopping:
            status = solver.status_name(solver.solve(queens.model, callback))
        recorder.statistics.update(_effort(solver))
        if callback.error is not None:
            raise callback.error
        if stopping.signalled:  # by a handler that did not raise
            raise SearchStopped(Termination.INTERRUPTED)
        _check_completed(status, recorder)

    def _solver(self) -> CpSolver:
        try:
            from ortools.sat.python.cp_model import CpSolver
        except ImportError as error:
            raise EngineUnavailable(f"engine cpsat needs OR-Tools: pip install ortools ({error})") from error
        solver = CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.cp_model_presolve = self.presolve
        if not self.inprocessing:
            solver.parameters.inprocessing_dtime_ratio = 0.0
        solver.parameters.random_seed = self.seed
        solver.parameters.catch_sigint_signal = False  # else Ctrl-C looks like a limit
        return solver


def _reporter(queens: QueensModel, recorder: Recorder, group: Sequence[Symmetry]) -> Any:
    """Return a callback that records each solution and its images; `error` is what made it stop, or None."""
    from ortools.sat.python.cp_model import CpSolverSolutionCallback

    placement = [-1] * recorder.instance.n
    for row, column in recorder.instance.fixed:
        placement[row] = column
    undecided = [(row, queens.columns[row]) for row, column in enumerate(placement) if column < 0]

    class Reporter(CpSolverSolutionCallback):
        error: BaseException | None = None

        def on_solution_callback(self) -> None:
            if self.error is not None:
                return  # the solver may find a few more before it stops
            try:
                for row, column in undecided:
                    placement[row] = self.value(column)
                for image in orbit(placement, group) if group else [placement]:
                    recorder.solution(image)
            except BaseException as error:  # none may pass through the C++ code
                self.error = error
                self.stop_search()

    return Reporter()


def _effort(solver: CpSolver) -> dict[str, int]:
    """Return what the solver counted."""
    response = solver.response_proto
    return {
        "conflicts": response.num_conflicts,
        "decisions": response.num_branches,
        "propagations": response.num_binary_propagations + response.num_integer_propagations,
        "restarts": response.num_restarts,
    }


def _check_completed(status: str, recorder: Recorder) -> None:
    """Return when the search was completed; raise SearchStopped when the time was up.

    Raises EngineError for every status that is neither.
    """
    match status:
        case "OPTIMAL" | "INFEASIBLE":
            return
        case "FEASIBLE" | "UNKNOWN":
            recorder.check_time()
            raise EngineError(f"engine cpsat: CP-SAT stopped with status {status}, for no known reason")
        case _:
            raise EngineError(f"engine cpsat: CP-SAT answered with status {status}")
