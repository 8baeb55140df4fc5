"""Each engine that misbehaves is recorded for what it did, in time, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path

import psutil
import pytest

from nqueens_models.bench.isolate import execute_isolated
from nqueens_models.bench.plan import make_case
from nqueens_models.bench.records import Allowance, Contender, Goal, MeasuredRun, Phase, Status, Trial
from nqueens_models.instance import Instance
from nqueens_models.run import solve

pytestmark = pytest.mark.usefixtures("hostile_engines")


def trial(
    engine: str,
    n: int = 6,
    *,
    seconds: float = 20.0,
    memory: int | None = None,
    warm_up: bool = True,
    goal: Goal = Goal.LIST,
    solutions: int | None = None,
    search: str = "plain",
) -> Trial:
    return Trial(
        case=make_case(Instance(n), goal, solutions),
        contender=Contender(engine=engine, search=search),
        allowance=Allowance(seconds=seconds, memory=memory, warm_up=warm_up),
    )


def made(engine: str, n: int = 6, **settings: object) -> MeasuredRun:
    return execute_isolated(trial(engine, n, **settings), "session")  # type: ignore[arg-type]


def test_a_good_run_has_everything() -> None:
    run = made("bitmask", 8)
    reference = solve(8, "column-sets").solutions
    assert reference is not None
    assert (run.status, run.phase, run.detail) == (Status.EXHAUSTED, Phase.END, "")
    assert (run.solutions, run.distinct, run.wrong, run.witness) == (92, 92, 0, None)
    assert run.fingerprint == reference.fingerprint
    seconds = run.seconds
    parts = (seconds.imports, seconds.warm_up, seconds.build, seconds.solve, seconds.check)
    assert all(part is not None and part >= 0 for part in parts)
    assert sum(part or 0 for part in parts) <= seconds.total
    assert run.cpu_seconds > 0
    assert 1 << 20 < run.peak_memory < 1 << 33
    assert run.samples[-1][1] == 92
    assert run.first_solution is not None
    assert run.first_solution <= run.samples[-1][0]
    assert run.output == ""


def test_limits_of_solutions_and_counting_reach_the_engine() -> None:
    first = made("bitmask", 9, solutions=3)
    assert (first.status, first.solutions, first.distinct) == (Status.SOLUTION_LIMIT, 3, 3)
    counted = made("bitmask", 9, goal=Goal.COUNT)
    assert (counted.status, counted.solutions, counted.distinct, counted.fingerprint) == (
        Status.EXHAUSTED, 352, None, None,
    )  # fmt: skip


def test_cubes_are_a_way_to_search() -> None:
    run = made("column-sets", 8, search="cubes:rows=1")
    assert (run.status, run.solutions) == (Status.EXHAUSTED, 92)
    assert run.statistics["cubes"] == 4  # eight squares of a row, mirrored in pairs
    assert run.contender == "column-sets by cubes:rows=1"


def test_without_a_warm_up_there_is_none() -> None:
    run = made("bitmask", warm_up=False)
    assert run.status is Status.EXHAUSTED
    assert run.seconds.warm_up is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system cannot pin a process to a core")
def test_a_run_is_pinned_to_its_core() -> None:
    core = max(os.sched_getaffinity(0))
    run = execute_isolated(trial("bitmask"), "session", (core,))
    assert run.pinned == (core,)
    assert run.status is Status.EXHAUSTED


@pytest.mark.parametrize(
    ("engine", "status", "detail"),
    [
        ("hostile-crash", Status.CRASH, "SIGSEGV"),
        ("hostile-exit", Status.CRASH, "exit status 0"),
        ("hostile-raises", Status.ERROR, "RuntimeError: no queens today"),
        ("hostile-rubbish", Status.RUBBISH, "trust me"),
        ("hostile-forger", Status.RUBBISH, "exhausted"),
        ("hostile-nonsense", Status.ERROR, "no placements"),
        ("bitmask:speed=9", Status.ERROR, "speed"),
        ("nobody", Status.ERROR, "nobody"),
    ],
)
@pytest.mark.parametrize("warm_up", [True, False])
def test_misbehaviour_is_named(engine: str, status: Status, detail: str, warm_up: bool) -> None:
    run = made(engine, warm_up=warm_up)
    assert run.status is status
    assert detail in run.detail


def test_wrong_placements_are_counted_and_shown() -> None:
    run = made("hostile-wrong", 6)
    assert (run.status, run.solutions, run.distinct, run.wrong) == (Status.EXHAUSTED, 5, 4, 1)
    assert run.witness == (0, 1, 2, 3, 4, 5)


def test_repetitions_are_counted() -> None:
    run = made("hostile-twice", 6)
    assert (run.solutions, run.distinct, run.wrong) == (8, 4, 0)


def test_output_is_kept_in_part_and_harms_nobody() -> None:
    run = made("hostile-chatter", 6)
    assert (run.status, run.distinct) == (Status.EXHAUSTED, 4)
    assert "solutions: 42" in run.output
    assert len(run.output) < 3000


@pytest.mark.parametrize("warm_up", [True, False])
def test_a_run_that_does_not_stop_is_killed(warm_up: bool) -> None:
    run = made("hostile-hang", seconds=0.3, warm_up=warm_up)
    assert run.status is Status.TIME_OUT
    assert run.phase is (Phase.WARM_UP if warm_up else Phase.BUILD)


def test_a_run_that_eats_memory_is_killed() -> None:
    run = made("hostile-memory", memory=200 << 20, seconds=60)
    assert run.status is Status.OUT_OF_MEMORY
    assert "200 MiB" in run.detail
    assert 200 << 20 < run.peak_memory < 1 << 30


@pytest.mark.parametrize("deaf", ["true", "false"])
def test_statistics_and_solutions_survive_the_time_limit(deaf: str) -> None:
    run = made(f"hostile-late:deaf={deaf}", 8, seconds=1.0)
    if deaf == "true":
        assert (run.status, run.phase) == (Status.TIME_OUT, Phase.SOLVE)
    else:
        assert (run.status, run.phase, run.distinct) == (Status.TIME_LIMIT, Phase.END, 1)
    assert run.statistics == {"variables": 64, "nodes": 1234}
    assert run.solutions == 1
    assert run.seconds.build is not None


@pytest.mark.parametrize(
    "engine", ["bitmask:method=python", "cpsat", "sat", "sat:solver=cadical195", "column-sets by cubes"]
)
def test_real_engines_stop_when_the_time_is_up(engine: str) -> None:
    spec, _, search = engine.partition(" by ")
    run = made(spec, 18, seconds=1.0, goal=Goal.LIST, search=search or "plain")
    assert run.status is Status.TIME_LIMIT
    assert run.wrong == 0
    assert run.distinct == run.solutions


def test_an_engine_that_is_woken_up_has_only_reached_its_time_limit() -> None:
    run = made("hostile-sleeper", seconds=0.3)
    assert (run.status, run.solutions) == (Status.TIME_LIMIT, 0)


def test_processes_that_an_engine_leaves_behind_are_killed() -> None:
    run = made("hostile-family", seconds=0.5)
    assert run.status is Status.TIME_OUT
    assert not left_behind()


def left_behind() -> list[psutil.Process]:
    deadline = time.monotonic() + 5
    while (found := [p for p in psutil.process_iter() if _is_sleeper(p)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _is_sleeper(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "left by hostile-family" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def test_a_run_can_be_stopped_from_outside() -> None:
    stopped = threading.Event()
    threading.Timer(0.5, stopped.set).start()
    with pytest.raises(CancelledError):
        execute_isolated(trial("hostile-hang", seconds=600), "session", stopped=stopped)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="a POSIX worker looks for its parent")
def test_a_worker_does_not_outlive_its_parent(hostile_engines: Path, tmp_path: Path) -> None:
    script = (
        "from tests.bench.test_isolate import trial\n"
        "from nqueens_models.bench.isolate import execute_isolated\n"
        "execute_isolated(trial('hostile-family', seconds=600, warm_up=False), 'session')\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 30
    while not any(_is_sleeper(p) for p in psutil.Process(parent.pid).children(recursive=True)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    family = psutil.Process(parent.pid).children(recursive=True)
    worker = next(process for process in family if "nqueens_models.bench.worker" in process.cmdline())
    parent.kill()
    parent.wait()
    try:
        worker.wait(10)
    except psutil.NoSuchProcess:
        pass
    finally:
        for process in family:
            if process.is_running():
                process.kill()


def test_a_compilation_is_let_through_and_warms_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without kernels from earlier, compiling takes seconds; the measured search takes none of them."""
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    run = made("bitmask:method=compiled", 10)
    assert (run.status, run.solutions) == (Status.EXHAUSTED, 724)
    assert run.seconds.warm_up is not None
    assert run.seconds.solve is not None
    assert run.seconds.warm_up > run.seconds.solve
