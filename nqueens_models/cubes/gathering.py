"""Solutions on their way from the cubes to the visitor: expanded by the symmetries, some thousands at a time."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.base import Block, Limits, Outcome
from nqueens_models.engines.recorder import Recorder
from nqueens_models.symmetry import Symmetry

Symmetries = tuple[Symmetry, ...]
GATHERED = 1 << 12  # expanded placements that are visited together
PIECE = 1 << 14  #    placements expanded at a time, so that memory stays small


class Totals:
    """Sums over the cubes that were solved."""

    def __init__(self) -> None:
        self.build_seconds = 0.0
        self.statistics: Counter[str] = Counter(cubes=0)

    def add_cube(self, outcome: Outcome) -> None:
        """Take the outcome of one cube, solved in this process."""
        self.build_seconds += outcome.build_seconds
        self.statistics.update(outcome.statistics)
        self.statistics["cubes"] += 1

    def completed(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the whole search: making the cubes and building their models are building."""
        building = min(self.build_seconds, outcome.solve_seconds)
        return replace(
            outcome,
            build_seconds=outcome.build_seconds + building,
            solve_seconds=outcome.solve_seconds - building,
            statistics=dict(self.statistics),
        )


class Gathering:
    """Takes the solutions of the least cube of each orbit; gives the visitor those of the whole orbit.

    Every solution is followed by its images, so the order does not depend on when the blocks are visited. Cubes
    often have a few solutions each: expanding them one by one would cost more than solving them.
    """

    def __init__(self, recorder: Recorder, totals: Totals) -> None:
        self.recorder = recorder
        self.totals = totals
        self.cubes = self.cubes_done = 0  # for the display of progress
        self._pending: list[tuple[Symmetries, list[Block]]] = []
        self._rows = 0
        self._flushed = -inf  # the first solutions do not wait

    def limits(self, images: int) -> Limits:
        """Return the limits for a cube with so many images: what is left of ours, at least one solution."""
        self.recorder.check_time()
        left = self.recorder.solutions_left()
        wanted = None if left is None else max(1, -(-(left - self._rows) // images))
        seconds = self.recorder.seconds_left()
        return Limits(wanted, None if np.isinf(seconds) else max(seconds, 1e-6))

    def add(self, symmetries: Symmetries, block: Block) -> None:
        """Take solutions of a cube, shape (k, n). May visit, and raise what the visitor or the recorder raises."""
        for start in range(0, len(block), PIECE):
            self._add_piece(block[start : start + PIECE], symmetries)

    def _add_piece(self, piece: Block, symmetries: Symmetries) -> None:
        if not self._pending or self._pending[-1][0] is not symmetries:
            self._pending.append((symmetries, []))
        self._pending[-1][1].append(piece)
        self._rows += len(piece) * len(symmetries)
        self._flush_when_due()

    def count(self, number: int) -> None:
        """Take solutions of the whole orbit that are counted but not listed."""
        self.recorder.count(number)

    def cube_done(self, cubes: int = 1) -> None:
        """Note that one cube more, or some, are solved."""
        self.cubes_done += cubes
        self._flush_when_due()
        if self.cubes:
            self.recorder.progress(self.cubes_done / self.cubes)

    def _flush_when_due(self) -> None:
        waited = time.perf_counter() - self._flushed
        if self._rows >= GATHERED or (self._rows and waited >= Recorder.FLUSH_SECONDS):
            self.flush()

    def flush(self) -> None:
        """Visit what has been gathered: all of it, as one block."""
        pending, self._pending, self._rows = self._pending, [], 0
        self._flushed = time.perf_counter()
        if pending:
            self.recorder.solutions(np.concatenate([_expanded(blocks, group) for group, blocks in pending]))


def _expanded(blocks: list[Block], symmetries: Symmetries) -> NDArray[Any]:
    """Return each placement followed by its images."""
    block = np.concatenate(blocks)
    if len(symmetries) == 1:
        return block
    images = np.stack([symmetry.block(block) for symmetry in symmetries], axis=1)
    return images.reshape(-1, block.shape[1])
