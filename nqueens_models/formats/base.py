"""What a format of instances is, and what each can carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto

from nqueens_models.errors import UnsupportedInstance
from nqueens_models.formats.source import Source
from nqueens_models.instance import Diagonals, Instance


class Part(Flag):
    """What an instance can have besides its size."""

    NOTHING = 0
    FIXED = auto()
    BLOCKED = auto()
    REGIONS = auto()
    MODULAR = auto()
    ADJACENT = auto()
    EVERYTHING = FIXED | BLOCKED | REGIONS | MODULAR | ADJACENT


@dataclass(frozen=True)
class InstanceFormat:
    """A way to write an instance down.

    `base` is the number of the first row and column in the file. `read` takes a Source and raises FormatError
    naming the line or the square, in that base. `write` returns the text; `parts` is what it can carry, `always`
    what every file of the format has. `claims` says whether a text looks like this format and no error in it would
    be a surprise: it is cheap and may be wrong, `read` decides.
    """

    name: str
    summary: str
    base: int
    parts: Part
    read: Callable[[Source], Instance]
    write_unchecked: Callable[[Instance], str]
    claims: Callable[[str], bool]
    always: Part = Part.NOTHING
    smallest: int = 0

    def write(self, instance: Instance) -> str:
        """Return the text of `instance`; raise UnsupportedInstance saying what the format cannot carry."""
        present = parts_of(instance)
        missing = self.always & ~present
        lost = present & ~self.parts
        if lost:
            raise UnsupportedInstance(f"the format {self.name} cannot carry {_words(lost)}")
        if missing:
            raise UnsupportedInstance(f"the format {self.name} is for instances with {_words(missing)}")
        if instance.n < self.smallest:
            raise UnsupportedInstance(f"the format {self.name} cannot carry a board of {instance.n} rows")
        return self.write_unchecked(instance)


def parts_of(instance: Instance) -> Part:
    """Return which parts an instance has."""
    parts = Part.FIXED if instance.fixed else Part.NOTHING
    parts |= Part.BLOCKED if instance.blocked else Part.NOTHING
    parts |= Part.REGIONS if instance.regions is not None else Part.NOTHING
    parts |= Part.MODULAR if instance.diagonals is Diagonals.MODULAR else Part.NOTHING
    parts |= Part.ADJACENT if instance.diagonals is Diagonals.ADJACENT else Part.NOTHING
    return parts


def _words(parts: Part) -> str:
    words = {
        Part.FIXED: "fixed queens",
        Part.BLOCKED: "blocked squares",
        Part.REGIONS: "regions",
        Part.MODULAR: "modular diagonals",
        Part.ADJACENT: "adjacent diagonals",
    }
    return ", ".join(word for part, word in words.items() if part in parts)
