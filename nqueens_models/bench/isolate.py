"""One run in a process of its own: spawned, watched, killed when it takes more than it may, and recorded."""

from __future__ import annotations

import functools
import os
import secrets
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO

import msgspec

from nqueens_models.bench.account import Account, Ending, record
from nqueens_models.bench.events import Event, WorkOrder
from nqueens_models.bench.processes import Tree
from nqueens_models.bench.records import Allowance, MeasuredRun, Phase, Status, Trial
from nqueens_models.engines.pipes import start_interpreter

POLL_SECONDS = 0.05  #      between two looks at the memory of the process tree
FIXED_SECONDS = 60.0  #     for importing and for ending, each
CHECK_SECONDS = 600.0  #    for checking, which is long for millions of placements
WARM_UP_SECONDS = 2.0  #    after which the warm-up is interrupted; imports and compilations do not count
LONGEST_LINE = 1 << 20  #   of an event, in bytes
KEPT_OUTPUT = 2000  #       of what an engine prints, in bytes: the end

_decoder = msgspec.json.Decoder(Event)


def grace(seconds: float) -> float:
    """Return how long an engine may take to stop when it is told that its time is up, before it is killed."""
    return 3.0 + seconds / 10


def time_limit(phase: Phase, allowance: Allowance) -> float:
    """Return after how many seconds of a phase the worker is interrupted."""
    if phase is Phase.WARM_UP:
        return min(WARM_UP_SECONDS, allowance.seconds)
    if phase in (Phase.BUILD, Phase.SOLVE):
        return allowance.seconds
    return CHECK_SECONDS if phase is Phase.CHECK else FIXED_SECONDS


def execute_isolated(
    trial: Trial, session: str, cores: Sequence[int] = (), stopped: threading.Event | None = None
) -> MeasuredRun:
    """Make a run in a new process, on the given cores where the system can do that, and return its record.

    Whatever the engine does, this returns within the limits of its phases (`time_limit`, `grace`). An exception
    here (KeyboardInterrupt) kills the process tree before it propagates. Raises CancelledError once `stopped` is
    set.
    """
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    began = datetime.now(UTC).isoformat(timespec="seconds")
    process = Worker(trial, cores)
    try:
        ending = process.watch(stopped or threading.Event())
    finally:
        process.kill()
    return record(process.account, ending, trial, session=session, began=began, load=load, pinned=tuple(cores))


class Worker:
    """The process, the threads that read what it says, and the watch over it."""

    def __init__(self, trial: Trial, cores: Sequence[int]) -> None:
        self._allowance = trial.allowance
        self._token = secrets.token_hex(8)
        self._spawned = time.monotonic()
        self._process = start_interpreter("nqueens_models.bench.worker", stderr=subprocess.PIPE)
        self.account = Account()
        self._tree = Tree(self._process.pid)
        self._interrupted: tuple[Phase, float] | None = None
        self._exited = threading.Event()
        order = WorkOrder(trial=trial, cores=tuple(cores), token=self._token, spawned=self._spawned)
        send = functools.partial(self._send, msgspec.json.encode(order))
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (send, self._listen, self._drain, self._reap)
        ]
        for thread in self._threads:
            thread.start()

    def watch(self, stopped: threading.Event) -> Ending:
        """Wait for the end, or bring it about when a limit is passed."""
        killed, reason = None, ""
        while not self._exited.wait(POLL_SECONDS):
            if stopped.is_set():
                raise CancelledError
            self._tree.look()
            if killed is None and (verdict := self._exceeded()) is not None:
                killed, reason = verdict
                self.kill()
        self.kill()  # what the engine may have left running
        for thread in self._threads:
            thread.join(5.0)
        cpu = max(self._cpu_seconds, self._tree.cpu_seconds)
        told = self._interrupted is not None and self._interrupted[0] is Phase.BUILD
        return Ending(self._total, self._exit_status, cpu, self._tree.peak_memory, told, killed, reason)

    def kill(self) -> None:
        """Kill whatever is left of the process tree."""
        self._tree.kill()

    def _exceeded(self) -> tuple[Status, str] | None:
        """Return which limit has been passed, and how."""
        limit = self._allowance.memory
        if limit is not None and self._tree.memory > limit:
            return Status.OUT_OF_MEMORY, f"{self._tree.memory >> 20} MiB, and {limit >> 20} MiB are allowed"
        phase, since = self.account.entered
        over = time.monotonic() - self._spawned - since - time_limit(phase, self._allowance)
        if over > 0 and self._interrupted != self.account.entered:
            self._interrupted = self.account.entered
            self._tree.interrupt()
        if over > grace(self._allowance.seconds):
            return Status.TIME_OUT, f"did not stop and was killed in the phase {self.account.phase}"
        return None

    def _send(self, order: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as stream:
            stream.write(order)

    def _listen(self) -> None:
        """Take the worker's events until it closes the pipe."""
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in _lines(stream):
                token, _, text = line.partition(b" ")
                try:
                    event = _decoder.decode(text) if token == self._token.encode() else None
                except msgspec.MsgspecError:
                    event = None
                self.account.take(event, line)

    def _drain(self) -> None:
        """Read what the engine prints, and keep the end of it."""
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while piece := os.read(stream.fileno(), 1 << 16):
                self.account.printed += len(piece)
                self.account.output = (self.account.output + piece)[-KEPT_OUTPUT:]

    def _reap(self) -> None:
        """Wait for the process to exit, and note when and at what cost."""
        self._cpu_seconds = 0.0
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._cpu_seconds = usage.ru_utime + usage.ru_stime
        self._exit_status = self._process.wait()
        self._total = time.monotonic() - self._spawned
        self._exited.set()


def _lines(stream: IO[bytes]) -> list[bytes] | IO[bytes]:
    return iter(lambda: stream.readline(LONGEST_LINE), b"")  # type: ignore[return-value]
