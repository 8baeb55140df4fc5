"""How an instance is divided in shards: by the columns of the queens of its first rows.

Fixed queens are the same in every solution, so the rows that count are the first that are not decided by one. If
the instance is its own left-right mirror image, so is the list: the mirror image of a shard, read backwards, is
the shard of the mirrored prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from nqueens_models.estimate.population import Order
from nqueens_models.estimate.tree_size import tree_size
from nqueens_models.instance import Instance, Square, block_dtype
from nqueens_models.known import published_count
from nqueens_models.symmetry import Symmetry, stabiliser
from nqueens_models.verify import broken_by_pair

SHARD_BYTES = 24 << 20  #  a shard should have no more on the average: 2**20 queens are several times that at work
MOST_SHARDS = 1 << 16  #   more files than this in a folder help nobody
BOARDS = 200  #            of the populations that estimate how many solutions there are
LEFT_RIGHT = Symmetry(reverse_columns=True)


@dataclass(frozen=True)
class Sharding:
    """The shards of an instance, numbered in the order of their prefixes: the columns in `rows`."""

    instance: Instance
    rows: tuple[int, ...]

    @cached_property
    def prefixes(self) -> tuple[tuple[int, ...], ...]:
        """Every prefix that breaks no rule, in lexicographic order."""
        return tuple(prefixes(self.instance, self.rows))

    def __len__(self) -> int:
        return len(self.prefixes)

    def cube(self, shard: int) -> Instance:
        """Return the instance whose solutions are those of one shard."""
        return self.instance.with_fixed(zip(self.rows, self.prefixes[shard], strict=True))

    def portions(self, symmetry: bool = True) -> list[tuple[int, ...]]:
        """Return the shards that are searched together: each alone, or with its mirror image after it."""
        numbers = {prefix: number for number, prefix in enumerate(self.prefixes)}
        if not (symmetry and LEFT_RIGHT in stabiliser(self.instance)):
            return [(number,) for number in numbers.values()]
        n = self.instance.n
        images = [numbers[tuple(n - 1 - column for column in prefix)] for prefix in self.prefixes]
        pairs = ((number, image) for number, image in enumerate(images) if number <= image)
        return [(number,) if number == image else (number, image) for number, image in pairs]


def sharding_of(instance: Instance) -> Sharding:
    """Return the sharding by the fewest rows whose shards have SHARD_BYTES or less on the average.

    By one row at least, where there is one, and no more than MOST_SHARDS shards.
    """
    held = {row for row, _ in instance.fixed}
    rows = [row for row in range(instance.n) if row not in held]
    size = expected_solutions(instance) * instance.n * block_dtype(instance.n).itemsize
    shards = 0
    for number in range(min(1, len(rows)), len(rows) + 1):
        more = list(islice(prefixes(instance, rows[:number]), MOST_SHARDS + 1))
        if len(more) > MOST_SHARDS:
            break
        sharding = Sharding(instance, tuple(rows[:number]))
        if size <= SHARD_BYTES * len(more) or len(more) < shards:
            break
        shards = len(more)
    return sharding


def prefixes(instance: Instance, rows: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the columns of queens in `rows` that break no rule, with each other and the fixed ones, in order."""
    yield from _extended(instance, rows, ())


def _extended(instance: Instance, rows: Sequence[int], prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(prefix) == len(rows):
        yield prefix
        return
    for column in free_columns(instance, rows, prefix):
        yield from _extended(instance, rows, (*prefix, column))


def free_columns(instance: Instance, rows: Sequence[int], prefix: Sequence[int]) -> list[int]:
    """Return the columns in which the next of `rows` may have its queen, by the rules from first principles."""
    row = rows[len(prefix)]
    queens: list[Square] = [*instance.fixed, *zip(rows, prefix, strict=False)]
    blocked = {column for r, column in instance.blocked if r == row}
    return [
        column
        for column in range(instance.n)
        if column not in blocked and not any(_clash(instance, queen, (row, column)) for queen in queens)
    ]


def _clash(instance: Instance, first: Square, second: Square) -> bool:
    return next(broken_by_pair(instance, first, second), None) is not None


def expected_solutions(instance: Instance) -> float:
    """Return the published number of solutions, or else an estimate that is always the same."""
    published = published_count(instance)
    if published is not None:
        return published.count
    random = np.random.default_rng(0)
    return tree_size(instance, Order.FEWEST, random, seconds=1.0, boards=BOARDS).solutions.value
