"""Every form of the engine gives the same answer on every instance of the family."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings

from nqueens_models.engines.base import NO_LIMITS, Block, Engine, Limits, Outcome, Termination
from nqueens_models.engines.bitmask import BitmaskEngine, engine, family
from nqueens_models.engines.recorder import observed
from nqueens_models.errors import EngineUnavailable, InvalidSetting, UnsupportedInstance
from nqueens_models.instance import Instance, Placement
from tests import brute_force

CASES = json.loads(Path("tests/data/instances.json").read_text(encoding="utf-8"))
PUBLISHED = json.loads(Path("tests/data/reference-numbers.json").read_text(encoding="utf-8"))
ENGINES = [
    BitmaskEngine(),
    BitmaskEngine("python"),
    BitmaskEngine("compiled"),
    BitmaskEngine("compiled", workers=2),
]

BANDS = [[row // 2 * 2 + column // 9 for column in range(18)] for row in range(18)]
"""Regions of two rows by nine columns."""


def placements(engine: Engine, instance: Instance, limits: Limits = NO_LIMITS) -> tuple[list[Placement], Outcome]:
    found: list[Placement] = []
    outcome = engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())), limits)
    assert len(found) == outcome.solutions
    return found, outcome


def instance_of(case: dict) -> Instance:  # type: ignore[type-arg]
    return Instance(case["n"], case["diagonals"], case["fixed"], case["blocked"], case["regions"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_cases(engine: BitmaskEngine, case: dict) -> None:  # type: ignore[type-arg]
    instance = instance_of(case)
    found, outcome = placements(engine, instance)
    assert outcome.termination is Termination.EXHAUSTED
    assert len(set(found)) == len(found) == case["solutions"]
    counted = engine.count(instance)
    assert (counted.solutions, counted.termination) == (case["solutions"], Termination.EXHAUSTED)


@settings(max_examples=150, deadline=None)
@given(brute_force.instances())
def test_random_instances_against_brute_force(instance: Instance) -> None:
    expected = brute_force.solutions(instance)
    for each in ENGINES:
        found, outcome = placements(each, instance)
        assert sorted(found) == expected
        assert each.count(instance).solutions == len(expected)
        assert outcome.termination is Termination.EXHAUSTED


def wanted(instance: Instance, counting: bool, ready: bool, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the modules of kernels that `auto` asks for, in turn, when it gets none; no search is done."""
    asked: list[str] = []

    def load(self: BitmaskEngine, name: str, kernel: str, seconds_left: object, compiling: bool = True) -> None:
        if compiling or ready:
            asked.append(name)

    monkeypatch.setattr(BitmaskEngine, "_load", load)
    for module, function in (("search", "list_solutions"), ("search", "count_solutions"), ("family", "search")):
        monkeypatch.setattr(f"nqueens_models.engines.bitmask.{module}.{function}", lambda *_: None)
    if counting:
        BitmaskEngine().count(instance)
    else:
        BitmaskEngine().enumerate(instance, lambda _: None)
    return asked


DENSE_BLOCKED = [(r, (r * r + k) % 14) for r in range(14) for k in range(6)]
SPARSE_BLOCKED = [(r, (r * r + k) % 14) for r in range(14) for k in range(7)]


@pytest.mark.parametrize(
    ("instance", "counting", "ready", "expected"),
    [
        (Instance(12), False, True, []),
        (Instance(13), False, True, ["compiled_rows"]),
        (Instance(20), False, True, ["compiled_rows"]),
        (Instance(21), False, True, []),
        (Instance(15), True, True, ["compiled_rows"]),
        (Instance(16), True, False, ["compiled_rows"]),
        (Instance(16), True, True, ["quadrant_join", "compiled_rows"]),
        (Instance(17), True, False, ["quadrant_join", "compiled_rows"]),
        (Instance(17), False, True, ["compiled_rows"]),
        (Instance(23), True, True, []),
        (Instance(14, blocked=DENSE_BLOCKED), True, True, ["compiled_rows"]),
        (Instance(14, blocked=SPARSE_BLOCKED), True, True, []),
        (Instance(12, "modular"), False, True, ["compiled_rows"]),
        (Instance(11, "modular"), False, True, []),
        (Instance(16, fixed=[(0, 0)]), True, True, ["compiled_rows"]),
        (Instance(13, "adjacent", regions=[[r] * 13 for r in range(13)]), True, True, []),
    ],
)
def test_the_rule_of_auto(
    instance: Instance, counting: bool, ready: bool, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wanted(instance, counting, ready, monkeypatch) == expected


def test_sparse_boards_that_take_long_are_finished_by_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "PATIENCE", 1000)
    asked = []
    monkeypatch.setattr(BitmaskEngine, "_load", lambda self, name, *_, **__: asked.append(name))
    assert BitmaskEngine().count(Instance(8, "adjacent")).solutions == 5242
    assert set(asked) == {"compiled_family"}


@pytest.mark.parametrize("n", [6, 9, 12])
def test_the_join_counts_plain_boards(n: int) -> None:
    outcome = BitmaskEngine("join", workers=2).count(Instance(n))
    assert outcome.solutions == PUBLISHED["A000170"]["values"][n]
    assert outcome.termination is Termination.EXHAUSTED


def test_auto_takes_the_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "JOIN", 8)
    monkeypatch.setattr(engine, "JOIN_READY", 8)
    fractions = []
    with observed(lambda found, fraction: fractions.append(fraction)):
        outcome = BitmaskEngine().count(Instance(10))
    assert outcome.solutions == 724
    assert "nodes" not in outcome.statistics
    assert 1 in fractions


def test_the_join_refuses_everything_else() -> None:
    with pytest.raises(UnsupportedInstance):
        BitmaskEngine("join").enumerate(Instance(8), lambda _: None)
    for instance in (Instance(8, "modular"), Instance(5), Instance(99)):
        with pytest.raises(UnsupportedInstance):
            BitmaskEngine("join").count(instance)


def test_there_is_at_least_one_worker() -> None:
    with pytest.raises(InvalidSetting):
        BitmaskEngine(workers=0)


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)


@pytest.mark.usefixtures("no_numba")
def test_without_numba_it_is_python() -> None:
    assert BitmaskEngine().count(Instance(13)).solutions == PUBLISHED["A000170"]["values"][13]
    for method in ("compiled", "join"):
        with pytest.raises(EngineUnavailable, match="pip install numba"):
            BitmaskEngine(method).count(Instance(8))


@pytest.mark.parametrize(
    "instance", [Instance(17), Instance(14, blocked=[(0, 0)]), Instance(30, "adjacent")], ids=str
)
def test_a_short_time_limit_leaves_no_time_to_compile(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when Numba is imported already."""
    monkeypatch.setattr("nqueens_models.engines.bitmask.compiled.is_ready", lambda _: False)
    monkeypatch.setattr(family, "PATIENCE", 1000)
    outcome = BitmaskEngine().count(instance, Limits(seconds=0.5))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.statistics["nodes"] > 0


@pytest.mark.parametrize("method", ["auto", "python"])
def test_small_boards_import_nothing_heavy(method: str) -> None:
    program = f"""
import sys
from nqueens_models.engines.base import Limits
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance
engine = BitmaskEngine({method!r})
for instance in (Instance(8), Instance(12), Instance(7, "modular"), Instance(40, fixed=[(1, 1)])):
    engine.enumerate(instance, lambda _: None, Limits(solutions=20))
    engine.count(instance, Limits(solutions=20))
print(*{{"numba", "llvmlite", "ortools", "pysat", "typer", "rich", "matplotlib"}} & sys.modules.keys())
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.split() == []


def test_an_exception_of_the_visitor_propagates() -> None:
    def visit(block: Block) -> None:
        raise ZeroDivisionError

    for each in ENGINES:
        for instance in (Instance(8), Instance(8, "adjacent")):
            with pytest.raises(ZeroDivisionError):
                each.enumerate(instance, visit)


@pytest.mark.parametrize("each", ENGINES, ids=str)
@pytest.mark.parametrize("instance", [Instance(20), Instance(18, "adjacent", regions=BANDS)], ids=str)
def test_ctrl_c_keeps_what_was_found(instance: Instance, each: BitmaskEngine) -> None:
    found: list[int] = []

    def visit(block: Block) -> None:
        if not found:
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        found.append(len(block))

    outcome = each.enumerate(instance, visit, Limits(seconds=20))
    assert outcome.termination is Termination.INTERRUPTED
    assert outcome.solutions == sum(found)
