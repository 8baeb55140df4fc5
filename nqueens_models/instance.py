"""One instance of the n-queens family: validated, immutable, hashable, picklable."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import InvalidInstance

Square = tuple[int, int]
"""(row, column), both 0-based."""
Placement = tuple[int, ...]
"""The column of the queen of each row, 0-based."""
Block = NDArray[np.unsignedinteger[Any]]
"""Shape (k, n): k placements, row -> column, 0-based; the smallest unsigned dtype that holds n."""


def block_dtype(n: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the smallest unsigned dtype that holds n."""
    return np.dtype(np.min_scalar_type(n))


class Diagonals(StrEnum):
    """What two queens may not share besides a row and a column."""

    FULL = "full"  #         a diagonal (chess queens, CSPLib 054)
    MODULAR = "modular"  #   a diagonal that wraps round the board's edges (toroidal queens)
    ADJACENT = "adjacent"  # a corner: they may stand on one diagonal but not touch (region puzzles)


@dataclass(frozen=True, init=False, slots=True)
class Instance:
    """A board of n rows and n columns that takes n queens, one in every row and column.

    `fixed` queens are part of every solution (n-queens completion, CSPLib 079), `blocked` squares of none
    (CSPLib 080), and each of the n `regions`, if there are any, holds exactly one queen. Squares are kept sorted
    and once each; regions are kept as a matrix of 0..n-1, numbered in the order in which they first appear, so
    that equal instances compare and hash equal however they were written.
    """

    n: int
    diagonals: Diagonals
    fixed: tuple[Square, ...]
    blocked: tuple[Square, ...]
    regions: tuple[tuple[int, ...], ...] | None

    def __init__(
        self,
        n: SupportsIndex,
        diagonals: Diagonals | str = Diagonals.FULL,
        fixed: Iterable[Sequence[SupportsIndex]] = (),
        blocked: Iterable[Sequence[SupportsIndex]] = (),
        regions: Iterable[Iterable[Hashable]] | None = None,
    ) -> None:
        """Validate and normalise.

        `regions` is n rows of n labels (strings or any hashable values). Raises InvalidInstance, naming the
        square or row, for a square off the board, one that is fixed and blocked, and regions that are not n rows
        of n labels of n kinds. Fixed queens that attack each other are a valid instance without solutions.
        """
        size = _size(n)
        fixed_squares = _squares(fixed, size, "fixed queen")
        blocked_squares = _squares(blocked, size, "blocked square")
        both = set(fixed_squares) & set(blocked_squares)
        if both:
            raise InvalidInstance(f"square {min(both)} is both fixed and blocked")
        object.__setattr__(self, "n", size)
        object.__setattr__(self, "diagonals", _diagonals(diagonals))
        object.__setattr__(self, "fixed", fixed_squares)
        object.__setattr__(self, "blocked", blocked_squares)
        object.__setattr__(self, "regions", None if regions is None else _regions(regions, size))

    @property
    def is_plain(self) -> bool:
        """Whether this is the n-queens problem itself: full diagonals and nothing else."""
        return self.diagonals is Diagonals.FULL and not (self.fixed or self.blocked or self.regions)

    def with_fixed(self, squares: Iterable[Square], blocked: Iterable[Square] = ()) -> Instance:
        """Return the cube of this instance in which the queens on `squares` are fixed too.

        More squares may be `blocked` in it, so that cubes can be told apart by where they have no queen.
        """
        more = Instance(self.n, self.diagonals, squares, blocked)  # only what is new has to be validated
        cube = object.__new__(Instance)
        cube.__setstate__(self.__getstate__())
        for name in ("fixed", "blocked"):
            both = {*getattr(self, name), *getattr(more, name)}
            object.__setattr__(cube, name, tuple(sorted(both)))
        contradiction = set(cube.fixed) & set(cube.blocked) if cube.blocked else ()
        if contradiction:
            raise InvalidInstance(f"square {min(contradiction)} is both fixed and blocked")
        return cube

    def unblocked(self) -> NDArray[np.bool_]:
        """Return an array of shape (n, n): which squares are not blocked."""
        free = np.ones((self.n, self.n), dtype=np.bool_)
        if self.blocked:
            free[tuple(np.array(self.blocked).T)] = False
        return free

    def to_dict(self) -> dict[str, Any]:
        """Return the canonical form of which `canonical_json` is the text (formats/instance.schema.json)."""
        return {
            "format": "nqueens_models.instance",
            "version": 1,
            "n": self.n,
            "diagonals": str(self.diagonals),
            "fixed": [list(square) for square in self.fixed],
            "blocked": [list(square) for square in self.blocked],
            "regions": None if self.regions is None else [list(row) for row in self.regions],
        }

    def canonical_json(self) -> str:
        """Return the one text in ASCII that stands for this instance (keys sorted, no white space)."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))

    def digest(self) -> str:
        """Return the SHA-256 of `canonical_json` in hexadecimal: the same on every machine."""
        return hashlib.sha256(self.canonical_json().encode("ascii")).hexdigest()

    def __str__(self) -> str:
        parts = [f"n={self.n}"]
        if self.diagonals is not Diagonals.FULL:
            parts.append(f"{self.diagonals} diagonals")
        if self.regions is not None:
            parts.append("regions")
        parts += [f"{len(s)} {word}" for s, word in ((self.fixed, "fixed"), (self.blocked, "blocked")) if s]
        return ", ".join(parts)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


def _size(n: SupportsIndex) -> int:
    if isinstance(n, bool | np.bool_) or not hasattr(n, "__index__"):
        raise InvalidInstance(f"n must be a whole number, not {n!r}")
    size = operator.index(n)
    if size < 0:
        raise InvalidInstance(f"n must be 0 or more, not {size}")
    return size


def _diagonals(rule: Diagonals | str) -> Diagonals:
    try:
        return Diagonals(rule)
    except ValueError:
        raise InvalidInstance(f"no diagonal rule {rule!r}; there are {', '.join(Diagonals)}") from None


def _squares(squares: Iterable[Sequence[SupportsIndex]], n: int, what: str) -> tuple[Square, ...]:
    distinct: set[Square] = set()
    for square in squares:
        try:
            row, column = (operator.index(part) for part in square)
        except (TypeError, ValueError):
            raise InvalidInstance(f"{what} {square!r} is not a pair of whole numbers (row, column)") from None
        if not (0 <= row < n and 0 <= column < n):
            raise InvalidInstance(f"{what} {(row, column)} is off the board of {n} rows and columns (0-based)")
        distinct.add((row, column))
    return tuple(sorted(distinct))


def _regions(regions: Iterable[Iterable[Hashable]], n: int) -> tuple[tuple[int, ...], ...]:
    rows = [tuple(row) for row in regions]
    if len(rows) != n:
        raise InvalidInstance(f"regions have {len(rows)} rows on a board of {n}")
    for number, row in enumerate(rows):
        if len(row) != n:
            raise InvalidInstance(f"row {number} of the regions (0-based) has {len(row)} squares, not {n}")
    numbers: dict[Hashable, int] = {}
    try:
        matrix = tuple(tuple(numbers.setdefault(label, len(numbers)) for label in row) for row in rows)
    except TypeError:
        raise InvalidInstance("the labels of the regions must be strings or numbers") from None
    if len(numbers) != n:
        raise InvalidInstance(f"there are {len(numbers)} regions on a board that needs {n}")
    return matrix
