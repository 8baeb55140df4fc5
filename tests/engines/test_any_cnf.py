"""Projected enumeration of any CNF: every solver, against all assignments and a model counter."""

from __future__ import annotations

import importlib.util
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.any_cnf import count_cnf, enumerate_cnf
from nqueens_models.engines.base import Limits, Outcome, Termination
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.oracle import solver_names
from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import InvalidInput, InvalidSetting
from nqueens_models.formats.dimacs import CnfFile, dimacs_bytes, parse_dimacs
from nqueens_models.instance import Instance
from nqueens_models.models.cnf import queens_cnf
from tests.formats.cnf_files import READABLE, projected

SOLVERS = [n for n in solver_names() if n != "cryptominisat5" or importlib.util.find_spec("pycryptosat")]


def listed(
    cnf: CnfFile, solver: str = "minisat22", limits: Limits | None = None, seed: int = 0
) -> tuple[list[tuple[bool, ...]], Outcome]:
    rows: list[tuple[bool, ...]] = []
    engine = SatEngine(solver, seed=seed)
    outcome = enumerate_cnf(
        cnf, engine, lambda block: rows.extend(tuple(map(bool, row)) for row in block), limits or Limits()
    )
    return rows, outcome


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_on_every_odd_file(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nqueens_models.engines.base._killable", True)  # so that no process is made for each
    for name, data in READABLE.items():
        cnf = parse_dimacs(data)
        rows, outcome = listed(cnf, solver)
        assert outcome.termination is Termination.EXHAUSTED
        assert len(rows) == len(set(rows)) == outcome.solutions, name
        assert set(rows) == projected(cnf), name
        assert count_cnf(cnf, SatEngine(solver)).solutions == len(rows), name


@pytest.mark.parametrize("name", READABLE)
def test_counts_of_a_model_counter(name: str) -> None:
    pyganak = pytest.importorskip("pyganak", reason="the model counter pyganak is not installed")
    cnf = parse_dimacs(READABLE[name])
    counter = pyganak.Counter()
    counter.new_vars(max(1, cnf.variables))  # without one, pyganak 2.9 counts 1 for the empty clause
    counter.add_clauses(cnf.clauses)
    counter.set_sampling_set(list(cnf.primary))
    assert count_cnf(cnf, SatEngine()).solutions == counter.count()


@st.composite
def cnfs(draw: st.DrawFn) -> CnfFile:
    """Draw a CNF of some variables, with or without a projection."""
    variables = draw(st.integers(1, 6))
    literal = st.integers(-variables, variables).filter(bool)
    clauses = draw(st.lists(st.lists(literal, min_size=1, max_size=4), max_size=12))
    projection = draw(st.none() | st.sets(st.integers(1, variables)))
    return parse_dimacs(b"".join(dimacs_bytes(variables, clauses, projection)))


@given(cnfs(), st.sampled_from(["minisat22", "cadical195", "glucose4", "lingeling"]), st.integers(0, 2))
@settings(deadline=None)
def test_random_cnfs(cnf: CnfFile, solver: str, seed: int) -> None:
    rows, _ = listed(cnf, solver, seed=seed)
    assert len(rows) == len(set(rows))
    assert set(rows) == projected(cnf)
    assert count_cnf(cnf, SatEngine(solver, seed=seed)).solutions == len(rows)


@given(cnfs(), st.integers(1, 70))
@settings(deadline=None)
def test_a_limit_of_solutions(cnf: CnfFile, limit: int) -> None:
    there = len(projected(cnf))
    for outcome in (listed(cnf, limits=Limits(limit))[1], count_cnf(cnf, SatEngine(), Limits(limit))):
        assert outcome.solutions == min(limit, there)
        reached = there >= limit
        assert outcome.termination is (Termination.SOLUTION_LIMIT if reached else Termination.EXHAUSTED)


@pytest.mark.parametrize("encoding", ["pairwise", "seqcounter", "cardnetwrk"])
def test_queens_projected_on_the_squares(encoding: str) -> None:
    cnf = queens_cnf(Instance(6), encoding)
    read = parse_dimacs(b"".join(dimacs_bytes(cnf.variables, cnf.clauses, range(1, 37))))
    rows, _ = listed(read)
    boards = np.array(rows).reshape(-1, 6, 6)
    assert sorted(boards.argmax(axis=2).tolist()) == [
        [1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]
    ]  # fmt: skip


def test_a_gap_in_the_numbers_costs_nothing() -> None:
    cnf = parse_dimacs(b"p cnf 2000000000 2\nc p show 5 1999999999 0\n2000000000 -1999999999 0\n5 7 0\n")
    assert sorted(listed(cnf)[0]) == [(False, False), (False, True), (True, False), (True, True)]
    assert count_cnf(cnf, SatEngine()).solutions == 4


def test_free_variables_are_counted_without_being_enumerated() -> None:
    free = count_cnf(parse_dimacs(b"p cnf 5000 1\n1 0\n"), SatEngine())
    assert free.solutions == 2**4999
    assert free.statistics["assignments"] == 1
    assert count_cnf(parse_dimacs(b"p cnf 5000 2\n1 0 -1 0\n"), SatEngine()).solutions == 0
    some = count_cnf(parse_dimacs(b"p cnf 5000 1\n1 2 0\n"), SatEngine(), Limits(solutions=7))
    assert (some.solutions, some.termination) == (7, Termination.SOLUTION_LIMIT)
    with pytest.raises(InvalidInput, match="no clause mentions 1999999999"):
        count_cnf(parse_dimacs(b"p cnf 2000000000 1\n1 0\n"), SatEngine())


@pytest.mark.parametrize("solver", ["minisat22", "cadical195"])
def test_a_time_limit(solver: str) -> None:
    cnf = parse_dimacs(b"p cnf 40 1\n" + b" ".join(b"%d" % one for one in range(1, 41)) + b" 0\n")
    rows, outcome = listed(cnf, solver, Limits(seconds=1.5))
    assert outcome.termination is Termination.TIME_LIMIT
    assert len(rows) == outcome.solutions > 0


@pytest.mark.parametrize(
    ("solver", "holes", "expected"),
    [("lingeling", 3, False), ("lingeling", 8, True), ("cadical195", 8, False), ("cadical195", 40, True)],
)
def test_what_may_be_hard_is_searched_where_it_can_be_killed(
    solver: str, holes: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some pigeons in too few holes keep a solver for years: here there are enough."""
    made: list[bool] = []

    def watched(*arguments: Any) -> Outcome:
        made.append(True)
        return enumerate_in_child(*arguments)

    monkeypatch.setattr("nqueens_models.engines.any_cnf.enumerate_in_child", watched)
    own = [[holes * pigeon + hole + 1 for hole in range(holes)] for pigeon in range(holes)]
    apart = [[-one, -other] for hole in zip(*own, strict=True) for one, other in combinations(hole, 2)]
    cnf = parse_dimacs(b"".join(dimacs_bytes(holes**2, own + apart)))
    assert listed(cnf, solver, Limits(solutions=3))[1].solutions == 3
    assert bool(made) is expected


def test_an_unknown_solver_says_which_exist() -> None:
    with pytest.raises(InvalidSetting, match="minisat22"):
        listed(parse_dimacs(READABLE["plain"]), "minisat23")
