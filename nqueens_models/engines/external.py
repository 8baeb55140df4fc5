"""Other people's solvers: any program that reads a model from a file and prints answers.

    external:command="cadical -q {file}"                              a SAT solver, asked again after each answer
    external:command="minisat {file} {output}"                        one that writes its answer to a file
    external:command="picosat --all {file}",enumerates=true           one that lists every assignment itself
    external:command="clingo -n 0 {file}",format=asp
    external:command="minizinc --solver gecode -a {file}",format=minizinc
    external:command="fzn-gecode -a {file}",format=flatzinc

Without `{file}` the model goes to standard input. What a program answers is not believed: placements are judged
like those of any engine, and a program that repeats an answer, gives what is no placement, or ends without saying
that it searched everything is an EngineError.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NoReturn

import numpy as np

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.oracle import enumerate_projected
from nqueens_models.engines.printed import Said, asp_answers, minisat_answers, sat_answers, zinc_answers
from nqueens_models.engines.program import Program, command_of, running
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import EngineError, InvalidSetting
from nqueens_models.formats.dimacs import clause_bytes
from nqueens_models.instance import Instance, Square
from nqueens_models.models.asp import queens_asp
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.clauses import Clause
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.models.flatzinc import queens_flatzinc
from nqueens_models.models.minizinc import queens_minizinc
from nqueens_models.render import board_text

TEXTS: Mapping[str, Callable[[Instance], str]] = {
    "asp": queens_asp,
    "minizinc": queens_minizinc,
    "flatzinc": queens_flatzinc,
}
"""The models that are text, by format."""
SUFFIXES = {"dimacs": ".cnf", "asp": ".lp", "minizinc": ".mzn", "flatzinc": ".fzn"}

ALL = {
    "asp": " (clingo wants -n 0 to look for all)",
    "minizinc": " (minizinc wants -a to look for all)",
    "flatzinc": " (most programs want -a to look for all)",
}
"""What is forgotten in a command that gives one answer."""


@dataclass(frozen=True)
class ExternalEngine:
    """Any solver program: SAT, answer sets, MiniZinc or FlatZinc, by its command line."""

    name: ClassVar[str] = "external"
    requires: ClassVar[tuple[str, ...]] = ()
    required: ClassVar[tuple[str, ...]] = ("command",)

    command: str = setting("", 'a program, as in external:command="cadical -q {file}"; {output} and {seed} too')
    format: str = setting("dimacs", "the model that it reads and the answers that it prints", tuple(SUFFIXES))
    enumerates: bool = setting(False, "dimacs: it lists every assignment itself; else it is asked again")
    at_most_one: str = setting("pairwise", "dimacs: how at-most-one is encoded", tuple(ENCODINGS))
    memory: int = setting(0, "limit of its address space in MiB; 0: none")
    seed: int = setting(0, "dimacs: shuffles the clauses; 0 leaves them in order")

    def __post_init__(self) -> None:
        if self.memory < 0:
            raise InvalidSetting(f"memory is a number of MiB, or 0 for no limit, not {self.memory}")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance`; Engine.enumerate says more."""
        command_of(self.command, {"file": "", "output": "", "seed": self.seed})
        return conduct(self._search, instance, visit, limits)

    def endures(self, squares: int) -> bool:  # noqa: ARG002
        """It is a process of its own already."""
        return True

    def oracle(self, recorder: Recorder) -> ProgramOracle:
        """Return the program as a SAT solver, without clauses, whose assignments are checked."""
        if self.format != "dimacs" or self.enumerates:
            raise InvalidSetting("a CNF takes a solver of format=dimacs that is asked again and again")
        return ProgramOracle(self, recorder)

    def _search(self, recorder: Recorder) -> None:
        if self.format in TEXTS:
            with tempfile.TemporaryDirectory(prefix="nqueens-") as name:
                model = TEXTS[self.format](recorder.instance).encode("ascii")
                read = asp_answers if self.format == "asp" else zinc_answers
                self._list(recorder, Path(name), [model], read)
        elif self.enumerates:
            self._list_assignments(recorder)
        else:
            self._ask_again(recorder)

    def _list_assignments(self, recorder: Recorder) -> None:
        if self.at_most_one != "pairwise":
            raise InvalidSetting(
                "a program that enumerates takes at_most_one=pairwise: it would count auxiliaries"
            )
        clauses, variables = self._clauses(recorder)

        def squares(lines: Iterator[str], said: Said) -> Iterator[list[Square]]:
            for literals in sat_answers(lines, said):
                yield _squares(literals, recorder.instance.n)

        with tempfile.TemporaryDirectory(prefix="nqueens-") as name:
            self._list(recorder, Path(name), [_header(variables, len(clauses)), clause_bytes(clauses)], squares)

    def _list(
        self,
        recorder: Recorder,
        folder: Path,
        model: Sequence[bytes],
        read: Callable[[Iterator[str], Said], Iterator[list[Square]]],
    ) -> None:
        """Record what a program lists that enumerates by itself."""
        said = Said()
        with self.start(folder, model, recorder) as program:
            recorder.built()
            recorder.statistics["assignments"] = 0
            for squares in read(program.lines(), said):
                recorder.statistics["assignments"] += 1
                recorder.solution(self._placement(squares, recorder.instance.n))
            if not said.complete:
                self.fail(f"never said that it had found everything{ALL.get(self.format, '')}; {program.ending()}")

    def _ask_again(self, recorder: Recorder) -> None:
        """Ask for one assignment after the other, each time with one more clause that blocks the last."""
        n = recorder.instance.n
        clauses, _ = self._clauses(recorder)
        seen: set[tuple[int, ...]] = set()

        def record(assignment: list[int]) -> list[int]:
            placement = self._placement(_squares(assignment, n), n)
            if placement in seen:
                self.fail(f"gave this placement again, although a clause blocks it:\n{_board(placement)}")
            seen.add(placement)
            recorder.solution(placement)
            return [n * row + column + 1 for row, column in enumerate(placement)]

        with ProgramOracle(self, recorder, checked=False) as oracle:
            enumerate_projected(oracle, clauses, record, recorder)

    def _clauses(self, recorder: Recorder) -> tuple[list[Clause], int]:
        """Return the clauses, at least one, and the number of variables."""
        cnf = queens_cnf(recorder.instance, self.at_most_one, recorder.check_time)
        recorder.statistics["variables"] = cnf.variables
        recorder.statistics["clauses"] = len(cnf.clauses)
        if self.seed:
            random.Random(self.seed).shuffle(cnf.clauses)
        return (cnf.clauses, cnf.variables) if cnf.clauses else ([[1]], 1)

    def _placement(self, squares: list[Square], n: int) -> tuple[int, ...]:
        """Return the column of the queen of each row; what has none or two in a row is no answer."""
        columns = dict(squares)
        if len(squares) != n or sorted(columns) != list(range(n)) or not all(0 <= c < n for c in columns.values()):
            board = np.full((n, n), ".")
            for row, column in squares:
                if 0 <= row < n and 0 <= column < n:
                    board[row, column] = "Q"
            drawn = "\n".join("".join(line) for line in board)
            self.fail(f"gave an answer that has not one queen in each row:\n{drawn}")
        return tuple(columns[row] for row in range(n))

    def start(self, folder: Path, model: Sequence[bytes], recorder: Recorder) -> AbstractContextManager[Program]:
        """Write a model into `folder` and start the program on it."""
        file = folder / f"model{SUFFIXES[self.format]}"
        command = command_of(self.command, {"file": file, "output": folder / "output", "seed": self.seed})
        with file.open("wb") as stream:
            stream.writelines(model)
        given = None if "{file}" in self.command else file
        return running(command, folder, recorder, given, self.memory)

    def fail(self, what: str) -> NoReturn:
        """Raise EngineError about the program."""
        raise EngineError(f"{self.command}: {what}")


class ProgramOracle:
    """A SAT solver program that is started anew for every question; an assignment is `checked` by the clauses."""

    def __init__(self, engine: ExternalEngine, recorder: Recorder, checked: bool = True) -> None:
        self._engine = engine
        self._recorder = recorder
        self._checked = checked
        self._clauses: list[Clause] = []
        self._texts: list[bytes] = []
        self._variables = 0
        self._assignment: list[int] = []

    def __enter__(self) -> ProgramOracle:
        self._folder = tempfile.TemporaryDirectory(prefix="nqueens-")
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def add(self, clauses: Sequence[Clause]) -> None:
        """Add clauses, none of them empty."""
        self._clauses += clauses
        self._texts.append(clause_bytes(clauses))
        self._variables = max([self._variables, *(abs(literal) for clause in clauses for literal in clause)])

    def solve(self) -> bool:
        """Return whether the program found an assignment; raise EngineError if it did not answer."""
        said = Said()
        folder = Path(self._folder.name)
        output = folder / "output"
        output.unlink(missing_ok=True)
        model = [_header(self._variables, len(self._clauses)), *self._texts]
        with self._engine.start(folder, model, self._recorder) as program:
            answers = list(sat_answers(program.lines(), said))
            ending = program.ending()
        if output.exists():
            answers = list(
                minisat_answers(output.read_text(encoding="ascii", errors="replace").splitlines(), said)
            )
        if said.satisfiable is None:
            self._engine.fail(f"{ending}, without an answer")
        if said.satisfiable:
            if not answers:
                self._engine.fail("says SATISFIABLE, but prints no assignment")
            self._take(answers[-1])
        return said.satisfiable

    def _take(self, literals: list[int]) -> None:
        true = set(literals)
        self._assignment = [v if v in true else -v for v in range(1, self._variables + 1)]
        if self._checked:
            for clause in self._clauses:
                if not any((self._assignment[abs(literal) - 1] > 0) == (literal > 0) for literal in clause):
                    self._engine.fail(f"gave an assignment that does not satisfy the clause {clause}")

    def assignment(self) -> list[int]:
        """Return the literals that are true, by variable."""
        return self._assignment

    def statistics(self) -> dict[str, int]:
        """Return nothing: each program has words of its own."""
        return {}


def _header(variables: int, clauses: int) -> bytes:
    return b"p cnf %d %d\n" % (variables, clauses)


def _squares(literals: Sequence[int], n: int) -> list[Square]:
    """Return the squares of the primary variables that are true."""
    return [divmod(literal - 1, n) for literal in sorted(set(literals)) if 0 < literal <= n * n]


def _board(placement: Sequence[int]) -> str:
    return board_text(np.array(placement, dtype=np.int64))
