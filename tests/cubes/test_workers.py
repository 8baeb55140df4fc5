"""Cubes in other processes and on executors: nothing lost, nothing twice, nobody left behind."""

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from nqueens_models.cubes import CubeSearch, cube_orbits
from nqueens_models.cubes.pool import WorkerPool
from nqueens_models.cubes.sharing import prepare
from nqueens_models.cubes.worker import answer
from nqueens_models.engines.base import NO_LIMITS, Block, Limits, Outcome, Termination, Visitor
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.pipes import receive, send
from nqueens_models.engines.recorder import observed
from nqueens_models.engines.sat import SatEngine
from nqueens_models.errors import EngineError, UnsupportedInstance
from nqueens_models.instance import Instance
from tests.cubes.test_cube_search import CASES, case, listed

BITMASK = BitmaskEngine(method="python")


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2, prepare, BITMASK) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def eventually_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_running, pids))


class Slow:
    """An engine that takes its time over each cube, so that the workers are up before the cubes are gone."""

    name: ClassVar[str] = "slow"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        time.sleep(0.02)
        return BITMASK.enumerate(instance, visit, limits)


class Suicidal(Slow):
    """An engine whose process dies, but not where it was made; only once, if there is a `mark`."""

    def __init__(self, mark: Path | None = None) -> None:
        self.home, self.mark = os.getpid(), mark

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if os.getpid() != self.home and instance.n > 4 and not (self.mark and self.mark.exists()):
            if self.mark:
                self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().enumerate(instance, visit, limits)


class Refusing(Slow):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        raise UnsupportedInstance("no fixed queens here")


@pytest.mark.parametrize("name", [c["name"] for c in CASES])
def test_the_same_set_from_processes_and_threads(name: str, pool: WorkerPool, threads: ThreadPoolExecutor) -> None:
    expected = sorted(listed(BITMASK, case(name))[0])
    for executor in (pool, threads):
        for symmetry in (True, False):
            search = CubeSearch(BITMASK, "rows=2", symmetry, 2, executor)
            assert sorted(listed(search, case(name))[0]) == expected
            assert search.count(case(name)).solutions == len(expected)


@pytest.mark.parametrize("repetition", range(50))
def test_the_same_set_each_time(repetition: int, pool: WorkerPool) -> None:
    n = 5 + repetition % 4
    placements, outcome = listed(CubeSearch(BITMASK, "rows=2", executor=pool), Instance(n))
    assert len(set(placements)) == len(placements) == (10, 4, 40, 92)[n - 5]
    assert outcome.statistics["cubes"] == len(cube_orbits(Instance(n), "rows=2"))


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("split", ["auto", "rows=3"])
def test_this_process_and_others(split: str, workers: int) -> None:
    search = CubeSearch(Slow(), split, workers=workers)
    placements, outcome = listed(search, Instance(9))
    assert len(set(placements)) == len(placements) == 352
    assert outcome.termination is Termination.EXHAUSTED
    assert outcome.statistics["cubes"] == len(cube_orbits(Instance(9), split))


def test_a_process_pool_of_the_standard_library() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        assert CubeSearch(BITMASK, "rows=2", executor=executor).count(Instance(8)).solutions == 92
        executor.submit(os._exit, 3)
        with pytest.raises(EngineError, match="bitmask"):
            listed(CubeSearch(BITMASK, "rows=2", executor=executor), Instance(8))


@pytest.mark.parametrize("limit", [1, 5, 91, 92])
def test_a_limit_of_solutions_is_exact(limit: int, pool: WorkerPool) -> None:
    for search in (CubeSearch(BITMASK, "rows=2", executor=pool), CubeSearch(Slow(), "rows=2", workers=2)):
        placements, outcome = listed(search, Instance(8), Limits(limit))
        assert len(set(placements)) == len(placements) == limit
        assert outcome.termination is Termination.SOLUTION_LIMIT


def test_the_time_limit_keeps_what_everybody_found(pool: WorkerPool) -> None:
    search = CubeSearch(BITMASK, "rows=3", executor=pool)
    placements, outcome = listed(search, Instance(13), Limits(seconds=0.4))
    assert outcome.termination is Termination.TIME_LIMIT
    assert 0 < len(set(placements)) == len(placements) < 73712


def test_no_process_is_left_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    pids = _watched(monkeypatch)
    search = CubeSearch(BITMASK, "rows=1", workers=3)
    assert listed(search, Instance(13), Limits(seconds=0.6))[1].termination is Termination.TIME_LIMIT
    assert len(pids) >= 2
    assert eventually_gone(pids)


def test_no_process_is_left_after_an_exception_of_the_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    pids = _watched(monkeypatch)

    def visit(block: Block) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        CubeSearch(Slow(), "rows=2", workers=2).enumerate(Instance(9), visit)
    assert eventually_gone(pids)


def _watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that will hold the numbers of all processes that pools start."""
    pids: list[int] = []

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **settings: Any) -> None:
            super().__init__(*args, **settings)
            pids.append(self.pid)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    return pids


def test_a_solver_that_has_to_be_killed_gets_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nqueens_models.engines.oracle.ENDURED", {})
    pids = _watched(monkeypatch)
    search = CubeSearch(SatEngine(solver="cadical195"), "rows=2")
    placements, outcome = listed(search, Instance(8), Limits(seconds=60))
    assert len(set(placements)) == len(placements) == 92
    assert outcome.termination is Termination.EXHAUSTED
    assert search.count(Instance(8), Limits(seconds=60)).solutions == 92
    assert len(pids) == 2
    assert eventually_gone(pids)


def test_a_killed_worker_is_replaced() -> None:
    with WorkerPool(1, prepare, BITMASK) as pool:
        pool.submit(os.getpid).result()
        (victim,) = pool.process_ids()
        killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
        killer.start()
        placements, outcome = listed(CubeSearch(Slow(), "rows=2", executor=pool), Instance(12))
        killer.join()
        assert pool.submit(os.getpid).result() != victim
    assert len(set(placements)) == len(placements) == 14200
    assert outcome.termination is Termination.EXHAUSTED


def test_cubes_of_a_process_that_died_are_solved_again(tmp_path: Path, pool: WorkerPool) -> None:
    search = CubeSearch(Suicidal(tmp_path / "died"), "rows=2", executor=pool)
    placements, _ = listed(search, Instance(10))
    assert (tmp_path / "died").exists()
    assert len(set(placements)) == len(placements) == 724


def test_cubes_that_always_kill_are_an_error(pool: WorkerPool) -> None:
    with pytest.raises(EngineError, match="slow: a worker process ended unexpectedly, 3 times"):
        CubeSearch(Suicidal(), "rows=2", executor=pool).count(Instance(10))


def test_what_an_engine_raises_in_a_worker(pool: WorkerPool) -> None:
    with pytest.raises(UnsupportedInstance, match="no fixed queens"):
        CubeSearch(Refusing(), "rows=2", executor=pool).count(Instance(8))


def test_an_engine_that_cannot_travel() -> None:
    class Local(Slow):
        pass

    with pytest.raises(EngineError, match="cannot be sent"):
        CubeSearch(Local(), "rows=1", workers=2).count(Instance(12))


def test_progress_reaches_the_end(pool: WorkerPool) -> None:
    seen: list[float] = []

    def observer(_: int, fraction: float | None) -> None:
        if fraction is not None:
            seen.append(fraction)

    with observed(observer):
        CubeSearch(BITMASK, "rows=2", executor=pool).count(Instance(8))
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_messages_of_a_worker() -> None:
    def asked(*message: object) -> tuple[bool, object]:
        succeeded, value = pickle.loads(answer(pickle.dumps(message)))
        return succeeded, value

    assert asked(len, ("abc",), {}) == (True, 3)
    succeeded, value = asked(int, ("x",), {})
    assert not succeeded
    assert isinstance(value, ValueError)
    succeeded, value = asked(_raise_one_that_cannot_travel, (), {})
    assert not succeeded
    assert isinstance(value, EngineError)
    succeeded, value = pickle.loads(answer(b"\x80\x04cno.such_module\nthing\n."))
    assert not succeeded
    assert "define it in a module" in str(value)


def _raise_one_that_cannot_travel() -> None:
    class UnknownElsewhereError(Exception):
        pass

    raise UnknownElsewhereError


def test_pipes_that_end_early() -> None:
    pipe = BytesIO()
    send(pipe, b"hello")
    assert receive(BytesIO(pipe.getvalue())) == b"hello"
    for length in (0, 3, 8, 10):
        with pytest.raises(EOFError):
            receive(BytesIO(pipe.getvalue()[:length]))


def test_a_process_that_cannot_be_made_ready() -> None:
    with WorkerPool(1, int, "x") as pool, pytest.raises(ValueError, match="invalid literal"):
        pool.submit(os.getpid).result()
    with WorkerPool(1, os._exit, 3) as pool, pytest.raises(BrokenExecutor):
        pool.submit(os.getpid).result()


def _hold_the_lock(mark: str) -> None:
    """Hold Python's lock, as some solvers do: no thread of the process sees its pipe end."""
    Path(mark).touch()
    ctypes.PyDLL(None).sleep(60)


DEAF = """
import sys
sys.path.insert(0, sys.argv[1])
from nqueens_models.cubes.pool import WorkerPool
from tests.cubes.test_workers import _hold_the_lock
pool = WorkerPool(1, int)
pool.submit(_hold_the_lock, sys.argv[2]).result()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it dies when its solver returns")
def test_a_worker_that_holds_the_lock_dies_with_its_parent(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    arguments = [sys.executable, "-c", DEAF, str(Path(__file__).parents[2]), str(mark)]
    with subprocess.Popen(arguments) as parent:
        deadline = time.monotonic() + 30
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)  # let it begin
        workers = psutil.Process(parent.pid).children()
        parent.kill()
    assert len(workers) == 1
    _, left = psutil.wait_procs(workers, timeout=5)
    for worker in left:
        worker.kill()
    assert not left


SCRIPT = """
import sys
from nqueens_models.cubes import CubeSearch
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance
import subprocess
start = subprocess.Popen.__init__
def started(self, *args, **settings):
    start(self, *args, **settings)
    print(self.pid, flush=True)
subprocess.Popen.__init__ = started
engine = BitmaskEngine(method="python")
outcome = CubeSearch(engine, "rows=2", workers=3).enumerate(Instance({n}), lambda block: None)
print(outcome.termination, outcome.solutions, flush=True)
"""


def _script(n: int) -> "subprocess.Popen[str]":
    """Start a script, without a guard around its main part, in a process group like one that a shell makes."""
    source = textwrap.dedent(SCRIPT.replace("{n}", str(n)))
    return subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, process_group=0)


def test_a_script_needs_no_guard() -> None:
    with _script(10) as process:
        output, _ = process.communicate(timeout=60)
    assert output.splitlines()[-1] == "exhausted 724"
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_ctrl_c_and_worse_leave_no_process(blow: signal.Signals) -> None:
    with _script(16) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()) for _ in range(2)]
        time.sleep(1.0)  # let them begin
        os.killpg(process.pid, blow)
        rest = process.stdout.read()
        process.wait(10)
    if blow is signal.SIGINT:
        assert rest.startswith("interrupted ")
    assert eventually_gone(pids)
