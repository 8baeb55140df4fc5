"""A Dask cluster as an executor: what a pool of processes is to one machine, on many.

::

    with connected("tcp://scheduler:8786", ["ortools"]) as cluster:
        CubeSearch(engine, executor=cluster, workers=cluster.cores).count(Instance(14))

Dask gives the work of a worker that dies to another and takes in workers that join, so both are normal here. What
is not is a worker with other versions, whose results could differ from ours: `connected` refuses before any work
starts, and each call that is sent is refused by a worker that joins later.
"""

from __future__ import annotations

import os
import pickle
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import nqueens_models
from nqueens_models.engines.recorder import ctrl_c_waits
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidInput, NQueensError, WrongVersion

CONNECTING_SECONDS = 10.0  #  for the scheduler to answer, and then for a first worker to be there
ALWAYS = (
    "numpy",
    "numba",
    "distributed",
)  # distributions whose version decides what is computed, or how it is sent

Versions = Mapping[str, str]


def versions_here(distributions: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python, this package and some distributions, '-' for what is not installed."""
    found = {"nqueens-models": nqueens_models.__version__, "python": platform.python_version().rpartition(".")[0]}
    for name in distributions:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "-"
    return found


def refuse_others(wanted: Versions, found: Versions, where: str) -> None:
    """Raise WrongVersion unless `found`, on the worker `where`, is what is wanted."""
    differing = [f"{name} {found.get(name, '-')} instead of {wanted[name]}" for name in wanted]
    differing = [text for name, text in zip(wanted, differing, strict=True) if found.get(name) != wanted[name]]
    if differing:
        raise WrongVersion(f"{where} has {', '.join(differing)}: install the same versions everywhere")


def call_if_same(wanted: Versions, call: bytes) -> Any:
    """Make a pickled call on a worker, (function, *arguments).

    Raises WrongVersion if the worker has other versions than wanted, and might not understand the call.
    """
    others = [name for name in wanted if name not in ("nqueens-models", "python")]
    refuse_others(wanted, versions_here(others), platform.node())
    function, *arguments = pickle.loads(call)
    return function(*arguments)


@contextmanager
def connected(address: str, distributions: Sequence[str] = ()) -> Iterator[ClusterExecutor]:
    """Yield the executor of a cluster, whose workers have this package, and `distributions`, in the same versions.

    `address` is that of a Dask scheduler, such as `tcp://scheduler:8786`, or `local:W` for W worker processes on
    this machine, which are gone afterwards. Raises InvalidInput for another address and when nothing answers,
    EngineUnavailable without Dask, and WrongVersion.
    """
    try:
        import distributed
    except ImportError:
        raise EngineUnavailable("a cluster needs Dask: pip install 'nqueens-models[cluster]'") from None
    with ExitStack() as stack:
        target: Any = address
        if local := re.fullmatch(r"local:([1-9]\d{0,3})", address):
            target = stack.enter_context(_local_cluster(int(local[1])))
        elif not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", address):
            raise InvalidInput(f"a cluster is tcp://HOST:PORT or local:WORKERS, not {address!r}")
        try:
            client = stack.enter_context(
                distributed.Client(target, timeout=CONNECTING_SECONDS, set_as_default=False)
            )
            client.wait_for_workers(1, timeout=CONNECTING_SECONDS)
            with suppress(TimeoutError):  # many processes on few cores: the others join later
                client.wait_for_workers(int(local[1]) if local else 1, timeout=CONNECTING_SECONDS)
        except (OSError, TimeoutError, ValueError) as error:
            raise InvalidInput(f"the cluster {address}: {error or 'no answer'}") from None
        yield ClusterExecutor(client, _common_versions(client, (*ALWAYS, *distributions)))


@contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """Give a scheduler in this process, and so many workers: processes out of the reach of Ctrl-C."""
    import distributed

    with ExitStack() as stack:
        with ctrl_c_waits():  # Dask does not bear it while it starts, and no process is to be left behind
            cluster = stack.enter_context(
                distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50, host="127.0.0.1")
            )
            for _ in range(workers):
                stack.enter_context(_worker(cluster.scheduler_address))
        yield cluster


@contextmanager
def _worker(scheduler: str) -> Iterator[None]:
    program = (
        f"from nqueens_models.engines.pipes import die_with; die_with({os.getpid()}); "
        "from distributed.cli.dask_worker import main; main()"
    )
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "30"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, scheduler, *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _common_versions(client: Any, distributions: Sequence[str]) -> Versions:
    """Return the versions of this process; raise WrongVersion if the scheduler or a worker has others."""
    wanted, names = versions_here(distributions), list(distributions)
    try:
        answers = {"the scheduler": client.run_on_scheduler(versions_here, names)}
    except Exception as error:
        answers = {"the scheduler": error}
    answers |= client.run(versions_here, names, on_error="return")
    for where, found in answers.items():
        if isinstance(found, BaseException):
            raise WrongVersion(f"{where} cannot load nqueens_models {wanted['nqueens-models']}: {found}")
        refuse_others(wanted, found, where)
    return wanted


class ClusterExecutor(Executor):
    """The workers of a cluster; `cores` is how many threads they have now."""

    def __init__(self, client: Any, versions: Versions) -> None:
        self._client = client
        self._versions = versions
        self._executor = client.get_executor(pure=False)
        self._cores = 1

    @property
    def cores(self) -> int:
        """How many calls the workers that are there now can work on at a time."""
        with suppress(Exception):  # the scheduler is gone: `submit` will say so
            self._cores = max(1, sum(map(int, self._client.nthreads().values())))
        return self._cores

    @property
    def dashboard(self) -> str:
        """The address of the page on which Dask shows what the workers do."""
        return str(self._client.dashboard_link)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have `fn` called by one of the workers; raise BrokenExecutor when the cluster is gone."""
        import cloudpickle  # by which Dask sends what a script defines

        if kwargs:
            raise TypeError("arguments by position only")
        try:
            inner = self._executor.submit(call_if_same, self._versions, cloudpickle.dumps((fn, *args)))
        except Exception as error:
            raise BrokenExecutor(f"the cluster is gone: {error}") from error
        return _following(inner)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take back what has been submitted; the workers stay."""
        self._executor.shutdown(wait=wait and not cancel_futures)


def _following(inner: Future[Any]) -> Future[Any]:
    """Return a future that ends as `inner` does, with errors in our words, and takes it along when cancelled."""
    outer: Future[Any] = Future()

    def ended(_: Future[Any]) -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            outer.set_result(inner.result())
        except CancelledError:
            outer.set_exception(BrokenExecutor("the cluster has forgotten what it was given"))
        except NQueensError as error:
            outer.set_exception(error)
        except Exception as error:
            outer.set_exception(EngineError(f"on the cluster: {type(error).__name__}: {error}"))

    def cancelled(_: Future[Any]) -> None:
        if outer.cancelled():
            inner.cancel()

    outer.add_done_callback(cancelled)
    inner.add_done_callback(ended)
    return outer
