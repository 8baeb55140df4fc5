"""At most one: every encoding against its truth table and its sizes, and PySAT's pairwise against ours."""

from __future__ import annotations

import doctest
import itertools
import sys

import pytest
from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

from nqueens_models.errors import EngineUnavailable, InvalidSetting
from nqueens_models.models import at_most_one as encodings
from nqueens_models.models.at_most_one import ENCODINGS, at_most_one, sizes
from nqueens_models.models.clauses import Cnf
from nqueens_models.models.encoding import Sizes


@pytest.mark.parametrize("size", range(12))
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_truth_table(encoding: str, size: int) -> None:
    """Literals of both signs, not from 1 on, and auxiliary variables after the last one handed out."""
    literals = [(-1) ** k * (3 + k) for k in range(size)]
    cnf = Cnf(size + 20)
    at_most_one(cnf, literals, encoding)
    mentioned = {abs(literal) for clause in cnf.clauses for literal in clause}
    assert mentioned <= {*map(abs, literals), *range(size + 21, cnf.variables + 1)}
    with Solver("minisat22", bootstrap_with=[*cnf.clauses, *([v, -v] for v in range(1, size + 21))]) as solver:
        for values in itertools.product([False, True], repeat=size):
            chosen = [x if value else -x for x, value in zip(literals, values, strict=True)]
            assert solver.solve(assumptions=chosen) is (sum(values) <= 1)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_two_constraints_share_no_auxiliary_variable(encoding: str) -> None:
    """Two lines of five with one queen each: 36 ways, or fewer if one number stood for two things."""
    cnf = Cnf(10)
    for literals in ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]):
        at_most_one(cnf, literals, encoding)
    with Solver("minisat22", bootstrap_with=cnf.clauses) as solver:
        lines = itertools.product([None, 1, 2, 3, 4, 5], [None, 6, 7, 8, 9, 10])
        assert all(
            solver.solve(assumptions=[square if square in line else -square for square in range(1, 11)])
            for line in lines
        )


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_sizes_are_those_of_the_formula(encoding: str) -> None:
    for k in range(41):
        cnf = Cnf(k)
        at_most_one(cnf, range(1, k + 1), encoding)
        assert sizes(encoding, k) == Sizes(cnf.variables - k, len(cnf.clauses)), k


def test_the_clauses_of_small_cases() -> None:
    assert doctest.testmod(encodings) == (0, 8)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("sequential", "seqcounter"), ("binary", "bitwise")],
)
def test_encodings_of_the_same_paper_have_the_same_sizes(ours: str, theirs: str) -> None:
    assert [sizes(ours, k) for k in range(3, 200)] == [sizes(theirs, k) for k in range(3, 200)]


@pytest.mark.parametrize("encoding", ["sequential", "commander", "product", "binary", "bimander"])
def test_few_clauses_over_many_literals(encoding: str) -> None:
    """What the papers are about: fewer clauses than pairs, k log k at the most."""
    assert sizes(encoding, 1000).clauses <= 11 * 1000 < sizes("pairwise", 1000).clauses


@pytest.mark.parametrize("size", range(9))
def test_pairwise_is_the_pairwise_of_pysat(size: int) -> None:
    cnf = Cnf(size)
    at_most_one(cnf, range(1, size + 1), "pairwise")
    assert cnf.clauses == CardEnc.atmost(list(range(1, size + 1)), 1, encoding=EncType.pairwise).clauses
    assert cnf.variables == size


def test_unknown_encoding_says_which_exist() -> None:
    with pytest.raises(InvalidSetting, match=r"'ladders'.*ladder"):
        at_most_one(Cnf(2), [1, 2], "ladders")


def test_without_pysat_pairwise_works_and_the_others_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysat.card", None)
    cnf = Cnf(3)
    at_most_one(cnf, [1, 2, 3], "pairwise")
    with pytest.raises(EngineUnavailable, match="pip install python-sat"):
        at_most_one(cnf, [1, 2, 3], "ladder")
