"""How long an engine will take on this machine: parts of its work, drawn at random, are done and timed.

- `bitmask` counts large plain boards by the quadrant join: contiguous row splits are the parts;
- it searches boards with many free squares from starts on the centre lines: some starts are;
- a search by cubes: some orbits of cubes;
- everything else: cubes with some queens more, drawn from one level of a search tree.

Of the first two nothing is left out; with cubes, what an engine has to do for each of them is counted too often.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nqueens_models.cubes import CubeSearch, cube_orbits
from nqueens_models.cubes.sharing import prepare
from nqueens_models.engines.base import Block, CountingEngine, Engine, Limits, Outcome, Termination, ignore
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.bitmask.engine import LARGEST_JOIN, PLAIN_COMPILED
from nqueens_models.engines.bitmask.family import Family
from nqueens_models.engines.recorder import conduct
from nqueens_models.errors import UnsupportedInstance
from nqueens_models.estimate.interval import Interval, interval, known
from nqueens_models.estimate.population import Order, Tree
from nqueens_models.estimate.tree_size import TreeSize
from nqueens_models.instance import Instance
from nqueens_models.solutions import columns_text, lexicographic_order
from nqueens_models.verify import valid_rows

Random = np.random.Generator

SMALL = 1e6  #          nodes of a search that is done instead, if the budget allows it
PARTS = 20  #           that are timed, if there is time for so many
FEWEST_PARTS = 5
SHORTEST = 0.002  #     seconds that a part should take, lest the clock and the call tell
CUBE_NODES = 3e4  #     of a cube, when it is first tried
SMALLEST_LEVEL = 32  #  cubes, at the least, that parts are drawn from
SAMPLE_ROWS = 20_000  # placements by which judging, sorting and writing is timed


@dataclass(frozen=True)
class Cost:
    """The nodes and seconds of a search, where known, and by which parts of it they were found."""

    seconds: Interval
    nodes: Interval | None
    solutions: Interval | None
    by: str


@dataclass(frozen=True)
class _Part:
    seconds: float
    nodes: int | None = None


def cost(engine: Engine, instance: Instance, size: TreeSize, listing: bool, random: Random, budget: float) -> Cost:
    """Estimate what a search costs; `size` is that of the tree that branches on the fewest free squares.

    Takes about `budget` seconds, and what it takes to load and compile the engine. Raises what the engine raises.
    """
    if not isinstance(engine, BitmaskEngine):
        prepare(engine)
    if size.nodes.high < SMALL:
        outcome = _solved(engine, instance, listing, Limits(seconds=max(budget, 0.1)))
        if outcome.termination is Termination.EXHAUSTED:
            nodes = outcome.statistics.get("nodes")
            seconds = known(outcome.build_seconds + outcome.solve_seconds)
            return Cost(
                seconds, None if nodes is None else known(nodes), known(outcome.solutions), "the whole search"
            )
    if isinstance(engine, BitmaskEngine):
        if listing and engine.method == "join":
            engine.enumerate(instance, ignore)  # says why not
        if not listing and engine.join_for(instance):
            _refuse_large_tables(instance.n)
            return _by_row_splits(instance.n, engine.workers, random, budget)
        if _has_rows(engine, instance):
            return _by_starts(engine, instance, listing, random, budget)
        is_textbook = instance.is_plain and instance.n < PLAIN_COMPILED
        if engine.method == "auto" and _numba() and not is_textbook:
            engine = BitmaskEngine("compiled", engine.workers)
    if isinstance(engine, CubeSearch):
        return _by_orbits(engine, instance, listing, random, budget) or _by_cubes(
            engine.engine, instance, listing, random, budget, engine.workers
        )
    return _by_cubes(engine, instance, listing, random, budget, 1)


def _solved(engine: Engine, instance: Instance, listing: bool, limits: Limits) -> Outcome:
    if not listing and isinstance(engine, CountingEngine):
        return _uninterrupted(engine.count(instance, limits))
    return _uninterrupted(engine.enumerate(instance, ignore, limits))


def _uninterrupted(outcome: Outcome) -> Outcome:
    """Return an outcome, but for Ctrl-C, which a search takes for its own end: here it ends the estimate."""
    if outcome.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome


def _summed(parts: Sequence[_Part], whole: float, by: str, workers: int = 1, more: float = 0.0) -> Cost:
    """Return the cost of `whole` parts, of which some were timed; `more` seconds come on top."""
    seconds = interval([part.seconds for part in parts]).times(whole / workers).plus(known(more))
    numbers = [part.nodes for part in parts if part.nodes is not None]
    return Cost(seconds, interval(numbers).times(whole) if len(numbers) == len(parts) else None, None, by)


def _timed(work: Callable[[], _Part], budget: float) -> list[_Part]:
    """Do parts until there are enough of them, or the budget is spent."""
    latest = time.perf_counter() + budget
    parts: list[_Part] = []
    while len(parts) < FEWEST_PARTS or (len(parts) < PARTS and time.perf_counter() < latest):
        parts.append(work())
    return parts


# ------------------------------------------------------------------------------------------- the quadrant join


def _numba() -> bool:
    from importlib.util import find_spec

    return find_spec("numba") is not None


def _refuse_large_tables(n: int) -> None:
    """Raise UnsupportedInstance for a board whose join takes minutes and many GiB before it counts anything."""
    if n > LARGEST_JOIN:
        raise UnsupportedInstance(f"the join is timed up to {LARGEST_JOIN} rows: for {n} its tables are too large")


def _by_row_splits(n: int, workers: int, random: Random, budget: float) -> Cost:
    from nqueens_models.engines.bitmask.quadrant_join import QuadrantJoin

    QuadrantJoin(8)  # loads the kernels
    started = time.perf_counter()
    join = QuadrantJoin(n)
    building = time.perf_counter() - started
    together = min(16, join.row_splits)

    def work() -> _Part:
        first = int(random.integers(0, join.row_splits - together + 1))
        began = time.perf_counter()
        join.count(first, first + together)
        return _Part(time.perf_counter() - began)

    work()  # makes the working memory
    parts = _timed(work, budget)
    return _summed(parts, join.row_splits / together, "row splits of the join", workers, building)


# ------------------------------------------------------------------------------------------- starts, compiled


def _has_rows(engine: BitmaskEngine, instance: Instance) -> bool:
    """Whether the compiled search row by row would be chosen, had it been loaded."""
    board = Family(instance).residual()
    return board is not None and engine.searches_rows(board, instance) and _numba()


def _by_starts(engine: BitmaskEngine, instance: Instance, listing: bool, random: Random, budget: float) -> Cost:
    from nqueens_models.engines.bitmask import compiled_rows
    from nqueens_models.engines.bitmask.centre_lines import Starts, starts

    found = starts(instance)
    whole = len(found.images)

    def work(number: int) -> _Part:
        kept = random.choice(whole, min(number, whole), replace=False)
        some = Starts(found.placements[kept], found.images[kept])
        searched = conduct(lambda recorder: compiled_rows.search(recorder, listing, 1, some), instance)
        outcome = _uninterrupted(searched)
        return _Part(outcome.solve_seconds, outcome.statistics["nodes"])

    work(1)  # loads the kernels
    together, part = 1, work(1)
    while part.seconds < max(SHORTEST, budget / (4 * PARTS)) and together < whole:
        together *= 2
        part = work(together)
    together = min(together, whole)
    return _summed(
        _timed(lambda: work(together), budget), whole / together, "starts on the centre lines", engine.workers
    )


# ------------------------------------------------------------------------------------------- cubes


def _by_orbits(
    search: CubeSearch, instance: Instance, listing: bool, random: Random, budget: float
) -> Cost | None:
    """Return the cost by orbits of cubes, or None if these are too large."""
    orbits = cube_orbits(instance, search.split, search.symmetry)
    if not orbits:
        return Cost(known(0.0), None, known(0), "the whole search")
    limits = Limits(seconds=budget)
    parts: list[_Part] = []
    latest = time.perf_counter() + budget
    while len(parts) < FEWEST_PARTS or (len(parts) < PARTS and time.perf_counter() < latest):
        orbit = orbits[int(random.integers(len(orbits)))]
        began = time.perf_counter()
        cube = instance.with_fixed(orbit.fixed, orbit.blocked)
        outcome = _solved(search.engine, cube, listing, limits)
        if outcome.termination is not Termination.EXHAUSTED:
            return None
        parts.append(_Part(time.perf_counter() - began, outcome.statistics.get("nodes")))
    return _summed(parts, len(orbits), "orbits of cubes", search.workers)


def _by_cubes(
    engine: Engine, instance: Instance, listing: bool, random: Random, budget: float, workers: int
) -> Cost:
    """Return the cost by cubes that have so many queens more that each takes a small part of the budget."""
    tree = Tree(instance, Order.FEWEST)
    levels = tree.descend(tree.some, random).sizes
    below = levels[::-1].cumsum()[::-1]  # nodes of each level and those below
    level = int(np.argmax((below <= CUBE_NODES * levels) & (levels >= min(SMALLEST_LEVEL, levels.max()))))
    while True:
        cubes = tree.draw(level, PARTS, random)
        parts = _timed_cubes(engine, [instance.with_fixed(squares) for squares in cubes], listing, budget)
        if len(parts) >= min(FEWEST_PARTS, len(cubes)) or level == tree.queens:
            return _summed(parts, float(levels[level]), f"cubes of {level} queens more", workers)
        level += max(1, (tree.queens - level) // 8)


def _timed_cubes(engine: Engine, cubes: Sequence[Instance], listing: bool, budget: float) -> list[_Part]:
    """Solve cubes until the budget is spent, or one takes too much of it."""
    latest = time.perf_counter() + budget
    parts: list[_Part] = []
    for cube in cubes:
        began = time.perf_counter()
        outcome = _solved(engine, cube, listing, Limits(seconds=budget / FEWEST_PARTS))
        if outcome.termination is not Termination.EXHAUSTED:
            return []
        parts.append(_Part(time.perf_counter() - began, outcome.statistics.get("nodes")))
        if time.perf_counter() >= latest:
            break
    return parts


# ------------------------------------------------------------------------------------------- what listing adds


def seconds_to_write(instance: Instance, random: Random) -> float:
    """Return the seconds for each solution that judging, sorting and writing takes."""
    n = instance.n
    block: Block = random.permuted(np.tile(np.arange(n, dtype=np.min_scalar_type(n)), (SAMPLE_ROWS, 1)), axis=1)
    began = time.perf_counter()
    valid_rows(instance, block)
    ordered = block[lexicographic_order(block)]
    for _ in columns_text(ordered):
        pass
    return (time.perf_counter() - began) / SAMPLE_ROWS
