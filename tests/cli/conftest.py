"""Running the command line: in this process for speed, and as real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from nqueens_models.cli import command_status

COMMAND = [sys.executable, "-m", "nqueens_models"]


@dataclass(frozen=True)
class Result:
    """What a command did."""

    status: int
    out: str
    err: str

    def one_line_error(self) -> str:
        """Return the only line of standard error; there must be nothing else anywhere."""
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        return lines[0]


@pytest.fixture
def nqueens(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Result]:
    """Run a command line in this process."""

    def run(*arguments: object) -> Result:
        status = command_status([str(argument) for argument in arguments])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Result(status, out.decode("utf-8"), err.decode("utf-8"))

    return run


def process(*arguments: object, **options: object) -> Result:
    """Run a command line as a process of its own."""
    environment = {**os.environ, **options.pop("env", {})}  # type: ignore[dict-item]
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, env=environment, timeout=120, check=False, **options
    )  # type: ignore[call-overload]
    return Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


@dataclass
class Started:
    """A command that runs in a process group of its own."""

    popen: subprocess.Popen[bytes]

    def interrupt(self, after: float, number: int = signal.SIGINT) -> Result:
        """Send a signal to the whole group, as a terminal does, and wait for the end."""
        time.sleep(after)
        os.killpg(self.popen.pid, number)
        out, err = self.popen.communicate(timeout=20)
        return Result(self.popen.returncode, out.decode("utf-8"), err.decode("utf-8"))

    def group_is_gone(self) -> bool:
        """Return whether no process of the group is left."""
        for _ in range(50):
            try:
                os.killpg(self.popen.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.1)
        return False


@pytest.fixture
def start() -> Iterator[Callable[..., Started]]:
    """Start a command line in a process group of its own; whatever is left of it is killed at the end."""
    running: list[Started] = []

    def begin(*arguments: object) -> Started:
        command = [*COMMAND, *map(str, arguments)]
        popen = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        running.append(Started(popen))
        return running[-1]

    yield begin
    for one in running:
        if one.popen.poll() is None:
            os.killpg(one.popen.pid, signal.SIGKILL)
            one.popen.communicate()
