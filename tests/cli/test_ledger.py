"""`count --ledger` and `ledger status|units|merge|audit`."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.cli import ledger as commands
from nqueens_models.cli.ledger import duration
from nqueens_models.instance import Instance
from nqueens_models.units import Ledger, divide, read_ledger
from tests.cli.conftest import Result, Started
from tests.units.engines import Slow
from tests.units.test_ledger import counted

Command = Callable[..., Result]
BLOCKED = ("--block", "3:3,4:4", "--diagonals", "modular")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a ledger can be made."""
    return tmp_path / "one.sqlite"


# ---------------------------------------------------------------------------------------------- count


def test_a_count_goes_on_by_the_same_command(nqueens: Command, path: Path) -> None:
    for _ in range(2):
        result = nqueens("count", 9, "--ledger", path)
        assert (result.status, result.out) == (0, "352\n")
        assert re.search(r"352 solutions in (\d+) of \1 units, complete", result.err)
        assert "equal to the published value (OEIS A000170)" in result.err


def test_other_engines_and_instances(nqueens: Command, path: Path) -> None:
    plain = nqueens("count", 7, *BLOCKED)
    result = nqueens(
        "count", 7, *BLOCKED, "-e", "sat", "--search", "cubes:rows=1", "--workers", 2, "--ledger", path
    )
    assert (result.status, result.out) == (0, plain.out)


def test_json_says_what_count_says_and_the_units(nqueens: Command, path: Path) -> None:
    facts = json.loads(nqueens("count", 8, "--ledger", path, "--search", "cubes:rows=1", "--json", "-q").out)
    plain = json.loads(nqueens("count", 8, "--json", "-q").out)
    assert set(facts) == {*plain, "units"}
    assert (facts["count"], facts["complete"], facts["published"]) == (92, True, plain["published"])
    assert facts["units"] == {
        "ledger": str(path), "division": facts["units"]["division"], "split": "cubes:rows=1",
        "done": 4, "of": 4, "shard": "1/1", "shard_done": 4, "shard_of": 4,
    }  # fmt: skip


def test_a_shard_says_what_is_missing(nqueens: Command, path: Path) -> None:
    arguments = ("count", 8, "--search", "cubes:rows=1", "--ledger", path)
    result = nqueens(*arguments, "--shard", "2/3")
    assert (result.status, result.out) == (0, "")  # no number that could be taken for the answer
    assert "shard 2/3 done: 1 of 4 units; merge the ledgers" in result.err
    facts = json.loads(nqueens(*arguments, "--shard", "2/3", "--json").out)
    assert not facts["complete"]
    assert nqueens(*arguments).out == "92\n"


def test_a_wrong_total_is_noticed(nqueens: Command, path: Path) -> None:
    nqueens("count", 8, "--ledger", path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE units SET solutions = solutions + 1 WHERE position = 0")
    connection.close()
    result = nqueens("count", 8, "--ledger", path)
    assert (result.status, result.out) == (1, "93\n")
    assert "wrong: OEIS A000170 says 92" in result.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--shard", "1/2"), "--shard needs --ledger FILE"),
        (("--ledger", "x.sqlite", "--fundamental"), "fundamental solutions cannot be counted unit by unit"),
        (("--ledger", "x.sqlite", "--limit", "5"), "it goes without --limit"),
        (("--ledger", "x.sqlite", "--shard", "3"), "--shard takes I/K, as in 2/4, not '3'"),
        (("--ledger", "x.sqlite", "--shard", "5/4"), "not 5/4"),
        (("--ledger", "x.sqlite", "--workers", "0"), "1 worker or more"),
        (("--ledger", "x.sqlite", "--search", "plain"), "take cubes"),
        (("--ledger", "x.sqlite", "--timeout", "-1"), "time limit"),
        (("--ledger", "nowhere/x.sqlite"), "there is no folder nowhere"),
    ],
)
def test_what_is_refused(
    nqueens: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = nqueens("count", 8, *options)
    assert result.status == 2
    assert reason in result.one_line_error()
    if "--workers" not in options:  # that is noticed when the ledger is open
        assert not list(tmp_path.iterdir())


def test_no_ledger_for_a_cnf(nqueens: Command, path: Path, tmp_path: Path) -> None:
    cnf = tmp_path / "one.cnf"
    cnf.write_text("p cnf 1 1\n1 0\n", encoding="ascii")
    result = nqueens("count", "--cnf", cnf, "--engine", "sat", "--ledger", path)
    assert result.status == 2
    assert "--cnf does not go with --ledger" in result.one_line_error()


def test_the_ledger_of_another_count_is_refused(nqueens: Command, path: Path) -> None:
    nqueens("count", 8, "--ledger", path)
    result = nqueens("count", 9, "--ledger", path)
    assert result.status == 2
    assert result.one_line_error() == f"nqueens: {path}: it counts n=8, not n=9"


def test_the_time_limit(nqueens: Command, path: Path) -> None:
    result = nqueens("count", 12, "-e", "attack-table", "--ledger", path, "--timeout", 1)
    assert result.status == 3
    assert "stopped by the time limit" in result.err
    assert "the same command goes on" in result.err
    assert int(result.out) == read_ledger(path).solutions


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c(start: Callable[..., Started], path: Path, number: signal.Signals) -> None:
    started = start("count", 12, "-e", "attack-table", "--search", "cubes:rows=2", "--ledger", path)
    result = started.interrupt(2.0, number)
    assert result.status == 130
    assert "Traceback" not in result.err
    assert started.group_is_gone()
    if result.out:  # it had begun
        assert "interrupted" in result.err
        assert int(result.out) == read_ledger(path).solutions


# ---------------------------------------------------------------------------------------------- status


def test_the_status_of_a_count(nqueens: Command, path: Path) -> None:
    nqueens("count", 9, "--search", "cubes:rows=2", "--ledger", path, "--shard", "1/2")
    units = read_ledger(path).number
    done = -(-units // 2)
    text = nqueens("ledger", "status", path).out
    assert f"{path}: n=9, divided by cubes:rows=2" in text
    assert re.search(rf"{done} of {units} units \(5\d\.\d%\), \d+ solutions in them", text)
    assert re.search(rf"counted: {done} on \S+ by bitmask:\S+, nqueens_models", text)
    assert re.search(
        rf"left: {units - done} units, an estimated [\d.e-]+ s \(\S+ s to \S+ s\) of work; at that", text
    )
    assert "the interval is 95 %" in text
    nqueens("count", 9, "--search", "cubes:rows=2", "--ledger", path)
    assert "nothing is left" in nqueens("ledger", "status", path).out


def test_the_status_of_a_count_that_has_not_begun(nqueens: Command, path: Path) -> None:
    Ledger(path, divide(Instance(8), Slow(0.0), "cubes:rows=1")).close()  # whose engine is not known here
    text = nqueens("ledger", "status", path).out
    assert "0 of 4 units (0.0%)" in text
    assert "too few units" in text


def test_the_status_while_it_is_counted(nqueens: Command, path: Path) -> None:
    division = divide(Instance(8), Slow(0.0), "cubes:rows=1")
    with Ledger(path, division) as one:
        one.add(counted(division, 0, 5))
        one.flush()
        facts = json.loads(nqueens("ledger", "status", path, "--json").out)
    assert (facts["done"], facts["of"], facts["solutions"], facts["complete"]) == (1, 4, 5, False)
    assert (facts["hosts"], facts["kernels"], facts["left"]) == (["host"], ["kernel"], None)
    assert facts["instance"]["n"] == 8
    assert facts["pace"]["units"] == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0123, "0.0123 s"), (119, "119 s"), (150, "2.5 min"), (7300, "2.0 h"), (86400 * 3, "3.0 days"),
     (86400 * 365.25 * 40, "40.0 years")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("command", ["status", "units", "audit"])
def test_a_file_that_is_no_ledger(nqueens: Command, path: Path, command: str) -> None:
    path.write_text("no ledger", encoding="ascii")
    result = nqueens("ledger", command, path)
    assert result.status == 2
    assert result.one_line_error() == f"nqueens: {path} is not a ledger"


@pytest.mark.parametrize("command", ["status", "audit"])
def test_a_unit_that_belongs_elsewhere(nqueens: Command, path: Path, command: str) -> None:
    division = divide(Instance(8), Slow(0.0), "cubes:rows=1")
    with Ledger(path, division) as one:
        one.add(counted(division, 0))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE units SET position = 9")
    connection.close()
    result = nqueens("ledger", command, path)
    assert result.status == 2
    assert result.one_line_error() == f"nqueens: {path} is damaged: unit 9 is none of n=8"


# ---------------------------------------------------------------------------------------------- units


def test_the_units(nqueens: Command, path: Path) -> None:
    nqueens("count", 8, "--search", "cubes:rows=1", "--ledger", path)
    lines = nqueens("ledger", "units", path).out.splitlines()
    assert lines[0].split() == list(commands.COLUMNS)
    assert len(lines) == 5
    (first, *_), facts = (
        list(csv.DictReader(io.StringIO(nqueens("ledger", "units", path, "--csv").out))),
        json.loads(nqueens("ledger", "units", path, "--json").out),
    )
    assert {name: str(value) for name, value in facts[0].items()} == first
    assert sum(unit["solutions"] for unit in facts) == 92
    assert nqueens("ledger", "units", path, "--json", "--csv").status == 2


# ---------------------------------------------------------------------------------------------- merge, audit


def shards(nqueens: Command, folder: Path) -> list[Path]:
    """Return the ledgers of two shards."""
    paths = [folder / f"{number}.sqlite" for number in (1, 2)]
    for number, path in enumerate(paths, 1):
        nqueens("count", 8, "--search", "cubes:rows=1", "--ledger", path, "--shard", f"{number}/2")
    return paths


def test_merge(nqueens: Command, tmp_path: Path, path: Path) -> None:
    one, other = shards(nqueens, tmp_path)
    part = nqueens("ledger", "merge", one, "-o", tmp_path / "part.sqlite")
    assert (part.status, part.out) == (0, "")
    assert "2 of 4 units" in part.err
    result = nqueens("ledger", "merge", one, other, "-o", path)
    assert (result.status, result.out) == (0, "92\n")
    assert "4 of 4 units, complete" in result.err
    assert "equal to the published value" in result.err
    facts = json.loads(nqueens("ledger", "merge", one, other, "-o", tmp_path / "j.sqlite", "--json", "-q").out)
    assert (facts["complete"], facts["solutions"]) == (True, 92)
    again = nqueens("ledger", "merge", one, other, "-o", path)
    assert again.status == 2
    assert "exists" in again.one_line_error()


def tamper(path: Path) -> int:
    """Change one unit of a ledger; return its position."""
    with sqlite3.connect(path) as connection:
        position: int = connection.execute("SELECT max(position) FROM units").fetchone()[0]
        connection.execute("UPDATE units SET solutions = solutions + 1 WHERE position = ?", [position])
    connection.close()
    return position


def test_merging_what_disagrees(nqueens: Command, tmp_path: Path, path: Path) -> None:
    one, other = shards(nqueens, tmp_path)
    nqueens("ledger", "merge", one, other, "-o", path)
    position = tamper(path)
    result = nqueens("ledger", "merge", one, other, path, "-o", tmp_path / "new.sqlite")
    assert result.status == 1
    assert f"unit {position} (" in result.one_line_error()
    assert not (tmp_path / "new.sqlite").exists()
    wrong = nqueens("ledger", "merge", path, "-o", tmp_path / "new.sqlite")
    assert (wrong.status, wrong.out) == (1, "93\n")
    assert "wrong: OEIS A000170 says 92" in wrong.err


def test_merging_a_count_that_nobody_has_published(nqueens: Command, tmp_path: Path, path: Path) -> None:
    total = nqueens("count", 7, "--block", "3:3", "--ledger", path).out
    result = nqueens("ledger", "merge", path, "-o", tmp_path / "new.sqlite")
    assert (result.status, result.out) == (0, total)
    assert "published" not in result.err


def test_audit(nqueens: Command, path: Path) -> None:
    nqueens("count", 8, "--search", "cubes:rows=1", "--ledger", path)
    result = nqueens("ledger", "audit", path, "--sample", 2, "--seed", 5)
    assert (result.status, result.out) == (0, "")
    assert "2 of 4 units counted again by sat:" in result.err
    assert "all agree" in result.err
    facts = json.loads(nqueens("ledger", "audit", path, "--all", "-e", "column-sets", "--json", "-q").out)
    assert (facts["audited"], facts["wrong"], facts["auditor"]) == (4, [], "column-sets:container=list")
    assert nqueens("ledger", "audit", path, "-e", "bitmask").status == 2


def test_audit_finds_what_was_tampered_with(nqueens: Command, path: Path) -> None:
    nqueens("count", 8, "--search", "cubes:rows=1", "--ledger", path)
    position = tamper(path)
    result = nqueens("ledger", "audit", path, "--all")
    assert result.status == 1
    assert re.fullmatch(rf"unit {position} \(\w+\): recorded \d+ by bitmask.*, counted \d+ by sat.*\n", result.out)
    assert "1 WRONG" in result.err
    facts = json.loads(nqueens("ledger", "audit", path, "--all", "--json").out)
    assert [wrong["position"] for wrong in facts["wrong"]] == [position]
    assert facts["wrong"][0]["recorded"] == facts["wrong"][0]["again"] + 1


def test_an_audit_that_is_stopped_says_so(nqueens: Command, path: Path) -> None:
    division = divide(Instance(12), Slow(0.0), "cubes:rows=1")
    with Ledger(path, division) as one:
        for position in range(len(division.units)):
            one.add(counted(division, position))
    result = nqueens("ledger", "audit", path, "--all", "-e", "attack-table", "--timeout", 0.5)
    assert result.status == 3
    assert "reached" in result.err
    result = nqueens("ledger", "audit", path, "--all", "-e", "attack-table", "--timeout", 0.01)
    assert result.status == 3
    assert result.err.endswith(": none was reached\n")
    assert "agree" not in result.err
    held = read_ledger(path)
    assert commands._verdict(held, division, 6, 2, 0).endswith(": all agree, 4 not reached")


def test_an_audit_of_nothing_is_refused(nqueens: Command, path: Path) -> None:
    Ledger(path, divide(Instance(8), Slow(0.0), "cubes:rows=1")).close()
    for options in ([], ["--all"]):
        result = nqueens("ledger", "audit", path, *options)
        assert result.status == 2
        assert result.one_line_error() == f"nqueens: {path} has no counted unit to be audited"


def test_an_audit_that_is_interrupted(start: Callable[..., Started], path: Path) -> None:
    division = divide(Instance(13), Slow(0.0), "cubes:rows=1")
    with Ledger(path, division) as one:
        for position in range(len(division.units)):
            one.add(counted(division, position))
    result = start("ledger", "audit", path, "--all", "-e", "attack-table").interrupt(2.5)
    assert result.status == 130
    assert "Traceback" not in result.err
