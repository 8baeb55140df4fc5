"""The table of solution formats, and reading a file whose format is given or can be proved.

Lists of columns count from 0 for some and from 1 for others, so these formats come twice: `columns` is 0-based and
`columns-1` is 1-based. Without a name the base is proved: by the file itself, or by a column that only one of the
two bases allows; else the error names both.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from nqueens_models.errors import FormatError, InvalidSetting
from nqueens_models.formats import solutions_in
from nqueens_models.formats.answers import Answers
from nqueens_models.formats.solutions_out import writer
from nqueens_models.formats.source import Source
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class SolutionFormat:
    """A way to write solutions down; `base` is the number of the first row and column.

    `read` takes a Source and n (None if unknown). `written_as` is the name of the writer of solutions_out.
    `claims` says whether a file looks like this format, whatever the base.
    """

    name: str
    summary: str
    base: int
    read: Callable[[Source, int | None], Answers]
    claims: Callable[[Source, int | None], bool]
    written_as: str

    def write(self, instance: Instance, answers: Answers) -> bytes:
        """Return the file that holds all answers; raise FormatError for one that is no placement."""
        stream = io.BytesIO()
        out = writer(self.written_as, instance, stream, base=self.base)
        out.write(answers.all_placements())
        out.close({"count": len(answers)})
        return stream.getvalue()


def _first_line(source: Source) -> str:
    """Return the first line that is no heading."""
    lines = (line for _, line in source.lines() if line and not solutions_in.HEADING.match(line))
    return next(lines, "")


def _claims_columns(source: Source, n: int | None) -> bool:
    line = _first_line(source)
    if line.startswith("[") or solutions_in.LIST.fullmatch(line) is None:
        return False
    return n is None or len(re.findall(r"[0-9]+", line)) == n


def _claims_board(source: Source, n: int | None) -> bool:
    signs = "".join(_first_line(source).split())
    if not signs or not set(signs) <= set(solutions_in.QUEENS + solutions_in.FREE):
        return False
    return not set(signs) <= set("01") or n is None or len(signs) == n


def _claims_json(source: Source, n: int | None) -> bool:
    return source.content.lstrip().startswith(("[", "{")) and not _claims_json_lines(source, n)


def _claims_json_lines(source: Source, _n: int | None) -> bool:
    """Whether the first line is a JSON value in itself and not the last line."""
    text = source.content.strip()
    first, _, rest = text.partition("\n")
    first = first.rstrip()
    return bool(rest) and text.startswith(("[", "{")) and first.endswith(("]", "}"))


def _claims_csv(source: Source, _n: int | None) -> bool:
    return source.content.startswith(("row_0", "row_1", "orbit_size"))


def _claims_fen(source: Source, _n: int | None) -> bool:
    return re.match(r"[Qq0-9]+(/[Qq0-9]+)+(\s|$)", _first_line(source)) is not None


def _claims_asp(source: Source, _n: int | None) -> bool:
    return solutions_in.ATOM.search(source.content) is not None


def _claims_sat(source: Source, _n: int | None) -> bool:
    return re.search(r"^(s [A-Z]|v( -?[0-9]|$))", source.content, re.MULTILINE) is not None


def _claims_npy(source: Source, _n: int | None) -> bool:
    return source.data.startswith(b"\x93NUMPY")


Reader = Callable[[Source, int | None, int], Answers]
Claims = Callable[[Source, int | None], bool]


def _with_base(read: Reader, base: int) -> Callable[[Source, int | None], Answers]:
    return lambda source, n: read(source, n, base)


def _twice(name: str, summary: str, read: Reader, claims: Claims) -> list[SolutionFormat]:
    return [
        SolutionFormat(name + suffix, f"{summary}, from {base}", base, _with_base(read, base), claims, name)
        for base, suffix in enumerate(("", "-1"))
    ]


def _once(name: str, summary: str, base: int, read: Reader, claims: Claims) -> SolutionFormat:
    return SolutionFormat(name, summary, base, _with_base(read, base), claims, name)


SOLUTION_FORMATS: Mapping[str, SolutionFormat] = {
    one.name: one
    for one in (
        *_twice("columns", "the columns by row, one solution a line", solutions_in.read_columns, _claims_columns),
        _once("board", "n lines of . and Q, or of 0 and 1", 0, solutions_in.read_boards, _claims_board),
        *_twice("json", "a JSON list of placements or boards, or what solve writes", solutions_in.read_json,
                _claims_json),
        *_twice("jsonl", "a JSON list of columns a line, or what solve writes", solutions_in.read_json_lines,
                _claims_json_lines),
        _once("csv", "columns under the heading row_0,row_1,... or row_1,row_2,...", 0, solutions_in.read_csv,
              _claims_csv),
        *_twice("npy", "a NumPy array of shape (k, n)", solutions_in.read_npy, _claims_npy),
        _once("fen", "ranks of a chess position, 1Q2/3Q/Q3/2Q1", 0, solutions_in.read_fen, _claims_fen),
        _once("asp", "atoms of an answer set, queen(1,2) queen(2,4) ...", 1, solutions_in.read_asp, _claims_asp),
        _once("sat", "v lines of a SAT solver, variable n * (row - 1) + column", 1, solutions_in.read_sat,
              _claims_sat),
    )
}  # fmt: skip


def read_solutions(source: Source, n: int | None = None, name: str | None = None) -> Answers:
    """Return the answers that a file holds, in the format `name` or the one its content proves.

    `n` is the number of rows if it is known. Raises FormatError for a file that does not follow the format and,
    without a name, for one that may have several; InvalidSetting for an unknown name.
    """
    if name is not None:
        return solution_format(name).read(source, n)
    binary = _claims_npy(source, n)  # looked at first: it is no text
    candidates = [
        one for one in SOLUTION_FORMATS.values() if (one.written_as == "npy") is binary and one.claims(source, n)
    ]
    if not candidates and n is not None and not source.content.strip():
        candidates = [SOLUTION_FORMATS["columns"]]  # no solution, or blank lines for boards of no row
    if not candidates:
        raise source.error(f"no solution format is recognised; name one of {', '.join(SOLUTION_FORMATS)}")
    if len({one.written_as for one in candidates}) > 1:
        raise _ambiguous(source, candidates)
    return _of_proven_base(source, n, candidates)


def solution_format(name: str) -> SolutionFormat:
    """Return a format by its name; raise InvalidSetting, listing those that exist."""
    if name not in SOLUTION_FORMATS:
        raise InvalidSetting(f"no solution format is called {name!r}; there are {', '.join(SOLUTION_FORMATS)}")
    return SOLUTION_FORMATS[name]


def _of_proven_base(source: Source, n: int | None, candidates: list[SolutionFormat]) -> Answers:
    """Return the answers in the one base that the file states or that puts every queen on the board."""
    first, *others = candidates
    answers = first.read(source, n)
    if not others or (_is_on_board(answers) and (answers.placements == 0).any()):  # a 0 cannot be 1-based
        return answers
    shifted = others[0].read(source, n)
    if answers.base == shifted.base or _same_squares(answers, shifted):
        return answers
    fitting = [one for one in (answers, shifted) if _is_on_board(one)]
    if len(fitting) != 1:
        raise _ambiguous(source, candidates)
    return fitting[0]


def _same_squares(one: Answers, other: Answers) -> bool:
    """Whether the base made no difference: boards, or no queen at all."""
    return np.array_equal(one.placements, other.placements) and one.oddities == other.oddities


def _is_on_board(answers: Answers) -> bool:
    squares = (square for odd in answers.oddities for square in odd.queens)
    return all(0 <= column < answers.n for _, column in squares)


def _ambiguous(source: Source, candidates: list[SolutionFormat]) -> FormatError:
    options = " or ".join(f"{one.name} ({one.base}-based)" for one in candidates)
    return source.error(f"may be {options}: name the format")
