"""The commands `compare`, `suites`, `report` and `compare-runs`."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from nqueens_models.bench.records import MeasuredRun, Status
from nqueens_models.bench.store import Store, read
from nqueens_models.instance import Instance
from tests.bench import records
from tests.bench.test_summary import PLAN, runs
from tests.cli.conftest import COMMAND, Result, process

Command = Callable[..., Result]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A file of runs that nobody had to wait for."""
    return written(tmp_path / "runs.jsonl", runs())


def written(path: Path, lines: list[MeasuredRun], **changes: Any) -> Path:
    with Store(path) as store:
        store.append(records.session(PLAN, **changes))
        for run in lines:
            store.append(run)
    return path


def cells(text: str) -> list[tuple[str, ...]]:
    """Return what does not depend on times of the cells of a CSV."""
    kept = ("case", "contender", "verdict", "reason", "status", "runs", "solutions")
    return [tuple(line[name] for name in kept) for line in csv.DictReader(io.StringIO(text))]


def test_compare_then_report(nqueens: Command, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    result = nqueens(
        "compare", "5,6", "--engines", "bitmask,column-sets", "--search", "plain,cubes:rows=1", "--repeat", 2,
        "--timeout", 20, "--memory", "1GiB", "-o", path,
    )  # fmt: skip
    assert result.status == 0, result.err
    assert result.out == ""
    assert "No answer is wrong: 4 contenders, 2 cases. Of 8 cells: 8 confirmed." in result.err
    archive = read([path])
    assert len(archive.runs) == 16
    assert set(Counter(run.trial for run in archive.runs).values()) == {1}
    assert {run.solutions for run in archive.runs} == {10, 4}
    shown = nqueens("report", path, "--baseline", "bitmask by cubes:rows=1")
    assert shown.status == 0
    assert "column-sets by cubes:rows=1" in shown.out
    assert "/ bitmask by cubes:rows=1" in shown.out


def test_runs_at_the_same_time(nqueens: Command, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    options = ("--engines", "bitmask,column-sets", "--repeat", 1, "--at-once", 2, "-q", "-o", path)
    assert nqueens("compare", "4..6", *options).status == 0
    assert len(read([path]).runs) == 6


def test_instances_from_a_folder_and_counting(nqueens: Command, tmp_path: Path) -> None:
    boards = tmp_path / "boards"
    boards.mkdir()
    (boards / "corner.json").write_text(Instance(6, blocked=[(0, 1)]).canonical_json())
    (boards / "grid.txt").write_text("....\n....\n....\n...*\n")
    path = tmp_path / "runs.jsonl"
    result = nqueens("compare", "--instances", boards, "--count", "--engines", "bitmask,column-sets",
                     "--repeat", 1, "-o", path)  # fmt: skip
    assert result.status == 0, result.err
    found = {(run.case, run.solutions) for run in read([path]).runs}
    assert found == {("corner, count", 3), ("grid, count", 2)}


@pytest.mark.usefixtures("hostile_engines")
def test_what_misbehaves_harms_nobody_else(nqueens: Command, tmp_path: Path) -> None:
    """Wrong, crashing, eating memory, hanging, printing rubbish: all the others are measured and ranked."""
    path = tmp_path / "runs.jsonl"
    bad = {
        "hostile-wrong": "wrong", "hostile-loses": "wrong", "hostile-crash": "failed", "hostile-memory": "failed",
        "hostile-hang": "incomplete", "hostile-rubbish": "failed", "hostile-raises": "failed",
    }  # fmt: skip
    good = ["bitmask", "column-sets", "hostile-chatter"]
    began = time.monotonic()
    result = nqueens("compare", 6, "--engines", ",".join([*bad, *good]), "--repeat", 1, "--timeout", 1,
                     "--memory", "200MiB", "-o", path)  # fmt: skip
    assert time.monotonic() - began < 10 * 60  # the limits of ten runs
    assert result.status == 1
    facts = {one["contender"]: one for one in json.loads(nqueens("report", path, "--json").out)["cells"]}
    assert {name: facts[name]["verdict"] for name in bad} == bad
    assert {facts[name]["rank"] for name in bad} == {None}
    assert sorted(facts[name]["rank"] for name in good) == [1, 2, 3]
    reasons = {name: facts[name]["reason"] for name in bad}
    for name, word in (
        ("hostile-wrong", "break the rules"), ("hostile-crash", "SIGSEGV"), ("hostile-memory", "200 MiB"),
        ("hostile-hang", "killed"), ("hostile-rubbish", "trust me"), ("hostile-raises", "no queens today"),
        ("hostile-loses", "A000170"),
    ):  # fmt: skip
        assert word in reasons[name]


def test_what_would_spoil_a_file_is_refused(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    assert nqueens("compare", 4, "--engines", "bitmask", "--repeat", 1, "-q", "-o", file).status == 0
    written = file.read_bytes()
    for arguments, reason in (
        (("compare", 4, "--engines", "bitmask", "--timeout", 5, "--resume", "-o", file), "60 s"),
        (("compare", 4, "--engines", "bitmask", "--timeout", "nan", "-o", tmp_path / "new"), "finite"),
        (("compare", 4, "--engines", "bitmask", "--timeout", "inf", "-o", tmp_path / "new"), "finite"),
        (("report", file, "--html", file, "--force"), "would replace the runs"),
    ):
        result = nqueens(*arguments)
        assert (result.status, reason in result.one_line_error()) == (2, True), result.err
    assert file.read_bytes() == written
    assert [path.name for path in tmp_path.iterdir()] == ["runs.jsonl"]


def test_a_terminal_that_lacks_characters_gets_others(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    process("compare", 4, "--engines", "bitmask", "--repeat", 1, "-q", "-o", file)
    for command in (("report", file), ("report", file, "--markdown"), ("compare-runs", file, file, "--all")):
        result = process(*command, env={"PYTHONIOENCODING": "ascii"})
        assert (result.status, result.err) == (0, "")
        assert " us " in result.out or " ms " in result.out


def test_killed_and_resumed(nqueens: Command, tmp_path: Path) -> None:
    """SIGKILL in the middle: no finished run is lost or repeated, the report is as of an unbroken comparison."""
    unbroken, broken = tmp_path / "unbroken.jsonl", tmp_path / "broken.jsonl"
    arguments = ["compare", "4..6", "--engines", "bitmask,column-sets", "--repeat", "2", "-q"]
    assert nqueens(*arguments, "-o", unbroken).status == 0
    child = subprocess.Popen([*COMMAND, *arguments, "-o", str(broken)])
    while not broken.exists() or broken.read_bytes().count(b"\n") < 5:
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    with broken.open("ab") as stream:
        stream.write(b'{"type":"run","session":"torn')  # the worst moment
    kept = broken.read_bytes().rpartition(b"\n")[0]
    finished = [run.trial for run in read([broken]).runs]
    assert 4 <= len(finished) < 12
    assert nqueens(*arguments, "-o", broken).status == 2  # it is not overwritten by accident
    result = nqueens("compare", "--resume", "-q", "-o", broken)  # the plan stands in the file
    assert result.status == 0, result.err
    assert broken.read_bytes().startswith(kept)
    archive = read([broken])
    assert sorted(run.trial for run in archive.runs) == sorted(run.trial for run in read([unbroken]).runs)
    assert [run.trial for run in archive.runs][: len(finished)] == finished
    assert cells(nqueens("report", broken, "--csv").out) == cells(nqueens("report", unbroken, "--csv").out)
    again = broken.read_bytes()
    assert nqueens("compare", "--resume", "-q", "-o", broken).status == 0
    assert broken.read_bytes().startswith(again)
    assert len(read([broken]).runs) == 12


def test_ctrl_c_leaves_no_process_and_says_how_to_go_on(hostile_engines: Path, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    child = subprocess.Popen(
        [*COMMAND, "compare", "6", "--engines", "hostile-family", "--timeout", "600", "-o", str(path)],
        stderr=subprocess.PIPE,
    )
    family = list(_family(child.pid, 3))
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"compare --resume" in err
    _, alive = psutil.wait_procs(family, timeout=10)
    assert not alive


def _family(pid: int, size: int) -> Iterator[psutil.Process]:
    """Yield the descendants of a process once there are so many."""
    deadline = time.monotonic() + 60
    while len(found := psutil.Process(pid).children(recursive=True)) < size - 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield from found


def test_a_limit_that_was_hit_is_not_tried_again(nqueens: Command, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    assert nqueens("compare", 16, "--engines", "bitmask", "--timeout", 0.3, "-q", "-o", path).status == 0
    (run,) = read([path]).runs
    assert run.status is Status.TIME_LIMIT


def test_no_mixture_of_machines_in_one_file(nqueens: Command, made: Path) -> None:
    result = nqueens("compare", 6, "--engines", "bitmask", "--resume", "-o", made)
    assert result.status == 2
    assert "under other conditions" in result.one_line_error()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say what to compare"),
        (("6", "--suite", "smoke"), "not both"),
        (("--suite", "smok"), "smoke"),
        (("6..x",), "ranges"),
        (("6", "--memory", "lots"), "memory is a number"),
        (("6", "--timeout", "0"), "above 0"),
        (("6", "--repeat", "0"), "1 repetition"),
        (("6", "--engines", "nobody"), "nobody"),
        (("6", "--search", "fast"), "no search"),
        (("6", "--workers", "2"), "--search cubes"),
        (("6,6", "--engines", "bitmask,bitmask"), "twice"),
        (("--instances", "nowhere"), "no files"),
    ],
)
def test_what_cannot_be_compared(nqueens: Command, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    path = tmp_path / "runs.jsonl"
    result = nqueens("compare", *arguments, "-o", path)
    assert result.status == 2
    assert words in result.one_line_error()
    assert not path.exists()


def test_an_existing_file_is_not_overwritten(nqueens: Command, made: Path) -> None:
    before = made.read_bytes()
    assert "--force" in nqueens("compare", 6, "-o", made).one_line_error()
    assert made.read_bytes() == before


def test_suites_are_listed(nqueens: Command) -> None:
    names = [one["name"] for one in json.loads(nqueens("suites", "--json").out)]
    text = nqueens("suites").out
    assert "smoke" in names
    assert all(name in text for name in names)


def test_reports_in_every_form(nqueens: Command, made: Path) -> None:
    text = nqueens("report", made).out
    assert "2 cells wrong or disputed: wrong" in text
    assert "incomplete: time-limit" in text
    table = nqueens("report", made, "--markdown").out
    assert "| rank | contender | time | 95 % | first | memory | model | verdict |" in table
    assert len(cells(nqueens("report", made, "--csv").out)) == 8
    assert json.loads(nqueens("report", made, "--json", "--measure", "memory").out)["measure"] == "memory"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--csv", "--json"), "one of"),
        (("--baseline", "nobody"), "nobody"),
        (("--measure", "luck"), "luck"),
        (("--html", "."), "is a folder"),
    ],
)
def test_what_cannot_be_reported(nqueens: Command, made: Path, arguments: tuple[str, ...], words: str) -> None:
    result = nqueens("report", made, *arguments)
    assert result.status == 2
    assert words in result.one_line_error()


def test_files_that_are_none(nqueens: Command, tmp_path: Path) -> None:
    empty, odd = tmp_path / "empty.jsonl", tmp_path / "odd.jsonl"
    empty.touch()
    odd.write_text("n queens\n")
    assert "no runs" in nqueens("report", empty).one_line_error()
    assert "line 1" in nqueens("report", odd).one_line_error()
    assert "cannot be read" in nqueens("report", tmp_path / "none.jsonl").one_line_error()


def test_mixed_machines_are_refused_and_marked(nqueens: Command, made: Path, tmp_path: Path) -> None:
    machine = msgspec.structs.replace(records.MACHINE, processor="Slide rule")
    lines = runs(session="fedcba987654")
    other = written(tmp_path / "other.jsonl", lines, machine=machine, id="fedcba987654")
    assert "Slide rule" in nqueens("report", made, other).one_line_error()
    mixed = nqueens("report", made, other, "--mix")
    assert mixed.status == 0
    assert "MIXED" in mixed.out
    assert "fast [B]" in mixed.out


def test_compare_runs(nqueens: Command, made: Path, tmp_path: Path) -> None:
    slower = written(tmp_path / "slower.jsonl", runs(factor=1.4))
    same = nqueens("compare-runs", made, made)
    assert same.status == 0
    assert "8 same" in same.out
    worse = nqueens("compare-runs", made, slower)
    assert worse.status == 1
    assert "4 slower" in worse.out
    assert nqueens("compare-runs", slower, made).status == 0
    assert nqueens("compare-runs", made, slower, "--threshold", 0.5).status == 0
    assert json.loads(nqueens("compare-runs", made, slower, "--json").out)["bad"] is True
    assert "| slower | n=8 |" in nqueens("compare-runs", made, slower, "--markdown").out
    assert "0 or more" in nqueens("compare-runs", made, slower, "--threshold", -1).one_line_error()


def test_plots_and_page_are_files(nqueens: Command, made: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, folder = tmp_path / "page.html", tmp_path / "plots"
    assert nqueens("report", made, "--html", page, "--plots", folder).status == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    kinds = Counter(path.suffix for path in folder.iterdir())
    assert kinds[".svg"] == kinds[".png"] >= 1
    assert "--force" in nqueens("report", made, "--html", page).one_line_error()
    assert nqueens("report", made, "--html", page, "--force").status == 0
