"""The n-queens family as CP-SAT models: formulations of the literature, side by side.

Each adds to a model what the instance requires, in the order rows, columns, diagonals, fixed, blocked, regions,
and returns for each row the expression whose value is the column of its queen. None creates a variable that these
do not determine: CP-SAT would list a solution once for each of its values. To add one, write the function and add
its line to FORMULATIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar, LinearExprT

Watch = Callable[[], None]
Formulation = Callable[["CpModel", Instance, Watch], "Sequence[LinearExprT]"]


def _nothing() -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class QueensModel:
    """A CP-SAT model and, for each row, the expression whose value in a solution is the column of its queen."""

    model: CpModel
    columns: Sequence[LinearExprT]


def queens_model(instance: Instance, formulation: str = "boolean", watch: Watch = _nothing) -> QueensModel:
    """State `instance` as a CP-SAT model; `watch` is called now and then, and may raise to stop a long build.

    Raises InvalidSetting when there is no such formulation.
    """
    if formulation not in FORMULATIONS:
        raise InvalidSetting(f"no formulation is called {formulation!r}; there are {', '.join(FORMULATIONS)}")
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    return QueensModel(model, FORMULATIONS[formulation](model, instance, watch))


def all_different(model: CpModel, instance: Instance, watch: Watch) -> list[IntVar]:
    """q[r] is the column of the queen of row r: all are different, and so are all q[r] - r and all q[r] + r."""
    n = instance.n
    q = [model.new_int_var(0, n - 1, f"q{row}") for row in range(n)]
    model.add_all_different(q)
    for diagonals in _diagonals_of_queens(model, instance, q):
        model.add_all_different(diagonals)
    if instance.diagonals is Diagonals.ADJACENT:
        _keep_apart(model, n, q)
    for row, column in instance.fixed:
        model.add(q[row] == column)
        watch()
    for row, column in instance.blocked:
        model.add(q[row] != column)
        watch()
    if instance.regions is not None:
        region = [model.new_int_var(0, n - 1, f"region{row}") for row in range(n)]
        for row in range(n):
            model.add_element(q[row], instance.regions[row], region[row])
        model.add_all_different(region)
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


FORMULATIONS: Mapping[str, Formulation] = {"alldifferent": all_different, "boolean": boolean}


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
