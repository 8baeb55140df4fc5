"""Models explained: what a model says, how large it is, and for small boards its very clauses or constraints."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from nqueens_models.engines.base import Engine
from nqueens_models.engines.cpsat import CpSatEngine
from nqueens_models.engines.registry import spec_of
from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Diagonals, Instance, Square
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import board_sizes
from nqueens_models.models.column_cnf import COLUMN_VARIABLES, Columns, column_sizes
from nqueens_models.models.cpsat import FORMULATIONS, model_sizes
from nqueens_models.models.encoding import Sizes
from nqueens_models.symmetry import stabiliser

SHOWN = 200
"""How many clauses or constraints are shown at the most."""
DIAGONALS = {
    Diagonals.FULL: "for every d: at most one x[r,c] with r - c = d, and with r + c = d",
    Diagonals.MODULAR: "for every d: at most one x[r,c] with r - c = d (mod n), and with r + c = d (mod n)",
    Diagonals.ADJACENT: "for every r, c: not both x[r,c] and x[r+1,c+1], nor x[r,c] and x[r+1,c-1]",
}
"""What squares say about diagonals."""
COLUMNS = {
    Diagonals.FULL: "for every r < s: q[s] - q[r] is neither s - r nor r - s",
    Diagonals.MODULAR: "for every r < s: q[s] - q[r] is neither s - r nor r - s (mod n)",
    Diagonals.ADJACENT: "for every r: q[r+1] - q[r] is neither 1 nor -1; there are no longer diagonals",
}
"""What the columns q[r] of the queens say about them."""


@dataclass(frozen=True)
class Entry:
    """One formulation or encoding, by the engine's specification; sizes are those of the plain board of n queens.

    `size` is the number of clauses, or of constraints.
    """

    spec: str
    summary: str
    sizes: tuple[tuple[int, int, int], ...]
    """(n, variables, size)"""


def catalogue(numbers: tuple[int, ...] = (8, 100)) -> list[Entry]:
    """Return every encoding and kind of variables of the engine sat, and every formulation of cpsat."""
    entries = []
    for name, encoding in ENCODINGS.items():
        sizes = [(n, board_sizes(n, name)) for n in numbers]
        counted = tuple((n, n * n + size.auxiliary, size.clauses) for n, size in sizes)
        entries.append(Entry(f"sat:at_most_one={name}", encoding.summary, counted))
    for kind in COLUMN_VARIABLES:
        counted = tuple((n, *column_sizes(n, kind)) for n in numbers)
        entries.append(
            Entry(f"sat:variables={kind}", f"No variable a square: columns in {kind} encoding.", counted)
        )
    for name, formulation in FORMULATIONS.items():
        models = [(n, model_sizes(name, n)) for n in numbers]
        counted = tuple((n, model.variables, model.constraints) for n, model in models)
        summary = (inspect.getdoc(formulation) or "").partition("\n")[0]
        entries.append(Entry(f"cpsat:model={name}", summary, counted))
    return entries


def account(instance: Instance, engine: Engine) -> Iterator[str]:
    """Yield the lines of an account of the model that `engine` solves.

    Raises InvalidSetting for an engine that has none, because it searches by itself, or whose model is a text that
    `export` writes.
    """
    match engine:
        case SatEngine():
            yield from _of_clauses(instance, engine)
        case CpSatEngine():
            yield from _of_constraints(instance, engine)
        case _:
            raise InvalidSetting(f"{spec_of(engine)} has no model to show; sat and cpsat do")


def _of_clauses(instance: Instance, engine: SatEngine) -> Iterator[str]:
    direct, columns = engine.variables == "direct", Columns(instance.n, engine.variables)
    yield f"{instance} in clauses"
    yield from _over_squares(instance) if direct else _over_columns(instance, columns)
    yield from _squares(instance, engine.symmetry_breaking)
    if direct:
        encoding = ENCODINGS[engine.at_most_one]
        yield f"at most one, {engine.at_most_one}: {encoding.summary}"
        yield f"    for k squares: {encoding.formula}"
    primary, what = (instance.n**2, "squares") if direct else (columns.primary, "variables of columns")
    size = _size_in_clauses(instance, engine, primary)
    yield f"size       {primary} {what}, {size.auxiliary} auxiliary variables, {size.clauses} clauses"
    if size.clauses > SHOWN:
        yield f"more than {SHOWN} clauses are not shown; export writes them"
        return
    cnf = engine.cnf(instance)
    names = ["", *_names(instance.n, engine, cnf.variables)]
    for clause in cnf.clauses:
        yield "    " + " or ".join(f"{'not ' * (literal < 0)}{names[abs(literal)]}" for literal in clause)


def _over_squares(instance: Instance) -> Iterator[str]:
    yield "x[r,c]     a queen stands in row r and column c, both 0-based: variable n * r + c + 1"
    yield "rows       for every r: exactly one of x[r,0] .. x[r,n-1]"
    yield "columns    for every c: exactly one of x[0,c] .. x[n-1,c]"
    yield f"diagonals  {DIAGONALS[instance.diagonals]}"


def _over_columns(instance: Instance, columns: Columns) -> Iterator[str]:
    if columns.kind == "order":
        symbol, rows = (
            "y[r,c]",
            "for every r, c: if y[r,c] then y[r,c+1]; q[r] is how many y[r,c] do not hold",
        )
    else:
        symbol, rows = "b[r,k]", "for every r: the bits b[r,0], b[r,1], ... are those of q[r], 0 <= q[r] < n"
    yield f"{symbol}     {columns.meaning}, all 0-based"
    yield f"rows       {rows}"
    yield "columns    for every r < s: q[r] and q[s] differ"
    yield f"diagonals  {COLUMNS[instance.diagonals]}"
    yield "clauses    two squares that exclude each other are one clause: one of the queens is not there"


def _size_in_clauses(instance: Instance, engine: SatEngine, primary: int) -> Sizes:
    """Return the size by formula, if there is one: a large board takes long to state."""
    if not (instance.fixed or instance.blocked or instance.regions or engine.symmetry_breaking):
        if engine.variables == "direct":
            return board_sizes(instance.n, engine.at_most_one, instance.diagonals)
        if instance.diagonals is Diagonals.FULL:
            return Sizes(0, column_sizes(instance.n, engine.variables)[1])
    cnf = engine.cnf(instance)
    return Sizes(cnf.variables - primary, len(cnf.clauses))


def _names(n: int, engine: SatEngine, variables: int) -> list[str]:
    """Return how the variables are read, in order: auxiliary ones that stand for no square are a1, a2, ..."""
    names = []
    if engine.variables != "direct":
        each, symbol = Columns(n, engine.variables).each, "y" if engine.variables == "order" else "b"
        names += [f"{symbol}[{row},{place}]" for row in range(n) for place in range(each)]
    if engine.variables == "direct" or engine.symmetry_breaking:
        names += [f"x[{row},{column}]" for row in range(n) for column in range(n)]
    return names + [f"a{number}" for number in range(1, variables - len(names) + 1)]


def _of_constraints(instance: Instance, engine: CpSatEngine) -> Iterator[str]:
    model = engine.statement(instance).model
    constraints = list(model.proto.constraints)
    yield f"{instance} as CP-SAT model, {engine.model}"
    yield from (inspect.getdoc(FORMULATIONS[engine.model]) or "").splitlines()
    diagonals = DIAGONALS if engine.model == "boolean" else COLUMNS
    yield f"diagonals  {diagonals[instance.diagonals]}"
    yield from _squares(instance, engine.symmetry_breaking)
    yield f"size       {len(model.proto.variables)} variables, {len(constraints)} constraints"
    if len(constraints) > SHOWN:
        yield f"more than {SHOWN} constraints are not shown; export --to cpsat-proto writes them"
        return
    for number, variable in enumerate(model.proto.variables):
        yield f"    variable {number}: {variable.name} in {' '.join(map(str, variable.domain))}".rstrip()
    yield from (f"    {' '.join(str(constraint).split())}" for constraint in constraints)


def _squares(instance: Instance, symmetry_breaking: bool) -> Iterator[str]:
    """Yield what is said about single squares, regions and symmetries, as far as there are any."""
    if instance.fixed:
        yield f"fixed      a queen on {_listed(instance.fixed)}"
    if instance.blocked:
        yield f"blocked    no queen on {_listed(instance.blocked)}"
    if instance.regions is not None:
        yield "regions    for every region: exactly one queen on its squares"
    if symmetry_breaking:
        images = len(stabiliser(instance)) - 1
        yield f"symmetry   the columns, row by row, do not come after those of any of {images} images (lex-leader)"


def _listed(squares: tuple[Square, ...]) -> str:
    listed = " ".join(f"({row},{column})" for row, column in squares[:20])
    return listed + (f" and {len(squares) - 20} more" if len(squares) > 20 else "")
