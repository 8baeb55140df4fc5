"""A small SAT solver, honest or not: `python pretended_solver.py BEHAVIOUR FILE`."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Clauses = list[list[int]]
Answer = list[int] | None


def read(path: str) -> tuple[int, Clauses]:
    header, *lines = Path(path).read_text(encoding="ascii").splitlines()
    return int(header.split()[2]), [[int(word) for word in line.split()[:-1]] for line in lines]


def honest(variables: int, clauses: Clauses, true: frozenset[int] = frozenset()) -> Answer:
    """Return an assignment that satisfies the clauses and makes `true` true: unit propagation and two tries."""
    while True:
        left = [[one for one in clause if -one not in true] for clause in clauses if not true.intersection(clause)]
        if not all(left):
            return None
        units = frozenset(one for clause in left if len(clause) == 1 for one in clause)
        if not units:
            break
        true |= units
        if any(-one in true for one in units):
            return None
    undecided = [v for v in range(1, variables + 1) if v not in true and -v not in true]
    if not undecided:
        return sorted(true, key=abs)
    tries = (honest(variables, clauses, true | {literal}) for literal in (undecided[0], -undecided[0]))
    return next((answer for answer in tries if answer is not None), None)


def blocks(clause: list[int]) -> bool:
    """Whether this is one of the clauses by which boards of three rows and more are blocked."""
    return len(clause) > 2 and max(clause) < 0


def repeats(variables: int, clauses: Clauses) -> Answer:
    return honest(variables, [clause for clause in clauses if not blocks(clause)])


def loses(variables: int, clauses: Clauses) -> Answer:
    return None if any(map(blocks, clauses)) else honest(variables, clauses)


def attacks(variables: int, clauses: Clauses) -> Answer:
    """Put all queens on the falling diagonal."""
    if any(map(blocks, clauses)):
        return None
    return [v if (v - 1) % (math.isqrt(variables) + 1) == 0 else -v for v in range(1, variables + 1)]


def crowds(variables: int, clauses: Clauses) -> Answer:
    return list(range(1, variables + 1))


def hangs(variables: int, clauses: Clauses) -> Answer:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "a child that hangs"])
    time.sleep(600)
    return None


def eats_memory(variables: int, clauses: Clauses) -> Answer:
    return honest(variables, clauses) if bytearray(1 << 31) else None


def crashes(variables: int, clauses: Clauses) -> Answer:
    sys.exit("out of luck")


def is_silent(variables: int, clauses: Clauses) -> Answer:
    sys.exit()


def keeps_it(variables: int, clauses: Clauses) -> Answer:
    return []


BEHAVIOURS: dict[str, Callable[[int, Clauses], Answer]] = {
    one.__name__: one
    for one in (honest, repeats, loses, attacks, crowds, hangs, eats_memory, crashes, is_silent, keeps_it)
}


def main(behaviour: str, path: str) -> None:
    answer = BEHAVIOURS[behaviour](*read(path))
    lines = ["c pretended", "s UNSATISFIABLE" if answer is None else "s SATISFIABLE"]
    if answer:
        lines += [" ".join(["v", *map(str, answer[start : start + 7])]) for start in range(0, len(answer), 7)] + [
            "v 0"
        ]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main(*sys.argv[1:])
