"""The README of a certificate: for somebody who has the files and not this package."""

from __future__ import annotations

from nqueens_models.instance import Instance

FILES = """\
manifest.json     the instance, the numbers, the SHA-256 of the other files, what made them
solutions.txt     a placement a line: the column of the queen of each row, both counted from 0
formula.cnf       DIMACS: clauses that state the instance, and for each placement one that blocks it;
                  variable n * row + column + 1 says that a queen stands there
proof.drat        a proof in the format DRAT that no assignment satisfies all clauses
"""
SYMMETRY_FILE = """\
symmetries.json   symmetries: for each, the square to which each square goes, a square being n * row + column;
                  auxiliary: for each variable from n * n + 1 on, [s, m]: the first m squares of the board and of
                  its image under symmetry s, both counted from 0, are the same
"""
ARGUMENT = """\
Each clause either follows from the rules or blocks a placement that is listed. The proof shows that they cannot
all be true. So a placement that obeys the rules makes a clause of the second kind false: it is listed.
"""
SYMMETRY_ARGUMENT = """\
The list has one solution of each orbit; the others are its images under the symmetries.

1. Each symmetry maps fixed queens to fixed queens, blocked squares to blocked squares, and two squares exclude
   each other exactly when their images do: so it maps solutions to solutions. Together they are a group.
2. Each orbit has a first member, whose columns, row by row, come first. It comes after none of its images.
3. Each clause follows from the rules, or blocks a placement that is listed, or is true of every board that comes
   after none of its images, when the auxiliary variables have the values that symmetries.json says they have
   (lex-leader constraints: Crawford, Ginsberg, Luks and Roy, KR 1996).
4. The proof shows that the clauses cannot all be true. So the first member of an orbit of solutions makes one of
   those false that block a listed placement: it is listed. Every solution is an image of the first of its orbit.
"""
CHECK = """\
To check it: drat-trim formula.cnf proof.drat, for the proof alone; nqueens certify --check CERTIFICATE, for all.
"""


def readme(instance: Instance, listed: int, symmetry_breaking: bool) -> str:
    """Return the text: what the files are, and the argument that a checker follows."""
    what = f"Certificate: n-queens, {instance}: {listed} solutions, "
    if symmetry_breaking:
        return f"{what}their images, and no other\n\n{FILES}{SYMMETRY_FILE}\n{SYMMETRY_ARGUMENT}\n{CHECK}"
    return f"{what}and no other\n\n{FILES}\n{ARGUMENT}\n{CHECK}"
