"""Exported models, solved by tools that we did not write: the same solutions, for the whole family."""

from __future__ import annotations

import doctest
import itertools
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python import cp_model
from pysat.solvers import Solver

from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import InvalidSetting, UnsupportedInstance
from nqueens_models.formats.dimacs import parse_dimacs
from nqueens_models.formats.exports import EXPORTS, export
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.models import smtlib, xcsp3
from nqueens_models.models.at_most_one import ENCODINGS
from nqueens_models.models.cnf import queens_cnf
from nqueens_models.models.column_cnf import COLUMN_VARIABLES, column_cnf
from nqueens_models.models.cpsat import FORMULATIONS
from tests import brute_force

FAMILY = (
    *(Instance(n, diagonals) for n in range(1, 7) for diagonals in Diagonals),
    Instance(5, fixed=[(0, 1)], blocked=[(2, 2), (4, 4)]),
    Instance(5, "modular", fixed=[(0, 0)]),
    Instance(4, fixed=[(0, 0), (3, 3)]),
    Instance(4, blocked=[(2, column) for column in range(4)]),
    Instance(5, "adjacent", regions=["ABBBC", "ABBBC", "AAECC", "ADDDC", "ADDDC"]),
    Instance(5, "full", [(1, 3)], [(0, 0)], ["AAAAB", "CABBB", "CCBDD", "CCEDD", "EEEED"]),
)


def exported(instance: Instance, to: str, **options: Any) -> str:
    return b"".join(export(instance, to, **options)).decode("ascii")


def count(command: list[str], text: str, suffix: str, folder: Path, pattern: str) -> int:
    """Return how often a program prints `pattern` about a file, or the number in its group."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    file = folder / f"model{suffix}"
    file.write_text(text, encoding="ascii")
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, timeout=60, check=False)
    found = re.findall(pattern, done.stdout, re.MULTILINE)
    return int(found[0]) if found and found[0].isdecimal() else len(found)


def projections(text: str) -> list[set[int]]:
    """Return the true ones among the variables that the projection line names, for each assignment to these."""
    cnf, found = parse_dimacs(text.encode()), []
    with Solver("cadical153", bootstrap_with=[*cnf.clauses, *([v, -v] for v in cnf.primary)]) as solver:
        while solver.solve():
            assignment = set(solver.get_model())
            found.append(assignment & set(cnf.primary))
            solver.add_clause([-v if v in assignment else v for v in cnf.primary])
    return found


def projected(text: str) -> int:
    """Count the assignments to the variables that the projection line names."""
    return len(projections(text))


def by_clingo(text: str) -> int:
    clingo = pytest.importorskip("clingo")
    control = clingo.Control(["0", "--warn=none"])
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        return sum(1 for _ in models)


def by_cpsat(text: str) -> int:
    class Counting(cp_model.CpSolverSolutionCallback):
        found = 0

        def on_solution_callback(self) -> None:
            self.found += 1

    model, solver, counting = cp_model.CpModel(), cp_model.CpSolver(), Counting()
    assert model.proto.parse_text_format(text)
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, counting)
    return counting.found


def by_z3(text: str) -> int:
    z3 = pytest.importorskip("z3")
    solver, found = z3.Solver(), 0
    solver.add(z3.parse_smt2_string(text))
    while solver.check() == z3.sat:
        found += 1
        model = solver.model()
        solver.add(z3.Or([constant() != model[constant] for constant in model.decls()]))
    return found


def by_xcsp3_semantics(text: str) -> int:
    """Count the assignments that satisfy each constraint, by a reading of the specification that is our own."""
    root = ElementTree.fromstring(text)
    assert root.attrib == {"format": "XCSP3", "type": "CSP"}
    array, *_ = variables = list(root.iter("array"))
    n = int(array.attrib["size"][1:-1])
    assert {(a.text or "").strip() for a in variables} == {f"0..{n - 1}"}
    functions = {"add": int.__add__, "sub": int.__sub__, "mod": int.__mod__, "eq": int.__eq__, "ne": int.__ne__}
    names: dict[str, Any] = {**functions, "dist": lambda one, other: abs(one - other)}
    found = 0
    for q in itertools.product(range(n), repeat=n):
        names |= {"q": q, "region": [0] * n}
        for element in root.iter("element"):
            labels, index, value = (element.findtext(tag, "").strip() for tag in ("list", "index", "value"))
            names["region"][int(value[7:-1])] = int(labels.split()[eval(index, names)])
        found += all(_holds(one, names) for one in root.iter() if one.tag in ("allDifferent", "intension"))
    return found


def _holds(constraint: ElementTree.Element, names: dict[str, Any]) -> bool:
    terms = (constraint.text or "").split()
    values = [
        value for term in terms for value in (names[term[:-2]] if term.endswith("[]") else [eval(term, names)])
    ]
    return len(set(values)) == len(values) if constraint.tag == "allDifferent" else values == [True]


SOLVED: Mapping[str, Callable[[str], int]] = {
    "dimacs": projected,
    "asp": by_clingo,
    "cpsat-proto": by_cpsat,
    "smtlib": by_z3,
    "xcsp3": by_xcsp3_semantics,
}
COMMANDS: Mapping[str, tuple[str, list[str], str, str]] = {
    "clasp": ("opb", ["clasp", "-n", "0"], ".opb", r"^c Models +: (\d+)"),
    "minizinc": ("minizinc", ["minizinc", "--solver", "gecode", "-a"], ".mzn", r"^-{10}$"),
    "gecode": ("flatzinc", ["fzn-gecode", "-a"], ".fzn", r"^-{10}$"),
}


@pytest.mark.parametrize("instance", FAMILY, ids=str)
@pytest.mark.parametrize("to", SOLVED)
def test_as_many_solutions_as_there_are(to: str, instance: Instance) -> None:
    assert SOLVED[to](exported(instance, to)) == len(brute_force.solutions(instance))


@pytest.mark.parametrize("instance", FAMILY, ids=str)
@pytest.mark.parametrize("program", COMMANDS)
def test_as_many_solutions_as_programs_find(program: str, instance: Instance, tmp_path: Path) -> None:
    to, command, suffix, pattern = COMMANDS[program]
    found = count(command, exported(instance, to), suffix, tmp_path, pattern)
    assert found == len(brute_force.solutions(instance))


@pytest.mark.parametrize("instance", FAMILY, ids=str)
def test_an_integer_program_has_a_solution_until_all_are_blocked(instance: Instance, tmp_path: Path) -> None:
    highspy = pytest.importorskip("highspy")
    wanted = brute_force.solutions(instance)
    found: list[Placement] = []
    for _ in range(min(len(wanted), 3)):
        found.append(by_highs(highspy, exported(instance, "lp", blocked=found), instance.n, tmp_path))
        assert found[-1] in wanted
    assert len(set(found)) == len(found)
    assert by_highs(highspy, exported(instance, "lp", blocked=wanted), instance.n, tmp_path) == ()


def by_highs(highspy: Any, text: str, n: int, folder: Path) -> Placement:
    """Return a solution, or none."""
    file = folder / "model.lp"
    file.write_text(text, encoding="ascii")
    highs = highspy.Highs()
    highs.silent()
    assert highs.readModel(str(file)) == highspy.HighsStatus.kOk
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return ()
    values = dict(zip(highs.getLp().col_names_, highs.getSolution().col_value, strict=True))
    return tuple(next(c for c in range(n) if values[f"x_{row}_{c}"] > 0.5) for row in range(n))


@pytest.mark.parametrize(
    ("to", "program"),
    [("dimacs", "cadical"), ("dimacs", "minisat"), ("dimacs", "picosat"), ("dimacs", "clasp"), ("opb", "clasp")],
)
def test_satisfiable_and_after_blocking_unsatisfiable(to: str, program: str, tmp_path: Path) -> None:
    for blocked, answer in ((None, "SATISFIABLE"), (brute_force.solutions(Instance(6)), "UNSATISFIABLE")):
        text = exported(Instance(6), to, blocked=blocked)
        assert count([program], text, ".opb" if to == "opb" else ".cnf", tmp_path, rf"^(?:s )?{answer}\s*$") == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_dimacs_is_what_the_engine_solves(encoding: str) -> None:
    for breaking in (False, True):
        text = exported(Instance(5), "dimacs", engine=f"sat:at_most_one={encoding},symmetry_breaking={breaking}")
        file, cnf = parse_dimacs(text.encode()), queens_cnf(Instance(5), encoding, symmetry_breaking=breaking)
        assert (file.variables, file.clauses) == (cnf.variables, cnf.clauses)
        assert file.projection == tuple(range(1, 26))
        assert projected(text) == (2 if breaking else 10)


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
@pytest.mark.parametrize("breaking", [False, True])
def test_dimacs_of_columns_is_what_the_engine_solves(kind: str, breaking: bool) -> None:
    text = exported(Instance(5), "dimacs", engine=f"sat:variables={kind},symmetry_breaking={breaking}")
    file, cnf = parse_dimacs(text.encode()), column_cnf(Instance(5), kind, symmetry_breaking=breaking)
    assert (file.variables, file.clauses) == (cnf.variables, cnf.clauses)
    assert len(file.primary) == 5 * (4 if kind == "order" else 3)
    assert projected(text) == (2 if breaking else 10)


ENCODED = [
    f"sat:variables={variables},symmetry_breaking={breaking}"
    for variables in ("direct", *COLUMN_VARIABLES)
    for breaking in ("false", "true")
]


@pytest.mark.parametrize("spec", ["sat:at_most_one=bimander", *ENCODED])
def test_a_model_counter_counts_the_projection(spec: str) -> None:
    pyganak = pytest.importorskip("pyganak")
    all_of_them = {6: 4, 7: 40, 8: 92}  # OEIS A000170
    orbits = {6: 1, 7: 6, 8: 12}  # OEIS A002562
    for n, number in (orbits if "breaking=true" in spec else all_of_them).items():
        file = parse_dimacs(exported(Instance(n), "dimacs", engine=spec).encode())
        counter = pyganak.Counter()
        for clause in file.clauses:
            counter.add_clause(clause)
        counter.set_sampling_set(list(file.primary))
        assert counter.count() == number


@pytest.mark.parametrize("instance", FAMILY, ids=str)
@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
def test_exported_columns_are_what_the_comments_say(kind: str, instance: Instance) -> None:
    text = exported(instance, "dimacs", engine=f"sat:variables={kind}")
    found = [read_by_comments(text, true) for true in projections(text)]
    assert sorted(found) == brute_force.solutions(instance)


def read_by_comments(text: str, true: set[int]) -> Placement:
    """Read a placement off the comments of a file, as somebody would who knows nothing of its making."""
    meaning = re.search(r"variable (\d+) \* r \+ (c|k) \+ 1", text)
    assert meaning is not None
    each, placement = int(meaning[1]), []
    for number, row in enumerate(re.findall(r"^c row (\d+): variables (\d+) to (\d+)$", text, re.MULTILINE)):
        assert tuple(map(int, row)) == (number, each * number + 1, each * (number + 1))
        values = [variable in true for variable in range(int(row[1]), int(row[2]) + 1)]
        bits = sum(value << k for k, value in enumerate(values))
        placement.append(bits if meaning[2] == "k" else values.count(False))
    return tuple(placement) or (0,)  # there is nothing to say of one row


@pytest.mark.parametrize("program", ["cadical", "minisat"])
@pytest.mark.parametrize("spec", ENCODED)
def test_programs_find_and_block_the_solutions_of_every_encoding(spec: str, program: str, tmp_path: Path) -> None:
    for blocked, answer in ((None, "SATISFIABLE"), (brute_force.solutions(Instance(6)), "UNSATISFIABLE")):
        text = exported(Instance(6), "dimacs", engine=spec, blocked=blocked)
        assert count([program], text, ".cnf", tmp_path, rf"^(?:s )?{answer}\s*$") == 1


@pytest.mark.parametrize("kind", COLUMN_VARIABLES)
def test_what_is_not_blocked_is_left(kind: str) -> None:
    first, *others = brute_force.solutions(Instance(6))
    text = exported(Instance(6), "dimacs", engine=f"sat:variables={kind}", blocked=others)
    assert [read_by_comments(text, true) for true in projections(text)] == [first]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_cpsat_proto_is_what_the_engine_solves(formulation: str) -> None:
    for breaking, number in ((False, 10), (True, 2)):
        spec = f"cpsat:model={formulation},symmetry_breaking={breaking}"
        assert by_cpsat(exported(Instance(5), "cpsat-proto", engine=spec)) == number


@pytest.mark.parametrize("n", range(1, 8))
def test_the_header_of_opb_is_its_body(n: int) -> None:
    header, *lines = exported(Instance(n), "opb", blocked=brute_force.solutions(Instance(n))).splitlines()
    body = [line for line in lines if not line.startswith("*")]
    numbers = {int(number) for line in body for number in re.findall(r"x(\d+)", line)}
    assert header == f"* #variable= {n * n} #constraint= {len(body)}"
    assert numbers == set(range(1, n * n + 1))


def test_comments_map_variables_to_squares() -> None:
    for to in ("dimacs", "opb"):
        assert "row 2, columns 0 to 3: variables 9 to 12" in exported(Instance(4), to)
    assert "c p show 1 2 3 4 0" in exported(Instance(2), "dimacs").splitlines()


@pytest.mark.parametrize("to", [to for to in EXPORTS if to not in ("xcsp3", "flatzinc", "minizinc")])
def test_the_empty_board(to: str) -> None:
    assert exported(Instance(0), to)
    if to in ("dimacs", "asp", "cpsat-proto"):
        assert SOLVED[to](exported(Instance(0), to)) == 1


def test_what_cannot_be_exported_says_why() -> None:
    for to, options, why in (
        ("dimac", {}, "did you mean dimacs"),
        ("asp", {"blocked": []}, "dimacs, opb, lp, not in asp"),
        ("asp", {"engine": "sat"}, "asp takes no engine, not one of sat"),
        ("dimacs", {"engine": "cpsat"}, "dimacs is a model of the engine sat, not one of cpsat"),
        ("cpsat-proto", {"engine": make_engine("bitmask")}, "of the engine cpsat, not one of bitmask"),
    ):
        with pytest.raises(InvalidSetting, match=why):
            exported(Instance(4), to, **options)
    with pytest.raises(UnsupportedInstance, match="one queen or more"):
        exported(Instance(0), "xcsp3")


@pytest.mark.parametrize("module", [smtlib, xcsp3], ids=lambda module: module.__name__)
def test_the_examples_of_the_documentation(module: Any) -> None:
    assert doctest.testmod(module) == (0, 1)
