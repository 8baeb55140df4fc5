"""Accounts of models: the clauses and constraints that are shown are those that are solved."""

from __future__ import annotations

import re

import pytest

from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidSetting
from nqueens_models.formats.account import SHOWN, account, catalogue
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.models.column_cnf import COLUMN_VARIABLES, Columns, column_cnf
from nqueens_models.models.cpsat import FORMULATIONS, queens_model


def lines(instance: Instance, spec: str) -> list[str]:
    return list(account(instance, make_engine(spec)))


def as_clause(line: str, n: int) -> list[int]:
    """Read a line such as `not x[0,1] or a2` back."""
    clause = []
    for literal in line.strip().split(" or "):
        sign = -1 if literal.startswith("not ") else 1
        numbers = [int(number) for number in re.findall(r"\d+", literal)]
        clause.append(sign * (n * numbers[0] + numbers[1] + 1 if len(numbers) == 2 else n * n + numbers[0]))
    return clause


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_very_clauses(encoding: str) -> None:
    shown = [
        line for line in lines(Instance(3), f"sat:at_most_one={encoding}") if re.match(r"    (not |x|a\d)", line)
    ]
    cnf = queens_cnf(Instance(3), encoding)
    assert [as_clause(line, 3) for line in shown] == (cnf.clauses if len(cnf.clauses) <= SHOWN else [])


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
@pytest.mark.parametrize("diagonals", Diagonals)
@pytest.mark.parametrize(("breaking", "n"), [("false", 3), ("false", 9), ("true", 2)])
def test_the_very_clauses_over_columns(kind: str, diagonals: Diagonals, breaking: str, n: int) -> None:
    told = lines(Instance(n, diagonals), f"sat:variables={kind},symmetry_breaking={breaking}")
    cnf = column_cnf(Instance(n, diagonals), kind, symmetry_breaking=breaking == "true")
    columns = Columns(n, kind)
    names = [f"{'y' if kind == 'order' else 'b'}[{r},{i}]" for r in range(n) for i in range(columns.each)]
    names += [f"x[{r},{c}]" for r in range(n) for c in range(n)] if breaking == "true" else []
    names += [f"a{number}" for number in range(1, cnf.variables - len(names) + 1)]
    shown = [line.strip().split(" or ") for line in told if line.startswith("    ")]
    read = [[(-1 if " " in one else 1) * (names.index(one.split()[-1]) + 1) for one in line] for line in shown]
    assert read == (cnf.clauses if len(cnf.clauses) <= SHOWN else [])
    assert any(columns.meaning in line for line in told)
    auxiliary = cnf.variables - columns.primary
    assert any(f"{auxiliary} auxiliary variables, {len(cnf.clauses)} clauses" in line for line in told)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("diagonals", Diagonals)
def test_the_very_constraints(formulation: str, diagonals: Diagonals) -> None:
    shown = lines(Instance(4, diagonals), f"cpsat:model={formulation}")
    model = queens_model(Instance(4, diagonals), formulation).model
    constraints = [" ".join(str(constraint).split()) for constraint in model.proto.constraints]
    assert [line.strip() for line in shown[-len(constraints) :]] == constraints
    assert f"size       {len(model.proto.variables)} variables, {len(constraints)} constraints" in shown


@pytest.mark.parametrize("spec", ["sat", "cpsat:model=notequal"])
def test_a_large_model_is_not_shown_but_its_size_is(spec: str) -> None:
    shown = lines(Instance(20), spec)
    assert len(shown) < 12
    assert "not shown" in shown[-1]
    assert re.search(r"size +\d+", shown[-2])


def test_the_size_is_that_of_the_clauses() -> None:
    for instance in (
        Instance(6),
        Instance(6, "modular"),
        Instance(6, fixed=[(0, 1)]),
        Instance(5, blocked=[(1, 1)]),
    ):
        cnf = queens_cnf(instance, "product")
        told = f"{cnf.variables - instance.n**2} auxiliary variables, {len(cnf.clauses)} clauses"
        assert any(told in line for line in lines(instance, "sat:at_most_one=product"))


def test_everything_about_an_instance_is_said() -> None:
    instance = Instance(4, "adjacent", [(0, 1)], [(3, 3)], ["AABB", "AABB", "CCDD", "CCDD"])
    for spec in ("sat:symmetry_breaking=true", "cpsat:model=boolean,symmetry_breaking=true"):
        text = "\n".join(lines(instance, spec))
        for word in ("x[r+1,c+1]", "a queen on (0,1)", "no queen on (3,3)", "for every region", "0 images"):
            assert word in text, spec
    many = "\n".join(lines(Instance(5, blocked=[(r, c) for r in range(5) for c in range(5)]), "sat"))
    assert "(3,4) and 5 more" in many


def test_an_engine_without_a_model() -> None:
    for spec in ("bitmask", "column-sets"):
        with pytest.raises(InvalidSetting, match=f"{spec} has no model to show"):
            lines(Instance(4), spec)


def test_the_catalogue_has_every_model_with_the_sizes_that_are_built() -> None:
    entries = {entry.spec: entry for entry in catalogue((5, 7))}
    assert len(entries) == len(ENCODINGS) + len(COLUMN_VARIABLES) + len(FORMULATIONS)
    for name in ENCODINGS:
        built = [queens_cnf(Instance(n), name) for n in (5, 7)]
        sizes = tuple((n, cnf.variables, len(cnf.clauses)) for n, cnf in zip((5, 7), built, strict=True))
        assert entries[f"sat:at_most_one={name}"].sizes == sizes
    assert all(entry.summary for entry in entries.values())
