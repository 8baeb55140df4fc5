"""Files of solutions: what is written is read back, what people have is read, no base is guessed."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.errors import FormatError, InvalidSetting
from nqueens_models.formats.answers import Answers
from nqueens_models.formats.solution_formats import (
    SOLUTION_FORMATS,
    SolutionFormat,
    read_solutions,
    solution_format,
)
from nqueens_models.formats.solutions_out import writer
from nqueens_models.formats.source import Source
from nqueens_models.instance import Instance
from tests import brute_force

FORMATS = pytest.mark.parametrize("one", SOLUTION_FORMATS.values(), ids=SOLUTION_FORMATS.keys())
FOUR = [[1, 3, 0, 2], [2, 0, 3, 1]]


def read(text: str | bytes, n: int | None = None, name: str | None = None) -> Answers:
    source = Source("file", text) if isinstance(text, bytes) else Source.of_text(text, "file")
    return read_solutions(source, n, name)


def written(name: str, block: Any, n: int, base: int = 0) -> bytes:
    stream = io.BytesIO()
    out = writer(name, Instance(n), stream, base=base)
    out.write(np.array(block, dtype=np.uint16).reshape(len(block), n))
    out.close({"count": len(block), "complete": True})
    return stream.getvalue()


@FORMATS
@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 7])
def test_solutions_are_read_back(one: SolutionFormat, n: int) -> None:
    block = brute_force.solutions(Instance(n))
    data = written(one.written_as, block, n, one.base)
    answers = read(data, n, one.name)
    assert answers.all_placements().tolist() == [list(p) for p in block]
    assert answers.numbers.tolist() == list(range(1, len(block) + 1))
    assert answers.base == one.base
    assert not answers.oddities


@FORMATS
@pytest.mark.parametrize("n", [4, 6, 7])
def test_solutions_are_recognised(one: SolutionFormat, n: int) -> None:
    """In lists of all solutions some queen stands in the first column and some in the last: the base is proved."""
    block = brute_force.solutions(Instance(n))
    for known in (n, None):
        data = written(one.written_as, block, n, one.base)
        assert read(data, known).placements.tolist() == [list(p) for p in block]
        assert read(data, known).base == one.base


@FORMATS
@given(data=st.data())
def test_any_placements_are_read_back(one: SolutionFormat, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 14))
    row = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    block = data.draw(st.lists(row, min_size=1, max_size=4))
    assert read(written(one.written_as, block, n, one.base), n, one.name).placements.tolist() == block


@pytest.mark.parametrize("name", ["columns", "board", "json", "jsonl", "npy", "sat"])
@pytest.mark.parametrize("count", [0, 1])
def test_boards_of_no_row(name: str, count: int) -> None:
    answers = read(written(name, [[]] * count, 0), 0, name)
    assert answers.placements.shape == (count, 0)


@pytest.mark.parametrize("n", [2, 3])
@FORMATS
def test_files_without_solutions(one: SolutionFormat, n: int) -> None:
    assert len(read(written(one.written_as, [], n, one.base), n, one.name)) == 0
    assert len(read("", n)) == 0
    with pytest.raises(FormatError, match=r"name the instance|no solution format"):
        read("\n")


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("1 3 0 2\n2 0 3 1\n", 0),
        ("2 4 1 3\n3 1 4 2\n", 1),
        ("(1, 3, 0, 2)\n\n(2, 0, 3, 1)\n", 0),
        ("queens = [2, 4, 1, 3];\n----------\nqueens = [3, 1, 4, 2];\n----------\n==========\n", 1),
        ("# found\n1,3,0,2\r\n2,0,3,1\r\n", 0),
        ("[[1, 3, 0, 2], [2, 0, 3, 1]]", 0),
        ("[2, 4, 1, 3]\n[3, 1, 4, 2]", 1),
        ('{"solutions": [[1, 3, 0, 2], [2, 0, 3, 1]]}', 0),
        ('[[".Q..", "...Q", "Q...", "..Q."], ["..Q.", "Q...", "...Q", ".Q.."]]', 0),
        (".Q..\n...Q\nQ...\n..Q.\n\n..Q.\nQ...\n...Q\n.Q..\n", 0),
        ("Solution 1:\n_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _\nSolution 2:\n- - Q -\nQ - - -\n- - - Q\n- Q - -", 0),
        ("0100\n0001\n1000\n0010\n\n0010\n1000\n0001\n0100\n", 0),
        ("· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·\n\n· · ♛ ·\n♛ · · ·\n· · · ♛\n· ♛ · ·\n", 0),
        ("1Q2/3Q/Q3/2Q1 w - - 0 1\n2Q1/Q3/3Q/1Q2\n", 0),
        ("queen(1,2) queen(2,4) queen(3,1) queen(4,3)\nq(1,3) q(4,2) q(3,4) q(2,1)\n", 1),
        ("clingo version 5.7\nAnswer: 1 (Time: 0.1s)\nqueen(1,2) queen(2,4) queen(3,1) queen(4,3)\nAnswer: 2\n"
         "block(1,1) queen(1,3) queen(4,2) queen(3,4) queen(2,1)\nSATISFIABLE\nModels : 2\n", 1),
        ("c solver\ns SATISFIABLE\nv -1 2 -3 -4 -5 -6 -7 8\nv 9 -10 -11 -12 -13 -14 15 -16 17 -18 0\n"
         "s SATISFIABLE\nv 3 5 12 14 0\n", 1),
        ("row_1,row_2,row_3,row_4,orbit_size\n2,4,1,3,2\n3,1,4,2,2\n", 1),
    ],
)  # fmt: skip
def test_texts_that_people_have(text: str, base: int) -> None:
    answers = read(text, 4)
    assert answers.all_placements().tolist() == FOUR
    assert answers.base == base


def test_boards_that_follow_each_other() -> None:
    text = ".Q..\n...Q\nQ...\n..Q.\n..Q.\nQ...\n...Q\n.Q.."
    assert read(text, 4).placements.tolist() == FOUR
    assert read(text, 4).lines.tolist() == [1, 5]
    assert read(text, None).n == 8


def test_a_row_of_dashes_is_a_row() -> None:
    assert read("-Q--\n---Q\nQ---\n----\n", 4).oddities[0].queens == ((0, 1), (1, 3), (2, 0))


@pytest.mark.parametrize(
    ("text", "n", "candidates"),
    [
        ("1 2 3\n2 1 3\n", 4, None),  # three columns: neither fits the board
        ("2 3 1 2\n", 4, ["columns (0-based)", "columns-1 (1-based)"]),
        ("[[2, 3, 1, 2]]", 4, ["json (0-based)", "json-1 (1-based)"]),
        ("0 4 1 2\n", 4, ["columns (0-based)", "columns-1 (1-based)"]),
        ("0 1\n1 0\n", 2, ["columns (0-based)", "columns-1 (1-based)", "board (0-based)"]),
    ],
)
def test_a_base_is_never_guessed(text: str, n: int, candidates: list[str] | None) -> None:
    with pytest.raises(FormatError, match=r"name the format|no solution format") as raised:
        read(text, n)
    assert all(candidate in str(raised.value) for candidate in candidates or ())


def test_what_solve_writes_says_its_base() -> None:
    for name in ("json", "jsonl"):
        for base in (0, 1):
            data = written(name, [[1, 2, 1, 2]], 4, base)  # a base that the columns alone do not prove
            assert read(data, 4).placements.tolist() == [[1, 2, 1, 2]]
            assert read(data, 4).base == base
            assert read(data).n == 4


@pytest.mark.parametrize(
    ("name", "text", "n", "message"),
    [
        ("columns", "1 3 0 2\nno solution here", 4, "line 2: a placement is a list of columns"),
        ("columns", "1 3 0 9999999999999", 4, "line 1: a column '9999999999999' is too large"),
        ("board", ".Q..\n..X.", 4, "line 2: 'X' is no sign"),
        ("fen", "1Q2/3R/Q3/2Q1", 4, "line 1: 'R' is no queen"),
        ("fen", "9999999999999Q", 4, "too large"),
        ("sat", "s SATISFIABLE\nv 1 -2 3", 2, "line 2: the v lines do not end with 0"),
        ("sat", "v 1 x 0", 2, "a literal must be a whole number"),
        ("sat", "v 1 -2 3 -4 5 0", None, "name the instance"),
        ("json", '{"answers": []}', 4, "a list of solutions is needed"),
        ("json", "[[1, 3, 0, 2]", 4, "not JSON"),
        ("json", "[[1, 3, 0, 2], 5]", 4, "solution 2 must be a list"),
        ("json", "[[1, 3, 0, 2.5]]", 4, "must hold columns or rows"),
        ("json", '{"base": 2, "solutions": []}', 4, "'base' must be 0 or 1"),
        ("json", '{"instance": {"n": 99999999999}, "solutions": []}', None, "a board of 99999999999 rows"),
        ("jsonl", "[1, 3, 0, 2]\n[1 3]", 4, "line 2: not JSON"),
        ("csv", "a,b,c\n1,2,3", 3, "a heading row_0,row_1"),
        ("asp", "queen(999999999999,1)", None, "a board of 999999999999 rows"),
        ("npy", "text", 4, "not a NumPy array file"),
    ],
)
def test_what_is_wrong_is_named(name: str, text: str, n: int | None, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text, n, name)


def test_arrays_that_lie_about_their_size() -> None:
    good = written("npy", FOUR, 4)
    with pytest.raises(FormatError, match="does not have 7 bytes"):
        read(good[:-1])
    with pytest.raises(FormatError, match="does not have 8 bytes"):
        read(good.replace(b"(2, 4)", b"(9, 4)"))
    stream = io.BytesIO()
    np.save(stream, np.array([1.5]))
    with pytest.raises(FormatError, match="float64"):
        read(stream.getvalue())
    np.save(stream := io.BytesIO(), np.asfortranarray(np.array(FOUR, dtype=">i8")))
    assert read(stream.getvalue()).placements.tolist() == FOUR


def test_oddities_keep_the_order_and_stop_a_conversion() -> None:
    answers = read("1 3 0 2\n1 3 0\n2 0 3 1\n1 3 0 7\n", 4, "columns")
    assert answers.numbers.tolist() == [1, 3]
    assert [(odd.number, odd.line, odd.note) for odd in answers.oddities] == [
        (2, 2, "3 columns, not 4"),
        (4, 4, None),
    ]
    with pytest.raises(FormatError, match="line 2: answer 2: 3 columns, not 4"):
        SOLUTION_FORMATS["json"].write(Instance(4), answers)


@pytest.mark.parametrize(
    "junk", ["[", "1 ", "Q", "v 1 ", "queen(1,1)", "1/", "{", "Q\n", "1\n", "queen(", "[1]\n"]
)
def test_a_long_file_of_junk_ends(junk: str) -> None:
    text = junk * (300_000 // len(junk))
    with contextlib.suppress(FormatError):
        assert read(text, 8).oddities


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(InvalidSetting, match="columns, columns-1, board"):
        solution_format("xml")
    with pytest.raises(FormatError, match="no solution format is recognised"):
        read("nothing", 8)
    assert {one.written_as for one in SOLUTION_FORMATS.values()} >= {
        "columns",
        "board",
        "json",
        "jsonl",
        "csv",
        "npy",
    }
