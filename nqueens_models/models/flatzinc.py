"""The n-queens family in FlatZinc, with constraints that every solver knows: no pair of queens attacks each other.

Variable q3 is the column of the queen of row 3, both counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from nqueens_models.instance import Diagonals, Instance


def queens_flatzinc(instance: Instance) -> str:
    """State `instance`; each solution is printed as the line `queens = array1d(1..n, [...]);`.

    >>> print(queens_flatzinc(Instance(2, blocked=[(0, 0)])), end="")
    var 1..2: q1;
    var 1..2: q2;
    array [1..2] of var int: queens :: output_array([1..2]) = [q1, q2];
    constraint int_ne(q1, q2);
    constraint int_lin_ne([1, -1], [q1, q2], 1);
    constraint int_lin_ne([1, -1], [q1, q2], -1);
    constraint int_ne(q1, 1);
    solve satisfy;
    """
    n = instance.n
    names = [f"q{row}" for row in range(1, n + 1)]
    lines = [f"var 1..{n}: {name};" for name in names]
    if instance.regions is not None:
        lines += [f"var 1..{n}: region_of_{name};" for name in names]
    lines.append(f"array [1..{n}] of var int: queens :: output_array([1..{n}]) = [{', '.join(names)}];")
    lines += [f"constraint {constraint};" for constraint in _constraints(instance)]
    return "\n".join([*lines, "solve satisfy;", ""])


def _constraints(instance: Instance) -> Iterator[str]:
    for one, other in combinations(range(1, instance.n + 1), 2):
        yield f"int_ne(q{one}, q{other})"
        for step in _attacked_steps(instance, other - one):
            yield f"int_lin_ne([1, -1], [q{one}, q{other}], {step})"
    for row, column in instance.fixed:
        yield f"int_eq(q{row + 1}, {column + 1})"
    for row, column in instance.blocked:
        yield f"int_ne(q{row + 1}, {column + 1})"
    if instance.regions is not None:
        for number, labels in enumerate(instance.regions, start=1):
            listed = ", ".join(str(label + 1) for label in labels)
            yield f"array_int_element(q{number}, [{listed}], region_of_q{number})"
        for one, other in combinations(range(1, instance.n + 1), 2):
            yield f"int_ne(region_of_q{one}, region_of_q{other})"


def _attacked_steps(instance: Instance, down: int) -> list[int]:
    """Return how many columns apart queens `down` rows apart must not be, leftwards and rightwards."""
    match instance.diagonals:
        case Diagonals.FULL:
            steps = {down}
        case Diagonals.MODULAR:
            steps = {down, instance.n - down}
        case Diagonals.ADJACENT:
            steps = {1} if down == 1 else set()
    return [sign * step for step in sorted(steps) for sign in (1, -1)]
