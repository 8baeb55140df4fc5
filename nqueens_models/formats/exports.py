"""Models in the formats that other people's solvers read: what is exported is what an engine solves.

`dimacs` holds the clauses of the engine `sat`, `cpsat-proto` the model of the engine `cpsat`; `opb` and `lp` are
the linear constraints of its formulation `boolean`. The others are the texts of models/, those that the engine
`external` hands to solvers among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine, unknown
from nqueens_models.errors import InvalidSetting, UnsupportedInstance
from nqueens_models.formats.dimacs import column_comments, dimacs_bytes, square_comments
from nqueens_models.instance import Instance
from nqueens_models.models.asp import queens_asp
from nqueens_models.models.cnf import blocking_clauses
from nqueens_models.models.column_cnf import Columns
from nqueens_models.models.cpsat import queens_model
from nqueens_models.models.flatzinc import queens_flatzinc
from nqueens_models.models.minizinc import queens_minizinc
from nqueens_models.models.smtlib import queens_smtlib
from nqueens_models.models.xcsp3 import queens_xcsp3
from nqueens_models.symmetry import stabiliser

Placements = Iterable[Sequence[int]]


@dataclass(frozen=True)
class Export:
    """A format: what is written in it, whether solutions can be blocked, which engine's settings it takes."""

    summary: str
    write: Callable[[Instance, Placements, Any], Iterable[bytes]]
    blocks: bool = False
    engine: str | None = None


def export(
    instance: Instance, to: str, engine: str | Engine | None = None, blocked: Placements | None = None
) -> Iterator[bytes]:
    """Yield `instance` in the format `to`, without the solutions in `blocked`.

    `engine` is the format's own, with settings. Raises InvalidSetting for an unknown format, another engine, and
    solutions where a format cannot block them, and UnsupportedInstance for no queens in XCSP3.
    """
    if to not in EXPORTS:
        raise InvalidSetting(unknown("format of models", to, EXPORTS))
    chosen = EXPORTS[to]
    if blocked is not None and not chosen.blocks:
        able = ", ".join(name for name, one in EXPORTS.items() if one.blocks)
        raise InvalidSetting(f"solutions can be blocked in {able}, not in {to}")
    made = None if engine is None and chosen.engine is None else make_engine(engine or chosen.engine or "")
    if made is not None and made.name != chosen.engine:
        own = "takes no engine" if chosen.engine is None else f"is a model of the engine {chosen.engine}"
        raise InvalidSetting(f"{to} {own}, not one of {made.name}")
    yield from chosen.write(instance, () if blocked is None else blocked, made)


def _dimacs(instance: Instance, blocked: Placements, engine: Any) -> Iterator[bytes]:
    n = instance.n
    if engine.variables == "direct":
        primary, comments = n * n, list(square_comments(instance))
        blocking = list(blocking_clauses(n, blocked))
    else:
        columns = Columns(n, engine.variables)
        primary, comments = columns.primary, list(column_comments(instance, columns))
        blocking = list(columns.blocking_clauses(blocked))
    if engine.symmetry_breaking:
        order = len(stabiliser(instance))
        comments.append(f"of each orbit under the instance's {order} symmetries the least solution alone is left")
        if engine.variables != "direct":
            comments.append(f"auxiliary variables: the squares, row by row, from {primary + 1} on, and others")
    if blocking:
        comments.append(f"the last {len(blocking)} clauses block solutions")
    cnf = engine.cnf(instance)
    return dimacs_bytes(cnf.variables, cnf.clauses + blocking, range(1, primary + 1), comments)


def _cpsat_proto(instance: Instance, _blocked: Placements, engine: Any) -> Iterator[bytes]:
    yield f"# n-queens, {instance}: a CpModelProto of OR-Tools, as text\n".encode()
    model = engine.statement(instance).model
    yield str(model.proto).encode()


@dataclass(frozen=True)
class _Linear:
    """So many of some squares have a queen, `least` to `most`; squares are numbered row by row from 0."""

    squares: Sequence[int]
    least: int
    most: int


def _linear(instance: Instance, blocked: Placements) -> Iterator[_Linear]:
    """Yield the constraints of the formulation `boolean`, and that a queen of each blocked solution is missing."""
    model = queens_model(instance, "boolean").model  # which owns the constraints: they go with it
    for constraint in model.proto.constraints:
        if constraint.has_exactly_one():  # to look at a kind that it is not would make it one
            yield _Linear(list(constraint.exactly_one.literals), 1, 1)
        elif constraint.has_at_most_one():
            yield _Linear(list(constraint.at_most_one.literals), 0, 1)
        else:
            least, most = constraint.linear.domain
            yield _Linear(list(constraint.linear.vars), least, most)
    for placement in blocked:
        yield _Linear([instance.n * row + column for row, column in enumerate(placement)], 0, instance.n - 1)


def _opb(instance: Instance, blocked: Placements, _engine: Any) -> Iterator[bytes]:
    """Write pseudo-Boolean constraints as the competitions read them: `>=` and `=` alone."""
    constraints = list(_linear(instance, blocked))
    yield f"* #variable= {instance.n**2} #constraint= {len(constraints)}\n".encode()
    yield from (f"* {comment}\n".encode() for comment in square_comments(instance))
    for one in constraints:
        exact = one.least == one.most
        terms = " ".join(f"{'+1' if exact else '-1'} x{square + 1}" for square in one.squares)
        yield f"{terms} {f'= {one.most}' if exact else f'>= {-one.most}'} ;\n".encode()


def _lp(instance: Instance, blocked: Placements, _engine: Any) -> Iterator[bytes]:
    """Write an integer program in the LP format of CPLEX: any solution is as good as another."""
    n = instance.n
    names = [f"x_{row}_{column}" for row in range(n) for column in range(n)]
    yield f"\\ n-queens, {instance}: x_r_c says that a queen stands in row r and column c (0-based)\n".encode()
    yield b"Minimize\n obj:\nSubject To\n"
    for number, one in enumerate(_linear(instance, blocked)):
        sense = "=" if one.least == one.most else "<="
        yield f" c{number}: {' + '.join(names[square] for square in one.squares)} {sense} {one.most}\n".encode()
    yield b"Binary\n"
    yield from (f" {name}\n".encode() for name in names)
    yield b"End\n"


def _text(
    state: Callable[[Instance], str], comment: str
) -> Callable[[Instance, Placements, Any], Iterator[bytes]]:
    def write(instance: Instance, _blocked: Placements, _engine: Any) -> Iterator[bytes]:
        yield f"{comment} n-queens, {instance}\n".encode()
        yield state(instance).encode()

    return write


def _xcsp3(instance: Instance, _blocked: Placements, _engine: Any) -> Iterator[bytes]:
    if instance.n == 0:
        raise UnsupportedInstance("XCSP3 has no model without variables: give one queen or more")
    yield f"<!-- n-queens, {instance} -->\n{queens_xcsp3(instance)}".encode()


EXPORTS: Mapping[str, Export] = {
    "dimacs": Export("the clauses of the engine sat, with a projection line", _dimacs, True, "sat"),
    "opb": Export("pseudo-Boolean: sums of squares", _opb, True),
    "lp": Export("an integer program, the same sums", _lp, True),
    "cpsat-proto": Export(
        "the model of the engine cpsat, a protocol buffer as text", _cpsat_proto, engine="cpsat"
    ),
    "minizinc": Export("all-different columns and diagonals", _text(queens_minizinc, "%")),
    "flatzinc": Export("not-equal pairs of columns, for any FlatZinc solver", _text(queens_flatzinc, "%")),
    "asp": Export("an answer-set program for clingo", _text(queens_asp, "%")),
    "smtlib": Export("SMT-LIB 2, linear integer arithmetic", _text(queens_smtlib, ";")),
    "xcsp3": Export("XCSP3-core", _xcsp3),
}
