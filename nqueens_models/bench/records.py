"""What a comparison plans and what it stores: the schema of the lines of a `runs.jsonl`.

A file is JSON Lines of two kinds. A *session* says what was planned and where: cases, contenders, limits, machine,
versions. It comes before the *runs* made in it, which name it. A comparison that was stopped and resumed has two
sessions. Times are wall-clock seconds unless named otherwise, memory is in bytes.

History of the format (`Session.version`; a file of a later version is refused):

1. The first.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

from nqueens_models.engines.base import Termination
from nqueens_models.instance import Instance

VERSION = 1


class Goal(StrEnum):
    """What is asked of a contender."""

    LIST = "list"  #   visit every solution, or as many as the case says
    COUNT = "count"  # say how many there are


class Status(StrEnum):
    """How a run ended: not whether its answer is right, which is a verdict."""

    EXHAUSTED = "exhausted"
    SOLUTION_LIMIT = "solution-limit"
    TIME_LIMIT = "time-limit"  #       it stopped when it was told that the time is up
    TIME_OUT = "time-out"  #           it did not, and was killed
    OUT_OF_MEMORY = "out-of-memory"
    CRASH = "crash"  #                 its process died; `detail` names the signal or the exit status
    ERROR = "error"  #                 it raised an exception
    RUBBISH = "rubbish"  #             it wrote over what the worker reports
    UNSUPPORTED = "unsupported"  #     it cannot express the instance, and says so
    UNAVAILABLE = "unavailable"  #     a solver is not installed

    @classmethod
    def of(cls, termination: Termination) -> Status:
        """Return the status of a search that returned: in a worker, only its time limit interrupts one."""
        return cls.TIME_LIMIT if termination is Termination.INTERRUPTED else cls(str(termination))


class Phase(StrEnum):
    """What a worker is doing, in this order."""

    IMPORT = "import"  #   the interpreter, the package, the engine and what it imports
    WARM_UP = "warm-up"  # a search for one solution of the same case, so that all is loaded and compiled
    BUILD = "build"
    SOLVE = "solve"
    CHECK = "check"  #     the rules from first principles, repetitions, the fingerprint
    END = "end"


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An instance and what is asked about it: `solutions` is a limit, None for all.

    `group` joins cases that differ in size only, as on one curve of a plot.
    """

    name: str
    group: str
    instance: dict[str, Any]
    goal: Goal = Goal.LIST
    solutions: int | None = None

    @property
    def n(self) -> int:
        """The number of queens."""
        return int(self.instance["n"])

    def board(self) -> Instance:
        """Return the instance."""
        parts = {name: self.instance[name] for name in ("n", "diagonals", "fixed", "blocked", "regions")}
        return Instance(**parts)


class Contender(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An engine with its settings and how it searches: `plain`, a search of `nqueens_models.cubes`, or `auto`.

    `auto` is what the program chooses for the instance.
    """

    engine: str
    search: str = "plain"
    symmetry: bool = True
    workers: int = 1

    @property
    def label(self) -> str:
        """The text that names it: `sat:solver=minicard by cubes:centre-lines, 2 workers`."""
        if self.search == "plain":
            return self.engine
        more = "" if self.symmetry else ", no symmetry"
        more += "" if self.workers == 1 else f", {self.workers} workers"
        return f"{self.engine} by {self.search}{more}"


class Allowance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What each run may use: `seconds` for building and solving, `memory` for the process tree, in bytes."""

    seconds: float = 60.0
    memory: int | None = 2 << 30
    warm_up: bool = True


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A run to be made: a cell (contender, case, allowance) and the number of the repetition, from 0."""

    case: Case
    contender: Contender
    allowance: Allowance
    repetition: int = 0

    @property
    def cell(self) -> str:
        """What repetitions have in common, as 16 hexadecimal digits: the same in every comparison."""
        asked = (self.case.board().canonical_json(), self.case.goal, self.case.solutions)
        return digest((*asked, self.contender, self.allowance))

    @property
    def identity(self) -> str:
        """What makes this the same run in a comparison that is resumed."""
        return f"{self.cell}-{self.repetition}"


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where runs were made; no name of a host or a user."""

    processor: str
    architecture: str
    cores: int
    memory: int
    system: str
    governor: str | None = None

    def describe(self) -> str:
        """Return one line for people."""
        size = f"{self.memory / 2**30:.0f} GiB"
        governor = f", governor {self.governor}" if self.governor else ""
        return f"{self.processor}, {self.cores} cores, {size}, {self.system} {self.architecture}{governor}"


class Session(msgspec.Struct, frozen=True, kw_only=True, tag="session", tag_field="type"):
    """A comparison that was started or resumed: what was planned, how, on what.

    `cells` are the pairs (index of a case, index of a contender) that were planned; `command` repeats it.
    """

    version: int = VERSION
    id: str
    title: str
    command: str
    began: str
    cases: tuple[Case, ...]
    contenders: tuple[Contender, ...]
    cells: tuple[tuple[int, int], ...]
    allowance: Allowance
    repeat: int
    seed: int
    at_once: int
    machine: Machine
    versions: dict[str, str]


class Seconds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How long the phases of a run took; None for what was not reached.

    `imports` is from the spawning of the process to an engine that is ready, and the time inside import statements
    during the warm-up; `warm_up` is the rest of that. `total` is the life of the process as its parent saw it.
    """

    total: float
    imports: float | None = None
    warm_up: float | None = None
    build: float | None = None
    solve: float | None = None
    check: float | None = None


class MeasuredRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="run", tag_field="type"):
    """One contender on one case, once.

    `solutions` were visited or counted; `distinct` and `wrong` (against the rules: `witness` is the first) are
    None where nothing was checked. `samples` are (seconds of building and solving, solutions until then).
    `phase` is where it ended, `output` the last it printed, `load` the load average before it began.
    """

    session: str
    case: str
    contender: str
    repetition: int
    trial: str
    status: Status
    phase: Phase = Phase.END
    detail: str = ""
    output: str = ""
    began: str
    load: float | None = None
    pinned: tuple[int, ...] = ()
    seconds: Seconds
    cpu_seconds: float
    peak_memory: int
    solutions: int = 0
    distinct: int | None = None
    wrong: int | None = None
    witness: tuple[int, ...] | None = None
    fingerprint: str | None = None
    first_solution: float | None = None
    samples: tuple[tuple[float, int], ...] = ()
    statistics: dict[str, int] = {}


Line = Session | MeasuredRun


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of the file."""
    return msgspec.json.schema(Line)


def digest(value: object) -> str:
    """Return 16 hexadecimal digits that stand for a value, the same on every machine."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:16]
