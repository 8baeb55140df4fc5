"""DIMACS: odd files that are read, wrong files that are refused, and what is written."""

import doctest
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.errors import FormatError
from nqueens_models.formats import dimacs
from nqueens_models.formats.dimacs import dimacs_bytes, parse_dimacs, read_dimacs, square_comments
from nqueens_models.instance import Instance
from tests.formats.cnf_files import PLAIN, READABLE, REFUSED, projected


@pytest.mark.parametrize("data", READABLE.values(), ids=READABLE)
def test_odd_files_are_read(data: bytes) -> None:
    pyganak = pytest.importorskip("pyganak", reason="the model counter pyganak is not installed")
    cnf = parse_dimacs(data)
    counter = pyganak.Counter()
    counter.new_vars(max(1, cnf.variables))  # without one, pyganak 2.9 counts 1 for the empty clause
    counter.add_clauses(cnf.clauses)
    counter.set_sampling_set(list(cnf.primary))
    assert counter.count() == len(projected(cnf))


@pytest.mark.parametrize("name", list(READABLE)[: list(READABLE).index("unused variables")])
def test_one_cnf_however_it_is_written(name: str) -> None:
    cnf = parse_dimacs(READABLE[name])
    assert (cnf.variables, cnf.clauses, cnf.projection) == (3, [[1, -2], [2, 3]], None)


def test_unused_variables_and_empty_clauses_count() -> None:
    assert len(projected(parse_dimacs(READABLE["unused variables"]))) == 2**4 * len(projected(parse_dimacs(PLAIN)))
    assert parse_dimacs(READABLE["an empty clause"]).clauses == [[1, -2], [], [2, 3]]
    assert not projected(parse_dimacs(READABLE["only the empty clause"]))


@pytest.mark.parametrize(
    ("name", "primary"),
    [
        ("c p show", [1, 3]),
        ("c ind", [1, 2]),
        ("a projection after the header, indented", [3]),
        ("several projection lines", [1, 3]),
        ("several c ind lines", [1, 2]),
        ("both conventions, the same", [1, 2]),
        ("an empty projection", []),
        ("words like projections", [1, 2, 3]),
    ],
)
def test_projection(name: str, primary: list[int]) -> None:
    assert list(parse_dimacs(READABLE[name]).primary) == primary


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_wrong_files_are_refused_with_the_line(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as refusal:
        parse_dimacs(data, "odd.cnf")
    assert re.match(r"odd\.cnf(, line [0-9]+)?: [^\n]+$", str(refusal.value))


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "one.cnf.gz"
    path.write_bytes(READABLE["gzip"])
    assert read_dimacs(path).clauses == [[1, -2], [2, 3]]
    path.write_bytes(b"p cnf 1 1\n2 0\n")
    with pytest.raises(FormatError, match=r"one\.cnf\.gz, line 2: literal 2"):
        read_dimacs(path)


cnfs = st.integers(1, 40).flatmap(
    lambda variables: st.tuples(
        st.just(variables),
        st.lists(st.lists(st.integers(-variables, variables).filter(bool), max_size=5), max_size=30),
        st.none() | st.sets(st.integers(1, variables)).map(sorted),
    )
)


@given(cnfs)
def test_what_is_written_is_read(cnf: tuple[int, list[list[int]], list[int] | None]) -> None:
    variables, clauses, projection = cnf
    read = parse_dimacs(b"".join(dimacs_bytes(variables, clauses, projection, ["one", "", "p cnf 1 1"])))
    assert (read.variables, read.clauses) == (variables, clauses)
    assert read.projection == (None if projection is None else tuple(projection))


@given(cnfs, st.data())
def test_any_white_space_will_do(cnf: tuple[int, list[list[int]], list[int] | None], data: st.DataObject) -> None:
    variables, clauses, _ = cnf
    words = [str(one) for clause in clauses for one in (*clause, 0)]
    spaces = st.sampled_from([" ", "\n", "\t", "  ", "\r\n", "\nc 1 0\n", "\n  comment\n"])
    gaps = data.draw(st.lists(spaces, min_size=len(words), max_size=len(words)))
    text = f"p cnf {variables} {len(clauses)}\n" + "".join(w + g for w, g in zip(words, gaps, strict=True))
    assert parse_dimacs(text.encode()).clauses == clauses


@given(st.binary(max_size=40) | st.text("pcnf 0123-%\n", max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for content in (data, b"p cnf 3 2\n" + data):
        with suppress(FormatError):
            parse_dimacs(content)


@pytest.mark.parametrize("clause", [[0], [4], [-4], [1, 0, 2]])
def test_writing_refuses_what_is_no_literal(clause: list[int]) -> None:
    with pytest.raises(ValueError, match="none of 3 variables"):
        list(dimacs_bytes(3, [[1], clause]))


def test_comments_name_the_square_of_each_variable() -> None:
    comments = list(square_comments(Instance(3)))
    assert comments[-1] == "row 2, columns 0 to 2: variables 7 to 9"
    assert list(square_comments(Instance(0)))


def test_examples() -> None:
    assert doctest.testmod(dimacs) == (0, 3)
