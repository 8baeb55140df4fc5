"""What a comparison will run: cases, contenders, which of them meet, and in which order."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nqueens_models.bench.records import Allowance, Case, Contender, Goal, Session, Trial
from nqueens_models.engines.registry import make_engine, spec_of
from nqueens_models.errors import EngineUnavailable, InvalidInput, InvalidSetting
from nqueens_models.instance import Diagonals, Instance

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


@dataclass(frozen=True)
class Plan:
    """Everything a comparison will run; `cells` are pairs (index of a case, index of a contender)."""

    title: str
    cases: tuple[Case, ...]
    contenders: tuple[Contender, ...]
    cells: tuple[tuple[int, int], ...]
    allowance: Allowance
    repeat: int = 5
    seed: int = 0
    at_once: int = 1

    def __post_init__(self) -> None:
        if not (self.cases and self.contenders and self.cells):
            raise InvalidInput("there is nothing to compare: name cases and engines")
        if self.repeat < 1 or self.at_once < 1:
            raise InvalidInput("there must be 1 repetition or more, and 1 run at a time or more")
        memory = self.allowance.memory
        if not 0 < self.allowance.seconds < math.inf or (memory is not None and memory <= 0):
            raise InvalidInput("the limits of time and memory must be above 0, and finite")
        _refuse_repetition("case", [case.name for case in self.cases])
        _refuse_repetition("engine", [contender.label for contender in self.contenders])

    @classmethod
    def of(cls, session: Session) -> Plan:
        """Return what a session had planned."""
        return cls(
            session.title, session.cases, session.contenders, session.cells, session.allowance, session.repeat,
            session.seed, session.at_once,
        )  # fmt: skip

    @property
    def runs(self) -> int:
        """How many runs are planned."""
        return len(self.cells) * self.repeat

    def trials(self) -> Iterator[Trial]:
        """Yield the runs to be made, in order: every cell once, shuffled by the seed, then all again.

        So whatever changes on the machine in the course of the comparison hits all contenders alike.
        """
        for repetition in range(self.repeat):
            cells = list(self.cells)
            random.Random(f"{self.seed}/{repetition}").shuffle(cells)
            for case, contender in cells:
                yield Trial(
                    case=self.cases[case],
                    contender=self.contenders[contender],
                    allowance=self.allowance,
                    repetition=repetition,
                )

    def with_changes(
        self, *, repeat: int | None = None, seconds: float | None = None, memory: int | None = None,
        seed: int | None = None, at_once: int | None = None,
    ) -> Plan:  # fmt: skip
        """Return the plan with what is not None in place of its own."""
        allowance = Allowance(
            seconds=self.allowance.seconds if seconds is None else seconds,
            memory=self.allowance.memory if memory is None else memory,
            warm_up=self.allowance.warm_up,
        )
        return replace(
            self,
            allowance=allowance,
            repeat=self.repeat if repeat is None else repeat,
            seed=self.seed if seed is None else seed,
            at_once=self.at_once if at_once is None else at_once,
        )


def _refuse_repetition(what: str, names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"the {what} {twice!r} is there twice")


def every_cell(cases: Sequence[Case], contenders: Sequence[Contender]) -> tuple[tuple[int, int], ...]:
    """Return the cells of a plan in which each contender meets each case."""
    return tuple((case, contender) for case in range(len(cases)) for contender in range(len(contenders)))


def make_case(
    board: Instance, goal: Goal = Goal.LIST, solutions: int | None = None, name: str = "", group: str = ""
) -> Case:
    """Return a case, named after its board and what is asked unless a name is given."""
    if solutions is not None and solutions < 1:
        raise InvalidInput(f"the limit must be 1 solution or more, not {solutions}")
    asked = _asked(goal, solutions)
    return Case(
        name=f"{name or board}{'' if asked == EVERY else f', {asked}'}",
        group=group or f"{_kind(board)}, {asked}",
        instance=board.to_dict(),
        goal=goal,
        solutions=solutions,
    )


EVERY = "every solution"


def _asked(goal: Goal, solutions: int | None) -> str:
    if solutions is None:
        return EVERY if goal is Goal.LIST else "count"
    return "first solution" if solutions == 1 else f"first {solutions} solutions"


def _kind(board: Instance) -> str:
    """Return which problem of the family an instance belongs to."""
    if board.regions is not None:
        return "regions"
    kinds = {Diagonals.FULL: [], Diagonals.MODULAR: ["modular"], Diagonals.ADJACENT: ["adjacent"]}[board.diagonals]
    kinds += ["completion"] if board.fixed else []
    kinds += ["blocked squares"] if board.blocked else []
    return ", ".join(kinds) or "n queens"


def make_contender(spec: str, search: str = "plain", symmetry: bool = True, workers: int = 1) -> Contender:
    """Return a contender, its engine in the shortest form; InvalidSetting for what does not exist.

    An engine that is not installed is a contender all the same: its runs will say so.
    """
    from nqueens_models.cubes import make_search

    own_workers = 1
    try:
        engine = make_engine(spec)
        short = spec_of(engine)
        own_workers = getattr(engine, "workers", 1)
        make_search(engine, Instance(4), None if search == "auto" else search, symmetry, workers)
    except EngineUnavailable:
        short = spec.strip()
    if search == "plain" and not (symmetry and workers == 1):
        raise InvalidSetting(
            f"a plain search of {short} has no symmetry or workers but by the engine's own settings"
        )
    return Contender(engine=short, search=search, symmetry=symmetry, workers=max(workers, own_workers))


def sizes(text: str) -> list[int]:
    """Return the numbers of a text such as `6..12` or `4,6,8..10`; raise InvalidInput."""
    numbers: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(\d{1,6})(?:\.\.(\d{1,6}))?", part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise InvalidInput(f"N must be numbers or ranges such as 6..12, not {part!r}")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return list(dict.fromkeys(numbers))


def in_bytes(text: str) -> int:
    """Return the bytes of a text such as `2GiB` or `500 MB`; raise InvalidInput."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    unit = UNITS.get((match[2] or "B").upper()) if match else None
    if match is None or unit is None:
        raise InvalidInput(f"memory is a number and a unit such as 2GiB or 500MB, not {text!r}")
    return int(float(match[1]) * unit)
