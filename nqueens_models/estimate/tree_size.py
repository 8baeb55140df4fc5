"""How many solutions, and how many nodes of a tree, there are: from many descents of a population."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nqueens_models.errors import UnsupportedInstance
from nqueens_models.estimate.interval import NOTHING_SEEN, REPLICATES, Interval, interval, known
from nqueens_models.estimate.population import Levels, Order, Tree
from nqueens_models.instance import Instance

PILOT = 64  #             boards of the first, small population
FEW_BOARDS = 128  #       for so many it may take twice the time: with 64, intervals of one board held 89.5 %
MOST_BOARDS = 1 << 15  #  more than that helps no more than more descents


class TreeSize(NamedTuple):
    """What descents say: solutions, nodes, and the mean size of each level."""

    solutions: Interval
    nodes: Interval
    levels: Sequence[float]
    boards: int  # of a population


def tree_size(
    instance: Instance, order: Order, random: np.random.Generator, seconds: float, boards: int | None = None
) -> TreeSize:
    """Estimate by REPLICATES descents of `boards` each, or of as many as `seconds` are enough for.

    With `boards` the same random numbers give the same estimate everywhere; without, time has a say. A tree that
    fits into a population is counted exactly.
    """
    tree = Tree(instance, order)
    if boards is None:
        started = time.perf_counter()
        pilot = tree.descend(PILOT, random)
        if pilot.exact:
            return _exact(pilot, PILOT)
        pace = PILOT / max(time.perf_counter() - started, 1e-5)
        boards = population_for(pace * seconds / REPLICATES)
    first = _finite(tree.descend(boards, random))
    if first.exact:
        return _exact(first, boards)
    return _summary([first, *(_finite(tree.descend(boards, random)) for _ in range(REPLICATES - 1))], boards)


def population_for(affordable: float) -> int:
    """Return how many boards a population has when the time is enough for so many."""
    return int(min(MOST_BOARDS, max(PILOT, affordable, min(FEW_BOARDS, 2 * affordable))))


def _exact(levels: Levels, boards: int) -> TreeSize:
    return TreeSize(known(levels.solutions), known(levels.nodes), levels.sizes.tolist(), boards)


def _finite(levels: Levels) -> Levels:
    if not np.isfinite(levels.sizes).all():
        raise UnsupportedInstance("there are too many solutions for floating-point numbers")
    return levels


def _summary(descents: Sequence[Levels], boards: int) -> TreeSize:
    """Put replicates together. Solutions that were seen are there; if none was, there may be some unseen."""
    unseen = NOTHING_SEEN * max(one.weight for one in descents)
    solutions = interval([one.solutions for one in descents], max(one.found for one in descents), unseen)
    nodes = interval([one.nodes for one in descents])
    return TreeSize(solutions, nodes, np.mean([one.sizes for one in descents], axis=0).tolist(), boards)
