"""Certificates that list one solution of each orbit: right for every instance, rejected when altered."""

from __future__ import annotations

import dataclasses
import itertools
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from nqueens_models.certify import certify, check_certificate
from nqueens_models.certify.orbits import Leaders, Maps, Statement, check_symmetries
from nqueens_models.certify.places import FORMULA, PROOF, SOLUTIONS, SYMMETRIES
from nqueens_models.errors import RejectedCertificate
from nqueens_models.formats.dimacs import parse_dimacs
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.symmetry import MIRRORS, Symmetry, stabiliser
from tests.brute_force import instances, solutions
from tests.certify.test_certificate import lines, rejected, replaced, shorter_header, without
from tests.models.test_lex_leader import SYMMETRIC, image, leaders, symmetric_instances


@pytest.mark.parametrize("instance", SYMMETRIC, ids=str)
def test_one_of_each_orbit_is_listed_and_all_are_certified(instance: Instance, tmp_path: Path) -> None:
    certified = certify(instance, tmp_path, symmetry_breaking=True)
    assert list(certified.solutions) == solutions(instance)
    listed = [tuple(map(int, line.split())) for line in (tmp_path / SOLUTIONS).read_text().splitlines()]
    assert listed == leaders(instance)
    assert certified.listed == len(listed)
    assert certified.symmetries == len(stabiliser(instance))
    assert check_certificate(tmp_path) == certified


@given(symmetric_instances() | instances(max_n=5))
@settings(max_examples=30, deadline=None)
def test_any_instance(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    certified = certify(instance, tmp_path_factory.mktemp("c"), symmetry_breaking=True)
    assert list(certified.solutions) == solutions(instance)


def test_eight_queens(eight: Path) -> None:
    certified = check_certificate(eight)
    assert (len(certified.solutions), certified.listed) == (92, 12), "OEIS A000170, A002562"
    readme = (eight / "README.txt").read_text()
    assert "Every solution is an image of the first of its orbit." in readme


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("eight")
    certify(Instance(8), folder, symmetry_breaking=True)
    return folder


def test_each_listed_solution_is_left_by_the_clauses_that_do_not_block_it(eight: Path) -> None:
    """By a solver that has no part in the proof."""
    clauses = parse_dimacs((eight / FORMULA).read_bytes()).clauses
    listed = [tuple(map(int, line.split())) for line in (eight / SOLUTIONS).read_text().splitlines()]
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        assert not solver.solve()
    for placement in listed:
        blocking = [-(8 * row + column + 1) for row, column in enumerate(placement)]
        with Solver("minisat22", bootstrap_with=[clause for clause in clauses if clause != blocking]) as solver:
            assert solver.solve()
            assert sorted(v for v in solver.get_model() if 0 < v <= 64) == [-literal for literal in blocking]


def stated(edit: Callable[[list[Any], list[Any]], Any]) -> dict[str, Callable[[bytes], bytes]]:
    """Return the edit of the statement that makes this edit of the maps and the auxiliary variables."""

    def edited(content: bytes) -> bytes:
        facts = json.loads(content)
        edit(facts["symmetries"], facts["auxiliary"])
        return json.dumps(facts).encode()

    return {SYMMETRIES: edited}


def put(values: list[Any], at: int, value: Any) -> None:
    values[at] = value


def swapped(values: list[Any], at: int, other: int) -> None:
    values[at], values[other] = values[other], values[at]


def formula(old: bytes, new: bytes) -> dict[str, Callable[[bytes], bytes]]:
    return {FORMULA: shorter_header(replaced(old, new), int(new == b""))}


FIRST, ITS_MIRROR = b"0 4 7 5 2 6 1 3\n", b"7 3 0 2 5 1 6 4\n"
BLOCKING = b"\n-1 -13 -24 -30 -35 -47 -50 -60 0"
LEX = b"\n-65 2 66 0"  # on the board and its mirror image the first square is the same, and then the second
NO_RULE = "nor holds for the first of each orbit"
FORGED: dict[str, tuple[dict[str, Callable[[bytes], bytes]], str]] = {
    "a symmetry is none": (
        stated(lambda maps, _: swapped(maps[1], 0, 1)),
        r"symmetry 1 does not map the instance onto itself: only of \(0, 0\) and .* exclude"),
    "a symmetry is that of another board": (
        stated(lambda maps, _: put(maps, 3, [*range(8, 64), *range(8)])), "symmetry 3 does not map the instance"),
    "a symmetry maps two squares to one": (
        stated(lambda maps, _: put(maps[2], 0, maps[2][1])), "symmetry 2 .* one to one"),
    "a symmetry leaves the board": (stated(lambda maps, _: put(maps[2], 0, 64)), "symmetry 2 .* one to one"),
    "a symmetry is missing": (stated(lambda maps, _: maps.pop(3)), "about a symmetry or squares that are not"),
    "a symmetry comes twice and another is missing": (
        stated(lambda maps, _: put(maps, 3, maps[4])), "it is no group"),
    "two symmetries are exchanged": (stated(lambda maps, _: swapped(maps, 1, 2)), f"clause 747 .*{NO_RULE}"),
    "there is no symmetry": (stated(lambda maps, _: maps.clear()), "a symmetry is a list of the 64"),
    "symmetries are short": (stated(lambda maps, _: [one.pop() for one in maps]), "is a list of the 64"),
    "squares are no numbers": (stated(lambda maps, _: put(maps[0], 0, 0.5)), "a symmetry is a list of the 64"),
    "symmetries are of two lengths": (stated(lambda maps, _: maps[5].pop()), "does not state"),
    "the statement is none": ({SYMMETRIES: lambda _: b"[]"}, "does not state symmetries"),
    "an auxiliary variable says more": (stated(lambda _, told: put(told[9], 1, told[9][1] + 1)), NO_RULE),
    "an auxiliary variable says less": (stated(lambda _, told: put(told[9], 1, told[9][1] - 1)), NO_RULE),
    "an auxiliary variable is of another symmetry": (stated(lambda _, told: put(told[9], 0, 5)), NO_RULE),
    "an auxiliary variable is of no symmetry": (
        stated(lambda _, told: put(told[9], 0, 8)), "about a symmetry or squares that are not there"),
    "an auxiliary variable is of too many squares": (
        stated(lambda _, told: put(told[9], 1, 65)), "about a symmetry or squares that are not there"),
    "an auxiliary variable is of no number": (
        stated(lambda _, told: put(told[9], 0, 0.5)), "described by two numbers"),
    "an auxiliary variable is missing": (
        stated(lambda _, told: told.pop()), "496 variables, not one a square and 431 more"),
    "a literal of a lex-leader clause is missing": (formula(LEX, b"\n-65 66 0"), NO_RULE),
    "a literal of a lex-leader clause is turned": (formula(LEX, b"\n-65 -2 66 0"), NO_RULE),
    "a literal of a lex-leader clause is another": (formula(LEX, b"\n-65 2 67 0"), NO_RULE),
    "a clause mixes two symmetries": (formula(LEX, b"\n-65 2 200 0"), NO_RULE),
    "a lex-leader clause is missing": (formula(LEX, b""), "proof.drat, line"),
    "an orbit is missing": ({SOLUTIONS: without(0)} | formula(BLOCKING, b""), "proof.drat, line"),
    "an orbit is missing in the list": ({SOLUTIONS: without(0)}, "clause 2041 neither follows"),
    "an orbit is not blocked": (formula(BLOCKING, b""), "solutions.txt, line 1: no clause"),
    "an orbit is listed by another member": (
        {SOLUTIONS: replaced(FIRST, ITS_MIRROR)}, "line 1: the placement comes after .*, an image of itself"),
    "an orbit is listed twice": (
        {SOLUTIONS: lines(lambda listed: [*listed, ITS_MIRROR])}, "line 13: the placement comes after"),
    "the proof is only its end": ({PROOF: lambda _: b"0\n"}, "proof.drat, line 1: the clause does not follow"),
}  # fmt: skip


@pytest.mark.parametrize(("edits", "reason"), FORGED.values(), ids=FORGED)
def test_a_forged_certificate_is_rejected(
    eight: Path, tmp_path: Path, edits: dict[str, Callable[[bytes], bytes]], reason: str
) -> None:
    rejected(shutil.copytree(eight, tmp_path / "forged"), edits, reason)


def maps_of(instance: Instance, group: Sequence[Symmetry]) -> Maps:
    n = instance.n
    squares = [(row, column) for row in range(n) for column in range(n)]
    return np.array([[n * r + c for r, c in (symmetry.square(one, n) for one in squares)] for symmetry in group])


@st.composite
def boards_and_symmetries(draw: st.DrawFn) -> tuple[Instance, Symmetry]:
    """Draw an instance and a symmetry that may be one of it."""
    plain = st.builds(Instance, st.integers(1, 5), st.sampled_from(Diagonals))
    instance, mirror = draw(symmetric_instances() | plain), draw(st.sampled_from(MIRRORS))
    down, right = draw(st.integers(0, instance.n - 1)), draw(st.integers(0, instance.n - 1))
    return instance, dataclasses.replace(mirror, down=down, right=right)


@settings(max_examples=200, deadline=None)
@given(boards_and_symmetries())
def test_what_is_accepted_maps_solutions_to_solutions(drawn: tuple[Instance, Symmetry]) -> None:
    instance, chosen = drawn
    n = instance.n
    one = maps_of(instance, [chosen])[0]
    powers = [np.arange(n * n)]
    while not np.array_equal(one[powers[-1]], powers[0]):
        powers.append(one[powers[-1]])
    try:
        check_symmetries(instance, np.array(powers), "maps")
    except RejectedCertificate:
        assert chosen not in stabiliser(instance)
    else:
        found = solutions(instance)
        assert sorted(image(chosen, placement) for placement in found) == found


@pytest.mark.parametrize(
    ("instance", "reason"),
    [
        (Instance(4, fixed=[(0, 1)]), "the fixed queens"),
        (Instance(4, blocked=[(0, 1)]), "the blocked squares"),
        (Instance(4, "adjacent", regions=["AAAB", "CCCB", "CDDB", "CDDD"]), "the instance"),
    ],
    ids=str,
)
def test_what_is_no_symmetry(instance: Instance, reason: str) -> None:
    maps = maps_of(instance, MIRRORS)
    with pytest.raises(RejectedCertificate, match=f"symmetry 1 does not map {reason} onto"):
        check_symmetries(instance, maps, "maps")


N = 3
GROUP = maps_of(Instance(N), MIRRORS)
EVERY_BOARD = np.array(list(itertools.product((False, True), repeat=N * N)))
IMAGES = [EVERY_BOARD[:, np.argsort(one)] for one in GROUP]  # a queen on the image's square is sent there
WORDS = 2 ** np.arange(N * N)[::-1]
FIRST_OF_ORBIT = np.all([moved @ WORDS <= EVERY_BOARD @ WORDS for moved in IMAGES], axis=0)
MEANINGS = [(number, length) for number in range(len(GROUP)) for length in range(N * N + 1)]
LEADERS = Leaders(Statement(GROUP, MEANINGS))


def holds(clause: list[int]) -> Any:
    """Return for each board whether it makes the clause true, auxiliary variables having their stated values."""
    true = np.zeros(len(EVERY_BOARD), dtype=np.bool_)
    for literal in clause:
        variable = abs(literal) - 1
        if variable < N * N:
            value = EVERY_BOARD[:, variable]
        else:
            number, length = MEANINGS[variable - N * N]
            value = (EVERY_BOARD[:, :length] == IMAGES[number][:, :length]).all(axis=1)
        true |= value == (literal > 0)
    return true


LITERALS = st.integers(1, N * N + len(MEANINGS)).flatmap(lambda variable: st.sampled_from([variable, -variable]))


@st.composite
def clauses_of_one_symmetry(draw: st.DrawFn) -> list[int]:
    """Draw clauses of which many hold: literals about few squares and the prefixes that end there."""
    number, at = draw(st.integers(1, 7)), draw(st.integers(0, N * N - 1))
    first = N * N + 1 + number * (N * N + 1)
    near = [at + 1, int(np.argsort(GROUP[number])[at]) + 1, int(GROUP[number][at]) + 1]
    prefixes = [first + length for length in (max(0, at - 1), at, at + 1)]
    literals = [sign * variable for variable in near + prefixes for sign in (1, -1)]
    return draw(st.lists(st.sampled_from(literals), max_size=5))


@settings(max_examples=700, deadline=None)
@given(clauses_of_one_symmetry() | st.lists(LITERALS, max_size=5))
def test_a_clause_that_is_accepted_is_true_of_whatever_is_first_in_its_orbit(clause: list[int]) -> None:
    """All 512 boards of 3 by 3 squares, queens anywhere."""
    if LEADERS.entail(clause):
        assert holds(clause)[FIRST_OF_ORBIT].all()


@pytest.mark.parametrize("number", range(1, 8))
@pytest.mark.parametrize("at", range(N * N))
def test_clauses_of_the_encoder_are_accepted_but_not_with_a_literal_turned(number: int, at: int) -> None:
    x, y, same = at + 1, int(np.argsort(GROUP[number])[at]) + 1, N * N + 1 + number * (N * N + 1) + at
    if x != y:
        for clause in ([-same, x, -y], [-same, x, same + 1], [-same, -y, same + 1]):
            assert LEADERS.entail(clause)
            for turned in range(3):
                changed = [-literal if k == turned else literal for k, literal in enumerate(clause)]
                assert LEADERS.entail(changed) <= bool(holds(changed)[FIRST_OF_ORBIT].all())
