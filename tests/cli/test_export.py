"""The command `export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.formats.dimacs import parse_dimacs
from nqueens_models.formats.exports import EXPORTS
from nqueens_models.instance import Instance
from nqueens_models.models.cnf import queens_cnf
from tests.cli.conftest import Result


@pytest.mark.parametrize("to", EXPORTS)
def test_every_format_goes_to_standard_output(nqueens: Callable[..., Result], to: str) -> None:
    result = nqueens("export", 4, "--to", to, "--fix", "0:1")
    assert (result.status, result.err) == (0, "")
    assert "n-queens, n=4, 1 fixed" in result.out


def test_with_blocking(nqueens: Callable[..., Result], tmp_path: Path) -> None:
    nqueens("solve", 6, "-o", tmp_path / "solutions")
    file = parse_dimacs(nqueens("export", 6, "--with-blocking", tmp_path / "solutions").out.encode())
    cnf = queens_cnf(Instance(6))
    assert file.clauses[:-4] == cnf.clauses
    assert file.clauses[-4] == [-2, -10, -18, -19, -27, -35], "columns 1 3 5 0 2 4"


def test_what_is_blocked_without_need_is_said(nqueens: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "placements"
    file.write_text("1 3 0 2\n0 1 2 3\n", encoding="ascii")
    result = nqueens("export", 4, "--with-blocking", file)
    assert (result.status, result.err) == (0, "blocked without need: 1 answer of 2, which break a rule\n")
    assert "c the last 2 clauses block solutions" in result.out
    file.write_text("", encoding="ascii")
    result = nqueens("export", 4, "--with-blocking", file)
    assert (result.status, result.err) == (0, "nothing is blocked: the file holds no solutions\n")
    assert "block solutions" not in result.out


def test_blocking_a_file_that_may_count_from_0_or_from_1(nqueens: Callable[..., Result], tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text("1 2 3 1\n", encoding="ascii")
    assert "name the format" in nqueens("export", 4, "--with-blocking", file).err
    for name, clause in (("columns", [-2, -7, -12, -14]), ("columns-1", [-1, -6, -11, -13])):
        result = nqueens("export", 4, "--with-blocking", file, "--blocking-format", name)
        assert parse_dimacs(result.out.encode()).clauses[-1] == clause


def test_a_file_is_not_overwritten(nqueens: Callable[..., Result], tmp_path: Path) -> None:
    target = tmp_path / "queens.cnf"
    assert nqueens("export", 4, "-o", target).status == 0
    written = target.read_bytes()
    assert nqueens("export", 5, "-o", target).one_line_error().endswith("exists; --force overwrites it")
    assert target.read_bytes() == written
    assert nqueens("export", 5, "-o", target, "--force").status == 0
    assert target.read_bytes() != written


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("4", "--to", "dimax"), "did you mean dimacs"),
        (("4", "--to", "asp", "--engine", "sat"), "takes no engine"),
        (("0", "--to", "xcsp3"), "one queen or more"),
        (("4", "--engine", "sat:at_most_one=best"), "value of at_most_one"),
        ((), "give N"),
    ],
)
def test_errors_leave_no_file(
    nqueens: Callable[..., Result], tmp_path: Path, arguments: tuple[str, ...], error: str
) -> None:
    result = nqueens("export", *arguments, "-o", tmp_path / "model")
    assert result.status == 2
    assert error in result.one_line_error()
    assert list(tmp_path.iterdir()) == []
