"""What solver programs print: answers, and whether the search was completed.

Each reader yields the answers of one kind of program as they come and notes in a Said what is said about the
search. Nothing is assumed to be right. (formats/solutions_in.py reads files of answers: all at once, naming the
line of what is wrong, and without what is said about the search.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nqueens_models.instance import Square

ATOM = re.compile(r"\bqueen\((\d{1,9}),(\d{1,9})\)")
MODELS = re.compile(r"(?:c )?Models\s*: (\d+)(\+?)")
LIST = re.compile(r"[^\[]*\[([-\d\s,]*)\]\s*\)?\s*;?\s*")


@dataclass
class Said:
    """What a program has said of its search.

    `satisfiable` is None as long as it has said nothing; `complete` whether it listed everything there is.
    """

    satisfiable: bool | None = None
    complete: bool = False


def sat_answers(lines: Iterable[str], said: Said) -> Iterator[list[int]]:
    """Read the `s` and `v` lines of a SAT solver; yield the literals of each assignment.

    Many assignments and a line `s SOLUTIONS k` (PicoSAT) or `c Models : k` (clasp) come from solvers that
    enumerate.
    """
    literals: list[int] = []
    for line in lines:
        if line.startswith("v"):
            words = line[1:].split()
            literals += [int(word) for word in words if re.fullmatch(r"-?\d{1,10}", word)]
            if words[-1:] == ["0"]:
                yield literals[:-1]
                literals = []
        elif line.startswith("s "):
            _note_status(line[2:].strip(), said)
        elif (models := MODELS.fullmatch(line)) and not models[2]:
            said.complete = True


def _note_status(status: str, said: Said) -> None:
    match status.split():
        case ["SATISFIABLE"]:
            said.satisfiable = True
        case ["UNSATISFIABLE"]:
            said.satisfiable = said.satisfiable or False
            said.complete = True
        case ["SOLUTIONS", number]:
            said.satisfiable = number != "0"
            said.complete = True


def minisat_answers(lines: Iterable[str], said: Said) -> Iterator[list[int]]:
    """Read the result file of MiniSat: `SAT` and a line of literals, or `UNSAT`."""
    words = " ".join(lines).split()
    if words[:1] == ["UNSAT"]:
        said.satisfiable, said.complete = False, True
    elif words[:1] == ["SAT"]:
        said.satisfiable = True
        yield [int(word) for word in words[1:-1] if re.fullmatch(r"-?\d{1,10}", word)]


def asp_answers(lines: Iterable[str], said: Said) -> Iterator[list[Square]]:
    """Read the text of clingo; yield the squares (0-based) of the atoms `queen(R,C)` of each answer set."""
    announced = False
    for line in lines:
        if announced:
            yield [(int(row) - 1, int(column) - 1) for row, column in ATOM.findall(line)]
        announced = line.startswith("Answer: ")
        if line == "SATISFIABLE":
            said.satisfiable = True
        elif line == "UNSATISFIABLE":
            said.satisfiable, said.complete = False, True
        elif (models := MODELS.fullmatch(line)) and not models[2]:
            said.complete = True


def zinc_answers(lines: Iterable[str], said: Said) -> Iterator[list[Square]]:
    """Read the text of a MiniZinc or FlatZinc solver: a list of columns (from 1) before each `----------`."""
    columns: list[int] | None = None
    for line in lines:
        if listed := LIST.fullmatch(line):
            columns = [int(word) for word in listed[1].replace(",", " ").split()]
        elif line.startswith("----------") and columns is not None:
            said.satisfiable = True
            yield [(row, column - 1) for row, column in enumerate(columns)]
            columns = None
        elif line.startswith(("==========", "=====UNSATISFIABLE=====")):
            said.satisfiable = bool(said.satisfiable)
            said.complete = True
