"""The ledger of a count: which units have been counted, with what result, in one file that nothing damages.

An SQLite database (https://sqlite.org) with a write-ahead log: what is committed survives whatever kills the
process or the machine, and others may read while one process writes. A second one that wants to write is refused:
an empty file beside the ledger, `-lock`, is locked as long as it is being written.

- table `meta`: `instance` (canonical JSON), `split`, `rule` (its version), `division` (identity), `units` (how
  many), `engine` (that began it), `version` (of this package), `created`;
- table `units`: a line for each counted unit, as `CountedUnit` has it. Solutions and nodes are decimal text: they
  may have more than 64 bits.

The format has a version, `user_version` in the header of the file:

1. as above.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import DifferentCounts, RefusedLedger
from nqueens_models.instance import Instance
from nqueens_models.units.counting import CountedUnit, package_version
from nqueens_models.units.division import Division, divide_as, rule_version

FORMAT = 1
APPLICATION = 0x6E716C67  # "nqlg": who looks at the header of a file sees whose it is
COMMIT_SECONDS = 0.15  #     the longest that a counted unit waits for others to be committed with
BUSY_SECONDS = 5.0  #        for others to let go of the file: who reads it may hold it for an instant

_COLUMNS = tuple(one.name for one in fields(CountedUnit))
_CREATE = f"""
    PRAGMA application_id = {APPLICATION};
    PRAGMA user_version = {FORMAT};
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE units (
        identity TEXT PRIMARY KEY, position INTEGER NOT NULL UNIQUE, solutions TEXT NOT NULL, nodes TEXT,
        seconds REAL NOT NULL, host TEXT NOT NULL, kernel TEXT NOT NULL, version TEXT NOT NULL,
        finished TEXT NOT NULL
    );
"""
_INSERT = f"""
    INSERT INTO units ({", ".join(_COLUMNS)}) VALUES ({", ".join("?" * len(_COLUMNS))})
    ON CONFLICT (identity) DO NOTHING
"""  # it was committed when Ctrl-C came: the same line again


@dataclass(frozen=True)
class Record:
    """What a ledger holds: what it counts, and the units that were counted, by position."""

    path: Path
    instance: Instance
    split: str
    rule: int
    division: str
    number: int
    engine: str
    units: tuple[CountedUnit, ...]

    @classmethod
    def without_units(cls, path: Path, division: Division) -> Self:
        """Return what the ledger of a division holds when nothing has been counted."""
        rule, number = rule_version(division.split), len(division.units)
        names = division.identity, number, division.engine_spec
        return cls(path, division.instance, division.split, rule, *names, ())

    @property
    def solutions(self) -> int:
        """The total of all units so far."""
        return sum(unit.solutions for unit in self.units)

    @property
    def complete(self) -> bool:
        """Whether every unit has been counted."""
        return len(self.units) == self.number

    def make_division(self, engine: Engine | None = None) -> Division:
        """Return the division anew, for another engine if there is one.

        Raises RefusedLedger if this release divides in another way, or if there are units of none.
        """
        if self.rule != rule_version(self.split):
            here = rule_version(self.split)
            raise RefusedLedger(
                f"{self.path} is divided by version {self.rule} of the rule, this release has {here}"
            )
        whole = divide_as(self.instance, engine or make_engine(self.engine), self.split)
        if whole.identity != self.division or len(whole.units) != self.number:
            raise RefusedLedger(f"{self.path} is damaged: its units are not those of {self.instance}")
        refuse_strangers(self, whole)
        return whole


def read_ledger(path: Path) -> Record:
    """Return what a ledger holds now; another process may be writing it.

    Raises RefusedLedger for a file that is no ledger, or damaged, or of another format version.
    """
    _settle(path)
    _check_header(path)
    with _reported(path), _reading(path) as connection:
        return _read(path, connection)


class Ledger:
    """A ledger that this process writes: a context manager, which commits and releases it at the end.

    A unit that is added is committed within COMMIT_SECONDS, if `flush_if_due` is called often.
    """

    def __init__(self, path: Path, division: Division, engine: str | None = None) -> None:
        """Open the ledger of a division, or make one, begun by its engine if no other is named.

        Raises RefusedLedger, with the reason, for the ledger of another division or format version, for one that
        another process writes, for a file that is no ledger or damaged, and where none can be written.
        """
        self.path = path
        self._pending: list[CountedUnit] = []
        self._committed = time.monotonic()
        with ExitStack() as stack:
            stack.enter_context(_locked(path))
            self._connection = stack.enter_context(_writing(path))
            with _reported(path):
                if not self._connection.execute("PRAGMA user_version").fetchone()[0]:
                    self._create(division, engine or division.engine_spec)
                self._begin()
                self.record = _read(path, self._connection)
            _refuse_other(self.record, division)
            self._resources = stack.pop_all()

    def _create(self, division: Division, engine: str) -> None:
        meta = {
            "instance": division.instance.canonical_json(),
            "split": division.split,
            "rule": str(rule_version(division.split)),
            "division": division.identity,
            "units": str(len(division.units)),
            "engine": engine,
            "version": package_version(),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self._connection.executescript(
            f"BEGIN EXCLUSIVE; {_CREATE}"
        )  # before the log: it stands in the header now
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        self._connection.execute("COMMIT")

    def _begin(self) -> None:
        """Have what is written survive, and begin the first transaction."""
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("BEGIN IMMEDIATE")

    def add(self, unit: CountedUnit) -> None:
        """Take a unit that has been counted; commit it, unless another was committed just now."""
        self._pending.append(unit)
        self.flush_if_due()

    def flush_if_due(self) -> None:
        """Commit what has waited long enough."""
        if time.monotonic() - self._committed >= COMMIT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what was added: it is on the disk when this returns.

        Raises RefusedLedger if it cannot be, and DifferentCounts if the ledger has another number for a unit.
        """
        if not self._pending:
            return
        with _reported(self.path):
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            inserted = self._connection.executemany(_INSERT, map(_line, self._pending)).rowcount
            differing = list(self._differing()) if inserted < len(self._pending) else []
            self._connection.execute("COMMIT")
            self._pending.clear()
            self._committed = time.monotonic()
            self._connection.execute("BEGIN IMMEDIATE")
        if differing:
            raise DifferentCounts(differing[0])

    def _differing(self) -> Iterator[str]:
        """Say of which units that were added the ledger has another number."""
        for unit in self._pending:
            query = "SELECT solutions FROM units WHERE identity = ?"
            ((recorded,),) = self._connection.execute(query, [unit.identity])
            if recorded != str(unit.solutions):
                name = f"unit {unit.position} ({unit.identity})"
                yield f"{name}: {self.path} says {recorded}, counted again it has {unit.solutions}"

    def refresh(self) -> Record:
        """Commit, and return what the ledger holds now; `record` is that from here on."""
        self.flush()
        with _reported(self.path):
            self.record = _read(self.path, self._connection)
        return self.record

    def close(self) -> None:
        """Commit and release the ledger."""
        with self._resources:
            self.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# ---------------------------------------------------------------------------------------------- the file


def _line(unit: CountedUnit) -> tuple[object, ...]:
    numbers = {"solutions": str(unit.solutions), "nodes": None if unit.nodes is None else str(unit.nodes)}
    return tuple(numbers.get(name, getattr(unit, name)) for name in _COLUMNS)


def _read(path: Path, connection: sqlite3.Connection) -> Record:
    damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise RefusedLedger(f"{path} is damaged: {' '.join(damage.split())}")
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        lines = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM units ORDER BY position")
        units = tuple(_unit(dict(zip(_COLUMNS, line, strict=True))) for line in lines)
        rule, number = int(meta["rule"]), int(meta["units"])
        instance = _instance(meta["instance"])
        return Record(path, instance, meta["split"], rule, meta["division"], number, meta["engine"], units)
    except (KeyError, TypeError, ValueError) as error:
        raise RefusedLedger(f"{path} is damaged: {error}") from None


def _unit(line: dict[str, object]) -> CountedUnit:
    nodes = line["nodes"]
    numbers = {"solutions": int(str(line["solutions"])), "nodes": None if nodes is None else int(str(nodes))}
    return CountedUnit(**{**line, **numbers})  # type: ignore[arg-type]


def _instance(text: str) -> Instance:
    content = json.loads(text)
    return Instance(*(content[name] for name in ("n", "diagonals", "fixed", "blocked", "regions")))


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that writes, to a ledger or to an empty file."""
    _settle(path)
    if path.exists() and path.stat().st_size:
        _check_header(path)
    with _reported(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        yield connection
    finally:
        with suppress(sqlite3.Error):
            connection.close()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes from writing a ledger; raise RefusedLedger if one does.

    SQLite's own lock is free for an instant after each commit, so there is one more, in a file that is gone
    afterwards: a second descriptor of the ledger itself would take SQLite's locks along when it is closed.
    """
    if not path.parent.is_dir():
        raise RefusedLedger(f"there is no folder {path.parent}")
    name = Path(f"{path}-lock")
    with _lock_file(name, path):
        try:
            yield
        finally:
            with suppress(OSError):  # a system that does not remove open files
                name.unlink()


def _lock_file(name: Path, path: Path) -> IO[bytes]:
    """Return the open and locked file of that name; who had it may have removed it since it was opened here."""
    while True:
        try:
            stream = name.open("ab")
        except OSError as error:
            raise RefusedLedger(f"the ledger {path}: {error.strerror}") from None
        try:
            _lock(stream, path)
            if os.path.samestat(os.fstat(stream.fileno()), name.stat()):
                return stream
        except FileNotFoundError:
            pass
        except BaseException:
            stream.close()
            raise
        stream.close()


def _lock(stream: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system: SQLite's lock alone has to do
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RefusedLedger(f"{path} is being written by another process") from None
    except OSError:  # a file system without such locks
        return


def _settle(path: Path) -> None:
    """Have SQLite take back what a process had begun to write when it was killed while it made the ledger."""
    if Path(f"{path}-journal").exists():
        with _reported(path), closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")


def _check_header(path: Path) -> None:
    """Raise RefusedLedger for a file that is no ledger, without opening it as a database."""
    try:
        with path.open("rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise RefusedLedger(f"{path}: {error.strerror}") from None
    application, version = (int.from_bytes(header[at : at + 4], "big") for at in (68, 60))
    if not header.startswith(b"SQLite format 3\0") or application != APPLICATION:
        raise RefusedLedger(f"{path} is not a ledger")
    if version != FORMAT:
        raise RefusedLedger(f"{path} has format version {version}, this release of nqueens_models reads {FORMAT}")


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that only reads.

    Where the folder cannot be written there can be no log, and so, if none was left behind, nobody writes.
    """
    name = path.resolve().as_uri()
    connection = sqlite3.connect(f"{name}?mode=rw", uri=True, timeout=5)
    try:
        connection.execute("SELECT count(*) FROM meta")
    except sqlite3.OperationalError:
        connection.close()
        if Path(f"{path}-wal").exists():
            raise
        connection = sqlite3.connect(f"{name}?mode=ro&immutable=1", uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        yield connection
    finally:
        connection.close()


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turn what SQLite complains about into one line."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise RefusedLedger(f"{path} is being written by another process") from None
        if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise RefusedLedger(f"{path} is damaged: {error}") from None
        raise RefusedLedger(f"the ledger {path}: {error}") from None


# ---------------------------------------------------------------------------------------------- what is refused


def _refuse_other(record: Record, division: Division) -> None:
    """Raise RefusedLedger, with the reason, unless the ledger is that of this division."""
    if why := difference(record, Record.without_units(record.path, division)):
        raise RefusedLedger(f"{record.path}: {why}")
    refuse_strangers(record, division)


def refuse_strangers(record: Record, division: Division) -> None:
    """Raise RefusedLedger if there are units in the ledger that the division does not have."""
    identities = [unit.identity for unit in division.units]
    for unit in record.units:
        if not 0 <= unit.position < len(identities) or identities[unit.position] != unit.identity:
            raise RefusedLedger(f"{record.path} is damaged: unit {unit.position} is none of {division.instance}")


def difference(record: Record, other: Record) -> str | None:
    """Return how the division of a ledger differs from another, or None; what people can change comes first."""
    if record.instance != other.instance:
        one, two = str(record.instance), str(other.instance)
        return f"it counts {one}, not {two if two != one else 'this other instance of the same size'}"
    if record.split != other.split:
        return f"it is divided by {record.split}, not by {other.split}"
    if record.rule != other.rule:
        return f"{record.split} is divided by version {record.rule} of the rule, not {other.rule}"
    return None if record.division == other.division else "its units are not the same"
