"""Other people's solvers: installed ones under the contract, and pretended ones that err."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nqueens_models.cross_check import cross_check
from nqueens_models.engines.any_cnf import count_cnf
from nqueens_models.engines.base import Limits, Outcome, Termination
from nqueens_models.engines.external import ExternalEngine
from nqueens_models.engines.printed import Said, asp_answers, minisat_answers, sat_answers, zinc_answers
from nqueens_models.engines.registry import make_engine, spec_of
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidSetting
from nqueens_models.formats.dimacs import parse_dimacs
from nqueens_models.instance import Instance, Placement
from nqueens_models.testing import REGIONS, check_engine
from tests.cli.conftest import process
from tests.engines.interrupted import signalled
from tests.formats.cnf_files import READABLE, projected

PRETENDED = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('pretended_solver.py')))}"

PROGRAMS = {
    "cadical": 'external:command="cadical -q {file}"',
    "minisat": 'external:command="minisat -verb=0 {file} {output}"',
    "picosat": 'external:command="picosat {file}",at_most_one=seqcounter,seed=3',
    "picosat --all": 'external:command="picosat --all {file}",enumerates=true',
    "clasp": "external:command=clasp",
    "clasp -n 0": 'external:command="clasp -n 0 {file}",enumerates=true',
    "clingo": 'external:command="clingo -n 0 {file}",format=asp',
    "clingo (PyPI)": f'external:command="{sys.executable} -m clingo -n 0 {{file}}",format=asp',
    "minizinc": 'external:command="minizinc --solver gecode -a {file}",format=minizinc',
    "fzn-gecode": 'external:command="fzn-gecode -a {file}",format=flatzinc',
}
FAMILY = (
    *(Instance(n) for n in (0, 1, 2, 3, 4, 5, 6)),
    Instance(5, "modular"),
    Instance(4, "adjacent"),
    Instance(6, fixed=[(0, 1)], blocked=[(2, 5)]),
    Instance(6, fixed=[(2, 1), (2, 4)]),
    Instance(5, "adjacent", [(0, 1)], [(4, 4)], REGIONS),
    Instance(5, "modular", regions=REGIONS),
)


def installed(name: str) -> str:
    """Return the specification of a program, or skip; continuous integration has installed it if it could."""
    if name == "clingo (PyPI)":
        pytest.importorskip("clingo", reason="clingo is not installed: pip install clingo")
    elif shutil.which(name.split()[0]) is None:
        reason = f"{name.split()[0]} is not installed: .ci/run says how"
        if os.environ.get("CI") and os.geteuid() == 0:
            pytest.fail(f"continuous integration tests every program: {reason}")
        pytest.skip(reason)
    return PROGRAMS[name]


def pretended(behaviour: str, **settings: object) -> ExternalEngine:
    return ExternalEngine(f"{PRETENDED} {shlex.quote(behaviour)} {{file}}", **settings)  # type: ignore[arg-type]


def enumerate_all(
    engine: ExternalEngine, instance: Instance, limits: Limits | None = None
) -> tuple[list[Placement], Outcome]:
    found: list[Placement] = []
    outcome = engine.enumerate(
        instance, lambda block: found.extend(map(tuple, block.tolist())), limits or Limits()
    )
    return found, outcome


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_keeps_the_contract(name: str) -> None:
    slow_to_start = name in ("minizinc", "clingo (PyPI)")
    assert check_engine(make_engine(installed(name)), FAMILY[::4] if slow_to_start else FAMILY) == ()


def test_temporary_files_of_a_program_that_is_killed_go(tmp_path: Path) -> None:
    """Each of its children would leave a file there: they are written where the engine removes everything."""
    script = tmp_path / "solver.py"
    script.write_text(
        "import os, pathlib, tempfile, time\n"
        f"pathlib.Path({str(tmp_path / 'where')!r}).write_text(tempfile.mkstemp()[1])\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    engine = ExternalEngine(command=f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {{file}}")
    outcome = engine.enumerate(Instance(4), lambda _: None, Limits(seconds=1.5))
    assert outcome.termination is Termination.TIME_LIMIT
    assert not Path((tmp_path / "where").read_text(encoding="utf-8")).exists()


def test_a_pretended_solver_keeps_the_contract() -> None:
    assert check_engine(pretended("honest"), FAMILY[:5]) == ()


def test_programs_are_cross_checked() -> None:
    names = [name for name in ("cadical", "minisat", "picosat", "clasp", "clingo") if shutil.which(name)]
    if len(names) < 2:
        pytest.skip("not two of cadical, minisat, picosat, clasp and clingo are installed")
    verdict = cross_check(6, ["bitmask", *(PROGRAMS[name] for name in names)])
    assert verdict.identical
    assert len(verdict.findings) == len(names) + 1


@pytest.mark.parametrize("name", ["cadical", "minisat", "clasp"])
def test_any_cnf_by_a_program(name: str) -> None:
    engine = make_engine(installed(name))
    assert isinstance(engine, ExternalEngine)
    for data in (READABLE["plain"], READABLE["c p show"], READABLE["an empty projection"], READABLE["no clause"]):
        cnf = parse_dimacs(data)
        assert count_cnf(cnf, engine).solutions == len(projected(cnf))


def test_a_lost_solution_is_a_disagreement() -> None:
    verdict = cross_check(4, ["bitmask", pretended("loses")])
    assert [len(one.missing) for one in verdict.disagreements] == [1]


def test_a_placement_against_the_rules_is_a_disagreement() -> None:
    verdict = cross_check(4, ["bitmask", pretended("attacks")])
    assert [one.wrong.array.tolist() for one in verdict.disagreements] == [[[0, 1, 2, 3]]]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (
            "repeats",
            r"gave this placement again, although a clause blocks it:\n\.Q\.\.\n\.\.\.Q\nQ\.\.\.\n\.\.Q\.$",
        ),
        ("crowds", r"not one queen in each row:\nQQQQ\nQQQQ\nQQQQ\nQQQQ$"),
        ("crashes", "ended with exit status 1; it said: out of luck, without an answer"),
        ("is_silent", "ended with exit status 0, without an answer"),
        ("keeps_it", "says SATISFIABLE, but prints no assignment"),
    ],
)
def test_a_solver_that_errs(behaviour: str, reason: str) -> None:
    engine = pretended(behaviour)
    with pytest.raises(EngineError, match=reason):
        enumerate_all(engine, Instance(4))
    verdict = cross_check(4, ["bitmask", engine])
    assert [one.engine for one in verdict.disagreements] == [spec_of(engine)]
    assert not verdict.identical


def test_what_a_program_gets_wrong_is_drawn() -> None:
    engines = (
        f"bitmask,{spec_of(pretended('loses'))},{spec_of(pretended('attacks'))},{spec_of(pretended('crowds'))}"
    )
    result = process("cross-check", 4, "--engines", engines, "-q")
    assert result.status == 1
    assert "loses {file} misses 1 placements, such as:\n..Q.\nQ...\n...Q\n.Q..\n" in result.out
    assert "attacks {file} adds, against the rules, 1 placements, such as:\nQ...\n.Q..\n..Q.\n...Q\n" in result.out
    assert "not one queen in each row:\nQQQQ\nQQQQ\nQQQQ\nQQQQ\n" in result.out


def test_an_assignment_that_breaks_a_clause_of_a_cnf() -> None:
    with pytest.raises(EngineError, match=r"does not satisfy the clause \[-1\]"):
        count_cnf(parse_dimacs(b"p cnf 2 2\n-1 0\n1 2 0\n"), pretended("crowds"))


def test_the_time_limit_ends_the_program_and_what_it_started() -> None:
    started = time.monotonic()
    found, outcome = enumerate_all(pretended("hangs"), Instance(4), Limits(seconds=1.0))
    assert outcome.termination is Termination.TIME_LIMIT
    assert found == []
    assert time.monotonic() - started < 20
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    assert "pretended_solver.py hangs" not in running
    assert "a child that hangs" not in running


@pytest.mark.parametrize("name", ["cadical", "picosat --all", "clingo", "fzn-gecode"])
def test_ctrl_c_keeps_what_was_found(name: str) -> None:
    ended = signalled(installed(name), 11)
    assert ended.status == 0, ended.rest
    assert ended.found["termination"] == Termination.INTERRUPTED
    assert ended.found["visited"] == ended.found["solutions"] > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
def test_the_memory_limit() -> None:
    with pytest.raises(EngineError, match="MemoryError"):
        enumerate_all(pretended("eats_memory", memory=500), Instance(2))
    assert enumerate_all(pretended("eats_memory"), Instance(2))[1].termination is Termination.EXHAUSTED


def test_a_program_that_stops_too_early_is_not_believed(tmp_path: Path) -> None:
    text = tmp_path / "said"
    for format_, said in (
        ("asp", "Answer: 1\nqueen(1,1)\nSATISFIABLE\n\nModels       : 1+\n"),
        ("minizinc", "queens = [1];\n----------\n"),
        ("flatzinc", "=====UNKNOWN=====\n"),
    ):
        text.write_text(said)
        with pytest.raises(EngineError, match="never said that it had found everything"):
            enumerate_all(ExternalEngine(f"cat {text}", format_), Instance(1))


@pytest.mark.parametrize(
    ("spec", "error", "reason"),
    [
        ("external", InvalidSetting, "needs command"),
        ("external:format=asp", InvalidSetting, "needs command"),
        ('external:command="  "', InvalidSetting, "PROGRAM ARGUMENTS"),
        ('external:command="cat {fiel}"', InvalidSetting, r"it may use \{file\}, \{output\}, \{seed\}"),
        ('external:command="cat \'x"', InvalidSetting, "no template"),
        ("external:command=no-such-program", EngineUnavailable, "no program 'no-such-program'"),
        ("external:command=\"'no such'\"", EngineUnavailable, "a value with spaces stands in double quotes"),
        ("external:command=cat,memory=-1", InvalidSetting, "memory is a number of MiB"),
        ("external:command=cat,format=smt", InvalidSetting, "flatzinc"),
        ("external:command=cat,enumerates=true,at_most_one=ladder", InvalidSetting, "pairwise"),
    ],
)
def test_settings_that_do_not_fit(spec: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        make_engine(spec).enumerate(Instance(4), lambda block: None)


def test_a_program_is_part_of_no_cross_check_unless_it_is_named() -> None:
    verdict = cross_check(4)
    assert "external" not in {one.engine for one in verdict.findings} | set(verdict.left_out)


def test_a_cnf_needs_a_solver_that_is_asked_again() -> None:
    for engine in (ExternalEngine("cat", "asp"), ExternalEngine("cat", enumerates=True)):
        with pytest.raises(InvalidSetting, match="format=dimacs"):
            count_cnf(parse_dimacs(READABLE["plain"]), engine)


def test_what_sat_solvers_print() -> None:
    said = Said()
    lines = ["c hello", "s SATISFIABLE", "v 1 -2", "v 3 0", "s SATISFIABLE", "v -1 0", "s SOLUTIONS 2"]
    assert list(sat_answers(lines, said)) == [[1, -2, 3], [-1]]
    assert said == Said(satisfiable=True, complete=True)
    for printed, expected in {
        ("s UNSATISFIABLE",): Said(satisfiable=False, complete=True),
        ("s SATISFIABLE", "v 1 0", "c Models         : 1+"): Said(satisfiable=True),
        ("s SATISFIABLE", "v 1 0", "c Models         : 1"): Said(satisfiable=True, complete=True),
        ("s SOLUTIONS 0",): Said(satisfiable=False, complete=True),
        ("s UNKNOWN",): Said(),
        ("SATISFIABLE", "1 2 0"): Said(),
    }.items():
        said = Said()
        list(sat_answers(printed, said))
        assert said == expected


def test_what_minisat_writes() -> None:
    for text, answers, expected in (
        ("SAT\n1 -2 0\n", [[1, -2]], Said(satisfiable=True)),
        ("UNSAT\n", [], Said(satisfiable=False, complete=True)),
        ("INDET\n", [], Said()),
        ("", [], Said()),
    ):
        said = Said()
        assert list(minisat_answers(text.splitlines(), said)) == answers
        assert said == expected


def test_what_asp_solvers_print() -> None:
    said = Said()
    lines = [
        "Answer: 1 (Time: 0.004s)",
        "queen(1,2) queen(2,1) row(3)",
        "Answer: 2",
        "",
        "SATISFIABLE",
        "Models : 2",
    ]
    assert list(asp_answers(lines, said)) == [[(0, 1), (1, 0)], []]
    assert said == Said(satisfiable=True, complete=True)


def test_what_zinc_solvers_print() -> None:
    said = Said()
    lines = [
        "% note",
        "queens = [2, 1];",
        "----------",
        "queens = array1d(1..2, [1,2]);",
        "----------",
        "==========",
    ]
    assert list(zinc_answers(lines, said)) == [[(0, 1), (1, 0)], [(0, 0), (1, 1)]]
    assert said == Said(satisfiable=True, complete=True)
    said = Said()
    assert list(zinc_answers(["=====UNSATISFIABLE====="], said)) == []
    assert said == Said(satisfiable=False, complete=True)
