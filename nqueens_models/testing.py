"""The conformance kit: holds an engine against the contract in `nqueens_models.engines.base`.

Our own tests use it, and the tests of a plug-in can do the same::

    from nqueens_models.testing import check_engine

    def test_conformance():
        check_engine(MyEngine())

What is expected comes from first principles (`verify`) and from published counts, never from another engine.
"""

from __future__ import annotations

import functools
import math
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines import registry
from nqueens_models.engines.base import (
    NO_LIMITS,
    STATISTICS,
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Termination,
    block_dtype,
)
from nqueens_models.errors import EngineUnavailable, UnsupportedInstance
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.known import published_count
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import valid_rows, violations


class Clause(StrEnum):
    """What an engine owes."""

    ENGINE = "an engine has a name, the distributions it requires, and enumerate(instance, visit, limits)"
    BLOCK = "a block has shape (k, n), the smallest unsigned dtype that holds n, and stays as it was visited"
    VALID = "every placement visited is a solution"
    ONCE = "every solution is visited once"
    EVERY = "EXHAUSTED means that every solution was visited"
    ORDER = "an engine and a pickled copy of it give the same order"
    SOLUTION_LIMIT = "a solution limit that was reached is reported, even if no solution remains"
    TIME_LIMIT = "the time limit ends a search, is reported, and keeps what was found"
    VISITOR = "an exception raised by the visitor propagates, and the engine can be used again"
    INTERRUPT = "Ctrl-C ends a search as INTERRUPTED, and keeps what was found"
    OUTCOME = "the outcome tells what happened, in numbers of the names that exist"
    UNSUPPORTED = "UnsupportedInstance is raised before anything is visited, each time, and not for everything"
    COUNT = "count agrees with the solutions"
    ERROR = "an engine raises nothing but UnsupportedInstance and EngineUnavailable"


class ConformanceError(AssertionError):
    """An engine broke a `clause` of the contract on an `instance` (None: on any)."""

    def __init__(self, engine: object, instance: Instance | None, clause: Clause, detail: str) -> None:
        where = "" if instance is None else f" on {instance.canonical_json()}"
        super().__init__(f"engine {_name(engine)}{where}: {clause}. {detail}")
        self.instance = instance
        self.clause = clause


def _name(engine: object) -> str:
    try:
        return registry.spec_of(engine)  # type: ignore[arg-type]  # whatever calls itself an engine
    except Exception:
        return type(engine).__name__


REGIONS = ("AABBB", "ABBCB", "DCCCB", "DDCEE", "DDEEE")
SCATTERED = ("ABCDE", "BCDEA", "CDEAB", "DEABC", "EABCD")  # regions need not be connected

CONFORMANCE_INSTANCES: tuple[Instance, ...] = (
    *(Instance(n) for n in range(9)),
    *(Instance(n, Diagonals.MODULAR) for n in (0, 1, 2, 4, 5, 6, 7)),
    *(Instance(n, Diagonals.ADJACENT) for n in (0, 1, 2, 3, 4, 5, 6)),
    Instance(6, fixed=[(0, 1)]),
    Instance(6, fixed=[(3, 0), (1, 3)]),
    Instance(7, "modular", fixed=[(0, 3)]),
    Instance(5, "adjacent", fixed=[(2, 2)]),
    Instance(4, fixed=[(0, 1), (1, 3), (2, 0), (3, 2)]),  #      complete already
    Instance(1, fixed=[(0, 0)]),
    Instance(6, blocked=[(0, 1), (2, 5), (5, 4)]),
    Instance(5, "modular", blocked=[(1, 1), (4, 0)]),
    Instance(5, "adjacent", blocked=[(0, 0), (2, 2), (4, 4)]),
    Instance(7, fixed=[(3, 3)], blocked=[(0, 0), (6, 1)]),
    Instance(5, regions=REGIONS),
    Instance(5, "modular", regions=REGIONS),
    Instance(5, "adjacent", regions=REGIONS),
    Instance(5, "adjacent", regions=SCATTERED),
    Instance(5, "adjacent", [(0, 1)], [(4, 4)], REGIONS),  #     everything at once
    Instance(1, regions=["A"]),
    Instance(1, blocked=[(0, 0)]),  #                            and contradictions
    Instance(5, blocked=[(2, column) for column in range(5)]),
    Instance(5, blocked=[(row, 2) for row in range(5)]),
    Instance(6, fixed=[(2, 1), (2, 4)]),
    Instance(6, fixed=[(1, 2), (4, 2)]),
    Instance(6, fixed=[(0, 0), (3, 3)]),
    Instance(6, fixed=[(0, 3), (3, 0)]),
    Instance(5, "modular", fixed=[(0, 0), (1, 4)]),
    Instance(5, "adjacent", fixed=[(1, 1), (2, 2)]),
    Instance(5, "adjacent", fixed=[(0, 0), (1, 0)], regions=REGIONS),
    Instance(4, fixed=[(0, 1)], blocked=[(1, 3)]),
)
"""Every kind of constraint, alone and together, boards of no and of one square, and contradictions."""

HARD = tuple(Instance(26, diagonals) for diagonals in Diagonals)
"""Instances that nobody exhausts in a fraction of a second: for the time limit."""

BRUTE_FORCE = 8  # the largest board of which all permutations are tried
SECONDS = 0.1  #   the time limit that is tried
GRACE = 5.0  #     seconds that it may take to end then: far too many, but a loaded machine is forgiven


@functools.cache
def brute_force(instance: Instance) -> SolutionSet:
    """Return every solution of a small instance (n up to about 8): all permutations that obey the rules."""
    boards = np.array(list(permutations(range(instance.n))), dtype=np.int64)
    return SolutionSet(instance.n, boards[valid_rows(instance, boards)])


def check_engine(engine: Engine, instances: Iterable[Instance] | None = None) -> tuple[Instance, ...]:
    """Hold an engine against the contract on `instances` (CONFORMANCE_INSTANCES unless given).

    Returns the instances that the engine refused with UnsupportedInstance. Raises ConformanceError for the first
    clause that is broken, and EngineUnavailable as the engine does.
    """
    chosen = CONFORMANCE_INSTANCES if instances is None else tuple(instances)
    _check_attributes(engine)
    refused = tuple(instance for instance in chosen if not _check_instance(_Trial(engine, instance)))
    if chosen and len(refused) == len(chosen):
        raise ConformanceError(engine, None, Clause.UNSUPPORTED, f"It refuses all {len(chosen)} instances.")
    hard = next((trial for one in HARD if not (trial := _Trial(engine, one)).refuses()), None)
    if hard is not None:
        _check_time_limit(hard)
    return refused


@dataclass(frozen=True)
class _Run:
    """One run: its outcome and what was visited, shape (k, n), in order."""

    outcome: Outcome
    placements: NDArray[np.integer[Any]]

    @property
    def ended(self) -> Termination:
        return self.outcome.termination

    def __len__(self) -> int:
        return len(self.placements)


@dataclass(frozen=True)
class _Trial:
    """An engine before an instance; every run through it is checked for what is owed in every run."""

    engine: Engine
    instance: Instance

    def fail(self, clause: Clause, detail: str) -> NoReturn:
        raise ConformanceError(self.engine, self.instance, clause, detail)

    def refuses(self) -> bool:
        """Return whether the engine does not support the instance: it has to say so at once and always."""
        visited: list[Block] = []
        stopped = Limits(solutions=1, seconds=SECONDS)
        try:
            self.engine.enumerate(self.instance, visited.append, stopped)
        except UnsupportedInstance:
            if visited:
                self.fail(Clause.UNSUPPORTED, f"It was raised after {len(visited)} blocks had been visited.")
            if isinstance(self.engine, CountingEngine):
                self._refuses_to_count(self.engine, stopped)
            return True
        except Exception as error:
            self._error(error)
        return False

    def _refuses_to_count(self, engine: CountingEngine, limits: Limits) -> None:
        try:
            engine.count(self.instance, limits)
        except UnsupportedInstance:
            return
        except Exception as error:
            self._error(error)
        self.fail(Clause.UNSUPPORTED, "The instance is refused by enumerate, but not by count.")

    def enumerate(
        self,
        limits: Limits = NO_LIMITS,
        engine: Engine | None = None,
        on_first_visit: Callable[[], None] = lambda: None,
    ) -> _Run:
        """Run the engine, or a copy of it, to the end or to a limit."""
        blocks: list[Block] = []
        visited: list[Block] = []
        latest = math.inf if limits.seconds is None else time.monotonic() + limits.seconds + GRACE

        def visit(block: Block) -> None:
            blocks.append(block)
            visited.append(np.array(block))
            self._in_time(latest)
            if len(blocks) == 1:
                on_first_visit()

        outcome = self._guarded(lambda: (engine or self.engine).enumerate(self.instance, visit, limits))
        self._in_time(latest)
        self._check_blocks(blocks, visited)
        placements = np.concatenate([np.zeros((0, self.instance.n), block_dtype(self.instance.n)), *visited])
        self._check_placements(placements)
        self._check_outcome(outcome, len(placements))
        return _Run(outcome, placements)

    def count(self, engine: CountingEngine, limits: Limits) -> Outcome:
        """Let the engine count to the end or to a limit."""
        latest = math.inf if limits.seconds is None else time.monotonic() + limits.seconds + GRACE
        outcome = self._guarded(lambda: engine.count(self.instance, limits))
        self._in_time(latest)
        self._check_outcome(outcome, None)
        return outcome

    def _in_time(self, latest: float) -> None:
        if time.monotonic() > latest:
            self.fail(Clause.TIME_LIMIT, f"It went on for more than {GRACE:g} seconds after the limit.")

    def _guarded(self, call: Callable[[], Outcome]) -> Outcome:
        """Call an engine that has taken this instance before."""
        try:
            return call()
        except ConformanceError:
            raise
        except UnsupportedInstance as error:
            self.fail(Clause.UNSUPPORTED, f"It took this instance before and then refused it: {error}")
        except Exception as error:
            self._error(error)

    def _error(self, error: Exception) -> NoReturn:
        if isinstance(error, EngineUnavailable):
            raise error
        detail = f"It raised {type(error).__name__}: {error}"
        raise ConformanceError(self.engine, self.instance, Clause.ERROR, detail) from error

    def _check_blocks(self, blocks: list[Block], visited: list[Block]) -> None:
        wanted = block_dtype(self.instance.n)
        for block, copy in zip(blocks, visited, strict=True):
            if not isinstance(block, np.ndarray) or block.dtype != wanted:
                self.fail(
                    Clause.BLOCK, f"Wanted an array of {wanted}, not {getattr(block, 'dtype', type(block))}."
                )
            if block.ndim != 2 or block.shape[1] != self.instance.n:
                self.fail(Clause.BLOCK, f"Wanted shape (k, {self.instance.n}), not {block.shape}.")
            if not np.array_equal(block, copy):
                self.fail(Clause.BLOCK, "A block was changed after it had been visited.")

    def _check_placements(self, placements: NDArray[np.integer[Any]]) -> None:
        wrong = placements[~valid_rows(self.instance, placements)]
        if len(wrong):
            broken = next(violations(self.instance, wrong[0].tolist()))
            self.fail(Clause.VALID, f"Visited {_text(wrong[0])}, against '{broken.rule}' at {broken.squares}.")
        distinct, times = (
            np.unique(placements, axis=0, return_counts=True) if len(placements) else (placements, [1])
        )
        if max(times) > 1:
            self.fail(Clause.ONCE, f"Visited {_text(distinct[np.argmax(times)])} {max(times)} times.")

    def _check_outcome(self, outcome: Outcome, visited: int | None) -> None:
        """Check the fields of an outcome; None have been visited where they were counted."""
        if not (isinstance(outcome, Outcome) and isinstance(outcome.termination, Termination)):
            self.fail(Clause.OUTCOME, f"Wanted an Outcome with a Termination, not {outcome!r}.")
        if type(outcome.solutions) is not int or visited not in (None, outcome.solutions):
            self.fail(Clause.OUTCOME, f"It says {outcome.solutions!r} solutions, but visited {visited}.")
        for seconds in (outcome.build_seconds, outcome.solve_seconds):
            if not 0 <= seconds < math.inf:
                self.fail(Clause.OUTCOME, f"{seconds!r} are no seconds.")
        for name, value in outcome.statistics.items():
            if name not in STATISTICS or type(value) is not int or value < 0:
                self.fail(Clause.OUTCOME, f"The statistics hold {name}: {value!r}.")


def _check_attributes(engine: Engine) -> None:
    requires = getattr(engine, "requires", None)
    named = isinstance(getattr(engine, "name", None), str) and isinstance(requires, tuple)
    if not (named and callable(getattr(engine, "enumerate", None))):
        raise ConformanceError(engine, None, Clause.ENGINE, f"This is not so: {engine!r}.")


def _check_instance(trial: _Trial) -> bool:
    """Return whether the engine supports the instance, and check it if so."""
    if trial.refuses():
        return False
    full = trial.enumerate()
    _check_every(trial, full)
    _check_order(trial, full)
    for limit in {1, max(1, len(full)), len(full) + 1}:
        _check_solution_limit(trial, limit, len(full))
    if len(full):
        _check_visitor_exception(trial, full)
        _check_interrupt(trial)
    if isinstance(trial.engine, CountingEngine):
        _check_count(trial, trial.engine, len(full))
    return True


def _check_every(trial: _Trial, full: _Run) -> None:
    if full.ended is not Termination.EXHAUSTED:
        trial.fail(Clause.EVERY, f"Without any limit the search ended with {full.ended!r}.")
    if trial.instance.n <= BRUTE_FORCE:
        missing = list(brute_force(trial.instance) - SolutionSet(trial.instance.n, full.placements))
        if missing:
            trial.fail(Clause.EVERY, f"{len(missing)} are missing, the first is {_text(missing[0])}.")
    published = published_count(trial.instance)
    if published is not None and published.count != len(full):
        trial.fail(Clause.EVERY, f"Visited {len(full)}, not {published.count} ({published.sequence}).")


def _check_order(trial: _Trial, full: _Run) -> None:
    try:
        twin = pickle.loads(pickle.dumps(trial.engine))
    except Exception as error:
        trial.fail(Clause.ORDER, f"It cannot be pickled: {type(error).__name__}: {error}")
    for engine in (trial.engine, twin):
        if not np.array_equal(trial.enumerate(engine=engine).placements, full.placements):
            trial.fail(
                Clause.ORDER, f"The second run by {'itself' if engine is trial.engine else 'a copy'} differs."
            )


def _check_solution_limit(trial: _Trial, limit: int, total: int) -> None:
    run = trial.enumerate(Limits(solutions=limit))
    wanted = Termination.SOLUTION_LIMIT if limit <= total else Termination.EXHAUSTED
    if run.ended is not wanted or len(run) != min(limit, total):
        trial.fail(
            Clause.SOLUTION_LIMIT,
            f"A limit of {limit} where there are {total} wants {wanted!r}, not {run.ended!r} after {len(run)}.",
        )


class _VisitorError(Exception):
    """Raised by a visitor."""


def _check_visitor_exception(trial: _Trial, full: _Run) -> None:
    own = _VisitorError("the visitor has had enough")

    def visit(_: Block) -> None:
        raise own

    try:
        trial.engine.enumerate(trial.instance, visit)
    except BaseException as error:
        if error is not own:
            raise ConformanceError(
                trial.engine,
                trial.instance,
                Clause.VISITOR,
                f"{type(error).__name__} came out in its place: {error}",
            ) from error
    else:
        trial.fail(Clause.VISITOR, "It was swallowed.")
    again = trial.enumerate()
    if again.ended is not full.ended or not np.array_equal(again.placements, full.placements):
        trial.fail(
            Clause.VISITOR, f"Afterwards {len(again)} solutions were visited, not the {len(full)} as before."
        )


def _check_interrupt(trial: _Trial) -> None:
    """Send Ctrl-C from inside the visitor, where this process would be told of it."""
    told = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not told or threading.current_thread() is not threading.main_thread():
        return
    try:
        run = trial.enumerate(on_first_visit=lambda: signal.raise_signal(signal.SIGINT))
    except KeyboardInterrupt:
        trial.fail(Clause.INTERRUPT, "KeyboardInterrupt came out.")
    if run.ended is not Termination.INTERRUPTED or not len(run):
        trial.fail(Clause.INTERRUPT, f"It visited {len(run)} and says {run.ended!r}.")


def _check_count(trial: _Trial, engine: CountingEngine, total: int) -> None:
    for limit in (None, max(1, total), total + 1):
        outcome = trial.count(engine, Limits(solutions=limit))
        reached = limit is not None and limit <= total
        wanted = Termination.SOLUTION_LIMIT if reached else Termination.EXHAUSTED
        if outcome.solutions != total or outcome.termination is not wanted:
            trial.fail(
                Clause.COUNT,
                f"With a limit of {limit} it counts {outcome.solutions} of {total}: {outcome.termination!r}.",
            )


def _check_time_limit(hard: _Trial) -> None:
    limits = Limits(seconds=SECONDS)
    outcomes = [hard.enumerate(limits).outcome]
    if isinstance(hard.engine, CountingEngine):
        outcomes.append(hard.count(hard.engine, limits))
    for outcome in outcomes:
        if outcome.termination is not Termination.TIME_LIMIT:
            hard.fail(Clause.TIME_LIMIT, f"After {SECONDS:g} seconds it says {outcome.termination!r}.")


def _text(placement: Iterable[int]) -> str:
    return " ".join(str(int(column)) for column in placement)
