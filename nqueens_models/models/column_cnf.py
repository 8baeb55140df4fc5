"""The n-queens family in clauses without a variable a square: columns in order or log encoding.

- `order`: the variable (n-1)r + c + 1 says that the queen of row r stands in column c or before, 0 <= c < n - 1
  (Tamura, Taga, Kitagawa and Banbara, Compiling finite linear CSP into SAT, Constraints 14, 2009).
- `log`: the variables br + 1 .. br + b are the bits of her column, least first, b = ceil(log2(n)); what is no
  column is forbidden (Walsh, SAT v CSP, CP 2000).

A row has its queen by itself. Two squares that exclude each other are one clause: one queen is not there. Columns
and regions have no more than one queen each, so they have one, as there are as many as rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models.clauses import Clause, Cnf
from nqueens_models.models.lex_leader import lex_leader_clauses
from nqueens_models.watch import Watch, unwatched

COLUMN_VARIABLES = ("order", "log")


@dataclass(frozen=True)
class Columns:
    """How the columns of the queens of n rows stand in the variables 1 .. `primary`."""

    n: int
    kind: str

    @property
    def each(self) -> int:
        """The number of variables of a row."""
        last = max(0, self.n - 1)
        return last if self.kind == "order" else last.bit_length()

    @property
    def primary(self) -> int:
        """The number of variables of all rows."""
        return self.n * self.each

    @property
    def meaning(self) -> str:
        """What each variable says."""
        if self.kind == "log":
            return f"variable {self.each} * r + k + 1 is bit k, least first, of the column of the queen of row r"
        return f"variable {self.each} * r + c + 1 says that the queen of row r stands in column c or before"

    def absent(self, row: int, column: int) -> Clause:
        """Return the clause that the queen of `row` does not stand in `column`."""
        return [-literal for literal in self.stands(row, column)]

    def blocking_clauses(self, placements: Iterable[Sequence[int]]) -> Iterator[Clause]:
        """Yield for each placement the clause that only it makes false."""
        for placement in placements:
            yield [literal for square in enumerate(placement) for literal in self.absent(*square)]

    def stands(self, row: int, column: int) -> list[int]:
        """Return the literals that are all true when the queen of `row` stands in `column`, and only then."""
        own = range(self.each * row + 1, self.each * (row + 1) + 1)
        if self.kind == "log":
            return [variable if column >> place & 1 else -variable for place, variable in enumerate(own)]
        return [-variable for variable in own[max(0, column - 1) : column]] + list(own[column : column + 1])

    def column(self, row: int, assignment: Sequence[int]) -> int:
        """Return the column of the queen of `row` in an assignment, a literal for each variable."""
        own = assignment[self.each * row : self.each * (row + 1)]
        if self.kind == "log":
            return sum(1 << place for place, literal in enumerate(own) if literal > 0)
        return sum(literal < 0 for literal in own)


def column_cnf(instance: Instance, kind: str, watch: Watch = unwatched, symmetry_breaking: bool = False) -> Cnf:
    """State `instance` in clauses over the variables of `Columns(instance.n, kind)`.

    `watch` and `symmetry_breaking` are those of `queens_cnf`; the latter has squares as auxiliary variables.
    Raises InvalidSetting when there is no such kind.

    >>> column_cnf(Instance(2), "order").clauses  # 1 and 2: the queen of the row stands in column 0
    [[-1, -2], [-1, 2], [1, -2], [1, 2]]
    """
    if kind not in COLUMN_VARIABLES:
        raise InvalidSetting(f"no variables are called {kind!r}; there are {', '.join(COLUMN_VARIABLES)}")
    n = instance.n
    columns = Columns(n, kind)
    cnf = Cnf(columns.primary, watch=watch)

    absent = columns.absent
    for row in range(n):
        cnf.extend(_values(columns, row))
    for r, s in combinations(range(n), 2):
        cnf.extend(
            absent(r, c) + absent(s, d) for c, d in product(range(n), repeat=2) if _attack(instance, r, c, s, d)
        )
    cnf.extend([literal] for square in instance.fixed for literal in columns.stands(*square))
    cnf.extend(absent(*square) for square in instance.blocked)
    if symmetry_breaking:
        squares = cnf.new_variables(n * n)
        for x, (row, column) in zip(squares, product(range(n), repeat=2), strict=True):
            cnf.extend([[x, *absent(row, column)], *([-x, literal] for literal in columns.stands(row, column))])
        lex_leader_clauses(cnf, instance, squares)
    return cnf


def column_sizes(n: int, kind: str) -> tuple[int, int]:
    """Return how many variables and clauses an otherwise empty board of full diagonals takes, by formula.

    There are n(n-1)(7n-2)/6 pairs of squares in different rows that a queen's move joins.

    >>> column_sizes(8, "order"), column_sizes(8, "log"), column_sizes(10, "log")
    ((56, 552), (24, 504), (40, 1080))
    """
    columns, moves = Columns(n, kind), n * (n - 1) * (7 * n - 2) // 6
    values = n * max(0, n - 2) if kind == "order" else n * (2**columns.each - n)
    return columns.primary, moves + max(0, values)


def _values(columns: Columns, row: int) -> Iterator[Clause]:
    """Yield that the variables of a row stand for a column."""
    if columns.kind == "log":
        yield from (columns.absent(row, column) for column in range(columns.n, 2**columns.each))
    else:
        first = columns.each * row + 1
        yield from ([-before, before + 1] for before in range(first, first + columns.each - 1))


def _attack(instance: Instance, r: int, c: int, s: int, d: int) -> bool:
    """Return whether the squares (r, c) and (s, d) of different rows exclude each other."""
    n, regions, down, right = instance.n, instance.regions, abs(s - r), abs(d - c)
    if right == 0 or (regions is not None and regions[r][c] == regions[s][d]):
        return True
    match instance.diagonals:
        case Diagonals.FULL:
            return down == right
        case Diagonals.MODULAR:
            return right in (down, n - down)
        case Diagonals.ADJACENT:
            return down == right == 1
