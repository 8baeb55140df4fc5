"""The manifest of a folder of shards: JSON Lines, appended to as shards are finished.

::

    {"line": "listing", "format": "nqueens_models.shards", "version": 1, "instance": {...}, "engine": "...", ...}
    {"line": "shard", "shard": 0, "prefix": [0], "file": "shard-00.npy", "count": 4, "bytes": 192, "sha256": "..."}
    ...
    {"line": "summary", "count": 92, "fingerprint": "..."}

A line is on the disk before the next shard is begun, so whatever ends the process loses unfinished shards only,
and thousands of shards cost no more than one line each (a document that is written anew would cost their square).
A later line about the same shard replaces an earlier one. The last line may be torn, and is then left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

import msgspec

from nqueens_models.errors import FormatError, InvalidInput, InvalidInstance
from nqueens_models.instance import Instance

NAME = "manifest.jsonl"
FORMAT = "nqueens_models.shards"
VERSION = 1
FILES = ("npy", "parquet")


class Heading(msgspec.Struct, tag_field="line", tag="listing", frozen=True, kw_only=True):
    """What is listed, how, and how it is divided. `files` is their format, `rows` are those of the prefixes."""

    format: str = FORMAT
    version: int = VERSION
    instance: dict[str, Any]
    engine: str
    search: str
    files: Literal["npy", "parquet"]
    rows: tuple[int, ...]
    shards: int
    package: str
    symmetry: bool

    def of_instance(self) -> Instance:
        """Return the instance; raise InvalidInstance."""
        try:
            parts = {name: self.instance[name] for name in ("n", "diagonals", "fixed", "blocked", "regions")}
        except KeyError as error:
            raise InvalidInstance(f"the instance has no {error}") from None
        return Instance(**parts)

    def file(self, shard: int) -> str:
        """Return the name of the file of a shard: names are in the order of the numbers."""
        return f"shard-{shard:0{len(str(max(0, self.shards - 1)))}}.{self.files}"


class Entry(msgspec.Struct, tag_field="line", tag="shard", frozen=True):
    """A finished shard: its number from 0, the columns of its prefix, its file with its solutions and bytes."""

    shard: int
    prefix: tuple[int, ...]
    file: str
    count: int
    bytes: int
    sha256: str


class Summary(msgspec.Struct, tag_field="line", tag="summary", frozen=True):
    """The end of a complete listing: all solutions, and the fingerprint of their set."""

    count: int
    fingerprint: str


Line = Heading | Entry | Summary
OPENING = b'{"line":"listing","format":"nqueens_models.shards","version":'
"""How the first line of a manifest begins, by which a torn one is known."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)


class Manifest:
    """What the lines of a manifest say."""

    def __init__(self, path: Path) -> None:
        """Read a manifest; raise FormatError, naming the line, for what is none."""
        self.entries: dict[int, Entry] = {}
        self.summary: Summary | None = None
        heading: Heading | None = None
        for number, line in _lines(path):
            match line:
                case Heading() if heading is None:
                    heading = _known(line, path)
                case Entry() if heading is not None and 0 <= line.shard < heading.shards:
                    self.entries[line.shard], self.summary = line, None
                case Summary() if heading is not None:
                    self.summary = line
                case _:
                    raise FormatError(f"{path}, line {number}: it has no place there")
        if heading is None:
            raise FormatError(f"{path}: there is no heading")
        self.heading = heading


def _known(heading: Heading, path: Path) -> Heading:
    if heading.format != FORMAT or heading.version != VERSION:
        raise FormatError(f"{path} is {heading.format} {heading.version}, not {FORMAT} {VERSION}")
    return heading


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the lines with their numbers from 1, but not a torn last one."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    for number, text in enumerate(lines, start=1):
        if text.endswith(b"\n"):
            try:
                yield number, _decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise FormatError(f"{path}, line {number}: {error}") from error


class Appender:
    """The manifest of a folder, open for appending by one process at a time."""

    def __init__(self, path: Path) -> None:
        """Open and lock it, and cut a torn line.

        Raises InvalidInput if another process writes to the folder, and FormatError, leaving every byte as it is,
        for somebody else's file of this name.
        """
        self._stream: IO[bytes] = path.open("a+b", buffering=0)
        try:
            _lock(self._stream, path)
            self._cut_torn_line(path)
        except BaseException:
            self._stream.close()
            raise

    def append(self, line: Line) -> None:
        """Write a line to the disk; raise OSError, leaving no part of it, if there is no room."""
        before = self._stream.seek(0, os.SEEK_END)
        text = _encoder.encode(line) + b"\n"
        try:
            if self._stream.write(text) != len(text):
                raise OSError(28, "No space left on device")
            os.fsync(self._stream.fileno())
        except OSError:
            self._stream.truncate(before)
            raise

    def is_empty(self) -> bool:
        """Whether there is no line."""
        return self._stream.seek(0, os.SEEK_END) == 0

    def clear(self) -> None:
        """Remove all lines."""
        self._stream.truncate(0)

    def _cut_torn_line(self, path: Path) -> None:
        self._stream.seek(0)
        content = self._stream.read()
        if b"\n" in content:
            Manifest(path)  # raises for a file that is not ours
        elif not (content.startswith(OPENING) or OPENING.startswith(content)):
            raise FormatError(f"{path} is not the manifest of a listing")
        self._stream.truncate(content.rfind(b"\n") + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def _lock(stream: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidInput(f"{path.parent} is being written by another process") from None
