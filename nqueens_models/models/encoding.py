"""What an encoding of at-most-one is: clauses, and a formula for how many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nqueens_models.models.clauses import Cnf


@dataclass(frozen=True)
class Sizes:
    """How many auxiliary variables and clauses; sizes add up."""

    auxiliary: int = 0
    clauses: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.auxiliary + other.auxiliary, self.clauses + other.clauses)

    def __rmul__(self, times: int) -> Sizes:
        return Sizes(times * self.auxiliary, times * self.clauses)


Encode = Callable[[Cnf, Sequence[int]], None]


@dataclass(frozen=True)
class Encoding:
    """`encode` adds the clauses for two literals or more; `sizes` says how many for k of them, k >= 2."""

    encode: Encode
    sizes: Callable[[int], Sizes]

    @property
    def summary(self) -> str:
        """What it does: the first line of its docstring."""
        return (self.encode.__doc__ or "").strip().partition("\n")[0]

    @property
    def formula(self) -> str:
        """Its sizes in mathematics: the docstring of `sizes`."""
        return " ".join((self.sizes.__doc__ or "").split())
