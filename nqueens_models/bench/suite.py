"""Suites: plans of comparisons written down in TOML, some of which ship with the package.

::

    title = "Encodings of at-most-one"
    description = "What each costs."
    repeat = 5              # these four are optional
    timeout = 20.0          # seconds of building and solving
    memory = "2GiB"         # of the process tree
    warm_up = true

    [[cases]]
    n = "6..10"             # a size, or several; with them:
    diagonals = "modular"   #   optional, as are fixed, blocked and regions
    goal = "count"          # "list" unless said otherwise
    solutions = 1           # optional: stop after so many
    name, group             # optional: what it is called, and on which curve it lies

    [[cases]]
    generate = "blocked"    # random instances as `nqueens generate` makes them, one for each seed
    n = 28
    squares = 595           # for "completion" and "modular" it is queens; "regions" has neither
    seeds = "1..5"

    [[cases]]
    files = "boards/*.json" # instances in any format, beside the suite

    [[engines]]
    spec = "sat:solver=cadical195"
    search = "cubes"        # "plain" unless said otherwise, "auto" for the program's choice;
                            # with those, symmetry = false and workers = 2
    up_to = 9               # optional: larger boards would take it too long
    groups = ["..."]        # optional: it meets the cases of these groups only
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from nqueens_models import generate
from nqueens_models.bench.plan import Plan, in_bytes, make_case, make_contender, sizes
from nqueens_models.bench.records import Allowance, Case, Contender, Goal
from nqueens_models.errors import FormatError, InvalidInput
from nqueens_models.formats.instances import read_instance
from nqueens_models.formats.source import Source
from nqueens_models.instance import Diagonals, Instance


class CaseTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[[cases]]`."""

    n: int | str | None = None
    diagonals: Diagonals = Diagonals.FULL
    fixed: list[tuple[int, int]] = []
    blocked: list[tuple[int, int]] = []
    regions: list[str | list[int]] | None = None
    generate: Literal["completion", "modular", "blocked", "regions"] | None = None
    squares: int | None = None
    queens: int | None = None
    seeds: str = "1"
    files: str | None = None
    goal: Goal = Goal.LIST
    solutions: int | None = None
    name: str = ""
    group: str = ""


class EngineTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[[engines]]`."""

    spec: str
    search: str = "plain"
    symmetry: bool = True
    workers: int = 1
    up_to: int | None = None
    groups: list[str] | None = None

    def meets(self, case: Case) -> bool:
        """Return whether it is to be run on a case."""
        return (self.up_to is None or case.n <= self.up_to) and (self.groups is None or case.group in self.groups)


class Suite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of a suite."""

    title: str
    description: str = ""
    repeat: int = 5
    timeout: float = 60.0
    memory: str = "2GiB"
    seed: int = 0
    warm_up: bool = True
    cases: list[CaseTable]
    engines: list[EngineTable]

    def plan(self, folder: Path = Path()) -> Plan:
        """Return the plan; files of instances are looked for in `folder`."""
        cases = [case for table in self.cases for case in _cases(table, folder)]
        contenders = [contender(table) for table in self.engines]
        cells = tuple(
            (i, j) for i, case in enumerate(cases) for j, table in enumerate(self.engines) if table.meets(case)
        )
        allowance = Allowance(seconds=self.timeout, memory=in_bytes(self.memory), warm_up=self.warm_up)
        return Plan(self.title, tuple(cases), tuple(contenders), cells, allowance, self.repeat, self.seed)


def contender(table: EngineTable) -> Contender:
    """Return the contender that a table describes."""
    return make_contender(table.spec, table.search, table.symmetry, table.workers)


def _cases(table: CaseTable, folder: Path) -> Iterator[Case]:
    for name, board in _boards(table, folder):
        yield make_case(board, table.goal, table.solutions, name, table.group)


def _boards(table: CaseTable, folder: Path) -> Iterator[tuple[str, Instance]]:
    if (table.n is None) == (table.files is None):
        raise FormatError("a table of cases has either n or files")
    if table.files is not None:
        yield from boards_of(sorted(folder.glob(table.files)), f"{folder / table.files}")
    for n in sizes(str(table.n)) if table.n is not None else ():
        if table.generate is None:
            yield table.name, Instance(n, table.diagonals, table.fixed, table.blocked, table.regions)
        else:
            for seed in sizes(table.seeds):
                board = _generated(table, n, seed)
                yield f"{table.name or board}, seed {seed}", board


def _generated(table: CaseTable, n: int, seed: int) -> Instance:
    match table.generate, table.squares, table.queens:
        case "blocked", int(squares), None:
            return generate.blocked(n, squares, seed)
        case "completion", None, int(queens):
            return generate.completion(n, queens, seed)
        case "modular", None, int(queens):
            return generate.modular(n, queens, seed)
        case "regions", None, None:
            return generate.regions(n, seed)
    raise FormatError("blocked needs squares, completion and modular need queens, and only these")


def boards_of(files: Iterable[Path], where: str) -> Iterator[tuple[str, Instance]]:
    """Yield the instances of files in any format, with the names of the files; InvalidInput if there is none."""
    none = True
    for path in files:
        none = False
        yield path.stem, read_instance(Source.of_file(path))
    if none:
        raise InvalidInput(f"there are no files of instances at {where}")


def load(name: str) -> Plan:
    """Return the plan of a shipped suite, or of the file of a suite (a name that ends with `.toml`).

    Raises InvalidInput for one that does not exist and FormatError, saying where, for one that is no suite.
    """
    if name.endswith(".toml"):
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{path} cannot be read: {error}") from error
        return _parse(text, str(path)).plan(path.parent)
    return shipped(name).plan()


def shipped(name: str) -> Suite:
    """Return a suite that ships with the package."""
    from nqueens_models.engines.registry import unknown

    if name not in names():
        raise InvalidInput(unknown("suite", name, names()) + "; or name a file that ends with .toml")
    return _parse((_folder() / f"{name}.toml").read_text(encoding="utf-8"), name)


def names() -> list[str]:
    """Return the names of the shipped suites."""
    files = [entry.name for entry in _folder().iterdir()]
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def _folder() -> Any:
    return resources.files("nqueens_models.bench") / "suites"


def _parse(text: str, where: str) -> Suite:
    try:
        return msgspec.toml.decode(text, type=Suite)
    except msgspec.MsgspecError as error:
        raise FormatError(f"{where} is no suite: {error}") from None
