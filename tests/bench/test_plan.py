"""What a comparison is made of: sizes, memory, order, contenders, suites."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.bench import suite
from nqueens_models.bench.plan import in_bytes, make_case, make_contender, sizes
from nqueens_models.bench.records import Goal
from nqueens_models.errors import FormatError, InvalidInput, InvalidSetting
from nqueens_models.instance import Instance
from tests.bench import records


@pytest.mark.parametrize(
    ("text", "numbers"), [("6..9", [6, 7, 8, 9]), ("8", [8]), ("4, 6,8..10,8", [4, 6, 8, 9, 10]), ("0", [0])]
)
def test_sizes(text: str, numbers: list[int]) -> None:
    assert sizes(text) == numbers


@pytest.mark.parametrize("text", ["x", "9..6", "6..", "-3", "1.5", "6...8"])
def test_what_are_no_sizes(text: str) -> None:
    with pytest.raises(InvalidInput, match="ranges such as"):
        sizes(text)


@pytest.mark.parametrize(
    ("text", "memory"), [("2GiB", 2 << 30), ("500 MB", 500_000_000), ("1.5kib", 1536), ("4096", 4096), ("7B", 7)]
)
def test_memory(text: str, memory: int) -> None:
    assert in_bytes(text) == memory


@pytest.mark.parametrize("text", ["", "GiB", "2 elephants", "-1GiB", "1e9"])
def test_what_is_no_memory(text: str) -> None:
    with pytest.raises(InvalidInput, match="a number and a unit"):
        in_bytes(text)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers())
def test_every_round_has_every_cell_once(cases: int, engines: int, repeat: int, seed: int) -> None:
    plan = records.plan(
        [make_case(Instance(n)) for n in range(cases)], [f"e{i}" for i in range(engines)], repeat=repeat, seed=seed
    )
    trials = list(plan.trials())
    assert len(trials) == plan.runs == cases * engines * repeat
    for number in range(repeat):
        part = trials[number * cases * engines : (number + 1) * cases * engines]
        assert {trial.repetition for trial in part} == {number}
        assert set(Counter(trial.cell for trial in part).values()) == {1}
    assert [trial.identity for trial in plan.trials()] == [trial.identity for trial in trials]


def test_the_order_depends_on_the_seed_and_the_round() -> None:
    cases = [make_case(Instance(n)) for n in range(20)]
    orders = []
    for seed in (1, 2):
        trials = list(records.plan(cases, ["a", "b"], repeat=2, seed=seed).trials())
        orders += [[t.case.name + t.contender.label for t in trials[:40]]]
        orders += [[t.case.name + t.contender.label for t in trials[40:]]]
    assert len({tuple(order) for order in orders}) == 4


def test_contenders_have_their_shortest_names() -> None:
    assert make_contender("sat:solver=minisat22,at_most_one=ladder").label == "sat:at_most_one=ladder"
    assert make_contender("bitmask", "cubes", symmetry=False, workers=2).label == (
        "bitmask by cubes, no symmetry, 2 workers"
    )


@pytest.mark.parametrize(
    ("spec", "search", "workers"),
    [("nobody", "plain", 1), ("sat:solver=x", "plain", 1), ("sat", "x", 1), ("sat", "plain", 2)],
)
def test_what_are_no_contenders(spec: str, search: str, workers: int) -> None:
    with pytest.raises(InvalidSetting):
        make_contender(spec, search, workers=workers)


def test_cases_say_what_is_asked() -> None:
    assert make_case(Instance(8)).name == "n=8"
    assert make_case(Instance(8)).group == "n queens, every solution"
    assert make_case(Instance(8), Goal.COUNT).name == "n=8, count"
    assert make_case(Instance(8, "modular"), solutions=1).name == "n=8, modular diagonals, first solution"
    blocked = make_case(Instance(8, blocked=[(0, 0)], fixed=[(1, 1)]), name="mine")
    assert (blocked.name, blocked.group) == ("mine", "completion, blocked squares, every solution")
    assert make_case(Instance(1, regions=["a"])).group == "regions, every solution"


def test_a_plan_refuses_what_makes_no_sense() -> None:
    case = make_case(Instance(8))
    for cases, engines, changes in (
        ([case, case], ["a"], {}),
        ([case], ["a", "a"], {}),
        ([], ["a"], {}),
        ([case], [], {}),
        ([case], ["a"], {"repeat": 0}),
        ([case], ["a"], {"at_once": 0}),
    ):
        with pytest.raises(InvalidInput):
            records.plan(cases, engines, **changes)
    with pytest.raises(InvalidInput, match="above 0"):
        records.plan([case], ["a"]).with_changes(seconds=0.0)


SUITE = """
title = "Mine"
timeout = 2.5
memory = "1GiB"
[[cases]]
n = "6..8"
[[cases]]
files = "boards/*"
goal = "count"
[[engines]]
spec = "bitmask"
[[engines]]
spec = "sat"
search = "cubes"
up_to = 7
groups = ["n queens, every solution"]
"""


def test_a_suite_is_a_plan(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "corner.json").write_text(Instance(7, fixed=[(0, 0)]).canonical_json())
    path = tmp_path / "mine.toml"
    path.write_text(SUITE)
    plan = suite.load(str(path))
    assert [case.name for case in plan.cases] == ["n=6", "n=7", "n=8", "corner, count"]
    assert plan.cases[3].board() == Instance(7, fixed=[(0, 0)])
    assert [contender.label for contender in plan.contenders] == ["bitmask", "sat by cubes"]
    assert plan.cells == ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 0))
    assert (plan.allowance.seconds, plan.allowance.memory, plan.repeat) == (2.5, 1 << 30, 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 1", "is no suite"),
        (SUITE.replace("timeout", "time_out"), "time_out"),
        (SUITE.replace('n = "6..8"', ""), "either n or files"),
        (SUITE.replace("boards/*", "nothing/*"), "no files of instances"),
        (SUITE.replace('"bitmask"', '"bitmaks"'), "bitmask"),
        ("this is no toml", "is no suite"),
    ],
)
def test_what_is_no_suite(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "corner.json").write_text(Instance(7, fixed=[(0, 0)]).canonical_json())
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises((FormatError, InvalidInput), match=message):
        suite.load(str(path))


def test_a_suite_that_is_not_there() -> None:
    with pytest.raises(InvalidInput, match="smoke"):
        suite.load("smok")
    with pytest.raises(InvalidInput, match="cannot be read"):
        suite.load("none.toml")


def test_every_shipped_suite_is_a_plan() -> None:
    for name in suite.names():
        plan = suite.load(name)
        assert plan.runs >= 1
        assert suite.shipped(name).description
