"""Files of solutions, our own or a stranger's, read without assuming that they are right.

Each reader takes a Source, the number n of rows if it is known, and the base of the format: the number of the
first row and column. A file says n itself in most formats; where it does not, FormatError asks for it.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from nqueens_models.formats import json_text, python_text
from nqueens_models.formats.answers import AnswerCollector, Answers
from nqueens_models.formats.python_text import is_printed
from nqueens_models.formats.source import DIGITS, Source, shown, whole_number
from nqueens_models.instance import Square

QUEENS, FREE = "Qq♛♕1", "._-·0"
HEADING = re.compile(r"#|%|solution\b|answer\b|-{4,}$|={4,}$", re.IGNORECASE)
"""Lines between solutions: comments, headings, MiniZinc's `----------` and `==========`."""
LIST = re.compile(r"(?:\w+\s*[=:]\s*)?[\[(]?((?:[\s,]*[-+]?[0-9]+)*)[\s,]*[\])]?[;,.]?")


def read_columns(source: Source, n: int | None, base: int) -> Answers:
    """Read one placement a line: the columns by row, with spaces or commas between, perhaps in brackets."""
    collector: AnswerCollector | None = None if n is None else AnswerCollector(source, n, base)
    for number, line in source.lines():
        if n != 0 and (not line or HEADING.match(line)):
            continue
        columns = [column - base for column in numbers_of(source, line, number)]
        collector = collector or AnswerCollector(source, len(columns), base)
        collector.columns(columns, number)
    return _known(source, collector).answers()


def numbers_of(source: Source, line: str, number: int) -> list[int]:
    """Return the numbers of a line such as `1 3 0 2`, `[1, 3, 0, 2]` or `queens = [1, 3, 0, 2];`."""
    tokens = line.split()
    if not (line.isascii() and all(map(str.isdecimal, tokens))):
        match = LIST.fullmatch(line)
        if match is None:
            raise source.error(f"a placement is a list of columns, not {shown(line)}", number)
        tokens = match[1].replace(",", " ").split()
    if any(len(token) > DIGITS for token in tokens):
        return [whole_number(source, token, number, "a column") for token in tokens]
    return list(map(int, tokens))


def read_boards(source: Source, n: int | None, base: int) -> Answers:
    """Read boards of n lines, `Q` or `1` for a queen and `.`, `_`, `-` or `0` for none; gaps are skipped.

    Boards are separated by blank lines or headings, or follow each other without.
    """
    groups = _groups(source, n)
    if n is None and groups:
        n = len(groups[0])
    collector = _known(source, None if n is None else AnswerCollector(source, n, base))
    for group in groups:
        whole = collector.n > 0 and len(group) % collector.n == 0  # boards that follow each other
        size = collector.n if whole else len(group)
        for start in range(0, len(group), size) if group else [0]:
            rows = group[start : start + size]
            signs, lines = [row for _, row in rows], [line for line, _ in rows]
            note = _board_note(signs, collector.n)
            collector.queens(_queens(source, signs, lines), lines[0] if lines else None, note)
    return collector.answers()


def _groups(source: Source, n: int | None) -> list[list[tuple[int, str]]]:
    """Return the numbered lines of each board; with n = 0 each blank line is one."""
    if n == 0:
        return [[] for _, line in source.lines() if not line]
    groups: list[list[tuple[int, str]]] = [[]]
    for number, line in source.lines():
        width = n or (len(groups[-1][0][1]) if groups[-1] else 0)
        if line and (len(line) == width or not HEADING.match(line)):  # a row of dashes is a row, if it is as long
            groups[-1].append((number, "".join(line.split())))
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _queens(source: Source, rows: list[str], lines: list[int] | None = None) -> list[Square]:
    """Return where the queens of a board stand."""
    queens = []
    for row, signs in enumerate(rows):
        for column, sign in enumerate(signs):
            if sign in QUEENS:
                queens.append((row, column))
            elif sign not in FREE:
                at = None if lines is None else lines[row]
                raise source.error(f"{sign!r} is no sign for a square: use Q for a queen and . for none", at)
    return queens


def _board_note(rows: list[str], n: int) -> str | None:
    """Return what is wrong with the shape of a board."""
    if len(rows) != n:
        return f"a board of {len(rows)} rows, not {n}"
    width = next((len(row) for row in rows if len(row) != n), n)
    return None if width == n else f"a row of {width} squares, not {n}"


def read_fen(source: Source, n: int | None, base: int) -> Answers:
    """Read the ranks of chess positions, row 0 first; run lengths may have several digits."""
    collector: AnswerCollector | None = None if n is None else AnswerCollector(source, n, base)
    for number, line in source.lines():
        if not line or HEADING.match(line):
            continue
        ranks = line.split()[0].split("/")
        collector = collector or AnswerCollector(source, len(ranks), base)
        queens, widths = [], []
        for row, rank in enumerate(ranks):
            columns, width = _rank(source, rank, number)
            queens += [(row, column) for column in columns]
            widths.append(width)
        wrong = next((width for width in widths if width != collector.n), None)
        note = None if wrong is None else f"a rank of {wrong} squares, not {collector.n}"
        note = f"{len(ranks)} ranks, not {collector.n}" if len(ranks) != collector.n else note
        collector.queens(queens, number, note)
    return _known(source, collector).answers()


def _rank(source: Source, rank: str, line: int) -> tuple[list[int], int]:
    """Return the columns of a rank's queens and its width."""
    columns, width = [], 0
    for part in re.findall(r"[0-9]+|.", rank):
        if part in "Qq":
            columns.append(width)
            width += 1
        elif part.isdecimal():
            width += whole_number(source, part, line, "a run of free squares")
        else:
            raise source.error(f"{part!r} is no queen", line)
    return columns, width


ATOM = re.compile(r"\bq(?:ueen)?\(\s*([0-9]{1,12})\s*,\s*([0-9]{1,12})\s*\)")
ANSWER = re.compile(r"answer\b", re.IGNORECASE)


def read_asp(source: Source, n: int | None, base: int) -> Answers:
    """Read answer sets, one a line: `queen(2,1) queen(4,2)` or `q(2,1)`; other atoms and lines are skipped.

    After a line `Answer: 1` the next one is an answer set even if it has no queen.
    """
    found: list[tuple[int, list[Square]]] = []
    announced = False
    for number, line in source.lines():
        queens = [(int(row) - base, int(column) - base) for row, column in ATOM.findall(line)]
        if queens or announced:
            found.append((number, queens))
        announced = not queens and not announced and ANSWER.match(line) is not None
    if n is None and found:
        n = 1 + max((max(square) for _, queens in found for square in queens), default=-1)
    collector = _known(source, None if n is None else AnswerCollector(source, n, base))
    for number, queens in found:
        collector.queens(queens, number)
    return collector.answers()


def read_sat(source: Source, n: int | None, base: int) -> Answers:
    """Read the `v` lines of a SAT solver up to each 0; variables after n * n are auxiliary and skipped."""
    found: list[tuple[int, list[int]]] = []
    literals: list[int] = []
    first = 0  # the line on which the assignment began
    for number, line in source.lines():
        if not line.startswith("v"):
            continue
        first = first or number
        for token in line[1:].split():
            literal = whole_number(source, token, number, "a literal")
            if literal:
                literals.append(literal)
            else:
                found.append((first, literals))
                literals, first = [], 0
    if first:
        raise source.error("the v lines do not end with 0", first)
    n = _size_of_literals(source, n, found)
    collector = AnswerCollector(source, n, base)
    for number, values in found:
        collector.queens([divmod(v - 1, n) for v in values if 0 < v <= n * n], number)
    return collector.answers()


def _size_of_literals(source: Source, n: int | None, found: list[tuple[int, list[int]]]) -> int:
    """Return n, which the literals themselves say only where there are no auxiliary variables."""
    if n is not None:
        return n
    variables = max((abs(literal) for _, values in found for literal in values), default=0)
    trues = {sum(literal > 0 for literal in values) for _, values in found}
    root = math.isqrt(variables)
    if root * root != variables or trues != {root}:
        raise source.error("the literals do not say how many rows the board has: name the instance")
    return root


def read_json(source: Source, n: int | None, base: int) -> Answers:
    """Read our own JSON document, which says its base, or a list, in JSON or as Python prints it.

    The list holds placements (lists of columns) or boards (lists of texts), or is one of these.
    """
    if not source.content.strip():
        return _known(source, None if n is None else AnswerCollector(source, n, base)).answers()
    content = _printed(source, source.text, None) if is_printed(source.text) else json_text.load(source)
    items = content
    if isinstance(content, dict):
        items = content.get("solutions")
        base = _base_of(source, content, base)
        n = _size_of(content, n)
    if not isinstance(items, list):
        raise source.error("a list of solutions is needed, alone or under 'solutions'")
    single = bool(items) and all(isinstance(item, int | str) and not isinstance(item, bool) for item in items)
    return _of_items(source, n, base, ((None, item) for item in ([items] if single else items)))


def read_json_lines(source: Source, n: int | None, base: int) -> Answers:
    """Read one JSON value a line: `{"columns": [...]}` or a list; our own first line says the base.

    The lists may also be written as Python prints them.
    """
    items: list[tuple[int | None, Any]] = []
    for number, content in _printed_lines(source) if is_printed(source.text) else json_text.load_lines(source):
        if not isinstance(content, dict):
            items.append((number, content))
        elif "columns" in content:
            items.append((number, content["columns"]))
        else:  # our heading or summary
            base = _base_of(source, content, base)
            n = _size_of(content, n)
    return _of_items(source, n, base, items)


def _printed_lines(source: Source) -> Iterator[tuple[int, Any]]:
    return ((number, _printed(source, line, number)) for number, line in source.lines() if line)


def _printed(source: Source, text: str, line: int | None) -> Any:
    try:
        return python_text.load(text)
    except ValueError as error:
        raise source.error(str(error), line) from None


def _base_of(source: Source, content: dict[str, Any], base: int) -> int:
    stated = content.get("base", base)
    if stated not in (0, 1):
        raise source.error(f"'base' must be 0 or 1, not {json_text.brief(stated)}")
    return int(stated)


def _size_of(content: dict[str, Any], n: int | None) -> int | None:
    instance = content.get("instance")
    stated = instance.get("n") if isinstance(instance, dict) else None
    return stated if n is None and type(stated) is int else n


def _of_items(source: Source, n: int | None, base: int, items: Iterable[tuple[int | None, Any]]) -> Answers:
    collector: AnswerCollector | None = None if n is None else AnswerCollector(source, n, base)
    for count, (line, item) in enumerate(items, start=1):
        if not isinstance(item, list):
            raise source.error(f"solution {count} must be a list, not {json_text.brief(item)}", line)
        collector = collector or AnswerCollector(source, len(item), base)
        if item and all(isinstance(row, str) for row in item):
            rows = ["".join(row.split()) for row in item]
            collector.queens(_queens(source, rows), line, _board_note(rows, collector.n))
        elif all(type(column) is int for column in item):
            collector.columns([column - base for column in item], line)
        else:
            raise source.error(f"solution {count} must hold columns or rows, not {json_text.brief(item)}", line)
    return _known(source, collector).answers()


def read_csv(source: Source, n: int | None, base: int) -> Answers:
    """Read comma-separated columns under the heading `row_0,row_1,...`, which tells the base."""
    lines = source.lines()
    heading = next(lines, (1, ""))[1]
    names = [name for name in heading.split(",") if name and name != "orbit_size"]
    base = 1 if names and names[0] == "row_1" else base
    if names != [f"row_{row + base}" for row in range(len(names))]:
        raise source.error(f"a heading row_0,row_1,... is needed, not {shown(heading)}", 1)
    collector = AnswerCollector(source, len(names) if n is None else n, base)
    for number, line in lines:
        if line or not names:
            values = numbers_of(source, line.replace(",", " "), number)
            kept = values[:-1] if heading.endswith("orbit_size") else values
            collector.columns([value - base for value in kept], number)
    return collector.answers()


def read_npy(source: Source, n: int | None, base: int) -> Answers:
    """Read a NumPy array of whole numbers of shape (k, n)."""
    stream = io.BytesIO(source.data)
    try:
        version = np.lib.format.read_magic(stream)
        read_heading = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, by_column, dtype = read_heading(stream)
    except (ValueError, KeyError, EOFError) as error:
        raise source.error(f"not a NumPy array file: {error}") from None
    data = memoryview(source.data)[stream.tell() :]
    if len(shape) != 2 or not np.issubdtype(dtype, np.integer):
        raise source.error(f"an array of whole numbers of shape (k, n) is needed, not {dtype} of shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise source.error(f"an array of shape {shape} and type {dtype} does not have {len(data)} bytes")
    array = np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if by_column else "C")
    collector = AnswerCollector(source, shape[1] if n is None else n, base)
    for row in _rows(array):
        collector.columns([column - base for column in row])
    return collector.answers()


def _rows(array: np.ndarray[Any, Any]) -> Iterator[list[int]]:
    for start in range(0, len(array), 1 << 14):
        yield from array[start : start + (1 << 14)].tolist()


def _known(source: Source, collector: AnswerCollector | None) -> AnswerCollector:
    """Return the collector; raise FormatError when nothing has said how large the board is."""
    if collector is None:
        raise source.error("there is no solution, and nothing says how many rows the board has: name the instance")
    return collector
