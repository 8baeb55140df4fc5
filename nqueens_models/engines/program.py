"""A solver program: started in a process group of its own, read line by line, killed with all that it started."""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from nqueens_models.engines.pipes import OUT_OF_REACH_OF_CTRL_C, Inbox
from nqueens_models.engines.recorder import Recorder
from nqueens_models.errors import EngineUnavailable, InvalidSetting

WAITING = 1000  # lines read ahead, so that a slow visitor slows the program
PATIENCE = 1.0  # seconds for the end of the output of a program that was killed
TAIL = 300  # characters of standard error for a message
MIB = 1 << 20


def command_of(template: str, values: Mapping[str, object]) -> list[str]:
    """Return the arguments of a command template, in which `{file}` and the like stand for `values`.

    Raises InvalidSetting for a template that is none, and EngineUnavailable when there is no such program.
    """
    try:
        words = [word.format_map(values) for word in shlex.split(template)]
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        known = ", ".join(f"{{{name}}}" for name in values)
        raise InvalidSetting(f"the command {template!r} is no template ({error}); it may use {known}") from None
    if not words:
        raise InvalidSetting('give the program as command="PROGRAM ARGUMENTS {file}"')
    if shutil.which(words[0]) is None:
        hint = "; a value with spaces stands in double quotes" if " " in words[0] else ""
        raise EngineUnavailable(f"there is no program {words[0]!r} to execute{hint}")
    return words


@contextmanager
def running(
    command: list[str], folder: Path, recorder: Recorder, given: Path | None = None, memory: int = 0
) -> Iterator[Program]:
    """Run a program while the block does, at the end of which what is left of it is killed.

    `given` is a file for its standard input, `memory` limits its address space in MiB (0: no limit; Linux only).
    """
    with recorder.uninterrupted():
        program = Program(command, folder, recorder, given)
        try:
            program.memory = memory
            _limit_memory(program.process.pid, memory)
            with recorder.interruptible():
                yield program
        finally:
            program.end()


class Program:
    """A running program."""

    def __init__(self, command: list[str], folder: Path, recorder: Recorder, given: Path | None) -> None:
        self.memory = 0
        self._recorder = recorder
        self._errors = folder / "stderr"
        with self._errors.open("wb") as errors, (given or Path(os.devnull)).open("rb") as source:
            self.process = subprocess.Popen(
                command, stdin=source, stdout=subprocess.PIPE, stderr=errors, env=_here(folder),
                **OUT_OF_REACH_OF_CTRL_C,
            )  # fmt: skip
        assert self.process.stdout is not None
        self._output = self.process.stdout
        self._lines = Inbox(self._line, WAITING)

    def end(self) -> None:
        """Kill what is left of it, but for what it started in a process group of its own."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        if self._lines.close(PATIENCE):  # else somebody else holds the other end of the pipe
            self._output.close()

    def lines(self) -> Iterator[str]:
        """Yield the lines of standard output as they come; raise SearchStopped when the time is up."""
        while True:
            try:
                line = self._lines.get(self._recorder.seconds_left())
            except queue.Empty:
                self._recorder.check_time()
                continue
            if line is None:
                return
            yield line

    def ending(self) -> str:
        """Wait for the end and return it in words, with the last that was said on standard error."""
        status = self.process.wait()
        said = " ".join(self._errors.read_bytes().decode("utf-8", "replace").split())
        how = f"ended with exit status {status}"
        if status < 0:
            how = f"was ended by signal {signal.Signals(-status).name}"
        how += f" (its memory was limited to {self.memory} MiB)" if self.memory and status else ""
        last = said if len(said) <= TAIL else "... " + said[-TAIL:].partition(" ")[2]
        return how + (f"; it said: {last}" if said else "")

    def _line(self) -> str:
        line: bytes = self._output.readline()
        if not line:
            raise EOFError
        return line.decode("utf-8", "replace").rstrip("\r\n")


def _here(folder: Path) -> dict[str, str]:
    """Return an environment in which temporary files go where they will be removed, whatever ends the program."""
    return {**os.environ, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))}


def _limit_memory(pid: int, mebibytes: int) -> None:
    """Limit the address space of a process."""
    if not mebibytes:
        return
    try:
        from resource import RLIMIT_AS, prlimit
    except ImportError:
        raise InvalidSetting("memory cannot be limited on this system; leave it out") from None
    with suppress(ProcessLookupError):  # it has ended already
        prlimit(pid, RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
