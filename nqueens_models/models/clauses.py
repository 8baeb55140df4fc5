"""Clauses, and the one object that hands out variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nqueens_models.watch import Watch, unwatched

Clause = list[int]
"""Literals of which one is true; a negative literal is a negated variable."""


@dataclass
class Cnf:
    """A conjunction of clauses over the variables 1 .. `variables`; a negative literal is a negated variable.

    It alone hands out variables. `watch` is called as clauses are added, and may raise to stop a long build.
    """

    variables: int = 0
    clauses: list[Clause] = field(default_factory=list)
    watch: Watch = field(default=unwatched, repr=False, compare=False)

    def new_variable(self) -> int:
        """Return a variable that no clause mentions yet."""
        return self.new_variables(1)[0]

    def new_variables(self, number: int) -> range:
        """Return that many variables that no clause mentions yet."""
        first = self.variables + 1
        self.variables += number
        return range(first, first + number)

    def extend(self, clauses: Iterable[Clause]) -> None:
        """Add clauses, each a list of literals of which one is true."""
        self.clauses.extend(clauses)
        self.watch()
