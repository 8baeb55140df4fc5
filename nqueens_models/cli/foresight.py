"""What `solve` and `count` foresee of a long run: how long it takes, and whether its list fills the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from nqueens_models.cli.messages import say
from nqueens_models.engines.base import NO_LIMITS, Engine, Limits
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import NQueensError
from nqueens_models.instance import Instance

DAY = 86_400.0  # seconds
SMALLEST = 14  #            queens to place below which no run is long enough to look ahead
COUNTED_SOON = 20  #        rows of plain boards up to which the join counts in a minute
LARGE = 1e9  #              nodes from which on a second of estimating is a small part of the run
PILOT_BOARDS = 32
ESTIMATE_SECONDS = 1.0
FILLED = 0.95  #            of the free space that a list may take without a word


def foresee(
    engine: Engine,
    instance: Instance,
    limits: Limits = NO_LIMITS,
    target: Path | None = None,
    files: str = "",
    processes: int = 1,
) -> float | None:
    """Return how many seconds a long run to list (`files` is the format) or to count will take, or None.

    Warns when that is more than a day, or when the list does not fit on the disk of `target`. Runs with a limit
    and small boards are not looked at; of others a descent of some boards, a few hundredths of a second, tells
    whether an estimate pays. `processes` share the work, beside the workers that `engine` has itself.
    """
    if limits != NO_LIMITS or instance.n - len(instance.fixed) < SMALLEST:
        return None
    if not files and instance.is_plain and instance.n <= COUNTED_SOON and _joins(engine):
        return None
    if _nodes(instance) < LARGE:
        return None
    return _looked_ahead(engine, instance, target, files, processes)


def _joins(engine: Engine) -> bool:
    """Whether an engine counts plain boards by the join; it is not loaded to be asked about this one."""
    return isinstance(engine, BitmaskEngine) and engine.method in ("auto", "join")


def _nodes(instance: Instance) -> float:
    import numpy as np

    from nqueens_models.estimate.population import Order, Tree

    return Tree(instance, Order.FEWEST).descend(PILOT_BOARDS, np.random.default_rng(0)).nodes


def _looked_ahead(
    engine: Engine, instance: Instance, target: Path | None, files: str, processes: int
) -> float | None:
    from nqueens_models.cli.estimate import bytes_text, seconds_text
    from nqueens_models.estimate import estimate

    try:
        found = estimate(instance, engine, search="plain", seconds=ESTIMATE_SECONDS)
    except NQueensError:
        return None  # the run itself says what is wrong
    seconds = found.seconds_to_list if files else found.seconds_to_count
    size = found.npy_bytes if files in ("npy", "parquet") else found.text_bytes
    if files and target is not None and (free := _free_bytes(target)) * FILLED < size.value:
        say(f"nqueens: the list will take about {bytes_text(size.value)}; {bytes_text(free)} are free on its disk")
    if seconds is None:
        return None
    seconds = seconds.times(1 / processes)
    if seconds.value > DAY:
        between = f"{seconds_text(seconds.low)} to {seconds_text(seconds.high)}"
        say(f"nqueens: this will take about {seconds_text(seconds.value)} (95 %: {between}); --timeout limits it")
    return seconds.value


def _free_bytes(target: Path) -> int:
    folder = next(path for path in (target, *target.absolute().parents) if path.is_dir())
    return shutil.disk_usage(folder).free
