"""Wrong answers of every kind: each is found and named, with squares as the file counts them."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.answer_check import AnswerCheck, check_answers
from nqueens_models.errors import WrongSolution
from nqueens_models.formats.solution_formats import SOLUTION_FORMATS, read_solutions
from nqueens_models.formats.source import Source
from nqueens_models.instance import Instance
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import Rule
from tests import brute_force

REGIONS = ["ABCDE", "ABCDE", "ABCDE", "ABCEE", "ABCDE"]


def judged(instance: Instance, text: str, name: str, complete: SolutionSet | None = None) -> AnswerCheck:
    return check_answers(instance, read_solutions(Source.of_text(text, "file"), instance.n, name), complete)


TABLE = [
    # instance, format, answer, rule, squares in the base of the format, words
    (Instance(4), "columns", "1 3 0 1", Rule.COLUMN, ((0, 1), (3, 1)), "(0, 1) and (3, 1) share a column"),
    (Instance(4), "columns-1", "2 4 1 2", Rule.COLUMN, ((1, 2), (4, 2)), "(1, 2) and (4, 2) share a column"),
    (Instance(5), "columns-1", "1 4 2 5 3", None, (), ""),
    (Instance(4), "columns", "0 3 2 1", Rule.ANTIDIAGONAL, None, "share a rising diagonal"),
    (Instance(4), "columns-1", "1 4 2 3", Rule.DIAGONAL, ((3, 2), (4, 3)), "share a falling diagonal"),
    (Instance(4), "columns-1", "2 1 4 3", Rule.ANTIDIAGONAL, ((1, 2), (2, 1)), "share a rising diagonal"),
    (Instance(5, "adjacent"), "board", "Q....\n..Q..\n...Q.\n.Q...\n....Q", Rule.TOUCH, ((1, 2), (2, 3)), "touch"),
    (Instance(5, "modular"), "fen", "Q4/2Q2/1Q3/4Q/3Q1", Rule.DIAGONAL, None, "diagonal"),
    (Instance(6, "modular"), "json-1", "[[2, 4, 6, 1, 3, 5]]", Rule.ANTIDIAGONAL, ((1, 2), (3, 6)),
     "share a rising diagonal, which wraps round the edge"),
    (Instance(5, "adjacent", regions=REGIONS), "columns-1", "1 3 5 4 2", Rule.REGION, ((3, 5), (4, 4)),
     "stand in one region"),
    (Instance(4, blocked=[(2, 0)]), "columns-1", "2 4 1 3", Rule.BLOCKED, ((3, 1),),
     "(3, 1) stands on a blocked square"),
    (Instance(4, blocked=[(2, 0)]), "sat", "v 2 8 9 15 0", Rule.BLOCKED, ((3, 1),), "blocked"),
    (Instance(4, fixed=[(0, 2)]), "asp", "queen(1,2) queen(2,4) queen(3,1) queen(4,3)", Rule.FIXED, ((1, 3),),
     "no queen on (1, 3), where one is fixed"),
    (Instance(4), "columns", "1 3 0 4", Rule.BOARD, ((3, 4),), "(3, 4) is off the board"),
    (Instance(4), "columns-1", "0 3 1 4", Rule.BOARD, ((1, 0),), "off the board: rows and columns are 1 to 4"),
    (Instance(4), "columns", "1 3 0", Rule.BOARD, (), "3 columns, not 4"),
    (Instance(4), "board", ".Q..\n...Q\nQ...\n", Rule.BOARD, (), "a board of 3 rows, not 4"),
    (Instance(4), "board", ".Q..\n...Q\nQ...\n..Q", Rule.BOARD, (), "a row of 3 squares, not 4"),
    (Instance(4), "board", ".Q..\n...Q\nQ...\n....", Rule.BOARD, (), "no queen in row 3"),
    (Instance(4), "board", ".QQ.\n...Q\nQ...\n....", Rule.BOARD, ((0, 1), (0, 2)), "stand in one row"),
    (Instance(4), "asp", "queen(1,2) queen(2,4) queen(3,1)", Rule.BOARD, (), "no queen in row 4"),
    (Instance(4), "asp", "queen(1,2) queen(1,4) queen(3,1) queen(4,3)", Rule.BOARD, ((1, 2), (1, 4)), "one row"),
    (Instance(4), "asp", "queen(5,2) queen(1,2)", Rule.BOARD, ((5, 2),), "off the board"),
    (Instance(4), "fen", "1Q2/3Q/Q3", Rule.BOARD, (), "3 ranks, not 4"),
    (Instance(4), "fen", "1Q2/3Q/Q2/2Q1", Rule.BOARD, (), "a rank of 3 squares, not 4"),
    (Instance(4), "sat", "v -1 -2 0", Rule.BOARD, (), "no queen in row 1"),
]  # fmt: skip


@pytest.mark.parametrize(("instance", "name", "text", "rule", "squares", "words"), TABLE)
def test_a_wrong_answer_is_named(
    instance: Instance, name: str, text: str, rule: Rule | None, squares: Sequence[object] | None, words: str
) -> None:
    check = judged(instance, text, name)
    if rule is None:
        assert check.is_right
        return
    assert check.right == 0
    assert not check.is_right
    match = [f for f in check.faults if f.rule is rule and squares in (None, f.squares) and words in f.text]
    assert match, [str(fault) for fault in check.faults]
    assert str(match[0]).startswith("answer 1: " if "json" in name else "answer 1 (line 1): ")


def test_duplicates_and_missing_solutions_are_named() -> None:
    complete = SolutionSet(6, brute_force.solutions(Instance(6)))
    first, second, third, _ = (" ".join(str(c + 1) for c in p) for p in complete)
    text = "\n".join([first, second, first, "# a comment", third, second])
    check = judged(Instance(6), text, "columns-1", complete)
    assert (check.answers, check.right, check.distinct) == (5, 5, 3)
    assert [str(d) for d in check.duplicates] == [
        "answer 3 (line 3): the same as answer 1 (line 1)",
        "answer 5 (line 6): the same as answer 2 (line 2)",
    ]
    assert check.missing is not None
    assert list(check.missing) == [tuple(complete.array[3].tolist())]
    assert not check.faults
    assert not check.is_right


def test_a_complete_list_is_right() -> None:
    instance = Instance(6)
    complete = SolutionSet(6, brute_force.solutions(instance))
    for one in SOLUTION_FORMATS.values():
        answers = read_solutions(Source.of_text("", "file"), 6, "columns")
        assert not check_answers(instance, answers, complete).is_right
        source = Source("file", one.write(instance, _answers(complete)))
        assert check_answers(instance, one.read(source, 6), complete).is_right


def _answers(solutions: SolutionSet):  # type: ignore[no-untyped-def]
    text = "\n".join(" ".join(map(str, p)) for p in solutions)
    return read_solutions(Source.of_text(text, "file"), solutions.n, "columns")


def test_a_list_that_is_not_complete_is_not_believed() -> None:
    with pytest.raises(WrongSolution, match="lacks a solution"):
        judged(Instance(4), "1 3 0 2", "columns", SolutionSet(4))


def test_a_file_without_answers_is_right_when_there_is_none() -> None:
    assert judged(Instance(3), "", "columns", SolutionSet(3)).is_right
    assert judged(Instance(0), "\n", "columns", SolutionSet(0, np.zeros((1, 0), dtype=np.uint8))).is_right
    assert not judged(Instance(0), "", "columns", SolutionSet(0, np.zeros((1, 0), dtype=np.uint8))).is_right


@given(brute_force.instances(max_n=5), st.data())
def test_an_answer_is_right_when_brute_force_says_so(instance: Instance, data: st.DataObject) -> None:
    n = instance.n
    solutions = set(brute_force.solutions(instance))
    answers = data.draw(st.lists(st.lists(st.integers(-1, n), min_size=n, max_size=n), max_size=5)) if n else []
    some = data.draw(st.lists(st.sampled_from(sorted(solutions)), max_size=3)) if solutions else []
    lines = [tuple(a) for a in itertools.chain(answers, some)]
    check = judged(instance, "".join(" ".join(map(str, line)) + "\n" for line in lines), "columns")
    right = [line for line in lines if line in solutions]
    assert check.right == len(right)
    assert check.distinct == len(set(right))
    assert {f.answer for f in check.faults} == {i for i, a in enumerate(lines, 1) if a not in solutions}
    on_board = [line for line in lines if all(0 <= c < n for c in line)]
    assert len(check.duplicates) == len(on_board) - len(set(on_board))
