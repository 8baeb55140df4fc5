"""The SAT engine: every solver and encoding, limits, Ctrl-C, and the facts about PySAT on which it rests."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver, SolverNames

from nqueens_models.engines.base import Block, Limits, Outcome, Termination
from nqueens_models.engines.oracle import COLD, INTERRUPTIBLE, solver_names
from nqueens_models.engines.registry import make_engine
from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import EngineUnavailable, InvalidSetting
from nqueens_models.instance import Instance, Placement
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import queens_cnf
from tests import brute_force
from tests.engines.interrupted import signalled

HERE = tuple(
    name for name in solver_names() if name != "cryptominisat5" or importlib.util.find_spec("pycryptosat")
)
QUICK = tuple(name for name in HERE if not name.startswith("kissat"))  # which starts anew for every assignment
KILLED = tuple(name for name in HERE if not name.startswith(INTERRUPTIBLE))


@pytest.fixture
def in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process taken for one that can be killed, so that no other one is made."""
    monkeypatch.setattr("nqueens_models.engines.base._killable", True)


def enumerate_all(
    engine: SatEngine, instance: Instance, limits: Limits | None = None
) -> tuple[Outcome, list[Placement]]:
    found: list[Placement] = []
    outcome = engine.enumerate(
        instance, lambda block: found.extend(map(tuple, block.tolist())), limits or Limits()
    )
    assert outcome.solutions == len(found)
    return outcome, found


def test_pysat_has_no_solver_that_we_do_not_know() -> None:
    """That each is sorted into those that can be interrupted and those that cannot is for people to check."""
    assert set(solver_names()) <= {
        "cadical103", "cadical153", "cadical195", "cadical300", "cryptominisat5", "ergo", "gluecard3", "gluecard4",
        "glucose3", "glucose4", "glucose42", "kissat404", "lingeling", "maplechrono", "maplecm", "maplesat",
        "mergesat3", "minicard", "minisat-gh", "minisat22", "minisatep",
    }  # fmt: skip
    assert all(any(name in names for names in vars(SolverNames).values()) for name in solver_names())


@pytest.mark.parametrize("solver", HERE)
@pytest.mark.parametrize("n", range(8))
def test_every_solver_on_small_boards(solver: str, n: int) -> None:
    outcome, found = enumerate_all(SatEngine(solver), Instance(n))
    assert outcome.termination is Termination.EXHAUSTED
    assert sorted(found) == brute_force.solutions(Instance(n))


@pytest.mark.usefixtures("in_a_child")
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("solver", QUICK)
def test_every_encoding_in_every_solver(solver: str, encoding: str) -> None:
    """Counts of OEIS A000170."""
    counts = [len(enumerate_all(SatEngine(solver, encoding), Instance(n))[1]) for n in range(8)]
    assert counts == [1, 1, 0, 0, 2, 10, 4, 40]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("in_a_child")
@given(brute_force.instances(max_n=6), st.sampled_from(QUICK), st.sampled_from(list(ENCODINGS)), st.booleans())
def test_random_instances(instance: Instance, solver: str, encoding: str, warm: bool) -> None:
    outcome, found = enumerate_all(SatEngine(solver, encoding, warm), instance)
    assert sorted(found) == brute_force.solutions(instance)
    assert outcome.statistics["assignments"] == len(found)
    assert outcome.statistics["variables"] - outcome.statistics["auxiliary_variables"] == instance.n**2


@pytest.mark.parametrize("solver", [name for name in QUICK if name.startswith(INTERRUPTIBLE)])
def test_warm_and_cold_find_the_same_on_a_larger_board(solver: str) -> None:
    warm, cold = (enumerate_all(SatEngine(solver, warm_start=warm), Instance(8))[1] for warm in (True, False))
    assert len(warm) == 92  # OEIS A000170
    assert set(warm) == set(cold)


def test_a_complete_board_takes_one_assignment_and_no_blocking_clause() -> None:
    queens = [(0, 1), (1, 3), (2, 0), (3, 2)]
    outcome, found = enumerate_all(SatEngine(), Instance(4, fixed=queens))
    assert found == [(1, 3, 0, 2)]
    assert outcome.termination is Termination.EXHAUSTED
    assert (outcome.statistics["assignments"], outcome.statistics["blocking_clauses"]) == (1, 0)


def test_a_large_board_with_few_queens_left() -> None:
    """For n prime to 6 a knight's walk is a solution; without some of its queens, bitmask search is the judge."""
    n = 89
    instance = Instance(n, fixed=[(row, 2 * row % n) for row in range(n) if row % 7])
    wanted: list[Placement] = []
    make_engine("bitmask").enumerate(instance, lambda block: wanted.extend(map(tuple, block.tolist())))
    _, found = enumerate_all(SatEngine(), instance)
    assert set(found) == set(wanted)
    assert len(found) == len(wanted) > 1


def test_a_seed_shuffles_and_loses_nothing() -> None:
    orders = [enumerate_all(SatEngine(seed=seed), Instance(8))[1] for seed in (0, 1, 1, 2)]
    assert orders[1] == orders[2]
    assert len({tuple(order) for order in orders}) == 3
    assert len({frozenset(order) for order in orders}) == 1


@pytest.mark.parametrize("solver", [*KILLED, "minisat22", "glucose4", "maplesat"])
def test_time_limit_keeps_what_was_found(solver: str) -> None:
    outcome, found = enumerate_all(SatEngine(solver), Instance(14), Limits(seconds=2.0))
    assert outcome.termination is Termination.TIME_LIMIT
    assert found


def test_time_limit_while_the_clauses_are_written() -> None:
    outcome, found = enumerate_all(SatEngine(), Instance(300), Limits(seconds=0.05))
    assert outcome.termination is Termination.TIME_LIMIT
    assert not found
    assert outcome.solve_seconds == 0


def test_in_a_thread_that_receives_no_signals() -> None:
    outcomes: list[Outcome] = []
    limits = Limits(seconds=0.3)
    thread = threading.Thread(target=lambda: outcomes.append(enumerate_all(SatEngine(), Instance(22), limits)[0]))
    thread.start()
    thread.join()
    assert [outcome.termination for outcome in outcomes] == [Termination.TIME_LIMIT]


@pytest.mark.parametrize("solver", HERE)
def test_ctrl_c_keeps_what_was_found(solver: str) -> None:
    ended = signalled(f"sat:solver={solver}", 14 if solver.startswith(("kissat", "maplechrono")) else 20)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.INTERRUPTED
    assert ended.found["visited"] == ended.found["solutions"] > 0


@pytest.mark.parametrize("solver", ["cadical195", "lingeling", "minisat22"])
def test_ctrl_c_before_the_time_limit(solver: str) -> None:
    ended = signalled(f"sat:solver={solver}", 20, seconds=100)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.INTERRUPTED
    assert ended.found["visited"] == ended.found["solutions"] > 0


def test_a_signal_that_the_program_handles_stops_nothing() -> None:
    before = "import signal; signal.signal(signal.SIGTERM, lambda *_: None)"
    ended = signalled("sat", 12, number=signal.SIGTERM, before=before)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.EXHAUSTED
    assert ended.found["solutions"] == 14200  # OEIS A000170


@pytest.mark.parametrize("solver", HERE)
def test_every_solver_is_in_time_or_is_killed(solver: str) -> None:
    """Which is which was measured: see ENDURED. A process that can be killed makes no other one."""
    small, large = (SatEngine(solver).needs_child(Instance(n), Limits()) for n in (4, 100))
    assert large is not solver.startswith(INTERRUPTIBLE)
    assert small is (solver == "cryptominisat5")


@pytest.mark.usefixtures("in_a_child")
@pytest.mark.parametrize("solver", KILLED)
def test_a_process_that_can_be_killed_makes_no_other(solver: str) -> None:
    assert not SatEngine(solver).needs_child(Instance(100), Limits(seconds=1.0))


def test_a_hard_question_is_asked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """CaDiCaL gives up after some conflicts, goes on, and loses nothing."""
    monkeypatch.setattr("nqueens_models.engines.oracle.CONFLICTS", 1)
    for solver in (name for name in HERE if name.startswith("cadical")):
        _, found = enumerate_all(SatEngine(solver), Instance(7))
        assert len(set(found)) == len(found) == 40  # OEIS A000170


AFTER_CTRL_C = """
import signal, sys
from nqueens_models.engines.base import Limits
from nqueens_models.engines.sat import SatEngine
from nqueens_models.instance import Instance

def visit(block):
    print("visiting", flush=True)

engine = SatEngine(sys.argv[1])
print(engine.enumerate(Instance(20), visit).termination, flush=True)
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("python's own", flush=True)
print(engine.enumerate(Instance(8), lambda block: None).solutions, flush=True)
"""


@pytest.mark.parametrize("solver", ["cadical195", "minisat22"])
def test_after_ctrl_c_the_next_one_is_python_s_and_the_engine_works(solver: str) -> None:
    """PySAT leaves a handler in place that jumps into a function that has returned."""
    program = subprocess.Popen([sys.executable, "-c", AFTER_CTRL_C, solver], stdout=subprocess.PIPE, text=True)
    with program:
        assert program.stdout is not None
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=60)[0].split("\n")
    assert program.returncode == 0
    assert [line for line in said if line not in ("visiting", "")] == ["interrupted", "python's own", "92"]


@pytest.mark.parametrize("solver", ["minisat22", "cadical195"])
def test_a_visitor_s_exception_comes_out(solver: str) -> None:
    class EnoughError(Exception):
        pass

    def visit(block: Block) -> None:
        raise EnoughError

    for _ in range(3):
        with pytest.raises(EnoughError):
            SatEngine(solver).enumerate(Instance(10), visit)


def test_unknown_solver_and_encoding() -> None:
    with pytest.raises(InvalidSetting, match="cadical195"):
        enumerate_all(SatEngine("minisat"), Instance(4))
    with pytest.raises(InvalidSetting, match="ladder"):
        enumerate_all(SatEngine(at_most_one="ladders"), Instance(4))


@pytest.mark.usefixtures("in_a_child")
@pytest.mark.parametrize("n", [0, 4])
def test_a_solver_that_is_not_installed(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pysat.solvers.cms_present", False)
    with pytest.raises(EngineUnavailable, match="pip install pycryptosat"):
        enumerate_all(SatEngine("cryptominisat5"), Instance(n))


def test_without_pysat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat", None)
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    assert solver_names() == ()
    with pytest.raises(EngineUnavailable, match="pip install python-sat"):
        enumerate_all(SatEngine(), Instance(4))


# What we know of PySAT 1.9.dev24. A release that changes one of these deserves a second look at engines/sat.py.


def test_fact_an_empty_cnf_crashes_maplesat() -> None:
    program = "from pysat.solvers import Solver; Solver('maplesat').solve()"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode < 0


@pytest.mark.parametrize("solver", COLD)
def test_fact_a_warm_start_loses_solutions(solver: str) -> None:
    n, found = 10, 0
    with Solver(solver, bootstrap_with=queens_cnf(Instance(n)).clauses, warm_start=True) as oracle:
        while oracle.solve():
            found += 1
            oracle.add_clause([-square for square in oracle.get_model() if square > 0])
    assert found < 724  # OEIS A000170


def test_fact_unused_variables_at_the_end_are_missing() -> None:
    with Solver("minisat22", bootstrap_with=[[1, 2]]) as oracle:
        oracle.solve()
        assert len(oracle.get_model()) == 2


def test_fact_only_some_solvers_can_be_interrupted() -> None:
    """And those of the Glucose family forget what they were told before they start."""
    for name in QUICK:
        with Solver(name, bootstrap_with=[[1, 2]]) as oracle:
            if name.startswith(INTERRUPTIBLE):
                oracle.interrupt()
                assert oracle.solve_limited(expect_interrupt=True) is (True if name.startswith("glu") else None)
            else:
                with pytest.raises(NotImplementedError):
                    oracle.interrupt()


@pytest.mark.skipif("kissat404" not in HERE, reason="an older PySAT, without Kissat")
def test_fact_kissat_cannot_be_asked_twice() -> None:
    with Solver("kissat404", bootstrap_with=[[1, 2]]) as oracle, pytest.raises(NotImplementedError):
        next(oracle.enum_models())
