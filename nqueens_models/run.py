"""One engine on one instance: execute it, check what it visits, record the run.

Every placement an engine visits is judged by the rules (`verify`) before anyone sees it; one that breaks a rule,
or comes twice, is an error that names the engine and shows the board.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from nqueens_models.cubes import make_search, taken_apart
from nqueens_models.engines.base import (
    NO_LIMITS,
    Block,
    CountingEngine,
    Engine,
    Limits,
    Outcome,
    Termination,
    Visitor,
    block_dtype,
    ignore,
)
from nqueens_models.engines.registry import full_spec, make_engine
from nqueens_models.errors import DuplicateSolution, IncompleteSearch, WrongSolution
from nqueens_models.instance import Instance, Placement
from nqueens_models.render import board_text
from nqueens_models.solutions import SolutionSet, first_of_equals, lexicographic_order
from nqueens_models.symmetry import Symmetry, orbits, stabiliser
from nqueens_models.verify import valid_rows


@dataclass(frozen=True)
class Timings:
    """Wall-clock seconds: building the model, solving it, and all of the run with its checks."""

    build: float
    solve: float
    total: float


@dataclass(frozen=True)
class Run:
    """One engine on one instance, recorded.

    `engine` is its specification with all settings, `search` how it was searched: `plain`, or by cubes.
    `count` is the number of solutions found (with `fundamental`: one of each orbit); it is the answer only if
    `complete`. `solutions` is None where solutions were counted or streamed and not kept.
    """

    engine: str
    search: str
    instance: Instance
    limits: Limits
    fundamental: bool
    termination: Termination
    count: int
    timings: Timings
    statistics: Mapping[str, int] = field(default_factory=dict)
    solutions: SolutionSet | None = None

    @property
    def complete(self) -> bool:
        """Whether the search was exhausted, so that nothing is missing."""
        return self.termination is Termination.EXHAUSTED


class _Enough(Exception):  # noqa: N818 - not an error: it ends an enumeration from inside a visitor
    """As many fundamental solutions as were asked for have been visited."""


def execute(
    engine: Engine,
    instance: Instance,
    visit: Visitor,
    limits: Limits = NO_LIMITS,
    *,
    fundamental: bool = False,
) -> Run:
    """Let `engine` enumerate `instance`, and pass each block on to `visit` once it has been checked.

    With `fundamental`, only the least placement of each orbit under the instance's stabiliser is passed on, and
    the limit of solutions counts those. Raises WrongSolution for a placement that breaks a rule, and what the
    engine raises: UnsupportedInstance, EngineUnavailable, EngineError.
    """
    sink = _FundamentalOnly(instance, visit, limits.solutions) if fundamental else visit

    def checked(block: Block) -> None:
        refuse_wrong(engine, instance, block)
        sink(block)

    inner = Limits(seconds=limits.seconds) if fundamental else limits
    started = time.perf_counter()
    try:
        outcome = engine.enumerate(instance, checked, inner)
    except _Enough:
        seconds = time.perf_counter() - started
        outcome = Outcome(Termination.SOLUTION_LIMIT, 0, 0.0, seconds)
    found = sink.visited if isinstance(sink, _FundamentalOnly) else outcome.solutions
    return _record(engine, instance, limits, outcome, found, fundamental, started)


def execute_count(
    engine: Engine, instance: Instance, limits: Limits = NO_LIMITS, *, fundamental: bool = False
) -> Run:
    """Count in constant memory: by the engine's own counting where it has one, else by enumeration.

    With `fundamental`, orbits under the instance's stabiliser are counted. Raises what `execute` raises.
    """
    if fundamental or not isinstance(engine, CountingEngine):
        return execute(engine, instance, ignore, limits, fundamental=fundamental)
    started = time.perf_counter()
    outcome = engine.count(instance, limits)
    return _record(engine, instance, limits, outcome, outcome.solutions, fundamental, started)


def solve(
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    limit: int | None = None,
    seconds: float | None = None,
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
    fundamental: bool = False,
) -> Run:
    """Return the run whose `.solutions` is the set of every solution, unless a limit ended it first.

    `instance` may be given as n; `engine` as a specification such as `sat:solver=glucose4`. `limit` is a number of
    solutions, `seconds` a time limit for building and solving; `search` is `plain` (the engine's own enumeration),
    `cubes` (see `nqueens_models.cubes`) or None for the faster, with or without `symmetry`, by so many `workers`;
    `fundamental` keeps the least placement of each orbit. Raises InvalidInput for bad arguments,
    UnsupportedInstance, EngineUnavailable, and WrongSolution or DuplicateSolution for an engine that errs.
    """
    board, searcher, limits = _prepare(instance, engine, search, symmetry, workers, Limits(limit, seconds))
    collector = Collector(board)
    run = execute(searcher, board, collector, limits, fundamental=fundamental)
    return with_solutions(run, collector)


def count(
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    seconds: float | None = None,
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
    fundamental: bool = False,
) -> int:
    """Return the number of solutions, in constant memory.

    Raises what `solve` raises, and IncompleteSearch (its `partial` is the number so far) if the time ran out.
    """
    board, searcher, limits = _prepare(instance, engine, search, symmetry, workers, Limits(seconds=seconds))
    run = execute_count(searcher, board, limits, fundamental=fundamental)
    if not run.complete:
        raise IncompleteSearch(f"{run.engine} stopped ({run.termination}) after {run.count} solutions", run.count)
    return run.count


def iter_solutions(
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    limit: int | None = None,
    seconds: float | None = None,
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
) -> Iterator[Placement]:
    """Yield solutions as tuples while they are found, in the engine's order; closing the iterator ends the search.

    The search runs in a thread that is never more than some blocks ahead. Raises what `solve` raises, and
    IncompleteSearch after the last solution if the time ran out.
    """
    board, searcher, limits = _prepare(instance, engine, search, symmetry, workers, Limits(limit, seconds))
    return _pull(searcher, board, limits)


class Collector:
    """A visitor that keeps every block; `array` is all of them, shape (k, n), in the order of visits."""

    def __init__(self, instance: Instance) -> None:
        self._empty = np.zeros((0, instance.n), dtype=block_dtype(instance.n))
        self._blocks: list[Block] = []

    def __call__(self, block: Block) -> None:
        """Keep a block."""
        self._blocks.append(block)

    @property
    def array(self) -> Block:
        """All placements visited so far."""
        if len(self._blocks) != 1:
            self._blocks = [np.concatenate([self._empty, *self._blocks])]
        return self._blocks[0]


def with_solutions(run: Run, collector: Collector) -> Run:
    """Return the run with the set of what was collected; raise DuplicateSolution if anything came twice."""
    solutions = SolutionSet(run.instance.n, collector.array)
    if len(solutions) != len(collector.array):
        twice = duplicated(collector.array)
        board = board_text(twice[0])
        raise DuplicateSolution(f"{run.engine} visited {len(twice)} solution(s) of {run.instance} twice:\n{board}")
    return replace(run, count=len(solutions), solutions=solutions)


def duplicated(array: Block) -> Block:
    """Return the rows of an array of shape (k, n) that repeat an earlier one, sorted."""
    ordered = array[lexicographic_order(array)]
    return ordered[~first_of_equals(ordered)]


def refuse_wrong(engine: Engine, instance: Instance, block: Block) -> None:
    """Raise WrongSolution, showing the first board, if a placement of the block breaks a rule."""
    valid = valid_rows(instance, block)
    if not valid.all():
        board = board_text(block[~valid][0])
        raise WrongSolution(
            f"{taken_apart(engine)[0].name} gave a placement that is no solution of {instance}:\n{board}"
        )


class _FundamentalOnly:
    """A visitor that passes on the least placement of each orbit, up to a limit."""

    def __init__(self, instance: Instance, visit: Visitor, limit: int | None) -> None:
        self.visited = 0
        self._group: tuple[Symmetry, ...] = stabiliser(instance)
        self._visit = visit
        self._limit = limit

    def __call__(self, block: Block) -> None:
        fundamental = block[orbits(block, self._group).least]
        if self._limit is not None:
            fundamental = fundamental[: self._limit - self.visited]
        self.visited += len(fundamental)
        if len(fundamental):
            self._visit(fundamental)
        if self.visited == self._limit:
            raise _Enough


def _prepare(
    instance: Instance | int,
    engine: str | Engine,
    search: str | None,
    symmetry: bool,
    workers: int,
    limits: Limits,
) -> tuple[Instance, Engine, Limits]:
    board = instance if isinstance(instance, Instance) else Instance(instance)
    return board, make_search(make_engine(engine), board, search, symmetry, workers), limits


def _record(
    engine: Engine,
    instance: Instance,
    limits: Limits,
    outcome: Outcome,
    found: int,
    fundamental: bool,
    started: float,
) -> Run:
    timings = Timings(outcome.build_seconds, outcome.solve_seconds, time.perf_counter() - started)
    inner, search = taken_apart(engine)
    return Run(
        full_spec(inner), search, instance, limits, fundamental, outcome.termination, found, timings,
        outcome.statistics,
    )  # fmt: skip


def _pull(engine: Engine, instance: Instance, limits: Limits) -> Iterator[Placement]:
    """Turn the pushes of an engine into an iterator: the engine works in a thread, a few blocks ahead."""
    blocks: queue.Queue[Block | Callable[[], None]] = queue.Queue(maxsize=4)
    closed = threading.Event()

    def hand_over(item: Block | Callable[[], None]) -> None:
        while not closed.is_set():
            try:
                return blocks.put(item, timeout=0.1)
            except queue.Full:
                continue
        raise _Enough

    def work() -> None:
        try:
            run = execute(engine, instance, hand_over, limits)
            end = _ending(run)
        except BaseException as error:  # handed to the consumer, whatever it is
            end = _raiser(error)
        with suppress(_Enough):
            hand_over(end)

    worker = threading.Thread(target=work, name="iter_solutions", daemon=True)
    worker.start()
    try:
        while not callable(item := blocks.get()):
            yield from (tuple(row.tolist()) for row in item)
        item()
    finally:
        closed.set()


def _ending(run: Run) -> Callable[[], None]:
    """Return what the consumer does last: nothing, or raise IncompleteSearch."""
    if run.termination in (Termination.EXHAUSTED, Termination.SOLUTION_LIMIT):
        return lambda: None
    text = f"{run.engine} stopped ({run.termination}) after {run.count} solutions"
    return _raiser(IncompleteSearch(text, run.count))


def _raiser(error: BaseException) -> Callable[[], None]:
    def throw() -> None:
        raise error

    return throw
