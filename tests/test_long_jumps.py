"""PySAT is told that it is not in the main thread while we call it, and only then."""

from __future__ import annotations

import threading
from typing import Any

import pysolvers
import pytest
from pysat._utils import MainThread
from pysat.card import CardEnc
from pysat.solvers import Solver

from nqueens_models.engines.base import ignore
from nqueens_models.engines.sat import SatEngine
from nqueens_models.instance import Instance
from nqueens_models.long_jumps import no_long_jumps
from nqueens_models.models.cnf import queens_cnf


def test_inside_and_afterwards() -> None:
    assert MainThread.check()
    with no_long_jumps():
        assert not MainThread.check()
        with no_long_jumps():
            assert not MainThread.check()
        assert not MainThread.check()
    assert MainThread.check()
    with pytest.raises(ZeroDivisionError), no_long_jumps():
        raise ZeroDivisionError
    assert MainThread.check()


def test_other_threads_change_nothing() -> None:
    entered, leave = threading.Event(), threading.Event()

    def inside() -> None:
        with no_long_jumps():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=inside)
    thread.start()
    entered.wait(10)
    assert MainThread.check()
    leave.set()
    thread.join()


FUNCTIONS = {
    "cadical103": "cadical103_solve_lim",
    "cadical153": "cadical153_solve_lim",
    "cadical195": "cadical195_solve_lim",
    "kissat404": "kissat404_solve",
    "lingeling": "lingeling_solve",
}


def _watch(monkeypatch: pytest.MonkeyPatch, function: str) -> list[int]:
    """Return a list that grows by what a function of PySAT is told of the thread, its last argument."""
    original, told = getattr(pysolvers, function), list[int]()

    def watched(*arguments: Any) -> Any:
        told.append(arguments[-1])
        return original(*arguments)

    monkeypatch.setattr(pysolvers, function, watched)
    return told


@pytest.mark.parametrize(("solver", "function"), FUNCTIONS.items())
def test_every_call_of_an_engine(solver: str, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(pysolvers, function):
        pytest.skip("an older PySAT, without this solver")
    told = _watch(monkeypatch, function)
    SatEngine(solver).enumerate(Instance(6), ignore)
    assert told
    assert set(told) == {0}


def test_every_encoding_of_pysat(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    original = CardEnc.atmost

    def watched(*arguments: Any, **settings: Any) -> Any:
        told.append(MainThread.check())
        return original(*arguments, **settings)

    monkeypatch.setattr(CardEnc, "atmost", watched)
    queens_cnf(Instance(5), "seqcounter")
    assert told
    assert not any(told)


def test_fact_pysat_asks_which_thread_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _watch(monkeypatch, "cadical195_solve")
    with Solver("cadical195", bootstrap_with=[[1]]) as solver:
        solver.solve()
    assert told == [1]
