"""Real schedulers and workers, as processes on the loopback address."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import nqueens_models
from nqueens_models import cluster
from nqueens_models.cluster import ClusterExecutor, connected
from nqueens_models.cubes import CubeSearch
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidInput, WrongVersion
from nqueens_models.instance import Instance
from nqueens_models.run import solve

pytest.importorskip("distributed")

WORKER = "from distributed.cli.dask_worker import main; main()"
OLDER = "import nqueens_models; nqueens_models.__version__ = '0.0.1'; " + WORKER


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dask")


@pytest.fixture(scope="module")
def scheduler(folder: Path) -> Iterator[str]:
    """Start a scheduler, without workers, and return its address."""
    file = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", str(file)]
    with process("-m", "distributed.cli.dask_scheduler", *options, folder=folder):
        wait_until(file.exists)
        yield json.loads(file.read_text())["address"]


@contextmanager
def process(*arguments: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("ab") as log:
        paths = {"PYTHONPATH": str(Path(nqueens_models.__file__).parents[1])}
        child = subprocess.Popen(
            [sys.executable, *arguments], stdout=log, stderr=log, cwd=folder, env=os.environ | paths
        )
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def worker(scheduler: str, folder: Path, program: str = WORKER) -> ExitStack:
    """Start a worker, which ends with the returned stack, or when its process is killed."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "20"]
    stack = ExitStack()
    stack.child = stack.enter_context(process("-c", program, scheduler, *options, folder=folder))  # type: ignore[attr-defined]
    return stack


def wait_until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def pid_after(pause: float) -> int:
    time.sleep(pause)
    return os.getpid()


def divide(number: int) -> float:
    return 1 / number


def count(spec: str, n: int, executor: ClusterExecutor, limits: Limits = NO_LIMITS) -> Outcome:
    search = CubeSearch(make_engine(spec), executor=executor, workers=executor.cores)
    return search.count(Instance(n), limits)


@pytest.mark.parametrize(("spec", "n", "solutions"), [("bitmask", 10, 724), ("sat", 9, 352), ("cpsat", 8, 92)])
def test_two_workers_count_right(spec: str, n: int, solutions: int, scheduler: str, folder: Path) -> None:
    """OEIS A000170; a worker more joins when there is one."""
    with worker(scheduler, folder), connected(scheduler) as executor, worker(scheduler, folder):
        wait_until(lambda: executor.cores == 2)
        outcome = count(spec, n, executor)
        assert (outcome.termination, outcome.solutions) == (Termination.EXHAUSTED, solutions)


def test_solutions_come_back(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder), connected(scheduler) as executor:
        search = CubeSearch(make_engine("sat"), executor=executor)
        result = solve(Instance(7), engine=search)
        assert result.solutions == solve(7, engine="attack-table").solutions


def test_a_worker_dies_and_another_joins(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder) as first, connected(scheduler) as executor:
        calls = [executor.submit(pid_after, 0.2) for _ in range(8)]
        wait_until(lambda: any(call.done() for call in calls))
        first.child.kill()  # type: ignore[attr-defined]
        with worker(scheduler, folder):
            by = [call.result(timeout=30) for call in calls]
    assert len(set(by)) == 2


def test_counting_goes_on_when_a_worker_dies(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder) as first, worker(scheduler, folder), connected(scheduler) as executor:
        wait_until(lambda: executor.cores == 2)
        killer = executor.submit(pid_after, 0.1)
        killer.add_done_callback(lambda _: first.child.kill())  # type: ignore[attr-defined]
        assert count("sat", 11, executor).solutions == 2680


def test_another_version_is_refused_before_work_starts(scheduler: str, folder: Path) -> None:
    with (
        worker(scheduler, folder, OLDER),
        pytest.raises(WrongVersion, match=r"tcp://\S+ has nqueens-models 0\.0\.1 instead of"),
        connected(scheduler),
    ):
        pytest.fail("connected")


def test_another_version_is_refused_when_it_joins_later(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder), connected(scheduler) as executor, worker(scheduler, folder, OLDER):
        wait_until(lambda: executor.cores == 2)
        calls = [executor.submit(pid_after, 0.1) for _ in range(8)]
        assert any(isinstance(call.exception(timeout=30), WrongVersion) for call in calls)


def test_versions_are_compared_before_a_call_is_unpacked() -> None:
    with pytest.raises(WrongVersion, match=r"has nqueens-models \S+ instead of 9\.9\.9"):
        cluster.call_if_same({"nqueens-models": "9.9.9"}, b"what this version does not understand")


def test_a_time_limit_holds(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder), connected(scheduler) as executor:
        assert count("sat", 14, executor, Limits(seconds=0.5)).termination is Termination.TIME_LIMIT


def test_errors_name_the_cluster_and_cancelled_calls_are_taken_back(scheduler: str, folder: Path) -> None:
    with worker(scheduler, folder), connected(scheduler) as executor:
        with pytest.raises(EngineError, match="on the cluster: ZeroDivisionError"):
            executor.submit(divide, 0).result(timeout=30)
        calls = [executor.submit(pid_after, 0.2) for _ in range(20)]
        assert sum(call.cancel() for call in calls) >= 18
        assert wait(calls, timeout=10).not_done == set()
        assert executor.submit(divide, 4).result(timeout=30) == 0.25


def test_workers_of_this_machine() -> None:
    with connected("local:2") as executor:
        assert executor.cores == 2
        assert executor.dashboard.startswith("http://")
        assert count("bitmask", 8, executor).solutions == 92


@pytest.mark.parametrize("address", ["local:0", "local:x", "scheduler", "tcp://host", "", "local:"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InvalidInput, match=r"a cluster is tcp://HOST:PORT or local:WORKERS"), connected(address):
        pytest.fail("connected")


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch, scheduler: str) -> None:
    monkeypatch.setattr(cluster, "CONNECTING_SECONDS", 0.5)
    with pytest.raises(InvalidInput, match="the cluster tcp://127"), connected("tcp://127.0.0.1:1"):
        pytest.fail("connected")
    with pytest.raises(InvalidInput, match="the cluster tcp://127"), connected(scheduler):  # no worker
        pytest.fail("connected")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineUnavailable, match=r"pip install 'nqueens-models\[cluster\]'"), connected("local:1"):
        pytest.fail("connected")
