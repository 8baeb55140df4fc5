"""The contract between an engine and everyone else.

An engine pushes blocks of solutions to a visitor: a callback (CP-SAT), a loop (SAT) and a recursion
(backtracking) can all do that without threads. What every engine owes, and `nqueens_models.testing.check_engine`
checks:

- each solution is visited exactly once, in any order; the same seed gives the same order;
- an exception raised by the visitor propagates, and the solver is released;
- EXHAUSTED means a completed search; a limit that was reached is reported even if no solution remains;
- the time limit covers building and solving; partial results are kept, also on Ctrl-C;
- what it cannot do raises UnsupportedInstance before any search, a missing solver EngineUnavailable.

`engines.recorder` has what keeps the clock, the limits and the blocks for a search.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol, runtime_checkable

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Block as Block  # part of the contract, and so named here too
from nqueens_models.instance import Instance
from nqueens_models.instance import block_dtype as block_dtype

Visitor = Callable[[Block], None]

STATISTICS = (
    "nodes", "repeated_nodes", "conflicts", "decisions", "propagations", "restarts", "variables",
    "auxiliary_variables", "clauses", "constraints", "blocking_clauses", "assignments", "cubes",
)  # fmt: skip
"""The names an engine may use in `Outcome.statistics`; a number that does not exist is left out."""


def ignore(block: Block) -> None:
    """Visit without doing anything: for those who count, or warm up."""


class Termination(StrEnum):
    """Why a search ended."""

    EXHAUSTED = "exhausted"  #           it was completed: the list holds every solution
    SOLUTION_LIMIT = "solution-limit"  # as many solutions as were asked for
    TIME_LIMIT = "time-limit"
    INTERRUPTED = "interrupted"  #       Ctrl-C


@dataclass(frozen=True)
class Limits:
    """When to stop early: after so many `solutions` (1 or more), or after so many `seconds` (more than 0)."""

    solutions: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.solutions is not None and not (isinstance(self.solutions, int) and self.solutions >= 1):
            raise InvalidSetting(f"the limit must be a whole number of solutions, 1 or more, not {self.solutions}")
        if self.seconds is not None and not (self.seconds > 0 and math.isfinite(self.seconds)):
            raise InvalidSetting(f"the time limit must be a finite number of seconds above 0, not {self.seconds}")


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Outcome:
    """What a search reports about itself: `solutions` is how many it visited (or counted)."""

    termination: Termination
    solutions: int
    build_seconds: float
    solve_seconds: float
    statistics: Mapping[str, int] = field(default_factory=dict)


@runtime_checkable
class Engine(Protocol):
    """A searcher, configured by its constructor and stateless between runs.

    By convention a frozen dataclass: its fields, made by `setting`, are its settings, the first line of its
    docstring is what `engines` shows, and `requires` names the distributions it needs. Settings that have no
    useful default are named in a class variable `required`. An engine that can count without listing also has
    `count(instance, limits) -> Outcome`.
    """

    requires: ClassVar[tuple[str, ...]]

    @property
    def name(self) -> str:
        """What it is called in specifications: a class variable will do."""
        ...

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        """Visit every solution of `instance` once, in blocks, unless a limit ends the search."""
        ...


@runtime_checkable
class CountingEngine(Engine, Protocol):
    """An engine that can count without listing."""

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        """Return an outcome whose `solutions` is the number of solutions, in constant memory."""
        ...


@runtime_checkable
class KilledEngine(Engine, Protocol):
    """An engine some of whose searches see neither the clock nor Ctrl-C, and end with their process alone."""

    def needs_child(self, instance: Instance, limits: Limits) -> bool:
        """Whether a search has to be in a process that somebody can kill, and this is none (`killable`)."""
        ...


def killable() -> bool:
    """Whether this process was made by another one that kills it when it has to: see engines/child.py."""
    return _killable


def may_be_killed() -> None:
    """Say that it was."""
    global _killable
    _killable = True


_killable = False


def setting(default: Any, summary: str, choices: Sequence[str] | Callable[[], Sequence[str]] = ()) -> Any:
    """Declare one setting of an engine: a dataclass field whose values may be restricted to `choices`.

    `choices` may be a function, called only when a value is checked, so that no solver is imported early.
    """
    return dataclasses.field(default=default, metadata={"summary": summary, "choices": choices})
