"""A file as it came: read within a size limit, decoded, its lines counted; the words errors about files use."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from nqueens_models.errors import FormatError, InvalidInstance
from nqueens_models.instance import Diagonals, Instance, Square

INSTANCE_BYTES = 16 << 20
"""The largest instance file that is read."""
SOLUTIONS_BYTES = 512 << 20
"""The largest file of solutions that is read."""
LARGEST_N = 100_000
"""The largest board that a file may declare: a slip of the pen must not ask for the memory of a data centre."""

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Source:
    """The bytes of a file and the name that errors call it by."""

    name: str
    data: bytes

    @classmethod
    def of_file(cls, path: str | Path, limit: int = INSTANCE_BYTES) -> Source:
        """Read a file; raise FormatError when it is larger than `limit` bytes or cannot be read."""
        try:
            with Path(path).open("rb") as stream:
                return cls.of_stream(stream, str(path), limit)
        except OSError as error:
            raise FormatError(f"{path}: {error.strerror or error}") from error

    @classmethod
    def of_stream(cls, stream: BinaryIO, name: str, limit: int = INSTANCE_BYTES) -> Source:
        """Read a stream to its end; raise FormatError when that is more than `limit` bytes."""
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise FormatError(f"{name}: larger than {limit >> 20} MiB, the most that is read")
        return cls(name, data)

    @classmethod
    def of_text(cls, text: str, name: str = "text") -> Source:
        """Return a source that holds `text`."""
        return cls(name, text.encode("utf-8"))

    @cached_property
    def content(self) -> str:
        r"""The text, without a byte-order mark and with `\n` as the only line end; perhaps empty.

        UTF-8, or UTF-16 with a byte-order mark. Raises FormatError for a binary file and any other encoding.
        """
        encoding = next((e for mark, e in BYTE_ORDER_MARKS.items() if self.data.startswith(mark)), "utf-8")
        try:
            text = self.data.decode(encoding)
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise self.error("neither UTF-8 text nor UTF-16 with a mark", line) from None
        if "\0" in text:
            raise self.error("a binary file", text.count("\n", 0, text.index("\0")) + 1)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @property
    def text(self) -> str:
        """The content; raise FormatError if it is nothing but white space."""
        if not self.content or self.content.isspace():
            raise self.error("the file is empty")
        return self.content

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number, without white space at its ends."""
        for number, line in enumerate(io.StringIO(self.content), start=1):
            yield number, line.strip()

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return an error that names this file and, if known, the line."""
        where = self.name if line is None else f"{self.name}: line {line}"
        return FormatError(f"{where}: {message}")


@dataclass(frozen=True)
class Mark:
    """A square that a file names, in the base of the file, and its line if that is known."""

    row: int
    column: int
    line: int | None = None


@dataclass(frozen=True)
class Board:
    """The size of the board of a file and the number of its first row and column: turns marks into squares."""

    source: Source
    n: int
    base: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise self.source.error(f"n must be 0 or more, not {self.n}")
        if self.n > LARGEST_N:
            raise self.source.error(f"n = {self.n} is more than {LARGEST_N}, the largest board that is read")

    def squares(self, marks: Sequence[Mark], what: str) -> list[Square]:
        """Return 0-based squares; raise FormatError, in the file's base, for one that is off the board."""
        first, last = self.base, self.n - 1 + self.base
        for mark in marks:
            if not (first <= mark.row <= last and first <= mark.column <= last):
                where = f"{what} {(mark.row, mark.column)} is off the board"
                raise self.source.error(f"{where}: rows and columns count from {first} to {last} here", mark.line)
        return [(mark.row - first, mark.column - first) for mark in marks]

    def instance(
        self,
        fixed: Sequence[Mark] = (),
        blocked: Sequence[Mark] = (),
        diagonals: Diagonals | str = Diagonals.FULL,
        regions: Iterable[Iterable[Hashable]] | None = None,
    ) -> Instance:
        """Return the instance; raise FormatError for a square that is both, or regions that are not n kinds."""
        fixed_squares = self.squares(fixed, "fixed queen")
        blocked_squares = self.squares(blocked, "blocked square")
        both = set(fixed_squares).intersection(blocked_squares)
        for mark in blocked if both else ():
            if (mark.row - self.base, mark.column - self.base) in both:
                raise self.source.error(f"square {(mark.row, mark.column)} is both fixed and blocked", mark.line)
        try:
            return Instance(self.n, diagonals, fixed_squares, blocked_squares, regions)
        except InvalidInstance as error:
            raise self.source.error(str(error)) from None


def shown(text: str, width: int = 30) -> str:
    """Return `text` in quotes, cut to a length that fits an error message."""
    return repr(text if len(text) <= width else text[:width] + "...")


WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
DIGITS = 12


def whole_number(source: Source, token: str, line: int | None, what: str) -> int:
    """Return the number that `token` writes; raise FormatError if it is none or of more than DIGITS digits."""
    if not WHOLE_NUMBER.fullmatch(token):
        raise source.error(f"{what} must be a whole number, not {shown(token)}", line)
    if len(token) > DIGITS:
        raise source.error(f"{what} {shown(token)} is too large", line)
    return int(token)
