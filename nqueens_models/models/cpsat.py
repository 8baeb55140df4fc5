"""The n-queens family as CP-SAT models: formulations of the literature, side by side.

Each adds to a model what the instance requires, in the order rows, columns, diagonals, fixed, blocked, regions,
and returns for each row the expression whose value is the column of its queen. None creates a variable that these
do not determine: CP-SAT would list a solution once for each of its values. To add one, write the function and add
its line to FORMULATIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models.lex_leader import lex_leader_constraints
from nqueens_models.watch import Watch, unwatched

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar, LinearExprT

Formulation = Callable[["CpModel", Instance, Watch], "Sequence[LinearExprT]"]


@dataclass(frozen=True)
class QueensModel:
    """A CP-SAT model and, for each row, the expression whose value in a solution is the column of its queen."""

    model: CpModel
    columns: Sequence[LinearExprT]


def queens_model(
    instance: Instance,
    formulation: str = "alldifferent",
    watch: Watch = unwatched,
    symmetry_breaking: bool = False,
) -> QueensModel:
    """State `instance` as a CP-SAT model; `watch` is called now and then, and may raise to stop a long build.

    With `symmetry_breaking` the least solution of each orbit is left (models/lex_leader.py).
    Raises InvalidSetting when there is no such formulation.
    """
    if formulation not in FORMULATIONS:
        raise _unknown(formulation)
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    columns = FORMULATIONS[formulation](model, instance, watch)
    if symmetry_breaking:
        lex_leader_constraints(model, instance, columns, watch)
    return QueensModel(model, columns)


def all_different(model: CpModel, instance: Instance, watch: Watch) -> list[IntVar]:
    """q[r] is the column of the queen of row r: all are different, and so are all q[r] - r and all q[r] + r."""
    q = _columns(model, instance.n, "q")
    model.add_all_different(q)
    _diagonals_all_different(model, instance, q)
    _squares(model, instance, q, watch)
    if instance.regions is not None:
        model.add_all_different(_regions_of_queens(model, instance.n, instance.regions, q))
    return q


def channelled(model: CpModel, instance: Instance, watch: Watch) -> list[IntVar]:
    """q[r] is the column of the queen of row r, p[c] the row of that of column c, and q[p[c]] = c.

    Diagonals as in `all_different`. Two views of one permutation: Cheng, Choi, Lee and Wu, Increasing constraint
    propagation by redundant modeling, Constraints 4, 1999.
    """
    q, p = _columns(model, instance.n, "q"), _columns(model, instance.n, "p")
    for column in range(instance.n):  # not add_inverse: the presolve of OR-Tools 9.15 loses solutions with it
        model.add_element(p[column], q, column)
    _diagonals_all_different(model, instance, q)
    _squares(model, instance, q, watch)
    if instance.regions is not None:
        model.add_all_different(_regions_of_queens(model, instance.n, instance.regions, q))
    return q


def not_equal(model: CpModel, instance: Instance, watch: Watch) -> list[IntVar]:
    """q[r] is the column of the queen of row r: for r < s, q[s] - q[r] is neither 0 nor s - r nor r - s."""
    q = _columns(model, instance.n, "q")
    for r, s in combinations(range(instance.n), 2):
        model.add(q[r] != q[s])
        for step in _attacked_steps(instance, s - r):
            model.add(q[s] - q[r] != step)
        watch()
    _squares(model, instance, q, watch)
    if instance.regions is not None:
        for one, other in combinations(_regions_of_queens(model, instance.n, instance.regions, q), 2):
            model.add(one != other)
    return q


def table(model: CpModel, instance: Instance, watch: Watch) -> list[IntVar]:
    """q[r] is the column of the queen of row r; a table for each two rows lists where their queens may stand."""
    n, regions = instance.n, instance.regions
    q = _columns(model, n, "q")
    for r, s in combinations(range(n), 2):
        steps = {0, *_attacked_steps(instance, s - r)}
        apart = [(c, d) for c, d in product(range(n), repeat=2) if d - c not in steps]
        if regions is not None:
            apart = [(c, d) for c, d in apart if regions[r][c] != regions[s][d]]
        model.add_allowed_assignments([q[r], q[s]], apart)
        watch()
    _squares(model, instance, q, watch)
    return q


def boolean(model: CpModel, instance: Instance, watch: Watch) -> list[LinearExprT]:
    """x[r][c] says that a queen stands there: exactly one in a row and in a column, at most one on a diagonal."""
    from ortools.sat.python.cp_model import LinearExpr

    n = instance.n
    x: list[list[IntVar]] = []
    for row in range(n):
        x.append([model.new_bool_var(f"x{row},{column}") for column in range(n)])
        model.add_exactly_one(x[row])
        watch()
    for column in range(n):
        model.add_exactly_one(x[row][column] for row in range(n))
    for line in _diagonals(instance):
        model.add_at_most_one(x[row][column] for row, column in line)
    for row, column in instance.fixed:
        model.add(x[row][column] == 1)
        watch()
    for row, column in instance.blocked:
        model.add(x[row][column] == 0)
        watch()
    if instance.regions is not None:
        regions: list[list[IntVar]] = [[] for _ in range(n)]
        for row in range(n):
            for column in range(n):
                regions[instance.regions[row][column]].append(x[row][column])
        for region in regions:
            model.add_exactly_one(region)
    return [LinearExpr.weighted_sum(x[row], range(n)) for row in range(n)]


FORMULATIONS: Mapping[str, Formulation] = {
    "alldifferent": all_different,
    "boolean": boolean,
    "channelled": channelled,
    "notequal": not_equal,
    "table": table,
}


@dataclass(frozen=True)
class ModelSizes:
    """How many variables and constraints a model has."""

    variables: int
    constraints: int


def model_sizes(formulation: str, n: int, diagonals: Diagonals = Diagonals.FULL) -> ModelSizes:
    """Return how large a formulation is on an otherwise empty board of n >= 2, by formula.

    Raises InvalidSetting when there is no such formulation.

    >>> model_sizes("boolean", 8), model_sizes("notequal", 8)
    (ModelSizes(variables=64, constraints=42), ModelSizes(variables=8, constraints=84))
    """
    full, modular = diagonals is Diagonals.FULL, diagonals is Diagonals.MODULAR
    pairs, touching = comb(n, 2), 2 * (n - 1)
    match formulation:
        case "boolean":
            return ModelSizes(
                n * n, 2 * n + (2 * (2 * n - 3) if full else 2 * n if modular else touching * (n - 1))
            )
        case "alldifferent" | "channelled":
            remainders = 2 * n if modular else 0
            lines = n - 1 if diagonals is Diagonals.ADJACENT else 2 + remainders
            views, each = (2, n) if formulation == "channelled" else (1, 1)
            return ModelSizes(views * n + remainders, each + lines)
        case "notequal":
            steps = 2 * pairs if full else 4 * pairs - n * (n % 2 == 0) if modular else touching
            return ModelSizes(n, pairs + steps)
        case "table":
            return ModelSizes(n, pairs)
    raise _unknown(formulation)


def _unknown(formulation: str) -> InvalidSetting:
    return InvalidSetting(f"no formulation is called {formulation!r}; there are {', '.join(FORMULATIONS)}")


def _columns(model: CpModel, n: int, name: str) -> list[IntVar]:
    """Return n variables whose values are 0 .. n - 1."""
    return [model.new_int_var(0, n - 1, f"{name}{number}") for number in range(n)]


def _diagonals_all_different(model: CpModel, instance: Instance, q: Sequence[IntVar]) -> None:
    """Add that no two queens share a diagonal, or touch."""
    for diagonals in _diagonals_of_queens(model, instance, q):
        model.add_all_different(diagonals)
    if instance.diagonals is Diagonals.ADJACENT:
        _keep_apart(model, instance.n, q)


def _squares(model: CpModel, instance: Instance, q: Sequence[IntVar], watch: Watch) -> None:
    """Add the fixed queens and the blocked squares."""
    for row, column in instance.fixed:
        model.add(q[row] == column)
        watch()
    for row, column in instance.blocked:
        model.add(q[row] != column)
        watch()


def _regions_of_queens(
    model: CpModel, n: int, regions: Sequence[Sequence[int]], q: Sequence[IntVar]
) -> list[IntVar]:
    """Return the number of the region in which the queen of each row stands."""
    region = _columns(model, n, "region")
    for row in range(n):
        model.add_element(q[row], regions[row], region[row])
    return region


def _diagonals_of_queens(model: CpModel, instance: Instance, q: Sequence[IntVar]) -> list[list[LinearExprT]]:
    """Return the number of each queen's falling and rising diagonal, when queens may not share one."""
    n = instance.n

    def modulo_n(number: LinearExprT) -> IntVar:
        remainder = model.new_int_var(0, n - 1, "")
        model.add_modulo_equality(remainder, number, n)
        return remainder

    match instance.diagonals:
        case Diagonals.FULL:
            return [[q[row] - row for row in range(n)], [q[row] + row for row in range(n)]]
        case Diagonals.MODULAR:
            return [[modulo_n(q[row] - row + n) for row in range(n)], [modulo_n(q[row] + row) for row in range(n)]]
        case Diagonals.ADJACENT:
            return []


def _attacked_steps(instance: Instance, down: int) -> set[int]:
    """Return by how many columns two queens that are `down` rows apart must not differ, apart from 0."""
    match instance.diagonals:
        case Diagonals.FULL:
            return {down, -down}
        case Diagonals.MODULAR:
            return {down, -down, instance.n - down, down - instance.n}
        case Diagonals.ADJACENT:
            return {1, -1} if down == 1 else set()


def _keep_apart(model: CpModel, n: int, q: Sequence[IntVar]) -> None:
    """Add that the queens of neighbouring rows stand two columns apart at least."""
    from ortools.sat.python.cp_model import Domain

    apart = Domain.from_intervals([[-n, -2], [2, n]])
    for row in range(n - 1):
        model.add_linear_expression_in_domain(q[row + 1] - q[row], apart)


def _diagonals(instance: Instance) -> Iterator[list[tuple[int, int]]]:
    """Yield the squares of each line, of two or more, on which there may be one queen at most."""
    n = instance.n
    rows = range(n)
    match instance.diagonals:
        case Diagonals.FULL:
            for number in range(2 - n, n - 1):
                yield [(row, row + number) for row in rows if 0 <= row + number < n]
                yield [(row, n - 1 - row + number) for row in rows if 0 <= n - 1 - row + number < n]
        case Diagonals.MODULAR:
            for number in rows:
                yield [(row, (number + row) % n) for row in rows]
                yield [(row, (number - row) % n) for row in rows]
        case Diagonals.ADJACENT:
            for row in range(n - 1):
                for column in range(n - 1):
                    yield [(row, column), (row + 1, column + 1)]
                    yield [(row, column + 1), (row + 1, column)]
