"""Certificates that list one solution of each orbit: what makes that enough.

A certificate that uses symmetry states its symmetries as maps of squares onto squares, and what each auxiliary
variable of its formula says: that the first so many squares of the board and of its image under one of the maps
are the same. Squares are numbered row by row from 0. Of two boards the one comes first that has a queen on the
first square on which they differ; that is the one whose columns, row by row, come first.

1. Each map sends fixed queens to fixed queens, blocked squares to blocked squares, and two squares exclude each
   other exactly when their images do (`check_symmetries`). Solutions are sets of n squares of which no two exclude
   each other, with all fixed and no blocked ones; so images of solutions are solutions.
2. The maps are a group, so that the images of a solution are its orbit, and each orbit has a member that comes
   before its images, or is the same.
3. Give the auxiliary variables the values that they have by what they say. Then a clause that holds whenever a
   board does not come after its image (`Leaders.entail`) holds for the first member of each orbit.

Nothing here is shared with the encoder (models/lex_leader.py) or with symmetry.py: neither is trusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqueens_models.certify.consequences import Rules
from nqueens_models.errors import RejectedCertificate
from nqueens_models.instance import Instance, Placement
from nqueens_models.watch import Watch, unwatched

Maps = NDArray[np.int64]
"""Shape (g, n * n): the square to which each square goes, for each of g symmetries."""


@dataclass(frozen=True)
class Statement:
    """What a certificate says of symmetry.

    `auxiliary` has, for each variable after those of the squares, the number of a map, from 0, and of squares.
    """

    maps: Maps
    auxiliary: Sequence[tuple[int, int]]


def parse_statement(data: bytes, instance: Instance, name: str) -> Statement:
    """Read what `statement_bytes` wrote; raise RejectedCertificate for what says anything else."""
    squares = instance.n**2
    try:
        facts = json.loads(data)
        maps = np.array(facts["symmetries"])
        pairs = np.array(facts["auxiliary"]).reshape(-1, 2)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RejectedCertificate(f"{name} does not state symmetries and auxiliary variables: {error}") from error
    if maps.ndim != 2 or not len(maps) or maps.shape[1] != squares or (squares and maps.dtype != np.int64):
        raise RejectedCertificate(f"{name}: a symmetry is a list of the {squares} squares, each a number")
    if len(pairs) and pairs.dtype != np.int64:
        raise RejectedCertificate(f"{name}: an auxiliary variable is described by two numbers")
    if len(pairs) and (pairs.min() < 0 or (pairs.max(axis=0) >= (len(maps), squares + 1)).any()):
        raise RejectedCertificate(
            f"{name}: an auxiliary variable is about a symmetry or squares that are not there"
        )
    return Statement(maps.astype(np.int64), [(one, length) for one, length in pairs.astype(int).tolist()])


def statement_bytes(maps: Sequence[Sequence[int]], auxiliary: Iterable[tuple[int, int]]) -> bytes:
    """Return the content of the file that states symmetries and auxiliary variables."""
    facts = {"symmetries": [list(one) for one in maps], "auxiliary": [list(one) for one in auxiliary]}
    return (json.dumps(facts, separators=(",", ":")).replace("],[", "],\n[") + "\n").encode("ascii")


def check_symmetries(instance: Instance, maps: Maps, name: str, watch: Watch = unwatched) -> None:
    """Raise RejectedCertificate unless each map is a symmetry of the instance and together they are a group.

    `watch` is called now and then, and may raise to end it.
    """
    squares = np.arange(instance.n**2)
    for number, one in enumerate(maps):
        if not np.array_equal(np.sort(one), squares):
            raise RejectedCertificate(f"{name}: symmetry {number} does not map the squares one to one")
        for what, chosen in (("fixed queens", instance.fixed), ("blocked squares", instance.blocked)):
            present = {instance.n * row + column for row, column in chosen}
            if {int(one[square]) for square in present} != present:
                raise RejectedCertificate(f"{name}: symmetry {number} does not map the {what} onto themselves")
    if (maps != squares).any():
        _check_exclusions(instance, maps, name, watch)
    known = {one.tobytes() for one in maps}
    if not all(known.issuperset(one.tobytes() for one in first[maps]) for first in maps):
        raise RejectedCertificate(f"{name}: one symmetry after another is not always one of them; it is no group")


def _check_exclusions(instance: Instance, maps: Maps, name: str, watch: Watch) -> None:
    n = instance.n
    excludes = Rules(instance).exclusions(watch)
    for number, one in enumerate(maps):
        watch()
        differs = np.argwhere(excludes != excludes[np.ix_(one, one)])
        if len(differs):
            pair = " and ".join(str(divmod(square, n)) for square in differs[0].tolist())
            raise RejectedCertificate(
                f"{name}: symmetry {number} does not map the instance onto itself: only of {pair} or of their "
                "images does one exclude the other"
            )


def images(placements: Sequence[Placement], maps: Maps) -> Iterator[list[Placement]]:
    """Yield for each map the images of the placements, in their order."""
    if not placements or not placements[0]:
        yield from (list(placements) for _ in maps)
        return
    columns = np.array(placements)
    n = columns.shape[1]
    for one in maps:
        rows, moved = np.divmod(one[n * np.arange(n) + columns], n)
        image = np.take_along_axis(moved, np.argsort(rows, axis=1), axis=1)
        yield list(map(tuple, image.tolist()))


class Leaders:
    """A judge of clauses: those that hold for every board that comes after none of its images."""

    def __init__(self, statement: Statement) -> None:
        self._squares = statement.maps.shape[1]
        self._meaning = statement.auxiliary
        self._sent_to = statement.maps.tolist()
        self._sent_from = np.argsort(statement.maps, axis=1).tolist()

    def entail(self, clause: Iterable[int]) -> bool:
        """Whether the clause holds, if the auxiliary variables have the values that they are said to have.

        It is false if all its literals are: then queens stand on some `squares`, and not on others, and some first
        `same` squares of board and image are the same, but not the first `differing`.
        """
        literals, m = set(clause), self._squares
        squares = {abs(literal) - 1: literal < 0 for literal in literals if abs(literal) <= m}
        told = [(*self._meaning[abs(literal) - m - 1], literal < 0) for literal in literals if abs(literal) > m]
        chosen = {number for number, _, _ in told}
        if len(chosen) > 1:
            return False  # it may hold, but not by the order of the board and one image alone
        same = max((length for _, length, negated in told if negated), default=0)
        differing = min((length for _, length, negated in told if not negated), default=m + 1)
        return any(
            self._contradicts(number, squares, same, differing) for number in chosen or range(len(self._sent_to))
        )

    def _contradicts(self, number: int, squares: Mapping[int, bool], same: int, differing: int) -> bool:
        """Whether no board that is not after its image is as described.

        Board and image first differ on a square `first` from `same` on and before `differing`: there stands a
        queen of the board and none of the image. Or they do not differ: `first` is the number of squares.
        """
        sent_to, sent_from = self._sent_to[number], self._sent_from[number]
        unequal = [at for at in squares if squares.get(sent_from[at], squares[at]) != squares[at]]
        last = min([differing - 1, *unequal])  # on an unequal square the boards differ, so not later than there
        return all(
            first < self._squares
            and (sent_to[first] == first or not squares.get(first, True) or squares.get(sent_from[first], False))
            for first in range(same, last + 1)
        )


def first_after_an_image(placements: Sequence[Placement], maps: Maps) -> tuple[int, Placement] | None:
    """Return the index of a placement that comes after an image of itself, and the image, or None."""
    for moved in images(placements, maps):
        for index, (own, image) in enumerate(zip(placements, moved, strict=True)):
            if image < own:
                return index, image
    return None


def union_of_orbits(placements: Sequence[Placement], maps: Maps) -> set[Placement]:
    """Return all images of the placements."""
    return {image for moved in images(placements, maps) for image in moved}
