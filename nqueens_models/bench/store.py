"""Runs on disk: JSON Lines that are appended one by one and survive whatever kills the writer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from nqueens_models.bench.records import VERSION, Case, Line, MeasuredRun, Session
from nqueens_models.errors import FormatError, InvalidInput

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)


@dataclass(frozen=True)
class Archive:
    """What files of runs hold: sessions by their id, runs in the order of the lines.

    `torn` are the files whose last line is not whole (the writer was killed): that line is left out.
    """

    sessions: dict[str, Session] = field(default_factory=dict)
    runs: list[MeasuredRun] = field(default_factory=list)
    torn: list[Path] = field(default_factory=list)
    _cases: dict[tuple[str, str], Case] = field(default_factory=dict)

    def session(self, run: MeasuredRun) -> Session:
        """Return the session in which a run was made."""
        return self.sessions[run.session]

    def case(self, run: MeasuredRun) -> Case:
        """Return the case of a run."""
        return self._cases[run.session, run.case]

    def add_session(self, session: Session) -> None:
        """Take a session and its cases."""
        self.sessions[session.id] = session
        self._cases.update({(session.id, case.name): case for case in session.cases})


def read(paths: Iterable[Path]) -> Archive:
    """Read files of runs; the same run in two files counts once.

    Raises FormatError, naming the line, for what is no line of such a file, for runs whose session is missing and
    for a version of the format from the future.
    """
    archive = Archive()
    seen: set[tuple[str, str]] = set()
    for path in paths:
        _read_file(path, archive, seen)
    return archive


def _read_file(path: Path, archive: Archive, seen: set[tuple[str, str]]) -> None:
    for number, text in _lines(path):
        if not text.endswith(b"\n") and not _whole(text):
            archive.torn.append(path)
            return
        if not text.strip():
            continue
        line = _decode(text, f"{path}, line {number}")
        if isinstance(line, Session):
            archive.add_session(line)
        elif (line.session, line.case) not in archive._cases:
            raise FormatError(f"{path}, line {number}: the session or the case of this run is missing")
        elif (key := (line.session, line.trial)) not in seen:
            seen.add(key)
            archive.runs.append(line)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as stream:
            yield from enumerate(stream, start=1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def _decode(text: bytes, where: str) -> Line:
    try:
        line = _decoder.decode(text)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        later = _version_of(text)
        if later > VERSION:
            raise FormatError(_from_the_future(where, later)) from None
        raise FormatError(f"{where}: this is no line of a file of runs: {error}") from None
    if isinstance(line, Session) and line.version > VERSION:
        raise FormatError(_from_the_future(where, line.version))
    return line


def _from_the_future(where: str, version: int) -> str:
    return f"{where}: version {version} of the format is newer than this program, which reads up to {VERSION}"


def _version_of(text: bytes) -> int:
    with suppress(msgspec.MsgspecError):
        return msgspec.json.decode(text, type=_Versioned).version
    return 0


class _Versioned(msgspec.Struct):
    version: int = 0


def _whole(text: bytes) -> bool:
    """Return whether a last line without its end is complete otherwise."""
    try:
        _decoder.decode(text)
    except msgspec.MsgspecError:
        return False
    return True


class Store:
    """A file of runs that is being written: each line is on the disk before `append` returns.

    Use as a context manager. Opening it repairs the end: half a line is removed. Only one process at a time may
    write (where the system has flock): InvalidInput for the second.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Store:
        try:
            self._stream: IO[bytes] = self.path.open("a+b")
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            _lock(self._stream, self.path)
            _repair(self._stream)
        except BaseException:
            self._stream.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stream.close()

    def append(self, line: Line) -> None:
        """Write a line to the disk."""
        self._stream.write(_encoder.encode(line) + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


def _lock(stream: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidInput(f"{path} is being written by another comparison") from None


def _repair(stream: IO[bytes]) -> None:
    """End the file with a whole line: what the writer did not finish is removed."""
    stream.seek(0)
    good, last = 0, b""
    for last in stream:
        good += len(last)
    if last and not last.endswith(b"\n"):
        if _whole(last):
            stream.write(b"\n")
        else:
            stream.truncate(good - len(last))
    stream.seek(0, os.SEEK_END)
