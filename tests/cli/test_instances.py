"""Instances from files, on every command that takes N."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.instance import Instance
from tests.cli.conftest import COMMAND, Result

Command = Callable[..., Result]
ROWS = json.loads((Path(__file__).parent.parent / "data" / "instances.json").read_text())


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_every_engine_of_the_family_counts_an_instance_file(
    nqueens: Command, tmp_path: Path, row: dict[str, object]
) -> None:
    parts = {key: row[key] for key in ("n", "diagonals", "fixed", "blocked", "regions")}
    file = tmp_path / "instance.json"
    file.write_text(Instance(**parts).canonical_json())  # type: ignore[arg-type]
    for engine in ("bitmask", "cpsat", "sat"):
        assert nqueens("count", "-i", file, "--engine", engine).out == f"{row['solutions']}\n"


def test_cross_check_takes_a_file(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("BBBCA\nBBBCA\nDDBCC\nDDCCC\nDEECC\n")
    result = nqueens("cross-check", "--instance", file)
    assert result.status == 0
    assert "3 solutions" in result.out


def test_standard_input_and_a_format_by_name() -> None:
    text = b"letting n = 8\nletting blocks = [[1,1],[2,2]]\n"
    command = [*COMMAND, "count", "-i", "-", "--from", "essence-blocked", "-q"]
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    same = [*COMMAND, "count", "8", "--block", "0:0,1:1", "-q"]
    assert done.stdout == subprocess.run(same, capture_output=True, check=True).stdout


def test_options_add_to_a_file(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("....\n....\n....\n...*\n")
    assert nqueens("solve", "-i", file, "--fix", "0:1").out == "1 3 0 2\n"
    assert nqueens("solve", "-i", file, "--block", "0:1,0:2").out == ""


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"{", b"hello", b"letting n = 8\nletting blocks = [[9,9]]\n"])
def test_a_bad_file_is_one_line(nqueens: Command, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.file"
    file.write_bytes(content)
    result = nqueens("solve", "-i", file)
    assert "bad.file" in result.one_line_error()
    assert result.status == 2


def test_a_file_and_n_exclude_each_other(nqueens: Command, tmp_path: Path) -> None:
    assert "not both" in nqueens("solve", 8, "-i", tmp_path / "x").one_line_error()
    assert "No such file" in nqueens("solve", "-i", tmp_path / "x").one_line_error()
    assert nqueens("solve", "-i", tmp_path).status == 2


UNIQUE = "BBBCA\nBBCCC\nBCCCC\nDDCCC\nDDECC\n"  # regions-5-1: one solution
THREE = "BBBCA\nBBBCA\nDDBCC\nDDCCC\nDEECC\n"  # regions-5-0: three


@pytest.mark.parametrize("engine", ["bitmask", "sat", "cpsat"])
def test_a_puzzle_with_one_solution(nqueens: Command, tmp_path: Path, engine: str) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text(UNIQUE)
    result = nqueens("solve", "-i", file, "--unique", "--engine", engine)
    assert result.status == 0
    assert len(result.out.splitlines()) == 1
    assert "exactly one solution" in result.err


def test_a_puzzle_with_more_shows_two_side_by_side(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text(THREE)
    result = nqueens("solve", "-i", file, "--unique")
    assert result.status == 1
    assert len(result.out.splitlines()) == 2
    drawing = result.err.partition("such as these two:\n")[2].splitlines()
    queens = [sum(line.count(sign) for sign in "Q\u2655") for line in drawing]
    assert [number for number in queens if number] == [2] * 5
    assert nqueens("solve", "-i", file, "--unique", "-q").err == ""


def test_no_solution_is_not_one(nqueens: Command) -> None:
    result = nqueens("solve", 3, "--unique")
    assert (result.status, result.out) == (1, "")
    assert "no solution" in result.err
    assert nqueens("solve", 8, "--unique", "--limit", 5).status == 2
    assert nqueens("solve", 8, "--unique", "--fundamental").status == 2


def test_the_help_names_every_instance_format() -> None:
    from nqueens_models.formats import INSTANCE_FORMAT_NAMES
    from nqueens_models.formats.instances import INSTANCE_FORMATS

    assert tuple(INSTANCE_FORMATS) == INSTANCE_FORMAT_NAMES
