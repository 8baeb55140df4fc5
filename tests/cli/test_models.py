"""The commands `model` and `models`."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.cli.conftest import Result


def test_model(nqueens: Callable[..., Result]) -> None:
    result = nqueens("model", 2)
    assert (result.status, result.err) == (0, "")
    assert "    not x[0,0] or not x[1,1]" in result.out.splitlines()


def test_model_of_an_engine_that_has_none(nqueens: Callable[..., Result]) -> None:
    result = nqueens("model", 8, "--engine", "column-sets")
    assert result.status == 2
    assert "no model to show" in result.one_line_error()


def test_models(nqueens: Callable[..., Result]) -> None:
    text, data = nqueens("models").out, json.loads(nqueens("models", "--json").out)
    for entry in data:
        assert f"{entry['spec']}\n    {entry['summary']}\n" in text
        assert [size[0] for size in entry["sizes"]] == [8, 100]
    assert "n = 8: 64 variables, 744 clauses; n = 100: 10000 variables, 1646900 clauses" in text, (
        "2n + n(n-1)(5n-1)/3, half of OEIS A035005 and the rows and columns"
    )
