"""Engines in a process of their own: the same answers, errors, crashes, and no process left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import psutil
import pytest

from nqueens_models.engines.base import NO_LIMITS, Block, Engine, Limits, Outcome, Termination, Visitor
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import EngineError, EngineUnavailable, UnsupportedInstance
from nqueens_models.instance import Instance

BOARD = Instance(6)
FOUND = [[1, 3, 5, 0, 2, 4]]


@dataclass(frozen=True)
class Rogue:
    """An engine that finds a solution, visits it, and then does as it likes."""

    name: ClassVar[str] = "rogue"
    requires: ClassVar[tuple[str, ...]] = ()
    deed: str = "nothing"

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        visit(np.array(FOUND, dtype=np.uint8))
        DEEDS[self.deed]()
        return Outcome(Termination.EXHAUSTED, 1, 0.0, 0.0, {"nodes": 7})


class StrangeError(Exception):
    """Cannot be pickled: it does not say what it was made of."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


def _raise(error: BaseException) -> Callable[[], None]:
    def deed() -> None:
        raise error

    return deed


def _hang() -> None:
    """Hold Python's lock, deaf to SIGINT, as a solver in C may."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.PyDLL(None).sleep(1000)


class Unreadable:
    """Looks like a message where it is made, and cannot be loaded where it arrives."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return int, ("none",)


@dataclass(frozen=True)
class Garbling(Rogue):
    """An engine that sends what nobody can read."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        visit(Unreadable())  # type: ignore[arg-type]
        return super().enumerate(instance, visit, limits)


DEEDS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "print": lambda: os.write(1, b"c a solver greets you\n" * 100),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "exit": lambda: os._exit(3),
    "hang": _hang,
    "sleep": lambda: time.sleep(1000),
    "unsupported": _raise(UnsupportedInstance("no regions, please")),
    "unavailable": _raise(EngineUnavailable("pip install luck")),
    "bug": _raise(ZeroDivisionError("one over none")),
    "strange": _raise(StrangeError("this", "that")),
}


def run(engine: Engine, limits: Limits = NO_LIMITS, instance: Instance = BOARD) -> tuple[Outcome, list[list[int]]]:
    found: list[list[int]] = []
    outcome = enumerate_in_child(engine, instance, lambda block: found.extend(block.tolist()), limits)
    return outcome, found


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Any:
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize("spec", ["bitmask:method=python", "sat", "sat:solver=cadical195", "column-sets"])
@pytest.mark.parametrize("limit", [None, 3])
def test_as_in_this_process(spec: str, limit: int | None) -> None:
    engine, limits = make_engine(spec), Limits(solutions=limit)
    here: list[list[int]] = []
    expected = engine.enumerate(Instance(8), lambda block: here.extend(block.tolist()), limits)
    outcome, there = run(engine, limits, Instance(8))
    assert there == here
    assert outcome.termination is expected.termination
    assert (outcome.solutions, outcome.statistics) == (expected.solutions, expected.statistics)


def test_starting_the_process_is_building() -> None:
    outcome, _ = run(make_engine("column-sets"))
    assert outcome.build_seconds > outcome.solve_seconds


def test_what_the_engine_prints_comes_between_nothing() -> None:
    outcome, found = run(Rogue("print"))
    assert (found, outcome.solutions, outcome.statistics) == (FOUND, 1, {"nodes": 7})


@pytest.mark.parametrize(
    ("deed", "kind", "text"),
    [
        ("unsupported", UnsupportedInstance, "no regions, please"),
        ("unavailable", EngineUnavailable, "pip install luck"),
        ("bug", ZeroDivisionError, "one over none"),
        ("strange", EngineError, "StrangeError: this and that"),
        (
            "crash",
            EngineError,
            "engine rogue.*: its process was ended by signal SIGSEGV without an answer",
        ),
        ("exit", EngineError, "engine rogue.*: its process ended with exit status 3 without an answer"),
    ],
)
def test_errors_come_out_after_what_was_found(deed: str, kind: type[Exception], text: str) -> None:
    found: list[list[int]] = []
    with pytest.raises(kind, match=text) as raised:
        enumerate_in_child(Rogue(deed), BOARD, lambda block: found.extend(block.tolist()))
    assert type(raised.value) is kind
    assert found == FOUND
    if deed not in ("crash", "exit"):
        assert any("in enumerate" in note for note in raised.value.__notes__), "the traceback of the child"


def test_a_message_that_cannot_be_loaded_is_an_error() -> None:
    with pytest.raises(EngineError, match=r"rogue.*: what its process sent cannot be loaded: invalid literal"):
        run(Garbling("sleep"), Limits(seconds=10))


@pytest.mark.parametrize("deed", ["hang", "sleep"])
def test_time_limit_ends_what_listens_to_nothing(deed: str) -> None:
    outcome, found = run(Rogue(deed), Limits(seconds=1.5))
    assert outcome.termination is Termination.TIME_LIMIT
    assert found in (FOUND, []), "a loaded machine may not have started the process yet"


def test_time_limit_before_the_process_has_started() -> None:
    outcome, found = run(Rogue("sleep"), Limits(seconds=0.001))
    assert (outcome.termination, outcome.solutions, found) == (Termination.TIME_LIMIT, 0, [])


def test_time_limit_asks_first_so_that_the_statistics_come() -> None:
    outcome, found = run(make_engine("column-sets"), Limits(seconds=2.0), Instance(30))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.solutions == len(found)
    assert outcome.statistics["nodes"] > 0


def test_a_visitor_s_exception_comes_out() -> None:
    class EnoughError(Exception):
        pass

    def visit(block: Block) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        enumerate_in_child(make_engine("column-sets"), Instance(14), visit)


def test_a_slow_visitor_slows_the_search() -> None:
    sizes: list[int] = []

    def visit(block: Block) -> None:
        sizes.append(len(block))
        time.sleep(0.01)

    outcome = enumerate_in_child(make_engine("bitmask"), Instance(10), visit)
    assert outcome.solutions == sum(sizes) == 724  # OEIS A000170


def test_an_engine_that_cannot_be_imported_there() -> None:
    local = type("Local", (Rogue,), {"__module__": "__main__"})
    sys.modules["__main__"].Local = local  # type: ignore[attr-defined]
    with pytest.raises(EngineError, match="cannot be loaded in a process of its own"):
        run(local())


SCRIPT = """
from nqueens_models.engines.child import enumerate_in_child
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance
blocks = []
print(enumerate_in_child(make_engine("column-sets"), Instance(6), blocks.append).solutions)
"""


@pytest.mark.parametrize("how", ["script", "argument", "input"])
def test_from_a_script_without_a_guard_and_from_a_prompt(how: str, tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(SCRIPT, encoding="utf-8")
    arguments = {"script": [str(script)], "argument": ["-c", SCRIPT], "input": ["-"]}[how]
    said = subprocess.run(
        [sys.executable, *arguments], input=SCRIPT, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert (said.stdout, said.stderr) == ("4\n", "")


PARENT = """
import sys
sys.path.insert(0, sys.argv[1])
from nqueens_models.engines.child import enumerate_in_child
from tests.engines.test_child import BOARD, Rogue
outcome = enumerate_in_child(Rogue("hang"), BOARD, lambda block: print("visited", flush=True))
print(outcome.termination)
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    """A program, the leader of its process group, whose child hangs."""
    arguments = [sys.executable, "-c", PARENT, str(Path(__file__).parents[2])]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "visited\n"
            yield parent
        finally:
            parent.kill()


def test_the_child_dies_with_its_parent(parent: subprocess.Popen[str]) -> None:
    children = psutil.Process(parent.pid).children()
    parent.kill()
    assert psutil.wait_procs(children, timeout=30) == (children, [])


def test_ctrl_c_is_the_parent_s_and_leaves_nothing(parent: subprocess.Popen[str]) -> None:
    children = psutil.Process(parent.pid).children()
    os.killpg(parent.pid, signal.SIGINT)
    assert parent.communicate(timeout=60)[0] == "interrupted\n"
    assert psutil.wait_procs(children, timeout=30) == (children, [])
