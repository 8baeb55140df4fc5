"""Lists of solutions as Python prints them: what most people's own solver gives."""

from __future__ import annotations

import pytest

from nqueens_models.errors import FormatError
from nqueens_models.formats.python_text import load
from nqueens_models.formats.solution_formats import read_solutions
from nqueens_models.formats.source import Source

BOARDS = [[".Q..", "...Q", "Q...", "..Q."], ["..Q.", "Q...", "...Q", ".Q.."]]
COLUMNS = [(1, 3, 0, 2), (2, 0, 3, 1)]


def columns(text: str) -> list[tuple[int, ...]]:
    answers = read_solutions(Source.of_text(text), None, None)
    return [tuple(map(int, row)) for row in answers.all_placements()]


@pytest.mark.parametrize(
    "text",
    [
        str(BOARDS),
        "\n".join(map(str, BOARDS)),
        str(COLUMNS),
        "\n".join(map(str, COLUMNS)) + "\n",
        str([list(c) for c in COLUMNS]),
    ],
    ids=["boards", "a board a line", "tuples", "a tuple a line", "lists"],
)
def test_printed_lists_are_read(text: str) -> None:
    assert columns(text) == COLUMNS


@pytest.mark.parametrize(
    "text", ["['.Q'", "[__import__('os')]", "['a' for a in 'b']", "['.Q..', open('x')]", "(" * 5000]
)
def test_anything_else_is_refused_and_nothing_is_run(text: str) -> None:
    with pytest.raises(FormatError):
        columns(text)


def test_only_literals_up_to_a_size() -> None:
    with pytest.raises(ValueError, match="larger than"):
        load("[" + "'.Q..'," * 700_000 + "]")
