"""The n-queens family in SMT-LIB 2, linear integer arithmetic: distinct columns and distinct diagonals.

The constant q3 is the column of the queen of row 3, both counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from nqueens_models.instance import Diagonals, Instance


def queens_smtlib(instance: Instance) -> str:
    """State `instance`; a model of the assertions is a solution.

    >>> print(queens_smtlib(Instance(2, blocked=[(0, 0)])), end="")
    (set-logic QF_LIA)
    (declare-const q0 Int)
    (declare-const q1 Int)
    (assert (<= 0 q0 1))
    (assert (<= 0 q1 1))
    (assert (distinct q0 q1))
    (assert (distinct (- q0 0) (- q1 1)))
    (assert (distinct (+ q0 0) (+ q1 1)))
    (assert (distinct q0 0))
    (check-sat)
    (get-model)
    """
    q = [f"q{row}" for row in range(instance.n)]
    lines = ["(set-logic QF_LIA)", *(f"(declare-const {name} Int)" for name in q)]
    lines += [f"(assert {assertion})" for assertion in _assertions(instance, q)]
    return "\n".join([*lines, "(check-sat)", "(get-model)", ""])


def _assertions(instance: Instance, q: Sequence[str]) -> Iterator[str]:
    n = instance.n
    yield from (f"(<= 0 {name} {n - 1})" for name in q)
    yield from _distinct(q)
    match instance.diagonals:
        case Diagonals.FULL:
            yield from _distinct([f"(- {name} {row})" for row, name in enumerate(q)])
            yield from _distinct([f"(+ {name} {row})" for row, name in enumerate(q)])
        case Diagonals.MODULAR:
            yield from _distinct([f"(mod (- {name} {row}) {n})" for row, name in enumerate(q)])
            yield from _distinct([f"(mod (+ {name} {row}) {n})" for row, name in enumerate(q)])
        case Diagonals.ADJACENT:
            yield from (f"(distinct {one} (- {two} 1) (+ {two} 1))" for one, two in pairwise(q))
    yield from (f"(= {q[row]} {column})" for row, column in instance.fixed)
    yield from (f"(distinct {q[row]} {column})" for row, column in instance.blocked)
    if instance.regions is not None:
        yield from _distinct([_region(name, labels) for name, labels in zip(q, instance.regions, strict=True)])


def _distinct(terms: Sequence[str]) -> Iterator[str]:
    if len(terms) > 1:  # which is how many `distinct` takes at least
        yield f"(distinct {' '.join(terms)})"


def _region(name: str, labels: Sequence[int]) -> str:
    """Return the region of the square in column `name` of a row: one question a column, but for the last."""
    questions = "".join(f"(ite (= {name} {column}) {label} " for column, label in enumerate(labels[:-1]))
    return f"{questions}{labels[-1]}{')' * (len(labels) - 1)}"
