"""`certify`, in this process and as a real process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nqueens_models.certify import certify
from tests.cli.conftest import COMMAND, Result, Started, process

Command = Callable[..., Result]


def test_eight_queens(nqueens: Command) -> None:
    result = nqueens("certify", 8)
    assert result.status == 0
    assert result.out.startswith("CERTIFIED n=8: exactly these 92 solutions\n")
    assert "trusted: " in result.out
    assert "--output" in result.err


def test_a_certificate_is_kept_and_checked_elsewhere(nqueens: Command, tmp_path: Path) -> None:
    made = json.loads(nqueens("certify", 6, "-o", tmp_path / "six", "--json", "-q").out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["six"]
    moved = (tmp_path / "six").rename(tmp_path / "moved")
    checked = process("certify", "--check", moved, "--json", cwd=tmp_path.parent)
    assert checked.status == 0
    assert json.loads(checked.out) == made
    assert made["certified"]
    assert made["solutions"] == 4


def test_a_tampered_certificate_is_rejected_with_the_reason(nqueens: Command, tmp_path: Path) -> None:
    folder = tmp_path / "six"
    nqueens("certify", 6, "-o", folder)
    (folder / "proof.drat").write_bytes(b"0\n")
    result = nqueens("certify", "--check", folder)
    assert result.status == 1
    assert result.out == (
        "REJECTED: proof.drat is not the file that manifest.json describes: its SHA-256 or size differs\n"
    )
    facts = json.loads(nqueens("certify", "--check", folder, "--json").out)
    assert not facts["certified"]
    assert "proof.drat" in facts["reason"]


def test_one_solution_of_each_orbit_in_an_archive(nqueens: Command, tmp_path: Path) -> None:
    archive = tmp_path / "seven.zip"
    made = nqueens("certify", 7, "--symmetry-breaking", "-o", archive)
    assert made.out.splitlines()[0] == "CERTIFIED n=7: exactly these 40 solutions"
    assert "listed is the first solution of each of 6 orbits; 8 symmetries" in made.out
    assert [path.name for path in tmp_path.iterdir()] == ["seven.zip"]
    checked = nqueens("certify", "--check", archive)
    assert (checked.status, checked.out) == (0, made.out)
    facts = json.loads(nqueens("certify", "--check", archive, "--json").out)
    assert (facts["solutions"], facts["listed"], facts["symmetries"]) == (40, 6, 8)
    assert "exists" in nqueens("certify", 7, "-o", archive).one_line_error()
    archive.write_bytes(archive.read_bytes()[:-1])
    assert nqueens("certify", "--check", archive).out.startswith("REJECTED: ")


def test_what_is_written_meanwhile_is_not_overwritten(
    nqueens: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, write = tmp_path / "six.zip", certify

    def slowly(*arguments: Any, **settings: Any) -> Any:
        output.write_text("mine")
        return write(*arguments, **settings)

    monkeypatch.setattr("nqueens_models.cli.certify.write_certificate", slowly)
    assert "six.zip exists" in nqueens("certify", 6, "-o", output).one_line_error()
    assert [path.name for path in tmp_path.iterdir()] == ["six.zip"]
    assert output.read_text() == "mine"


def test_other_instances_and_engines(nqueens: Command) -> None:
    modular = nqueens("certify", 7, "--diagonals", "modular", "--engine", "cpsat", "--solver", "glucose4")
    assert "exactly these 28 solutions" in modular.out  # A007705
    assert "there is no solution" in nqueens("certify", 3).out
    assert "exactly this 1 solution\n" in nqueens("certify", 4, "--fix", "0:1").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "give N"),
        (("x",), "whole number"),
        (("4", "--check", "."), "--check takes a certificate"),
        (("--check", "."), "holds no certificate"),
        (("4", "--solver", "minisat22"), "writes no proof"),
        (("4", "-o", "."), "needs a name"),
        (("4", "-o", ".."), ".. exists"),
        (("4", "-o", "none/here"), "there is no folder none"),
    ],
)
def test_bad_input(nqueens: Command, tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    result = nqueens("certify", *arguments)
    assert result.status == 2
    assert reason in result.one_line_error()


@pytest.mark.parametrize(("seconds", "name"), [(2.0, "folder"), (6.0, "archive.zip")])  # listing, proving
def test_ctrl_c_leaves_nothing(start: Callable[..., Started], tmp_path: Path, seconds: float, name: str) -> None:
    started = start("certify", 13, "-o", tmp_path / name)
    result = started.interrupt(after=seconds)
    assert (result.status, result.out) == (130, "")
    assert list(tmp_path.iterdir()) == []
    assert started.group_is_gone()


@pytest.mark.parametrize(("n", "engine"), [(14, "column-sets"), (12, "bitmask")])  # while listing, while proving
def test_a_time_limit_leaves_nothing(nqueens: Command, tmp_path: Path, n: int, engine: str) -> None:
    for name in ("folder", "archive.zip"):
        result = nqueens("certify", n, "--engine", engine, "-o", tmp_path / name, "--timeout", 1)
        assert (result.status, result.out) == (3, "")
        assert result.one_line_error() == f"nqueens: the time was up before n={n} was certified"
        assert list(tmp_path.iterdir()) == []


def test_a_time_limit_that_is_not_reached_and_one_of_a_check(nqueens: Command, tmp_path: Path) -> None:
    assert nqueens("certify", 6, "-o", tmp_path / "six", "--timeout", 1e300).status == 0
    assert nqueens("certify", "--check", tmp_path / "six", "--timeout", 100).status == 0
    result = nqueens("certify", "--check", tmp_path / "six", "--timeout", 1e-9)
    assert result.status == 3
    assert "before" in result.one_line_error()
    assert nqueens("certify", "--check", tmp_path / "six", "--timeout", 0).status == 2


def test_a_reader_that_has_gone_is_no_disagreement() -> None:
    with subprocess.Popen(
        [*COMMAND, "certify", "6", "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as popen:
        assert popen.stdout is not None
        assert popen.stderr is not None
        popen.stdout.close()
        assert popen.stderr.read() == b""
    assert popen.returncode == 141


@pytest.mark.parametrize(
    ("output", "reason"), [("", "--output needs a name"), ("/proc/x", "/proc/x cannot be written")]
)
def test_where_no_certificate_can_be_written(nqueens: Callable[..., Result], output: str, reason: str) -> None:
    if output and not Path("/proc/self").exists():
        pytest.skip("no such folder on this system")
    result = nqueens("certify", 4, "--output", output)
    assert result.status == 2
    assert reason in result.one_line_error()
