"""The n-queens family as an answer-set program, in the language of clingo.

The atom `queen(R,C)`, rows and columns counted from 1, says that a queen stands there. Answer sets are solutions.
"""

from __future__ import annotations

from nqueens_models.instance import Diagonals, Instance

ATTACKS = {
    Diagonals.FULL: [":- queen(R,C), queen(S,D), R < S, |C-D| = S-R."],
    Diagonals.MODULAR: [
        ":- queen(R,C), queen(S,D), R < S, (S-R-C+D) \\ {n} = 0.",
        ":- queen(R,C), queen(S,D), R < S, (S-R+C-D) \\ {n} = 0.",
    ],
    Diagonals.ADJACENT: [":- queen(R,C), queen(R+1,D), |C-D| = 1."],
}


def queens_asp(instance: Instance) -> str:
    """State `instance`; its solutions are the answer sets.

    >>> print(queens_asp(Instance(2)), end="")
    row(1..2). column(1..2).
    1 { queen(R,C) : column(C) } 1 :- row(R).
    :- column(C), not 1 { queen(R,C) : row(R) } 1.
    :- queen(R,C), queen(S,D), R < S, |C-D| = S-R.
    #show queen/2.
    """
    n = instance.n
    lines = [
        f"row(1..{n}). column(1..{n}).",
        "1 { queen(R,C) : column(C) } 1 :- row(R).",
        ":- column(C), not 1 { queen(R,C) : row(R) } 1.",
        *(rule.replace("{n}", str(n)) for rule in ATTACKS[instance.diagonals]),
        *(f":- not queen({row + 1},{column + 1})." for row, column in instance.fixed),
        *(f":- queen({row + 1},{column + 1})." for row, column in instance.blocked),
    ]
    if instance.regions is not None:
        squares = [(r + 1, c + 1, label) for r, row in enumerate(instance.regions) for c, label in enumerate(row)]
        lines += [f"region({r},{c},{label})." for r, c, label in squares]
        lines.append(":- region(_,_,L), not 1 { queen(R,C) : region(R,C,L) } 1.")
    return "\n".join([*lines, "#show queen/2.", ""])
