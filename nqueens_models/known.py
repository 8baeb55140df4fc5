"""Published counts of the family, with their numbers in the On-Line Encyclopedia of Integer Sequences."""

from __future__ import annotations

from dataclasses import dataclass

from nqueens_models.instance import Diagonals, Instance

A000170 = (
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
    4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736, 2207893435808352,
    22317699616364044, 234907967154122528,
)  # fmt: skip
"""Solutions of the n-queens problem, n = 0, 1, ... (https://oeis.org/A000170)."""

A002562 = (
    1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752, 285053, 1846955, 11977939, 83263591, 621012754,
    4878666808, 39333324973, 336376244042, 3029242658210, 28439272956934, 275986683743434, 2789712466510289,
    29363495934315694,
)  # fmt: skip
"""Fundamental solutions of the n-queens problem, n = 1, 2, ... (https://oeis.org/A002562)."""

A051906 = (
    1, 0, 0, 0, 10, 0, 28, 0, 0, 0, 88, 0, 4524, 0, 0, 0, 140692, 0, 820496, 0, 0, 0, 128850048, 0, 1957725000,
    0, 0, 0, 605917055356, 0, 13404947681712, 0, 0, 0,
)  # fmt: skip
"""Solutions on modular boards, n = 1, 2, ... (https://oeis.org/A051906)."""


@dataclass(frozen=True)
class Published:
    """A count, and the OEIS sequence that states it."""

    count: int
    sequence: str


def published_count(instance: Instance, fundamental: bool = False) -> Published | None:
    """Return the published number of solutions (or of fundamental ones), if there is one."""
    n = instance.n
    if instance.fixed or instance.blocked or instance.regions is not None:
        return None
    if instance.diagonals is Diagonals.FULL:
        if not fundamental:
            return _term(A000170, n, "A000170")
        return _term(A002562, n - 1, "A002562")
    if instance.diagonals is Diagonals.MODULAR and not fundamental:
        return _term(A051906, n - 1, "A051906")
    return None


def _term(sequence: tuple[int, ...], index: int, name: str) -> Published | None:
    return Published(sequence[index], name) if 0 <= index < len(sequence) else None
