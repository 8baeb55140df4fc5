"""The CP-SAT engine: random instances, statuses, limits, Ctrl-C, and the facts about OR-Tools behind it."""

from __future__ import annotations

import math
import signal
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from nqueens_models.engines.base import Block, Limits, Outcome, Termination
from nqueens_models.engines.cpsat import CpSatEngine, _check_completed
from nqueens_models.engines.recorder import Recorder, SearchStopped
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidSetting
from nqueens_models.instance import Instance, Placement
from nqueens_models.models.cpsat import FORMULATIONS, queens_model
from tests import brute_force
from tests.engines.interrupted import signalled


def enumerate_all(
    engine: CpSatEngine, instance: Instance, limits: Limits | None = None
) -> tuple[Outcome, list[Placement]]:
    found: list[Placement] = []
    outcome = engine.enumerate(
        instance, lambda block: found.extend(map(tuple, block.tolist())), limits or Limits()
    )
    assert outcome.solutions == len(found)
    return outcome, found


@settings(max_examples=80, deadline=None)
@given(brute_force.instances(max_n=6), st.sampled_from(list(FORMULATIONS)), st.booleans(), st.booleans())
def test_random_instances(instance: Instance, formulation: str, presolve: bool, inprocessing: bool) -> None:
    outcome, found = enumerate_all(CpSatEngine(formulation, presolve, inprocessing), instance)
    assert outcome.termination is Termination.EXHAUSTED
    assert sorted(found) == brute_force.solutions(instance)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_more_solutions_than_the_solver_keeps_in_one_restart(formulation: str) -> None:
    outcome, found = enumerate_all(CpSatEngine(formulation), Instance(10))
    assert len(set(found)) == len(found) == outcome.solutions == 724  # OEIS A000170
    assert outcome.statistics["conflicts"] > 0
    assert outcome.statistics["decisions"] > outcome.statistics["restarts"] > 0


def test_a_seed_changes_the_order_alone() -> None:
    orders = [enumerate_all(CpSatEngine(seed=seed), Instance(8))[1] for seed in (0, 7, 7)]
    assert orders[1] == orders[2]
    assert set(orders[0]) == set(orders[1])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_time_limit_keeps_what_was_found(formulation: str) -> None:
    outcome, found = enumerate_all(CpSatEngine(formulation), Instance(14), Limits(seconds=1.5))
    assert outcome.termination is Termination.TIME_LIMIT
    assert found


def test_time_limit_while_the_model_is_built() -> None:
    outcome, found = enumerate_all(CpSatEngine("boolean"), Instance(1000), Limits(seconds=1.0))
    assert (outcome.termination, found) == (Termination.TIME_LIMIT, [])
    assert "constraints" not in outcome.statistics


def test_a_solution_limit_at_the_last_solution() -> None:
    outcome, found = enumerate_all(CpSatEngine(), Instance(6), Limits(solutions=4))
    assert (outcome.termination, len(found)) == (Termination.SOLUTION_LIMIT, 4)


@pytest.mark.parametrize("error", [ValueError("enough"), SystemExit(4)])
def test_a_visitor_s_exception_comes_out_and_nothing_is_visited_after_it(error: BaseException) -> None:
    visits: list[int] = []

    def visit(block: Block) -> None:
        visits.append(len(block))
        raise error

    with pytest.raises(type(error)) as raised:
        CpSatEngine().enumerate(Instance(11), visit)
    assert raised.value is error
    assert len(visits) == 1


def test_in_a_thread_that_receives_no_signals() -> None:
    outcomes: list[Outcome] = []
    limits = Limits(seconds=0.5)
    thread = threading.Thread(
        target=lambda: outcomes.append(enumerate_all(CpSatEngine(), Instance(14), limits)[0])
    )
    thread.start()
    thread.join()
    assert [outcome.termination for outcome in outcomes] == [Termination.TIME_LIMIT]


@pytest.mark.parametrize("seconds", [None, 100])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_ctrl_c_keeps_what_was_found(formulation: str, seconds: float | None) -> None:
    ended = signalled(f"cpsat:model={formulation}", 14, seconds)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.INTERRUPTED
    assert ended.found["visited"] == ended.found["solutions"] > 0


def test_a_signal_that_the_program_handles_ends_the_search_as_interrupted() -> None:
    """CP-SAT cannot go on after it was told to stop."""
    before = "import signal; signal.signal(signal.SIGTERM, lambda *_: None)"
    ended = signalled("cpsat", 14, number=signal.SIGTERM, before=before)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.INTERRUPTED


def test_unknown_formulation() -> None:
    with pytest.raises(InvalidSetting, match="alldifferent"):
        enumerate_all(CpSatEngine("all-different"), Instance(4))


def test_without_ortools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    monkeypatch.setattr("ortools.sat.python.cp_model", None)
    with pytest.raises(EngineUnavailable, match="pip install ortools"):
        enumerate_all(CpSatEngine(), Instance(4))


def recorder(seconds: float) -> Recorder:
    return Recorder(Instance(4), lambda block: None, Limits(seconds=seconds))


@pytest.mark.parametrize("status", ["OPTIMAL", "INFEASIBLE"])
def test_statuses_of_a_completed_search(status: str) -> None:
    _check_completed(status, recorder(100))


@pytest.mark.parametrize("status", ["FEASIBLE", "UNKNOWN"])
def test_statuses_of_a_search_that_was_stopped(status: str) -> None:
    with pytest.raises(SearchStopped) as stopped:
        _check_completed(status, recorder(1e-9))
    assert stopped.value.termination is Termination.TIME_LIMIT
    with pytest.raises(EngineError, match=status):
        _check_completed(status, recorder(100))


@pytest.mark.parametrize("status", ["MODEL_INVALID", "SURPRISED", ""])
def test_statuses_that_mean_a_mistake(status: str) -> None:
    with pytest.raises(EngineError, match="cpsat"):
        _check_completed(status, recorder(1e-9))


# What we know of OR-Tools 9.15. A release that changes one of these deserves a second look at engines/cpsat.py.


class Counting(cp_model.CpSolverSolutionCallback):
    """Counts the solutions, and stops the search at one of them."""

    def __init__(self, last: float = math.inf) -> None:
        super().__init__()
        self.last = last
        self.found = 0

    def on_solution_callback(self) -> None:
        self.found += 1
        if self.found == self.last:
            self.stop_search()


def solve(seconds: float = math.inf, last: float = math.inf, unconstrained: int = 0) -> tuple[str, int]:
    """Let OR-Tools list the ways to put 2 of 5 items into a bag, and return its status and how many it found."""
    model = cp_model.CpModel()
    items = [model.new_bool_var(f"item{number}") for number in range(5 + unconstrained)]
    model.add(sum(items[:5]) == 2)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.max_time_in_seconds = seconds
    counting = Counting(last)
    return solver.status_name(solver.solve(model, counting)), counting.found


@pytest.mark.skipif(not hasattr(cp_model, "CpSolverStatus"), reason="an older OR-Tools, without this enumeration")
def test_fact_there_are_five_statuses() -> None:
    assert set(cp_model.CpSolverStatus.__members__) == {
        "UNKNOWN", "MODEL_INVALID", "FEASIBLE", "INFEASIBLE", "OPTIMAL",
    }  # fmt: skip


def test_fact_optimal_means_that_all_were_listed() -> None:
    assert solve() == ("OPTIMAL", 10)


def test_fact_a_search_that_was_stopped_is_feasible() -> None:
    model = queens_model(Instance(8)).model
    solver, counting = cp_model.CpSolver(), Counting(last=10)
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    assert solver.status_name(solver.solve(model, counting)) == "FEASIBLE"


def test_fact_no_time_is_unknown() -> None:
    assert solve(seconds=0) == ("UNKNOWN", 0)


def test_fact_every_unconstrained_variable_doubles_the_solutions() -> None:
    assert solve(unconstrained=2) == ("OPTIMAL", 40)


@pytest.mark.parametrize("presolve", [True, False])
def test_fact_presolve_loses_solutions_of_inverse(presolve: bool) -> None:
    """A queen in each row and column of 5, none touches another, the first in column 1: three boards."""
    board = Instance(5, "adjacent", fixed=[(0, 1)])
    model, n = cp_model.CpModel(), board.n
    q, p = ([model.new_int_var(0, n - 1, "") for _ in range(n)] for _ in range(2))
    model.add_inverse(q, p)
    apart = cp_model.Domain.from_intervals([[-n, -2], [2, n]])
    for row in range(n - 1):
        model.add_linear_expression_in_domain(q[row + 1] - q[row], apart)
    model.add(q[0] == 1)
    solver, counting = cp_model.CpSolver(), Counting()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.cp_model_presolve = presolve
    status = solver.status_name(solver.solve(model, counting))
    assert len(brute_force.solutions(board)) == 3
    assert (status, counting.found) == (("INFEASIBLE", 0) if presolve else ("OPTIMAL", 3))


def test_fact_an_empty_model_has_one_solution() -> None:
    solver, counting = cp_model.CpSolver(), Counting()
    solver.parameters.enumerate_all_solutions = True
    assert solver.status_name(solver.solve(cp_model.CpModel(), counting)) == "OPTIMAL"
    assert counting.found == 1


def test_fact_an_implied_equality_is_not_listed_twice() -> None:
    """It is in releases before 9.13, with presolve: 56 in place of 29 (google/or-tools#4640)."""
    model = cp_model.CpModel()
    x, y, z = (model.new_int_var(0, 2, name) for name in "xyz")
    implies = model.new_bool_var("implies")
    model.add(2 * x + 3 * y + 5 * z == 12).only_enforce_if(implies)
    solver, counting = cp_model.CpSolver(), Counting()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    assert solver.status_name(solver.solve(model, counting)) == "OPTIMAL"
    assert counting.found == 27 + 2  # any values if it does not hold; if it does, (1, 0, 2) and (2, 1, 1)
