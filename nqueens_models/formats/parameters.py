"""Instances as parameters of a model: Essence, DZN, ASP facts, one-line completion.

Essence counts from 0 for completion (CSPLib 079) and from 1 for blocked squares (CSPLib 080), the rest from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from nqueens_models.formats.base import InstanceFormat, Part
from nqueens_models.formats.scanner import Scanner
from nqueens_models.formats.source import LARGEST_N, Board, Mark, Source, whole_number
from nqueens_models.instance import Instance

# Essence: `letting n = 28`, `letting blocks = [[1, 1], [1, 2]]` (CSPLib 079 and 080)


def _read_essence(source: Source, key: str, base: int) -> tuple[Board, list[Mark]]:
    """Return the board and the squares of `letting key`."""
    scanner = Scanner(source, comment="$")
    if scanner.token == "language":  # language Essence 1.0
        heading = scanner.line
        while scanner.token and scanner.line == heading:
            scanner.take()
    n: int | None = None
    marks: list[Mark] | None = None
    while scanner.token:
        scanner.expect("letting")
        line = scanner.line
        name = scanner.name("a name")
        scanner.expect("=", "be")
        if name == "n" and n is None:
            n = scanner.number("n")
        elif name == key and marks is None:
            marks = list(_matrix(scanner))
        else:
            problem = "comes twice" if name in ("n", key) else f"is unknown here; there are n and {key}"
            raise source.error(f"{name!r} {problem}", line)
    if n is None:
        raise source.error("there is no 'letting n'")
    return Board(source, n, base), marks or []


def _matrix(scanner: Scanner) -> Iterable[Mark]:
    """Yield the pairs of `[[1, 2], [3, 4]]`, each list perhaps with an index set: `[1, 2; int(1..2)]`."""
    scanner.expect("[")
    while not scanner.skip("]"):
        line = scanner.line
        scanner.expect("[")
        row = scanner.number("a row")
        scanner.expect(",")
        yield Mark(row, scanner.number("a column"), line)
        _index_set(scanner)
        scanner.expect("]")
        if not scanner.skip(","):
            _index_set(scanner)
            scanner.expect("]")
            return


def _index_set(scanner: Scanner) -> None:
    if scanner.skip(";"):
        while scanner.token not in ("]", ""):
            scanner.take()


def read_essence_completion(source: Source) -> Instance:
    """Read `letting n` and `letting init`, 0-based."""
    board, marks = _read_essence(source, "init", base=0)
    return board.instance(fixed=marks)


def read_essence_blocked(source: Source) -> Instance:
    """Read `letting n` and `letting blocks`, 1-based."""
    board, marks = _read_essence(source, "blocks", base=1)
    return board.instance(blocked=marks)


def write_essence_completion(instance: Instance) -> str:
    """Return `letting n` and `letting init`, 0-based."""
    return f"letting n = {instance.n}\nletting init = {[list(square) for square in instance.fixed]}\n"


def write_essence_blocked(instance: Instance) -> str:
    """Return `letting n` and `letting blocks`, 1-based."""
    squares = [[row + 1, column + 1] for row, column in instance.blocked]
    return f"letting n = {instance.n}\nletting blocks = {squares}\n"


# DZN: `n = 4; m = 3; row = [1, 2, 4]; col = [1, 2, 3];`


def read_dzn(source: Source) -> Instance:
    """Read n, row and col (and m, their length)."""
    scanner = Scanner(source, comment="%")
    numbers: dict[str, list[int]] = {}
    lines: dict[str, list[int]] = {}
    while scanner.token:
        line = scanner.line
        name = scanner.name("a name")
        if name not in ("n", "m", "row", "col") or name in numbers:
            problem = "comes twice" if name in numbers else "is unknown here; there are n, m, row and col"
            raise source.error(f"{name!r} {problem}", line)
        scanner.expect("=")
        numbers[name], lines[name] = _list(scanner) if name in ("row", "col") else ([scanner.number(name)], [])
        if scanner.token:
            scanner.expect(";")
    return _of_dzn(source, numbers, lines.get("row", []))


def _list(scanner: Scanner) -> tuple[list[int], list[int]]:
    """Return the numbers of `[1, 2, 3]` and their lines."""
    numbers, lines = [], []
    scanner.expect("[")
    while not scanner.skip("]"):
        lines.append(scanner.line)
        numbers.append(scanner.number("a row or column"))
        if not scanner.skip(","):
            scanner.expect("]")
            break
    return numbers, lines


def _of_dzn(source: Source, numbers: dict[str, list[int]], lines: list[int]) -> Instance:
    if "n" not in numbers:
        raise source.error("there is no 'n'")
    rows, columns = numbers.get("row", []), numbers.get("col", [])
    lengths = {"row": len(rows), "col": len(columns), "m": numbers.get("m", [len(rows)])[0]}
    if len(set(lengths.values())) > 1:
        raise source.error(f"m = {lengths['m']}, but row has {len(rows)} and col {len(columns)} numbers")
    board = Board(source, numbers["n"][0], base=1)
    marks = [Mark(*three) for three in zip(rows, columns, lines, strict=True)]
    return board.instance(blocked=marks)


def write_dzn(instance: Instance) -> str:
    """Return n, m, row and col."""
    rows, columns = ([square[part] + 1 for square in instance.blocked] for part in (0, 1))
    return f"n = {instance.n};\nm = {len(rows)};\nrow = {rows};\ncol = {columns};\n"


# ASP facts: `board(28). block(3,4).` or `num(1). ... num(28).` (ASP competitions of 2007 and 2009)

SIZE, NUMBERS, BLOCKED, FIXED = "board", "num", ("block", "blocked"), ("queen", "q")


def read_asp(source: Source) -> Instance:
    """Read the size, `block(R,C)` and, for queens already placed, `queen(R,C)`."""
    scanner = Scanner(source, comment="%")
    sizes: list[int] = []
    numbers: set[int] = set()
    fixed: list[Mark] = []
    blocked: list[Mark] = []
    while scanner.token:
        line = scanner.line
        name = scanner.name("a fact such as block(3,4).")
        scanner.expect("(")
        first = scanner.number("an argument")
        if name == SIZE:
            sizes.append(first)
        elif name == NUMBERS:
            last = scanner.number("an argument") if scanner.skip("..") else first
            if last > LARGEST_N:
                raise source.error(f"num({last}) is more than {LARGEST_N}, the largest board that is read", line)
            numbers.update(range(first, last + 1))
        elif name in BLOCKED + FIXED:
            scanner.expect(",")
            (blocked if name in BLOCKED else fixed).append(Mark(first, scanner.number("an argument"), line))
        else:
            raise source.error(f"no fact {name!r} here; there are board, num, block and queen", line)
        scanner.expect(")")
        scanner.expect(".")
    board = Board(source, _size_of_asp(source, sizes, numbers), base=1)
    return board.instance(fixed, blocked)


def _size_of_asp(source: Source, sizes: list[int], numbers: set[int]) -> int:
    if numbers and numbers != set(range(1, len(numbers) + 1)):
        absent = next(number for number in range(1, len(numbers) + 1) if number not in numbers)
        raise source.error(f"num({absent}) is missing: rows and columns are numbered from 1 without gaps")
    distinct = sorted({*sizes, *([len(numbers)] if numbers else [])})
    if len(distinct) > 1:
        raise source.error(f"the board has two sizes, {distinct[0]} and {distinct[1]}")
    if not distinct:
        raise source.error("there is neither board(N) nor num(1), ..., num(N)")
    return distinct[0]


def write_asp(instance: Instance) -> str:
    """Return one fact a line."""
    facts = [f"{SIZE}({instance.n})."]
    facts += [f"block({row + 1},{column + 1})." for row, column in instance.blocked]
    facts += [f"queen({row + 1},{column + 1})." for row, column in instance.fixed]
    return "\n".join(facts) + "\n"


# One-line completion: `8 4 4 6 1` is n = 8 with queens on (4, 4) and (6, 1)


def read_completion(source: Source) -> Instance:
    """Read n and the squares of the fixed queens, 1-based, on one line."""
    lines = [(number, line) for number, line in source.lines() if line]
    if len(lines) > 1:
        raise source.error(f"{len(lines)} boards, one a line: keep one of them", lines[1][0])
    number, line = lines[0]
    n, *rest = (whole_number(source, token, number, "a number") for token in line.split())
    if len(rest) % 2:
        raise source.error(f"after n come pairs of a row and a column, but there are {len(rest)} numbers", number)
    board = Board(source, n, base=1)
    marks = [Mark(row, column, number) for row, column in zip(rest[::2], rest[1::2], strict=True)]
    return board.instance(fixed=marks)


def write_completion(instance: Instance) -> str:
    """Return one line."""
    numbers = [instance.n, *(part + 1 for square in instance.fixed for part in square)]
    return " ".join(map(str, numbers)) + "\n"


def _claims_essence(other: str, text: str) -> bool:
    return bool(re.search(r"\bletting\b", text)) and not re.search(rf"\bletting\s+{other}\b", text)


ESSENCE_COMPLETION = InstanceFormat(
    name="essence-completion",
    summary="Essence parameters of CSPLib 079: letting n = 8, letting init = [[3, 3], [5, 0]]",
    base=0,
    parts=Part.FIXED,
    read=read_essence_completion,
    write_unchecked=write_essence_completion,
    claims=partial(_claims_essence, "blocks"),
)
ESSENCE_BLOCKED = InstanceFormat(
    name="essence-blocked",
    summary="Essence parameters of CSPLib 080: letting n = 8, letting blocks = [[1, 1], [1, 2]]",
    base=1,
    parts=Part.BLOCKED,
    read=read_essence_blocked,
    write_unchecked=write_essence_blocked,
    claims=partial(_claims_essence, "init"),
)
DZN = InstanceFormat(
    name="dzn",
    summary="MiniZinc data: n = 4; m = 3; row = [1, 2, 4]; col = [1, 2, 3];",
    base=1,
    parts=Part.BLOCKED,
    read=read_dzn,
    write_unchecked=write_dzn,
    claims=lambda text: bool(re.search(r"^\s*(n|m|row|col)\s*=|;\s*(n|m|row|col)\s*=", text, re.MULTILINE)),
)
ASP = InstanceFormat(
    name="asp",
    summary="facts of answer-set programming: board(8). block(3,4). queen(4,4).",
    base=1,
    parts=Part.BLOCKED | Part.FIXED,
    read=read_asp,
    write_unchecked=write_asp,
    claims=lambda text: bool(re.search(r"\b(board|num|blocked|block)\s*\(", text)),
)
COMPLETION = InstanceFormat(
    name="completion",
    summary="one line of numbers, n and the squares of the fixed queens: 8 4 4 6 1",
    base=1,
    parts=Part.FIXED,
    read=read_completion,
    write_unchecked=write_completion,
    claims=lambda text: bool(re.fullmatch(r"[0-9\s]+", text)),
)
