"""Both checkers of proofs, against the definition of unit propagation, against all assignments, and each other."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Solver

from nqueens_models.certify import PROOF_SOLVERS, compiled_rup, refutation
from nqueens_models.certify.refutation import DELETE, Proof, parse_proof
from nqueens_models.errors import FormatError, RejectedCertificate
from nqueens_models.formats.dimacs import dimacs_bytes

Clauses = list[list[int]]
Steps = list[tuple[bool, list[int]]]
Checker = Callable[[int, Clauses, Proof], int]


def compiled(variables: int, clauses: Clauses, proof: Proof) -> int:
    flat = np.array([literal for clause in clauses for literal in (*clause, 0)], dtype=np.int32)
    return compiled_rup.check_refutation(variables, flat, proof)


both = pytest.mark.parametrize("check", [refutation.check_refutation, compiled], ids=["plain", "compiled"])


def proof_of(steps: Steps) -> Proof:
    flat = [literal for deleted, clause in steps for literal in (*[DELETE] * deleted, *clause, 0)]
    return Proof(np.array(flat, dtype=np.int32), np.arange(1, len(steps) + 1))


def contradicts(clauses: Clauses) -> bool:
    """Whether unit propagation, as it is defined, makes a clause false."""
    true: set[int] = set()
    while True:
        forced = set()
        for clause in clauses:
            open_ones = {literal for literal in clause if -literal not in true}
            if not open_ones:
                return True
            if len(open_ones) == 1:
                forced |= open_ones - true
        if not forced:
            return False
        true |= forced
        if any(-literal in true for literal in true):
            return True


def expected(clauses: Clauses, steps: Steps) -> str | int:
    """Return the number of steps to a contradiction, or what is wrong, from the definitions.

    What followed from a clause by unit propagation stays when the clause goes.
    """
    known = [frozenset(clause) for clause in clauses]
    kept: list[frozenset[int]] = []
    for number, (deleted, clause) in enumerate(steps):
        kept += units(known + kept)
        now = [list(one) for one in known + kept]
        if contradicts(now):
            return number
        if deleted:
            if frozenset(clause) not in known:
                return f"line {number + 1}: a clause is deleted that is not there"
            known.remove(frozenset(clause))
        else:
            if not contradicts(now + [[-literal] for literal in clause]):
                return f"line {number + 1}: the clause does not follow by unit propagation"
            known.append(frozenset(clause))
    return len(steps) if contradicts([list(one) for one in known + kept]) else "it ends before a contradiction"


def units(clauses: list[frozenset[int]]) -> list[frozenset[int]]:
    true: set[int] = set()
    while True:
        left = [{literal for literal in clause if -literal not in true} for clause in clauses]
        new = {literal for one in left if len(one) == 1 for literal in one} - true
        if not new or not all(left):
            return [frozenset([literal]) for literal in true]
        true |= new


def outcome(check: Checker, variables: int, clauses: Clauses, steps: Steps) -> str | int:
    try:
        return check(variables, clauses, proof_of(steps))
    except RejectedCertificate as reason:
        return re.sub(r"^proof(, |: )", "", str(reason))


def satisfiable(variables: int, clauses: Clauses) -> bool:
    return any(
        all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


ALL_SIGNS = [[a, b] for a in (1, -1) for b in (2, -2)]  # no assignment satisfies these four


@both
@pytest.mark.parametrize(
    ("clauses", "steps", "verdict"),
    [
        (ALL_SIGNS, [(False, [1]), (False, [])], 1),
        (ALL_SIGNS, [(False, [2]), (True, [1, 2]), (False, [])], 1),
        (ALL_SIGNS, [(False, [])], "line 1: the clause does not follow by unit propagation"),
        (ALL_SIGNS, [], "it ends before a contradiction"),
        (ALL_SIGNS, [(True, [2, 1])], "it ends before a contradiction"),
        (ALL_SIGNS, [(True, [2, 1]), (False, [1])], "line 2: the clause does not follow by unit propagation"),
        (ALL_SIGNS, [(True, [1, 2]), (True, [1, 2])], "line 2: a clause is deleted that is not there"),
        ([*ALL_SIGNS, [1, 2]], [(True, [1, 2]), (False, [1])], 2),
        ([[1, 1, 2], *ALL_SIGNS[1:]], [(True, [2, 1, 2])], "it ends before a contradiction"),
        (ALL_SIGNS[:3], [(False, [1]), (False, [3])], "line 2: the clause does not follow by unit propagation"),
        ([[1, -1], [2]], [(False, [1, -1]), (False, [-2, 2])], "it ends before a contradiction"),
        ([[1], [-1], [2]], [], 0),
        ([[]], [], 0),
        ([[1]], [(True, [1]), (False, [1])], "it ends before a contradiction"),  # what followed stays
    ],
)
def test_small_proofs(check: Checker, clauses: Clauses, steps: Steps, verdict: str | int) -> None:
    assert outcome(check, 3, clauses, steps) == verdict == expected(clauses, steps)


VARIABLES = 4
clause = st.lists(st.integers(-VARIABLES, VARIABLES).filter(bool), max_size=4)
clauses_and_steps = st.lists(clause.filter(bool), max_size=24).flatmap(
    lambda clauses: st.tuples(
        st.just(clauses),
        st.lists(
            st.tuples(st.just(False), clause)
            | (st.tuples(st.just(True), st.sampled_from(clauses)) if clauses else st.nothing()),
            max_size=12,
        ),
    )
)


@given(clauses_and_steps)
def test_checkers_follow_the_definition(case: tuple[Clauses, Steps]) -> None:
    clauses, steps = case
    verdict = expected(clauses, steps)
    assert outcome(refutation.check_refutation, VARIABLES, clauses, steps) == verdict
    assert outcome(compiled, VARIABLES, clauses, steps) == verdict
    if isinstance(verdict, int):
        assert not satisfiable(VARIABLES, clauses)


def pigeons(holes: int) -> tuple[int, Clauses]:
    """One pigeon more than holes: no assignment, and no short proof."""

    def at(pigeon: int, hole: int) -> int:
        return holes * pigeon + hole + 1

    clauses = [[at(pigeon, hole) for hole in range(holes)] for pigeon in range(holes + 1)]
    for hole in range(holes):
        clauses += [[-at(one, hole), -at(other, hole)] for one, other in combinations(range(holes + 1), 2)]
    return holes * (holes + 1), clauses


def lines_of(solver: str, clauses: Clauses) -> list[str]:
    with Solver(solver, bootstrap_with=clauses, with_proof=True) as oracle:
        assert not oracle.solve()
        lines: list[str] = oracle.get_proof()
        return lines


@pytest.mark.parametrize("solver", PROOF_SOLVERS)
def test_proofs_of_solvers_are_accepted_and_altered_ones_are_not(solver: str) -> None:
    variables, clauses = pigeons(5)
    lines = lines_of(solver, clauses)
    proof = parse_proof("\n".join(lines).encode(), variables)
    steps = refutation.check_refutation(variables, clauses, proof)
    assert steps == compiled(variables, clauses, proof)
    assert steps > 50
    added = [number for number, (deleted, clause) in enumerate(proof.steps()) if clause and not deleted]
    reasons = []
    for number in added[: len(added) // 2 : 7]:
        altered = list(proof.steps())
        altered[number] = (False, [-literal for literal in altered[number][1][:1]])
        reasons.append(outcome(refutation.check_refutation, variables, clauses, altered))
        assert reasons[-1] == outcome(compiled, variables, clauses, altered)
    assert f"line {added[0] + 1}: the clause does not follow by unit propagation" in reasons


def test_a_verified_checker_agrees() -> None:
    drup = pytest.importorskip("drup", reason="the verified checker drup is not installed")
    variables, clauses = pigeons(4)
    lines = [line for line in lines_of("cadical153", clauses) if not line.startswith("d")]
    derivation = [list(map(int, line.split()[:-1])) for line in lines]
    assert drup.check_proof(clauses, derivation).outcome is drup.Outcome.VALID
    assert drup.check_proof(clauses, derivation[-1:]).outcome is drup.Outcome.INVALID
    assert outcome(compiled, variables, clauses, [(False, derivation[-1])]) != 0


def test_drat_trim_agrees(tmp_path: Path) -> None:
    program = shutil.which("drat-trim")
    if program is None:
        pytest.skip("drat-trim is not installed")
    variables, clauses = pigeons(6)
    (tmp_path / "f.cnf").write_bytes(b"".join(dimacs_bytes(variables, clauses)))
    (tmp_path / "p.drat").write_text("\n".join(lines_of("cadical153", clauses)) + "\n")
    done = subprocess.run([program, "f.cnf", "p.drat"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "s VERIFIED" in done.stdout


def test_steps_are_counted_up_to_the_contradiction() -> None:
    steps = [(False, [1]), (False, [3]), (True, [9])]
    assert [outcome(check, 9, ALL_SIGNS, steps) for check in (refutation.check_refutation, compiled)] == [1, 1]


@pytest.mark.parametrize(
    "text",
    [
        b"1 2\n", b"1 2 0 3 0\n", b"x 1 0\n", b"1 -0 0\n", b"d\n", b"d1 0\n", b"1 d 2 0\n", b"+1 0\n", b"1.0 0\n",
        b"a\x07\x00\n", b"1 2 0 c\n", b"01 0\n", b"12345678901 0\n",
    ],
)  # fmt: skip
def test_what_is_no_proof_is_refused_with_its_line(text: bytes) -> None:
    with pytest.raises(FormatError, match=r"^proof, line 3: no step"):
        parse_proof(b"c\n1 0\n" + text + b"0\n", 9)


def test_variables_that_the_formula_lacks_are_refused() -> None:
    with pytest.raises(FormatError, match=r"^p, line 5: literal -10 is beyond the 9 variables"):
        parse_proof(b"1 0\n\nd 1 0\n0\n9 -10 0\n", 9, "p")


def test_lines_of_a_proof() -> None:
    proof = parse_proof(b"c one\r\n1 2 0\r\n\n  d\t1  2 0 \ncomment\n0", 2)
    assert list(proof.steps()) == [(False, [1, 2]), (True, [1, 2]), (False, [])]
    assert proof.lines.tolist() == [2, 4, 6]


def test_examples() -> None:
    assert doctest.testmod(refutation) == (0, 1)
