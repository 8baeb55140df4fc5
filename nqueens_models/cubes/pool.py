"""A pool of processes to which a script needs no `if __name__ == "__main__"`.

The pool of the standard library starts its processes by running the user's script again, or by a fork that solvers
with threads of their own may not survive. These are fresh interpreters that import this package and nothing else;
they get functions and arguments, and give back results, through pipes. So what is sent has to be importable:
a function or an engine defined in the script itself is not.

- A process that is not ready yet has not begun a call, so its calls can still be cancelled and done elsewhere.
- One that dies breaks its call (BrokenExecutor) and is replaced.
- None outlives the pool, or the process that made it: `shutdown` kills them, and they die with it (`die_with`) or
  end when their pipe does.
- Ctrl-C in the terminal does not reach them.
"""

from __future__ import annotations

import pickle
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from queue import SimpleQueue
from typing import Any, NamedTuple

from nqueens_models.engines.pipes import receive, send, start_interpreter
from nqueens_models.errors import EngineError


class _Call(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    settings: dict[str, Any]


class WorkerPool(Executor):
    """So many processes, each of which first calls `initialiser` with `arguments`."""

    def __init__(self, workers: int, initialiser: Callable[..., object], *arguments: Any) -> None:
        self._first = _Call(initialiser, arguments, {})
        self._calls: SimpleQueue[tuple[Future[Any], _Call] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have `fn` called in one of the processes."""
        future: Future[Any] = Future()
        self._calls.put((future, _Call(fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Kill the processes, whatever they do, and wait until they are gone."""
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.kill()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def process_ids(self) -> list[int]:
        """Return the numbers of the processes that run now."""
        with self._lock:
            return [process.pid for process in self._processes]

    def _serve(self) -> None:
        """Feed one process; when it dies, start another."""
        while (process := self._start()) is not None:
            try:
                self._feed(process)
            finally:
                process.kill()
                with self._lock:
                    self._processes.remove(process)
                process.communicate()

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Return a new process, or None when the pool is closed."""
        with self._lock:
            if self._closed:
                return None
            process = start_interpreter("nqueens_models.cubes.worker")
            self._processes.add(process)
            return process

    def _feed(self, process: subprocess.Popen[bytes]) -> None:
        """Send calls to a process until it dies or the pool is closed."""
        useless = self._initialise(process)
        while (waiting := self._calls.get()) is not None:
            future, call = waiting
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if useless is not None:
                    raise useless
                future.set_result(_called(process, call))
            except Exception as error:
                future.set_exception(error)
                if isinstance(error, BrokenExecutor):
                    return

    def _initialise(self, process: subprocess.Popen[bytes]) -> Exception | None:
        """Return why the process cannot be used, or None."""
        try:
            _called(process, self._first)
        except Exception as error:
            return error
        return None


def _called(process: subprocess.Popen[bytes], call: _Call) -> Any:
    """Return what a call in the process returns; raise what it raises, and BrokenExecutor when it dies."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        message = pickle.dumps(tuple(call))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise EngineError(f"it cannot be sent to another process: {error}") from error
    try:
        send(process.stdin, message)
        answer = receive(process.stdout)
    except (EOFError, OSError) as error:
        raise BrokenExecutor("a worker process ended unexpectedly") from error
    succeeded, value = pickle.loads(answer)
    if not succeeded:
        raise value
    return value
