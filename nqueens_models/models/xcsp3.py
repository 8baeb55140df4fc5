"""The n-queens family in XCSP3-core (Boussemart, Lecoutre, Audemard and Piette, arXiv:2009.00514).

The variable q[3] is the column of the queen of row 3, both counted from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nqueens_models.instance import Diagonals, Instance


def queens_xcsp3(instance: Instance) -> str:
    """State `instance`, of one queen or more, since XCSP3 has no empty array.

    >>> print(queens_xcsp3(Instance(2, fixed=[(0, 1)])), end="")
    <instance format="XCSP3" type="CSP">
    <variables>
    <array id="q" size="[2]"> 0..1 </array>
    </variables>
    <constraints>
    <allDifferent> q[] </allDifferent>
    <allDifferent> sub(q[0],0) sub(q[1],1) </allDifferent>
    <allDifferent> add(q[0],0) add(q[1],1) </allDifferent>
    <intension> eq(q[0],1) </intension>
    </constraints>
    </instance>
    """
    n = instance.n
    arrays = ["q"] if instance.regions is None else ["q", "region"]
    lines = [
        '<instance format="XCSP3" type="CSP">',
        "<variables>",
        *(f'<array id="{name}" size="[{n}]"> 0..{n - 1} </array>' for name in arrays),
        "</variables>",
        "<constraints>",
        *_constraints(instance),
        "</constraints>",
        "</instance>",
    ]
    return "\n".join([*lines, ""])


def _constraints(instance: Instance) -> Iterator[str]:
    n = instance.n
    yield _all_different(["q[]"])
    match instance.diagonals:
        case Diagonals.FULL:
            yield _all_different([f"sub(q[{row}],{row})" for row in range(n)])
            yield _all_different([f"add(q[{row}],{row})" for row in range(n)])
        case Diagonals.MODULAR:
            yield _all_different([f"mod(add(q[{row}],{n - row}),{n})" for row in range(n)])
            yield _all_different([f"mod(add(q[{row}],{row}),{n})" for row in range(n)])
        case Diagonals.ADJACENT:
            yield from (f"<intension> ne(dist(q[{row}],q[{row + 1}]),1) </intension>" for row in range(n - 1))
    yield from (f"<intension> eq(q[{row}],{column}) </intension>" for row, column in instance.fixed)
    yield from (f"<intension> ne(q[{row}],{column}) </intension>" for row, column in instance.blocked)
    if instance.regions is not None:
        for row, labels in enumerate(instance.regions):
            parts = {"list": " ".join(map(str, labels)), "index": f"q[{row}]", "value": f"region[{row}]"}
            inner = " ".join(f"<{tag}> {text} </{tag}>" for tag, text in parts.items())
            yield f"<element> {inner} </element>"
        yield _all_different(["region[]"])


def _all_different(terms: Sequence[str]) -> str:
    return f"<allDifferent> {' '.join(terms)} </allDifferent>"
