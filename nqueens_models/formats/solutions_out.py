"""Solutions written as they are found: one writer class a format, fast enough for millions of rows.

==========  ==================================================================================================
columns     the columns by row, separated by spaces, one solution a line (the text of a fingerprint)
board       n lines of `Q` and `.`, an empty line after each board
unicode     the same with chess queens; plain letters where the encoding has no queen
json        one document: instance, `solutions`, with orbits `orbit_sizes`, then the summary of the search
jsonl       JSON Lines: a line about the instance, one a solution, one with the summary
csv         a heading `row_0,row_1,...` (`row_1,...` when columns count from 1), then one line a solution
npy         a NumPy array of shape (k, n), of the smallest unsigned dtype that holds n
fen         the ranks of a chess position, `1Q2/3Q/Q3/2Q1`, one solution a line
asp         atoms of an answer set, `queen(1,2) queen(2,4) ...`, counted from 1, one solution a line
sat         what a SAT solver prints: `s SATISFIABLE` and `v` lines; variable n * (row - 1) + column, from 1
==========  ==================================================================================================

Orbit sizes are written where the format has a place for them: json, jsonl and csv.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance, block_dtype
from nqueens_models.solutions import columns_text

Block = NDArray[np.integer[Any]]
Sizes = Sequence[int] | NDArray[np.integer[Any]]

QUEEN, FREE = "Q", "."
CHESS_QUEEN, FREE_DOT = "♛", "·"


class SolutionWriter(ABC):
    """Writes blocks of solutions to a binary stream, which it leaves open."""

    binary: ClassVar[bool] = False  # not for terminals

    def __init__(self, instance: Instance, stream: BinaryIO, base: int, sizes: bool, encoding: str) -> None:
        """Write what comes before the first solution; see `writer` for the arguments."""
        self.instance, self.stream, self.base, self.sizes, self.encoding = instance, stream, base, sizes, encoding
        self.begin()

    def begin(self) -> None:  # noqa: B027 - most formats begin with nothing
        """Write what comes before the first solution."""

    @abstractmethod
    def write(self, block: Block, sizes: Sizes | None = None) -> None:
        """Write a block of shape (k, n), 0-based, and the k orbit sizes if the writer was asked for them."""

    def close(self, summary: Mapping[str, Any]) -> None:  # noqa: B027 - most formats end with nothing
        """Write what comes after the last solution, however the search ended.

        `summary` holds values that JSON can express, such as engine, termination, complete, count, timings and
        statistics; formats without a place for it leave it out.
        """


class ColumnsWriter(SolutionWriter):
    """The columns by row, separated by spaces."""

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        for piece in columns_text(block, self.base):
            self.stream.write(piece)


class BoardWriter(SolutionWriter):
    """n lines of `Q` and `.`, and an empty line."""

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        for points in _boards(block, f"{FREE}\n{QUEEN}"):
            self.stream.write(points.astype(np.uint8).tobytes())


class UnicodeWriter(SolutionWriter):
    """n lines of chess queens and dots with spaces between, and an empty line."""

    def begin(self) -> None:
        """Choose the signs that the encoding can express."""
        self.signs = f"{FREE_DOT}\n{CHESS_QUEEN}"
        try:
            self.signs.encode(self.encoding)
        except UnicodeEncodeError:
            self.signs = f"{FREE}\n{QUEEN}"

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        for points in _boards(block, self.signs, gap=" "):
            self.stream.write(points.astype("<u4").tobytes().decode("utf-32-le").encode(self.encoding))


class JsonWriter(SolutionWriter):
    """One JSON document, valid whenever `close` was called."""

    def begin(self) -> None:
        """Open the document and the list of solutions."""
        self.found_sizes: list[int] = []
        self.between = b"\n["
        self.stream.write(_dump(_heading(self.instance, self.base))[:-1] + b',"solutions":[')

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: D102
        if self.sizes:
            self.found_sizes += _checked(sizes, block)
        for piece in columns_text(block, self.base, ","):
            self.stream.write(self.between + piece[:-1].replace(b"\n", b"],\n[") + b"]")
            self.between = b",\n["

    def close(self, summary: Mapping[str, Any]) -> None:  # noqa: D102
        end = {"orbit_sizes": self.found_sizes, **summary} if self.sizes else dict(summary)
        self.stream.write(b"\n]" + (b"," + _dump(end)[1:] if end else b"}") + b"\n")


class JsonLinesWriter(SolutionWriter):
    """JSON Lines: a heading, `{"columns":[...]}` for every solution, and the summary."""

    def begin(self) -> None:
        """Write the heading."""
        self.stream.write(_dump(_heading(self.instance, self.base)) + b"\n")

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: D102
        lines = _lines(block, self.base)
        if self.sizes:
            pairs = zip(lines, _checked(sizes, block), strict=True)
            self.stream.writelines(b'{"columns":[%b],"orbit_size":%d}\n' % pair for pair in pairs)
        else:
            self.stream.writelines(b'{"columns":[%b]}\n' % line for line in lines)

    def close(self, summary: Mapping[str, Any]) -> None:  # noqa: D102
        self.stream.write(_dump({"summary": dict(summary)}) + b"\n")


class CsvWriter(SolutionWriter):
    """Comma-separated columns under a heading whose first number tells the base."""

    def begin(self) -> None:
        """Write the heading."""
        names = [f"row_{row + self.base}" for row in range(self.instance.n)]
        self.stream.write(",".join(names + ["orbit_size"] * self.sizes).encode("ascii") + b"\n")

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: D102
        if not self.sizes:
            for piece in columns_text(block, self.base, ","):
                self.stream.write(piece)
            return
        comma = b"," if self.instance.n else b""
        for line, size in zip(_lines(block, self.base), _checked(sizes, block), strict=True):
            self.stream.write(b"%b%b%d\n" % (line, comma, size))


class NpyWriter(SolutionWriter):
    """A NumPy array file. Rows wait in a temporary file, since the number of them comes first."""

    binary: ClassVar[bool] = True
    IN_MEMORY = 1 << 26  # bytes kept in memory before they go to a file

    def begin(self) -> None:
        """Open the temporary file."""
        self.count = 0
        self.dtype = block_dtype(self.instance.n).newbyteorder("<")
        self.rows = tempfile.SpooledTemporaryFile(max_size=self.IN_MEMORY)  # noqa: SIM115 - closed by `close`

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        self.count += len(block)
        self.rows.write((block.astype(self.dtype) + self.dtype.type(self.base)).astype(self.dtype).tobytes())

    def close(self, summary: Mapping[str, Any]) -> None:  # noqa: ARG002, D102
        shape = (self.count, self.instance.n)
        heading = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self.stream, heading)
        self.rows.seek(0)
        shutil.copyfileobj(self.rows, self.stream)
        self.rows.close()


class FenWriter(SolutionWriter):
    """Ranks from row 0 on: the run lengths of free squares, with several digits where needed, and `Q`."""

    def begin(self) -> None:
        """Write every rank once."""
        n = self.instance.n
        self.ranks = [f"{column or ''}{QUEEN}{n - 1 - column or ''}" for column in range(n)]

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        for placement in block.tolist():
            self.stream.write(("/".join([self.ranks[column] for column in placement]) + "\n").encode("ascii"))


class AspWriter(SolutionWriter):
    """One line of atoms, always counted from 1."""

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        for placement in block.tolist():
            atoms = [f"queen({row},{column + 1})" for row, column in enumerate(placement, start=1)]
            self.stream.write((" ".join(atoms) + "\n").encode("ascii"))


class SatWriter(SolutionWriter):
    """The literals of the n * n primary variables, those of one row a line."""

    def write(self, block: Block, sizes: Sizes | None = None) -> None:  # noqa: ARG002, D102
        n = self.instance.n
        for placement in block.tolist():
            lines = ["s SATISFIABLE"]
            for row, queen in enumerate(placement):
                variables = range(n * row + 1, n * row + n + 1)
                literals = [v if v == n * row + queen + 1 else -v for v in variables]
                lines.append("v " + " ".join(map(str, literals)))
            self.stream.write(("\n".join(lines) + ("\nv 0\n" if n == 0 else " 0\n")).encode("ascii"))


WRITERS: Mapping[str, type[SolutionWriter]] = {
    "columns": ColumnsWriter,
    "board": BoardWriter,
    "unicode": UnicodeWriter,
    "json": JsonWriter,
    "jsonl": JsonLinesWriter,
    "csv": CsvWriter,
    "npy": NpyWriter,
    "fen": FenWriter,
    "asp": AspWriter,
    "sat": SatWriter,
}


def writer(
    name: str, instance: Instance, stream: BinaryIO, *, base: int = 0, sizes: bool = False, encoding: str = "utf-8"
) -> SolutionWriter:
    """Return a writer of solutions of `instance` in the format `name`, one of WRITERS.

    `base` (0 or 1) is the number of the first column; with `sizes` every `write` is given orbit sizes too;
    `encoding` is what the stream's reader expects of `unicode`. Raises InvalidSetting for an unknown name or base.
    """
    kind = writer_class(name)
    if base not in (0, 1):
        raise InvalidSetting(f"columns count from 0 or from 1, not from {base!r}")
    return kind(instance, stream, base, sizes, encoding)


def writer_class(name: str) -> type[SolutionWriter]:
    """Return the writers of a format by its name; raise InvalidSetting, listing those that exist."""
    if name not in WRITERS:
        raise InvalidSetting(f"no format is called {name!r}; there are {', '.join(WRITERS)}")
    return WRITERS[name]


def _heading(instance: Instance, base: int) -> dict[str, Any]:
    return {"format": "nqueens_models.solutions", "version": 1, "base": base, "instance": instance.to_dict()}


def _dump(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _lines(block: Block, base: int) -> Iterator[bytes]:
    """Yield the columns of each placement, separated by commas."""
    for piece in columns_text(block, base, ","):
        yield from piece[:-1].split(b"\n")


def _checked(sizes: Sizes | None, block: Block) -> list[int]:
    if sizes is None or len(sizes) != len(block):
        raise ValueError(f"{len(block)} solutions need as many orbit sizes")
    return [int(size) for size in sizes]


def _boards(block: Block, signs: str, gap: str = "") -> Iterator[NDArray[np.uint32]]:
    """Yield the boards of a block as code points, some hundred thousand at a time.

    `signs` are those of a free square, of the end of a line and of a queen.
    """
    free, end, queen = (ord(sign) for sign in signs)
    n = block.shape[1]
    line = ([free] if not gap else [free, ord(gap)]) * n
    line = [*line[: len(line) - len(gap) * bool(n)], end]
    empty = np.array(line * n + [end], dtype=np.uint32)
    queens = np.arange(n) * len(line)
    step = 1 + len(gap)
    rows = max(1, (1 << 18) // len(empty))
    for start in range(0, len(block), rows):
        chunk = block[start : start + rows].astype(np.intp)
        boards = np.tile(empty, (len(chunk), 1))
        np.put_along_axis(boards, queens + chunk * step, queen, axis=1)
        yield boards
