"""A portion: the shards that are searched together, solved and written by one worker."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nqueens_models.cubes import make_search
from nqueens_models.engines.base import Engine, Limits, Termination
from nqueens_models.engines.recorder import observed
from nqueens_models.instance import Block, Instance
from nqueens_models.run import Collector, execute, with_solutions
from nqueens_models.shards.files import write_shard
from nqueens_models.shards.manifest import Entry


class Target(NamedTuple):
    """A shard that is to be written."""

    shard: int
    prefix: tuple[int, ...]
    path: Path


@dataclass(frozen=True)
class Portion:
    """A cube, and the files that take its solutions: the first target those, the second their mirror images."""

    cube: Instance
    targets: Sequence[Target]
    engine: Engine
    search: str | None
    symmetry: bool
    deadline: float | None  # a time of day, `time.time()`: it may wait for a worker


def list_portion(portion: Portion) -> tuple[Termination, list[Entry]]:
    """Search, judge, sort and write; there are entries only if the search was exhausted.

    Raises what `execute` raises, DuplicateSolution, and OSError.
    """
    limits = Limits(seconds=None if portion.deadline is None else max(portion.deadline - time.time(), 1e-6))
    searcher = make_search(portion.engine, portion.cube, portion.search, portion.symmetry)
    collector = Collector(portion.cube)
    with observed(unobserved):
        run = execute(searcher, portion.cube, collector, limits)
    if not run.complete:
        return run.termination, []
    solutions = with_solutions(run, collector).solutions
    assert solutions is not None
    del collector
    return run.termination, [_written(target, solutions.array, i) for i, target in enumerate(portion.targets)]


def _written(target: Target, block: Block, image: int) -> Entry:
    size, digest = write_shard(target.path, mirrored(block) if image else block)
    return Entry(target.shard, target.prefix, target.path.name, len(block), size, digest)


def mirrored(block: Block) -> Block:
    """Return the mirror images of a sorted block, sorted: larger columns become smaller ones."""
    images: Block = (block.shape[1] - 1 - block[::-1]).astype(block.dtype)
    return images


def unobserved(found: int, fraction: float | None) -> None:
    """Keep the progress of a part from being shown as that of the listing."""
