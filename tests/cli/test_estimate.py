"""The command `estimate`, and what `solve` and `count` foresee."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nqueens_models as nq
from nqueens_models.cli import foresight
from nqueens_models.cli.estimate import bytes_text, number_text, seconds_text
from nqueens_models.cli.foresight import foresee
from nqueens_models.cli.messages import _Display, duration
from nqueens_models.engines.base import Limits
from nqueens_models.estimate.interval import known
from nqueens_models.instance import Instance
from tests.cli.conftest import Result

Command = Callable[..., Result]


def test_a_small_board_is_known(nqueens: Command) -> None:
    result = nqueens("estimate", 8)
    assert result.status == 0
    assert ["solutions", "92", "exact"] in [line.split() for line in result.out.splitlines()]
    assert "OEIS A000170: 92 solutions" in result.out


def test_json_and_intervals(nqueens: Command) -> None:
    facts = json.loads(nqueens("estimate", 14, "--json", "--boards", 50, "--seconds", 0.3).out)
    again = json.loads(nqueens("estimate", 14, "--json", "--boards", 50, "--seconds", 0.3).out)
    assert facts["solutions"] == again["solutions"]
    assert facts["solutions"]["low"] < 365596 < facts["solutions"]["high"]
    assert facts["published"] == {"count": 365596, "oeis": "A000170"}
    table = nqueens("estimate", 14, "--boards", 50, "--seconds", 0.3).out
    assert " to " in table
    assert "timed: starts on the centre lines" in table


def test_instances_and_engines(nqueens: Command, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("*...\n....\n....\n....\n")
    result = nqueens("estimate", "--instance", board, "--engine", "sat")
    assert "n=4, 1 blocked, sat:" in result.out
    assert "OEIS" not in result.out
    assert nqueens("estimate", 8, "--seconds", 0).one_line_error().startswith("nqueens: an estimate takes")
    assert "floating-point" in nqueens("estimate", 250, "--boards", 1).one_line_error()


def test_numbers_for_people() -> None:
    assert [number_text(n) for n in (0, 92, 123456, 14772512)] == ["0", "92", "123,456", "1.48e+07"]
    assert [seconds_text(s) for s in (0.0213, 1.8871, 2.5239, 150, 9000, 3e5, 1e20)] == [
        "0.0213 s", "1.89 s", "2.52 s", "2.5 min", "2.5 h", "3.47 days", "1.16e+15 days",
    ]  # fmt: skip
    assert [bytes_text(b) for b in (5, 2.4e8, 1e25)] == ["5 bytes", "240 MB", "1e+07 EB"]
    assert [duration(s) for s in (5, 150, 9000, 3e5)] == ["5 s", "2 min", "2 h", "3 days"]


def test_the_time_left_is_shown() -> None:
    display = _Display("x", expected=100.0)
    assert display._line(40.0).endswith(", some 60 s left")
    assert display._line(140.0).endswith("140 s")
    display.observe(5, 0.5)
    assert display._line(30.0).endswith("30 s, some 30 s left")


def test_no_estimate_for_what_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> float:
        raise AssertionError("it was looked at")

    monkeypatch.setattr(foresight, "_nodes", never)
    bitmask = nq.make_engine("bitmask")
    assert foresee(bitmask, Instance(13), files="columns") is None
    assert foresee(bitmask, Instance(20)) is None  # counted by the join in half a minute
    assert foresee(bitmask, Instance(25), Limits(seconds=1)) is None
    assert foresee(bitmask, Instance(25), Limits(solutions=1), files="columns") is None
    with pytest.raises(AssertionError):
        foresee(bitmask, Instance(21))
    with pytest.raises(AssertionError):
        foresee(nq.make_engine("bitmask:method=python"), Instance(20))


def test_a_descent_tells_whether_an_estimate_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "_looked_ahead", lambda *_: 5.0)
    bitmask, sat = nq.make_engine("bitmask"), nq.make_engine("sat")
    assert foresee(bitmask, Instance(15), files="columns") is None
    assert foresee(bitmask, Instance(18), files="columns") == 5.0
    assert foresee(sat, Instance(15)) is None
    assert foresee(sat, Instance(18)) == 5.0


@pytest.mark.parametrize("files", ["columns", "npy"])
def test_warnings_of_days_and_of_a_full_disk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, files: str
) -> None:
    monkeypatch.setattr(foresight, "ESTIMATE_SECONDS", 0.05)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10**6))
    seconds = foresee(nq.make_engine("column-sets"), Instance(19), target=tmp_path / "new" / "list", files=files)
    assert seconds is not None
    assert seconds > 86_400
    disk, days = capsys.readouterr().err.splitlines()
    assert disk.endswith("1 MB are free on its disk")
    assert "this will take about" in days
    assert "days" in days
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=10**18))
    foresee(nq.make_engine("column-sets"), Instance(18), target=tmp_path, files=files)
    assert "free" not in capsys.readouterr().err


def test_what_cannot_be_estimated_is_left_to_the_run() -> None:
    join = nq.make_engine("bitmask:method=join")
    assert foresee(join, Instance(18), files="columns") is None


def test_the_commands_look_ahead(nqueens: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked: list[tuple[object, ...]] = []
    monkeypatch.setattr(foresight, "SMALLEST", 0)
    monkeypatch.setattr(foresight, "LARGE", 0)
    monkeypatch.setattr(foresight, "COUNTED_SOON", 0)
    monkeypatch.setattr(foresight, "_looked_ahead", lambda *arguments: looked.append(arguments))
    nqueens("solve", 6)
    nqueens("solve", 6, "-o", tmp_path / "a.txt")
    nqueens("solve", 6, "-o", tmp_path / "all", "--format", "npy")
    nqueens("solve", 6, "-o", tmp_path / "all", "--format", "npy")  # goes on: no look ahead
    nqueens("count", 6)
    nqueens("count", 6, "--quiet")
    assert [arguments[2:] for arguments in looked] == [
        (None, "columns", 1), (tmp_path / "a.txt", "columns", 1), (tmp_path / "all", "npy", 1), (None, "", 1),
    ]  # fmt: skip


def test_looking_ahead_of_a_folder(nqueens: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(foresight, "SMALLEST", 0)
    monkeypatch.setattr(foresight, "LARGE", 0)
    monkeypatch.setattr(foresight, "_looked_ahead", lambda *arguments: looked.append(arguments))
    (tmp_path / "empty").mkdir()
    command = (
        "solve",
        6,
        "-o",
        tmp_path / "empty",
        "--format",
        "npy",
        "--search",
        "cubes:rows=1",
        "--no-symmetry",
    )
    nqueens(*command, "--workers", 2)
    nqueens(*command, "--force")
    assert [arguments[2:] for arguments in looked] == [(tmp_path / "empty", "npy", w) for w in (2, 1)]
    assert [(one[0].split, one[0].symmetry) for one in looked] == [("rows=1", False)] * 2


def test_processes_share_the_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(foresight, "LARGE", 0)
    monkeypatch.setattr("nqueens_models.estimate.estimate", lambda *_, **__: SimpleNamespace(
        seconds_to_list=known(100.0), npy_bytes=known(0.0), text_bytes=known(0.0),
    ))  # fmt: skip
    assert foresee(nq.make_engine("sat"), Instance(16), target=tmp_path, files="npy", processes=4) == 25.0


def test_short_runs_import_nothing_of_it() -> None:
    code = (
        "import sys; from nqueens_models.cli import command_status as run;"
        "assert run(['solve', '8', '-q']) == run(['count', '9']) == run(['solve', '10']) == 0;"
        "found = [m for m in sys.modules if m.startswith(('nqueens_models.estimate', 'nqueens_models.shards'))];"
        "assert not found, found"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
