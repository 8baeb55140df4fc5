"""The estimate as a whole: see `population` for the tree, `cost` for the seconds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nqueens_models.cubes import label, make_search, taken_apart
from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidSetting, UnsupportedInstance
from nqueens_models.estimate.cost import Cost, cost, seconds_to_write
from nqueens_models.estimate.interval import Interval
from nqueens_models.estimate.population import Order
from nqueens_models.estimate.tree_size import TreeSize, tree_size
from nqueens_models.instance import Instance, block_dtype
from nqueens_models.known import Published, published_count

TEXTBOOK = ("column-sets", "conflict-check", "attack-table")
"""Engines whose nodes are the levels of the tree of rows in order."""


@dataclass(frozen=True)
class Estimate:
    """What a run will give and take, with 95 % intervals; what was found out exactly says so.

    `nodes` and `seconds_to_count` are those of `engine`, with its number of workers; `seconds_to_list` includes
    judging, sorting and writing the solutions as text. `by` tells what was timed. `published` is the known number
    of solutions, which is shown and not used.
    """

    instance: Instance
    engine: str
    workers: int
    solutions: Interval
    nodes: Interval | None
    seconds_to_count: Interval | None
    seconds_to_list: Interval | None
    text_bytes: Interval
    npy_bytes: Interval
    by: str
    published: Published | None

    def facts(self) -> dict[str, Any]:
        """Return what JSON says about it."""
        names = ("solutions", "nodes", "seconds_to_count", "seconds_to_list", "text_bytes", "npy_bytes")
        values: dict[str, Interval | None] = {name: getattr(self, name) for name in names}
        published = self.published
        return {
            "instance": self.instance.to_dict(),
            "engine": self.engine,
            "workers": self.workers,
            **{name: None if value is None else value.facts() for name, value in values.items()},
            "by": self.by,
            "published": None if published is None else {"count": published.count, "oeis": published.sequence},
        }


def estimate(
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
    seconds: float = 1.5,
    boards: int | None = None,
    seed: int = 0,
    timing: bool = True,
) -> Estimate:
    """Estimate the number of solutions, and what `engine` will take, in about `seconds`.

    What it takes to load or compile the engine is not part of `seconds`. With `boards`, the population of each of
    20 descents of the tree, the number of solutions depends on the seed alone. Without `timing` no engine runs:
    its nodes and seconds are None. Raises InvalidSetting, and what the engine raises.
    """
    if not (seconds > 0 and np.isfinite(seconds)) or (boards is not None and boards < 1):
        raise InvalidSetting("an estimate takes a finite time above 0, and a population of 1 board or more")
    board = instance if isinstance(instance, Instance) else Instance(instance)
    searcher = make_search(make_engine(engine), board, search, symmetry, workers)
    random = np.random.default_rng(seed)
    size = tree_size(board, Order.FEWEST, random, seconds / 3, boards)
    if not timing:
        return _put_together(board, searcher, workers, size, None, None, 0.0)
    inner, _ = taken_apart(searcher)
    counting = cost(searcher, board, size, False, random, seconds / 3)
    if inner.name in TEXTBOOK and (counting.nodes is None or not counting.nodes.exact):
        counting = replace(counting, nodes=tree_size(board, Order.ROWS, random, seconds / 6, boards).nodes)
    listing: Cost | None = counting
    if inner.name == "bitmask":
        with suppress(UnsupportedInstance):  # the join only counts
            listing = None
            listing = cost(searcher, board, size, True, random, seconds / 3)
    if counting.solutions is not None:
        size = size._replace(solutions=counting.solutions)
    return _put_together(board, searcher, workers, size, counting, listing, seconds_to_write(board, random))


def _put_together(
    instance: Instance,
    searcher: Engine,
    workers: int,
    size: TreeSize,
    counting: Cost | None,
    listing: Cost | None,
    each: float,
) -> Estimate:
    n, solutions = instance.n, size.solutions
    line = max(1, sum(len(str(column)) + 1 for column in range(n)))
    return Estimate(
        instance=instance,
        engine=label(searcher),
        workers=workers,
        solutions=solutions,
        nodes=None if counting is None else counting.nodes,
        seconds_to_count=None if counting is None else counting.seconds,
        seconds_to_list=None if listing is None else listing.seconds.plus(solutions.times(each)),
        text_bytes=solutions.times(line),
        npy_bytes=solutions.times(n * block_dtype(n).itemsize),
        by="the size of the tree" if counting is None else counting.by,
        published=published_count(instance),
    )
