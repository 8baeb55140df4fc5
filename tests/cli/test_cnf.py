"""`solve --cnf` and `count --cnf`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Result

Command = Callable[..., Result]
PROJECTED = b"c p show 1 3 0\np cnf 5 2\n1 -2 0\n2 3 0\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.cnf"
    path.write_bytes(PROJECTED)
    return path


@pytest.mark.parametrize("engine", [(), ("-e", "sat:solver=cadical195"), ("-e", "sat:seed=3", "--timeout", 60)])
def test_projected_literals_in_order(nqueens: Command, file: Path, engine: tuple[object, ...]) -> None:
    result = nqueens("solve", "--cnf", file, *engine)
    assert (result.status, result.out) == (0, "v 1 3 0\nv 1 -3 0\nv -1 3 0\n")
    assert "3 solutions, complete" in result.err
    assert nqueens("count", "--cnf", file, *engine, "-q").out == "3\n"


def test_as_they_are_found(nqueens: Command, file: Path) -> None:
    ordered = nqueens("solve", "--cnf", file, "-q")
    unordered = nqueens("solve", "--cnf", file, "-q", "--no-sort")
    assert sorted(unordered.out.splitlines()) == sorted(ordered.out.splitlines())


def test_limit(nqueens: Command, file: Path) -> None:
    result = nqueens("solve", "--cnf", file, "--limit", 2)
    assert (result.status, len(result.out.splitlines())) == (0, 2)
    assert "stopped at the limit" in result.err
    facts = json.loads(nqueens("count", "--cnf", file, "--limit", 2, "--json", "-q").out)
    assert (facts["count"], facts["termination"], facts["projection"]) == (2, "solution-limit", 2)


def test_without_a_solution_and_with_nothing_to_tell_apart(nqueens: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.cnf"
    path.write_bytes(b"p cnf 1 2\n1 0 -1 0\n")
    assert nqueens("solve", "--cnf", path, "-q").out == ""
    path.write_bytes(b"c ind 0\np cnf 2 1\n1 2 0\n")
    assert nqueens("solve", "--cnf", path, "-q").out == "v 0\n"
    assert nqueens("count", "--cnf", path, "-q").out == "1\n"


def test_a_number_of_many_digits(nqueens: Command, tmp_path: Path) -> None:
    path = tmp_path / "free.cnf"
    path.write_bytes(b"p cnf 20000 0\n")
    assert nqueens("count", "--cnf", path).out == f"{pow(2, 20000)}\n"


def test_standard_input_and_a_file_for_the_result(nqueens: Command, file: Path, tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "count", "--cnf", "-"], input=PROJECTED, capture_output=True, check=True)
    assert done.stdout == b"3\n"
    nqueens("solve", "--cnf", file, "-o", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "v 1 3 0\nv 1 -3 0\nv -1 3 0\n"
    assert "--force" in nqueens("solve", "--cnf", file, "-o", tmp_path / "out.txt").one_line_error()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((8,), "--cnf does not go with N"),
        (("--fundamental", "--fix", "0:0"), "--cnf does not go with --fix, --fundamental"),
        (("--engine", "bitmask"), "engine bitmask does not solve CNF"),
        (("--engine", "sat:solver=minisat23"), "minisat22"),
        (("--limit", 0), "limit"),
    ],
)
def test_options_that_do_not_fit(nqueens: Command, file: Path, arguments: tuple[object, ...], reason: str) -> None:
    for command in ("solve", "count"):
        result = nqueens(command, "--cnf", file, *arguments)
        assert result.status == 2
        assert reason in result.one_line_error()


def test_a_wrong_file_is_refused_with_its_line(nqueens: Command, file: Path) -> None:
    file.write_bytes(PROJECTED.replace(b"2 3 0", b"2 6 0"))
    result = nqueens("count", "--cnf", file)
    assert result.status == 2
    assert f"{file}, line 4: literal 6 is beyond the 5 variables" in result.one_line_error()
    assert nqueens("count", "--cnf", file.with_name("none.cnf")).status == 2
