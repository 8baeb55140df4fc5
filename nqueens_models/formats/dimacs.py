"""DIMACS CNF: read what is really out there, refuse what is wrong, write what every solver takes.

Read: a clause over several lines or several on one, any white space, any line ends, comments anywhere, a
byte-order mark, the `%` that ends files of SATLIB, and files packed by gzip, bzip2 or xz, told by their content. A
projection is read in both conventions of model counters, `c p show 1 2 0` (the Model Counting Competition's,
https://mccompetition.org) and `c ind 1 2 0`; several such lines add up. Weights are not read.

Refused, with the line: a header that is missing, repeated or of another format; numbers of variables and clauses
that the body does not keep, since a file that was cut off looks like that; a last clause without its 0; anything
that is no whole number.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import FormatError
from nqueens_models.instance import Instance
from nqueens_models.models.column_cnf import Columns

MAX_VARIABLE = 2**31 - 1
"""The largest variable that solvers can hold."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UNPACK: Mapping[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\0": lzma.decompress,
}
HEADER = re.compile(rb"p[ \t]+cnf[ \t]+0*([0-9]{1,18})[ \t]+0*([0-9]{1,18})[ \t]*")
PROJECTION = re.compile(rb"c[ \t]+(p[ \t]+show|ind)(?:[ \t]+(.*)|$)")
LITERAL = re.compile(rb"-?0*[1-9][0-9]{0,9}|0")


@dataclass(frozen=True)
class CnfFile:
    """What a DIMACS file says.

    `literals` holds the clauses one after the other, each ended by a 0, as int32. `projection` is the sorted
    variables that solutions are told apart by, or None when the file names none: then it is all of them.
    """

    variables: int
    literals: NDArray[np.int32]
    projection: tuple[int, ...] | None = None

    @property
    def clauses(self) -> list[list[int]]:
        """The clauses as lists of literals."""
        ends = np.flatnonzero(self.literals == 0).tolist()
        flat = self.literals.tolist()
        starts = [0, *(end + 1 for end in ends)]
        return [flat[start:end] for start, end in zip(starts, ends, strict=False)]

    @property
    def primary(self) -> Sequence[int]:
        """The variables that solutions are told apart by."""
        return range(1, self.variables + 1) if self.projection is None else self.projection


def read_dimacs(path: Path) -> CnfFile:
    """Read a file; raise FormatError, naming file and line, for what is no DIMACS CNF. OSError passes."""
    return parse_dimacs(path.read_bytes(), str(path))


def parse_dimacs(data: bytes, name: str = "CNF") -> CnfFile:
    r"""Read the content of a file, packed or not; `name` is what errors call it.

    >>> cnf = parse_dimacs(b"c p show 1 0\np cnf 2 2\n1 2 0 -1\n-2 0")
    >>> cnf.variables, cnf.clauses, cnf.projection
    (2, [[1, 2], [-1, -2]], (1,))
    """
    return _Parser(name, _text(data, name)).parse()


def _text(data: bytes, name: str) -> bytes:
    """Return the unpacked content with line ends of one kind."""
    unpack = next((function for magic, function in UNPACK.items() if data.startswith(magic)), bytes)
    try:
        text = unpack(data)
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise FormatError(f"{name}: it cannot be unpacked: {error}") from error
    text = text.removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if (at := text.find(b"\0")) >= 0:
        raise FormatError(f"{name}, line {_line(text, at)}: a zero byte; this is no text")
    return text


def _line(text: bytes, offset: int) -> int:
    """Return the number, from 1, of the line in which the byte at `offset` stands."""
    return text.count(b"\n", 0, offset) + 1


class _Parser:
    """Reads one text. Whole arrays at a time; only to report an error is the text searched for its line."""

    def __init__(self, name: str, text: bytes) -> None:
        self.name = name
        self.text = text

    def fail(self, offset: int, what: str) -> NoReturn:
        raise FormatError(f"{self.name}, line {_line(self.text, offset)}: {what}")

    def parse(self) -> CnfFile:
        """Return what the text says."""
        comments = list(_lines_with(b"c", self.text))
        bare = _blanked(self.text, comments)
        variables, clauses, start = self._header(bare)
        body = bare[: self._end(bare, start)]
        literals = self._literals(body, start)
        self._hold_against_header(literals, variables, clauses, body, start)
        return CnfFile(variables, literals.astype(np.int32), self._projection(comments, variables))

    def _header(self, bare: bytes) -> tuple[int, int, int]:
        """Return the numbers of variables and clauses, and where the header ends."""
        headers = list(islice(_lines_with(b"p", bare), 2))
        before = re.search(rb"\S", bare[: headers[0].start()] if headers else bare)
        if before:
            self.fail(before.start(), "the header 'p cnf VARIABLES CLAUSES' has to come first")
        if not headers:
            self.fail(len(bare), "there is no header 'p cnf VARIABLES CLAUSES'")
        if len(headers) > 1:
            self.fail(headers[1].start(), "a second header")
        start, end = headers[0].span()
        header = HEADER.fullmatch(headers[0][0])
        if header is None:
            self.fail(start, f"the header is {_shown(headers[0][0])}, not 'p cnf VARIABLES CLAUSES'")
        if int(header[1]) > MAX_VARIABLE:
            self.fail(start, f"the header declares {int(header[1])} variables; solvers take {MAX_VARIABLE}")
        return int(header[1]), int(header[2]), end

    def _end(self, bare: bytes, start: int) -> int:
        """Return where the clauses end: at a `%`, after which only the 0 of SATLIB's files may stand."""
        trailer = next(_lines_with(b"%", bare[start:]), None)
        if trailer is None:
            return len(bare)
        at, end = start + trailer.start(), start + trailer.end()
        if trailer[0].strip() != b"%" or bare[end:].split() not in ([], [b"0"]):
            self.fail(at, "more than a 0 follows the % that ends the file")
        return at

    def _literals(self, body: bytes, start: int) -> NDArray[np.int64]:
        """Return all whole numbers of `body` from `start` on."""
        words = body[start:].split()
        if not body[start:].translate(None, b"-0123456789 \t\n\v\f") and b"-0" not in body:
            with suppress(ValueError, OverflowError):  # the wrong word is to be found in the slow way
                return np.array(list(map(int, words)), dtype=np.int64)
        for number, word in enumerate(words):
            if LITERAL.fullmatch(word):
                continue
            beyond = re.fullmatch(rb"-?0*[1-9][0-9]*", word)
            wrong = "beyond the variables of the header" if beyond else "no literal"
            self.fail(_word_offset(body, start, number), f"{_shown(word)} is {wrong}")
        return np.array(list(map(int, words)), dtype=np.int64)

    def _hold_against_header(
        self, literals: NDArray[np.int64], variables: int, clauses: int, body: bytes, start: int
    ) -> None:
        """Refuse literals beyond the variables that the header declares, and more or fewer clauses."""
        beyond = np.flatnonzero(np.abs(literals) > variables)
        if len(beyond):
            at = _word_offset(body, start, int(beyond[0]))
            self.fail(at, f"literal {literals[beyond[0]]} is beyond the {variables} variables of the header")
        ends = np.flatnonzero(literals == 0)
        if len(ends) > clauses:
            at = _word_offset(body, start, int(ends[clauses]))
            self.fail(at, f"the header declares {clauses} clauses, here ends another")
        last = len(body.rstrip())
        if len(literals) and literals[-1]:
            self.fail(last, "the last clause does not end with 0")
        if len(ends) < clauses:
            self.fail(last, f"the header declares {clauses} clauses, the file ends after {len(ends)}")

    def _projection(self, comments: Iterable[re.Match[bytes]], variables: int) -> tuple[int, ...] | None:
        """Return the variables that projection lines name, in whichever of the two conventions."""
        named: dict[bytes, set[int]] = {}
        for comment in comments:
            line = PROJECTION.fullmatch(comment[0].strip())
            if line is None:
                continue
            words = (line[2] or b"").split()
            if not all(re.fullmatch(rb"[0-9]{1,10}", word) for word in words) or words[-1:] != [b"0"]:
                self.fail(comment.start(), "a projection is variables and a 0")
            numbers = [int(word) for word in words[:-1]]
            if wrong := [number for number in numbers if not 1 <= number <= variables]:
                self.fail(comment.start(), f"{wrong[0]} is none of the {variables} variables of the header")
            named.setdefault(line[1].split()[-1], set()).update(numbers)
        if len({frozenset(numbers) for numbers in named.values()}) > 1:
            raise FormatError(f"{self.name}: its lines 'c p show' and 'c ind' name different variables")
        return next((tuple(sorted(numbers)) for numbers in named.values()), None)


def _lines_with(first: bytes, text: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the lines whose first letter is `first`, from there to their end."""
    for rest in re.finditer(first + rb"[^\n]*", text):  # a search for `first` alone is faster than for lines
        if not text[text.rfind(b"\n", 0, rest.start()) + 1 : rest.start()].strip():
            yield rest


def _blanked(text: bytes, matches: Iterable[re.Match[bytes]]) -> bytes:
    """Return the text with spaces where the matches are, so that offsets stay as they are."""
    blanked = bytearray(text)
    for match in matches:
        blanked[match.start() : match.end()] = b" " * len(match[0])
    return bytes(blanked)


def _word_offset(body: bytes, start: int, number: int) -> int:
    """Return where a word stands, counted from `start`."""
    return next(islice(re.compile(rb"\S+").finditer(body, start), number, None)).start()


def _shown(token: bytes) -> str:
    """Return a token for a message: in ASCII, not too long."""
    text = token.strip().decode("ascii", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def dimacs_bytes(
    variables: int,
    clauses: Sequence[Sequence[int]],
    projection: Iterable[int] | None = None,
    comments: Iterable[str] = (),
) -> Iterator[bytes]:
    """Yield the lines of a DIMACS file, some thousands at a time: comments, projection, header, clauses.

    The header's numbers are those of what follows. Raises ValueError for a literal that is none of `variables`.

    >>> print(b"".join(dimacs_bytes(2, [[1, -2]], [1], ["one"])).decode(), end="")
    c one
    c p show 1 0
    p cnf 2 1
    1 -2 0
    """
    yield from (f"c {comment}\n".encode() for comment in comments)
    if projection is not None:
        yield b"c p show %b0\n" % b"".join(b"%d " % variable for variable in projection)
    yield b"p cnf %d %d\n" % (variables, len(clauses))
    for start in range(0, len(clauses), 4096):
        chunk = clauses[start : start + 4096]
        if any(not 0 < abs(literal) <= variables for clause in chunk for literal in clause):
            raise ValueError(f"a clause has a literal that is none of {variables} variables")
        yield clause_bytes(chunk)


def clause_bytes(clauses: Iterable[Sequence[int]]) -> bytes:
    """Return clauses as lines of a DIMACS file."""
    return "".join([" ".join([*map(str, clause), "0\n"]) for clause in clauses]).encode("ascii")


def square_comments(instance: Instance) -> Iterator[str]:
    """Yield comments that tell which variable is which square of `instance` (models/cnf.py numbers them so)."""
    n = instance.n
    yield f"n-queens, {instance}"
    yield f"the queen in row r and column c (0-based) is variable {n} * r + c + 1"
    for row in range(n):
        yield f"row {row}, columns 0 to {n - 1}: variables {n * row + 1} to {n * row + n}"


def column_comments(instance: Instance, columns: Columns) -> Iterator[str]:
    """Yield comments that tell what each primary variable says of the column of a row's queen."""
    yield f"n-queens, {instance}: columns in {columns.kind} encoding"
    yield f"{columns.meaning} (all 0-based)"
    for row in range(instance.n if columns.each else 0):
        yield f"row {row}: variables {columns.each * row + 1} to {columns.each * (row + 1)}"
