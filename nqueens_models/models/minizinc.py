"""The n-queens family in MiniZinc: the column of the queen of each row, all different, on diagonals too.

Rows and columns are counted from 1.
"""

from __future__ import annotations

from nqueens_models.instance import Diagonals, Instance

ATTACKS = {
    Diagonals.FULL: [
        "constraint alldifferent([queens[r] - r | r in 1..n]);",
        "constraint alldifferent([queens[r] + r | r in 1..n]);",
    ],
    Diagonals.MODULAR: [
        "constraint alldifferent([(queens[r] - r + n) mod n | r in 1..n]);",
        "constraint alldifferent([(queens[r] + r) mod n | r in 1..n]);",
    ],
    Diagonals.ADJACENT: ["constraint forall(r in 1..n - 1)(abs(queens[r] - queens[r + 1]) != 1);"],
}


def queens_minizinc(instance: Instance) -> str:
    r"""State `instance`; each solution is printed as the line `queens = [...];`.

    >>> print(queens_minizinc(Instance(8, fixed=[(0, 3)])), end="")
    include "alldifferent.mzn";
    int: n = 8;
    array [1..n] of var 1..n: queens;
    constraint alldifferent(queens);
    constraint alldifferent([queens[r] - r | r in 1..n]);
    constraint alldifferent([queens[r] + r | r in 1..n]);
    constraint queens[1] = 4;
    solve satisfy;
    output ["queens = ", show(queens), ";\n"];
    """
    lines = [
        'include "alldifferent.mzn";',
        f"int: n = {instance.n};",
        "array [1..n] of var 1..n: queens;",
        "constraint alldifferent(queens);",
        *ATTACKS[instance.diagonals],
        *(f"constraint queens[{row + 1}] = {column + 1};" for row, column in instance.fixed),
        *(f"constraint queens[{row + 1}] != {column + 1};" for row, column in instance.blocked),
    ]
    if instance.regions is not None:
        labels = [str(label + 1) for row in instance.regions for label in row]
        lines.append(f"array [1..n, 1..n] of int: region = array2d(1..n, 1..n, [{', '.join(labels)}]);")
        lines.append("constraint alldifferent([region[r, queens[r]] | r in 1..n]);")
    return "\n".join([*lines, "solve satisfy;", 'output ["queens = ", show(queens), ";\\n"];', ""])
