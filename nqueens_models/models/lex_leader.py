"""Symmetry breaking: constraints that of each orbit of placements leave the least one alone.

The images of a placement are those under the stabiliser of the instance. The least of an orbit is the one whose
columns, read row by row, come first; so for each symmetry the columns of the image must not come before one's own
(Crawford, Ginsberg, Luks and Roy, Symmetry-breaking predicates for search problems, KR 1996). Together with the
images of what is found (`symmetry.orbit`) that is the full set again.

The two statements, in words of bits for SAT and in columns for CP-SAT, share the group and nothing else. It is a
fact about the instance. If it were wrong, images would break a rule or come twice, which `run` refuses, or
solutions would be missing, which a cross-check with any engine without symmetry breaking shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nqueens_models.instance import Instance
from nqueens_models.models.clauses import Cnf
from nqueens_models.symmetry import Symmetry, stabiliser

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar, LinearExprT


def lex_leader_clauses(cnf: Cnf, instance: Instance, variables: Sequence[int]) -> list[tuple[int, int]]:
    """Add the clauses for the squares of `instance`, whose variables are given row by row.

    As words of bits, the own board must not be below its image: where two rows first differ, the earlier queen
    makes the larger word. For square i, x and y say that a queen stands on it on the own board and on the image,
    and e[i] is true if the boards are the same up to there: e[i-1] -> (x or not y), and e[i-1] and x = y -> e[i].

    Returns for each e, in the order of the variables, the number of its symmetry in the stabiliser, and how many
    squares it says are the same.
    """
    n = instance.n
    squares = [(row, column) for row in range(n) for column in range(n)]
    told = []
    for number, symmetry in enumerate(stabiliser(instance)):
        stood = {symmetry.square(square, n): x for x, square in zip(variables, squares, strict=True)}
        unless: list[int] = []
        for length, (x, square) in enumerate(zip(variables, squares, strict=True), start=1):
            y = stood[square]
            if x != y:
                same = cnf.new_variable()
                cnf.extend([[*unless, x, -y], [*unless, x, same], [*unless, -y, same]])
                unless = [-same]
                told.append((number, length))
    return told


def lex_leader_constraints(
    model: CpModel, instance: Instance, columns: Sequence[LinearExprT], watch: Callable[[], None]
) -> None:
    """Add the constraints for the column of the queen of each row.

    For row r, q and i are the columns of the queens of the own board and of the image, and e[r] is true if and
    only if they are equal up to there: e[r] -> e[r-1] and q = i; e[r-1] and not e[r] -> q < i.
    """
    group, n = stabiliser(instance)[1:], instance.n
    if not group:
        return
    q, p = ([model.new_int_var(0, n - 1, f"{name}{number}") for number in range(n)] for name in ("own", "rows"))
    for row in range(n):
        model.add(q[row] == columns[row])
        model.add_element(p[row], q, row)  # p[c] is the row of the queen of column c
    for symmetry in group:
        before: list[IntVar] = []
        for own, other in zip(q, _image(model, symmetry, q, p), strict=True):
            if own is not other:
                equal = model.new_bool_var("")
                model.add(own == other).only_enforce_if(equal)
                model.add(own < other).only_enforce_if(*before, ~equal)
                model.add_bool_and(before).only_enforce_if(equal)
                before = [equal]
        watch()


def _image(
    model: CpModel, symmetry: Symmetry, q: Sequence[LinearExprT], p: Sequence[LinearExprT]
) -> list[LinearExprT]:
    """Return the column of each row's queen on the image of a board, as Symmetry.block does for numbers."""
    n = len(q)
    image = list(p if symmetry.transpose else q)
    image = image[::-1] if symmetry.reverse_rows else image
    image = [n - 1 - column for column in image] if symmetry.reverse_columns else image
    image = image[n - symmetry.down :] + image[: n - symmetry.down]
    return [_moved(model, column, symmetry.right, n) for column in image] if symmetry.right else image


def _moved(model: CpModel, column: LinearExprT, right: int, n: int) -> IntVar:
    """Return a variable that is (column + right) mod n."""
    moved = model.new_int_var(0, n - 1, "")
    model.add_modulo_equality(moved, column + right, n)
    return moved
