"""Symmetry of an instance: its stabiliser, orbits of placements, fundamental solutions.

The square has eight symmetries; a modular board has its n * n translations too. The stabiliser of an instance are
those of them that map it onto itself, so they map solutions to solutions. Everything here is relative to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Diagonals, Instance, Square
from nqueens_models.solutions import first_of_equals, lexicographic_order, packed_rows

Array = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """The map (row, column) -> transpose first, then reverse rows, reverse columns, then translate (mod n)."""

    transpose: bool = False
    reverse_rows: bool = False
    reverse_columns: bool = False
    down: int = 0
    right: int = 0

    def square(self, square: Square, n: int) -> Square:
        """Return the image of a square (0-based) of a board of n rows."""
        row, column = square[::-1] if self.transpose else square
        row = n - 1 - row if self.reverse_rows else row
        column = n - 1 - column if self.reverse_columns else column
        return (row + self.down) % n, (column + self.right) % n

    def block(self, block: Array) -> Array:
        """Return the images of the placements of a block of shape (k, n), each a permutation of 0..n-1."""
        n = block.shape[1]
        if n == 0:
            return block
        image = _inverse(block) if self.transpose else block
        image = image[:, ::-1] if self.reverse_rows else image
        image = (n - 1 - image).astype(block.dtype) if self.reverse_columns else image
        if self.down:
            image = np.roll(image, self.down, axis=1)
        if self.right:
            image = ((image.astype(np.int64) + self.right) % n).astype(block.dtype)
        return image


IDENTITY = Symmetry()
MIRRORS = tuple(Symmetry(*flags) for flags in product((False, True), repeat=3))
"""The eight symmetries of the square, the identity first."""


def _inverse(block: Array) -> Array:
    """Return the transposed boards: the row of the queen of each column."""
    k, n = block.shape
    inverse = np.empty_like(block)
    inverse[np.arange(k)[:, None], block] = np.arange(n, dtype=block.dtype)
    return inverse


def stabiliser(instance: Instance) -> tuple[Symmetry, ...]:
    """Return the symmetries that map the instance onto itself, the identity first.

    Among the eight of the square, and on a modular board these after any of the n * n translations.
    """
    n = instance.n
    steps = range(n) if instance.diagonals is Diagonals.MODULAR and n else range(1)
    group = (
        Symmetry(m.transpose, m.reverse_rows, m.reverse_columns, down, right)
        for m in MIRRORS
        for down, right in product(steps, repeat=2)
    )
    if not (instance.fixed or instance.blocked or instance.regions):
        return tuple(group)
    return tuple(symmetry for symmetry in group if _preserves(symmetry, instance))


def _preserves(symmetry: Symmetry, instance: Instance) -> bool:
    n = instance.n
    for squares in (instance.fixed, instance.blocked):
        present = set(squares)
        if any(symmetry.square(square, n) not in present for square in squares):
            return False
    return instance.regions is None or _maps_regions(symmetry, instance.regions, n)


def _maps_regions(symmetry: Symmetry, regions: tuple[tuple[int, ...], ...], n: int) -> bool:
    """Return whether every region is mapped onto one region."""
    image_of: dict[int, int] = {}
    for row, column in product(range(n), repeat=2):
        image_row, image_column = symmetry.square((row, column), n)
        image = regions[image_row][image_column]
        if image_of.setdefault(regions[row][column], image) != image:
            return False
    return True


@dataclass(frozen=True)
class Orbits:
    """For k placements: `least`, boolean, shape (k,): is it the least of its orbit; `size`: of its orbit."""

    least: NDArray[np.bool_]
    size: NDArray[np.int64]


def orbits(block: Array, group: Iterable[Symmetry]) -> Orbits:
    """Judge each placement of a block of shape (k, n) by its images under a group of symmetries.

    Takes memory for a few blocks, whatever the size of the group. The fundamental solutions of a set are the rows
    where `least` holds; their `size`s add up to the size of a set that is closed under the group.
    """
    own = packed_rows(block)
    least = np.ones(len(block), dtype=np.bool_)
    stable = np.zeros(len(block), dtype=np.int64)
    order = 0
    for symmetry in group:
        order += 1
        smaller, equal = _compare(packed_rows(symmetry.block(block)), own)
        least &= ~smaller
        stable += equal
    return Orbits(least, order // stable)


def _compare(left: NDArray[np.uint64], right: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Compare packed rows, shape (words, k): where is left < right, and where are they equal."""
    smaller = np.zeros(left.shape[1], dtype=np.bool_)
    equal = ~smaller
    for left_word, right_word in zip(left, right, strict=True):
        smaller |= equal & (left_word < right_word)
        equal &= left_word == right_word
    return smaller, equal


def expand(block: Array, group: Iterable[Symmetry]) -> Array:
    """Return the images of the placements of a block of shape (k, n), each once, shape (k', n), sorted."""
    images = np.concatenate([symmetry.block(block) for symmetry in group])
    ordered = images[lexicographic_order(images)]
    return ordered[first_of_equals(ordered)]


def orbit(placement: Sequence[int], group: Iterable[Symmetry]) -> list[list[int]]:
    """Return the distinct images of one placement, sorted."""
    images: list[list[int]] = expand(np.array([placement], dtype=np.uint64), group).tolist()
    return images
