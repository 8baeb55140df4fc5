"""The ledger: what is committed stays, and what does not belong to it is refused."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest

import nqueens_models as nq
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import DifferentCounts, InvalidInput, RefusedLedger
from nqueens_models.instance import Instance
from nqueens_models.units import CountedUnit, Division, Ledger, divide, divide_as, ledger, read_ledger
from tests.units.engines import Plain

EIGHT = divide(Instance(8), Plain(), "cubes:rows=1")
JOIN = nq.make_engine("bitmask:method=join")


def counted(division: Division, position: int, solutions: int = 7, nodes: int | None = None) -> CountedUnit:
    """Return a unit that was counted, by nobody."""
    identity = division.units[position].identity
    return CountedUnit(
        identity, position, solutions, nodes, 0.25, "host", "kernel", "0.1.0", "2026-01-02T03:04:05+00:00"
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a ledger can be made."""
    return tmp_path / "eight.sqlite"


# ---------------------------------------------------------------------------------------------- what it keeps


def test_what_is_added_is_read_again(path: Path) -> None:
    units = [counted(EIGHT, 1), counted(EIGHT, 0, nodes=12)]
    with Ledger(path, EIGHT) as one:
        assert one.record.units == ()
        for unit in units:
            one.add(unit)
    record = read_ledger(path)
    assert list(record.units) == units[::-1]
    assert (record.instance, record.split, record.division) == (EIGHT.instance, EIGHT.split, EIGHT.identity)
    assert (record.number, record.solutions, record.complete) == (4, 14, False)
    with Ledger(path, EIGHT) as again:
        assert again.record == record


def test_the_division_is_made_again_from_the_ledger(path: Path) -> None:
    whole = divide(Instance(9, "modular", blocked=[(0, 0)]), nq.make_engine("sat"), "cubes:rows=2", symmetry=False)
    Ledger(path, whole).close()
    assert read_ledger(path).make_division() == whole
    other = read_ledger(path).make_division(BitmaskEngine())
    assert (other.identity, other.engine) == (whole.identity, BitmaskEngine())


def test_numbers_beyond_64_bits(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0, 2**64 + 3, 2**65))
        one.add(counted(EIGHT, 1, 2**80))
    assert read_ledger(path).solutions == 2**64 + 3 + 2**80
    assert read_ledger(path).units[0].nodes == 2**65


def test_a_closed_ledger_is_one_file(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
    read_ledger(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_units_are_committed_soon(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "COMMIT_SECONDS", 0.05)
    with Ledger(path, EIGHT) as one:
        one.flush_if_due()
        one.flush()
        one.add(counted(EIGHT, 0))
        one.add(counted(EIGHT, 1))
        time.sleep(0.06)
        one.flush_if_due()
        assert len(read_ledger(path).units) == 2  # by another connection, while this one is open


def test_a_unit_that_waited_is_committed_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(path, EIGHT) as one:
        one._committed -= 10
        one.add(counted(EIGHT, 0))
        assert len(read_ledger(path).units) == 1
        one.add(counted(EIGHT, 1))
        assert len(read_ledger(path).units) == 1  # not yet: so millisecond units share a transaction


def test_a_commit_that_ctrl_c_met_is_made_again(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
        one.flush()
        one._pending.append(counted(EIGHT, 0))  # as if the interrupt came between the commit and taking note of it
        one._connection.execute("COMMIT")
    assert len(read_ledger(path).units) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.units.test_ledger import EIGHT, counted
from nqueens_models.units import Ledger
one = Ledger(Path(sys.argv[1]), EIGHT)
one.add(counted(EIGHT, 2))
one.flush()
one.add(counted(EIGHT, 3))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_is_committed_outlives_sigkill(path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, path], check=False).returncode == -signal.SIGKILL
    assert [unit.position for unit in read_ledger(path).units] == [2]
    with Ledger(path, EIGHT) as again:
        assert [unit.position for unit in again.record.units] == [2]


MAKING = """
import os, signal, sqlite3, sys
from nqueens_models.units import ledger
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.executescript(f"PRAGMA cache_size = 1; BEGIN EXCLUSIVE; {ledger._CREATE}")
for number in range(1000):
    connection.execute("INSERT INTO meta VALUES (?, ?)", [str(number), 100 * "x"])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("read_first", [False, True])
def test_killed_while_it_is_made(path: Path, read_first: bool) -> None:
    """Pages are on the disk, but not the first: SQLite takes them back."""
    assert subprocess.run([sys.executable, "-c", MAKING, path], check=False).returncode == -signal.SIGKILL
    assert path.stat().st_size > 0
    assert not path.read_bytes().startswith(b"SQLite")
    if read_first:
        with pytest.raises(RefusedLedger, match="is not a ledger"):
            read_ledger(path)
    Ledger(path, EIGHT).close()
    assert read_ledger(path).number == 4


def test_an_empty_file_becomes_a_ledger(path: Path) -> None:
    """The writer may be killed between making the file and writing to it."""
    path.touch()
    Ledger(path, EIGHT).close()
    assert read_ledger(path).number == 4


# ---------------------------------------------------------------------------------------------- what is refused


def refused(path: Path, division: Division) -> str:
    """Return why a ledger is refused for a division, in one line; the file is as it was."""
    before = path.read_bytes()
    with pytest.raises(RefusedLedger) as error:
        Ledger(path, division)
    assert path.read_bytes() == before
    assert "\n" not in str(error.value)
    assert path.name in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("division", "reason"),
    [
        (divide(Instance(9), Plain(), "cubes:rows=1"), "it counts n=8, not n=9"),
        (divide(Instance(8, "modular"), Plain(), "cubes:rows=1"), "it counts n=8, not n=8, modular diagonals"),
        (divide(Instance(8), Plain(), "cubes:rows=2"), "it is divided by cubes:rows=1, not by cubes:rows=2"),
        (divide(Instance(8), Plain(), "cubes:rows=1", symmetry=False), "not by cubes:rows=1,no-symmetry"),
        (divide(Instance(8), JOIN), "not by row-splits=64"),
        (replace(EIGHT, units=EIGHT.units[::-1]), "its units are not the same"),
    ],
)
def test_the_ledger_of_another_count(path: Path, division: Division, reason: str) -> None:
    Ledger(path, EIGHT).close()
    assert reason in refused(path, division)


def test_another_instance_of_the_same_size(path: Path) -> None:
    one, other = (divide(Instance(6, blocked=[square]), Plain(), "cubes:rows=1") for square in ((0, 1), (0, 2)))
    Ledger(path, one).close()
    assert "this other instance" in refused(path, other)


def test_another_version_of_the_rule(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger(path, EIGHT).close()
    from nqueens_models.units import division

    monkeypatch.setitem(division.RULES, "cubes", 2)
    later = divide_as(EIGHT.instance, EIGHT.engine, EIGHT.split)
    assert later.identity != EIGHT.identity
    assert "version 1 of the rule, not 2" in refused(path, later)
    with pytest.raises(RefusedLedger, match="version 1 of the rule, this release has 2"):
        read_ledger(path).make_division()


def test_another_version_of_the_format(path: Path) -> None:
    Ledger(path, EIGHT).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    assert "format version 9, this release of nqueens_models reads 1" in refused(path, EIGHT)
    with pytest.raises(RefusedLedger, match="format version 9"):
        read_ledger(path)


def test_a_file_that_is_no_ledger(path: Path) -> None:
    path.write_text("1 3 5 0 2 4\n" * 20, encoding="ascii")
    assert "is not a ledger" in refused(path, EIGHT)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    connection.close()
    assert "is not a ledger" in refused(path, EIGHT)


def test_a_folder_and_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(RefusedLedger, match="No such file"):
        read_ledger(path)
    with pytest.raises(RefusedLedger, match=r"there is no folder .*nowhere"):
        Ledger(path.parent / "nowhere" / "one.sqlite", EIGHT)
    with pytest.raises(RefusedLedger, match="directory"):
        Ledger(path.parent, EIGHT)
    with pytest.raises(RefusedLedger, match="directory"):
        Ledger(Path(), EIGHT)


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_truncated_file(path: Path, kept: float) -> None:
    whole = divide(Instance(9), Plain(), "cubes:rows=3")
    with Ledger(path, whole) as one:
        for position in range(len(whole.units)):
            one.add(counted(whole, position))
    size = path.stat().st_size
    with path.open("r+b") as stream:
        stream.truncate(int(size * kept))
    assert "is damaged" in refused(path, whole)
    with pytest.raises(RefusedLedger, match="is damaged"):
        read_ledger(path)


def test_damage_where_nobody_looks(path: Path) -> None:
    """In the index of identities, which reading all units by position does not touch."""
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
    with sqlite3.connect(path) as connection:
        ((page, size),) = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master"
            " WHERE name = 'sqlite_autoindex_units_1'"
        )
    connection.close()
    with path.open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(bytes([10, 0, 0, 0, 0]))  # an index page without entries
    assert "is damaged" in refused(path, EIGHT)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM meta WHERE key = 'split'",
        "UPDATE meta SET value = 'many' WHERE key = 'units'",
        "UPDATE meta SET value = '{\"n\": 8}' WHERE key = 'instance'",
        "UPDATE meta SET value = 'nonsense' WHERE key = 'instance'",
        "UPDATE units SET solutions = 'seven'",
        "UPDATE units SET identity = '0123456789abcdef'",
        "UPDATE units SET position = 4",
    ],
)
def test_contents_that_make_no_sense(path: Path, change: str) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    assert "is damaged" in refused(path, EIGHT)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE units SET identity = '0123456789abcdef'",
        "UPDATE units SET position = 4",
        "UPDATE units SET position = 1",
        "UPDATE meta SET value = 1 WHERE key = 'units'",
    ],
)
def test_who_reads_a_ledger_notices_units_that_belong_elsewhere(path: Path, change: str) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(RefusedLedger, match="is damaged"):
        read_ledger(path).make_division(EIGHT.engine)


def test_units_that_are_not_those_of_the_instance(path: Path) -> None:
    Ledger(path, EIGHT).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'instance'", [Instance(9).canonical_json()])
    connection.close()
    with pytest.raises(RefusedLedger, match="its units are not those of n=9"):
        read_ledger(path).make_division(EIGHT.engine)


def test_one_process_writes(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
        with pytest.raises(RefusedLedger, match="is being written by another process"):
            Ledger(path, EIGHT)
        one.flush()
        with pytest.raises(RefusedLedger, match="is being written by another process"):
            Ledger(path, EIGHT)
        assert len(read_ledger(path).units) == 1
    Ledger(path, EIGHT).close()


def test_nobody_comes_in_between_two_transactions(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one._connection.execute("COMMIT")
        with pytest.raises(RefusedLedger, match="is being written by another process"):
            Ledger(path, EIGHT)
        one.add(counted(EIGHT, 0))
    assert len(read_ledger(path).units) == 1


def test_a_lock_that_somebody_left_behind(path: Path) -> None:
    Path(f"{path}-lock").touch()
    Ledger(path, EIGHT).close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_lock_that_is_removed_while_it_is_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who had it removes it; where it was, a third process may have made another."""
    name, lock = Path(f"{path}-lock"), ledger._lock
    taken: list[IO[bytes]] = []

    def slow_lock(stream: IO[bytes], path: Path) -> None:
        taken.append(stream)
        if len(taken) < 3:
            name.unlink()
        if len(taken) == 2:
            name.touch()
        lock(stream, path)

    monkeypatch.setattr(ledger, "_lock", slow_lock)
    with Ledger(path, EIGHT):
        assert [stream.closed for stream in taken] == [True, True, False]
        monkeypatch.undo()
        with pytest.raises(RefusedLedger, match="is being written by another process"):
            Ledger(path, EIGHT)


@pytest.mark.parametrize("absent", ["module", "in the file system"])
def test_without_flock(path: Path, monkeypatch: pytest.MonkeyPatch, absent: str) -> None:
    import fcntl

    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    if absent == "module":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    else:
        monkeypatch.setattr(fcntl, "flock", no_locks)
    monkeypatch.setattr(ledger, "BUSY_SECONDS", 0)
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
        with pytest.raises(RefusedLedger, match="is being written by another process"):
            Ledger(path, EIGHT)
    assert len(read_ledger(path).units) == 1


def test_another_number_for_a_unit_is_no_silent_matter(path: Path) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0, 7))
        one.flush()
        one._pending += [counted(EIGHT, 0, 8), counted(EIGHT, 1, 5)]
        with pytest.raises(DifferentCounts, match=r"unit 0 \(\w{16}\): .* says 7, counted again it has 8"):
            one.flush()
    assert [unit.solutions for unit in read_ledger(path).units] == [7, 5]


def test_a_full_disk(path: Path) -> None:
    """What was committed before stays."""
    whole = divide(Instance(9), Plain(), "cubes:rows=3")
    one = Ledger(path, whole)
    one.add(counted(whole, 0))
    one.flush()
    one._connection.execute("COMMIT")
    one._connection.execute("PRAGMA max_page_count = 1")
    one.add(replace(counted(whole, 1), kernel="long " * 10000))
    with pytest.raises(RefusedLedger, match="disk is full"):
        one.flush()
    with pytest.raises(RefusedLedger, match="disk is full"):
        one.close()
    assert [unit.position for unit in read_ledger(path).units] == [0]
    Ledger(path, whole).close()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that not even root can write to")
def test_a_ledger_cannot_be_made_where_nothing_can_be_written() -> None:
    with pytest.raises(RefusedLedger, match="the ledger /proc/one"):
        Ledger(Path("/proc/one.sqlite"), EIGHT)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(path: Path) -> None:
    Ledger(path, EIGHT).close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert read_ledger(path).number == 4
        with pytest.raises(RefusedLedger):
            Ledger(path, EIGHT)
    finally:
        path.parent.chmod(0o700)


def test_a_ledger_is_read_where_no_log_can_be_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger(path, EIGHT) as one:
        one.add(counted(EIGHT, 0))
    connect = sqlite3.connect

    def read_only(name: str, **settings: Any) -> sqlite3.Connection:
        if "immutable" not in name:
            name, settings = ":memory:", {}  # has no table of ours
        connection: sqlite3.Connection = connect(name, **settings)
        return connection

    monkeypatch.setattr(sqlite3, "connect", read_only)
    assert len(read_ledger(path).units) == 1
    shutil.copy(path, path.with_name(path.name + "-wal"))
    with pytest.raises(InvalidInput):
        read_ledger(path)
