"""Engines that do what no engine may: for the tests, on PYTHONPATH, found by their entry points as any plug-in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nqueens_models.engines.base import NO_LIMITS, Block, Limits, Outcome, Visitor, setting
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class Hostile:
    """An engine that is right until it misbehaves; `only` on boards of that size, if it is not 0."""

    name: ClassVar[str] = "hostile"
    requires: ClassVar[tuple[str, ...]] = ()

    only: int = setting(0, "the number of queens it misbehaves on")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if self.only in (0, instance.n):
            visit = self.misbehave(instance, visit)
        return BitmaskEngine(method="python").enumerate(instance, visit, limits)

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        return visit


@dataclass(frozen=True)
class Chatter(Hostile):
    """Right, but prints megabytes."""

    name: ClassVar[str] = "hostile-chatter"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        for stream in (sys.stdout, sys.stderr):
            stream.write("solutions: 42\n" * 100_000)
            stream.flush()
        return visit


@dataclass(frozen=True)
class Crash(Hostile):
    name: ClassVar[str] = "hostile-crash"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        os.kill(os.getpid(), signal.SIGSEGV)
        return visit


@dataclass(frozen=True)
class Exit(Hostile):
    name: ClassVar[str] = "hostile-exit"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        os._exit(0)


@dataclass(frozen=True)
class Sleeper(Hostile):
    """Sleeps, but can be woken up."""

    name: ClassVar[str] = "hostile-sleeper"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        while True:
            time.sleep(1)


@dataclass(frozen=True)
class Hang(Hostile):
    name: ClassVar[str] = "hostile-hang"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            time.sleep(1)


@dataclass(frozen=True)
class Family(Hostile):
    """Leaves a process behind, in a session of its own, and hangs."""

    name: ClassVar[str] = "hostile-family"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        sleeper = "import time; time.sleep(600) # left by hostile-family"
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", sleeper], start_new_session=True)
        while True:
            time.sleep(1)


@dataclass(frozen=True)
class Memory(Hostile):
    name: ClassVar[str] = "hostile-memory"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        eaten = []
        while True:
            eaten.append(b"\1" * (8 << 20))
            time.sleep(0.01)


@dataclass(frozen=True)
class Nonsense(Hostile):
    """Visits what is no placement."""

    name: ClassVar[str] = "hostile-nonsense"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        visit(np.array([["Q", "."]]))
        return visit


@dataclass(frozen=True)
class Raises(Hostile):
    name: ClassVar[str] = "hostile-raises"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        raise RuntimeError("no queens today")


@dataclass(frozen=True)
class Rubbish(Hostile):
    """Writes to every file it can find."""

    name: ClassVar[str] = "hostile-rubbish"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, b"\xff\xfe all 92 solutions found, trust me\n")
        return visit


@dataclass(frozen=True)
class Forger(Hostile):
    """Says in the worker's own words, but without its token, that all is well."""

    name: ClassVar[str] = "hostile-forger"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        for descriptor in range(3, 64):
            with suppress(OSError):
                os.write(descriptor, b'0123456789abcdef {"type":"ended","status":"exhausted","solutions":92}\n')
        return visit


@dataclass(frozen=True)
class Wrong(Hostile):
    """Adds a placement that breaks a rule."""

    name: ClassVar[str] = "hostile-wrong"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        visit(np.arange(instance.n, dtype=np.uint8)[None, :])
        return visit


@dataclass(frozen=True)
class Loses(Hostile):
    """Keeps the first solution for itself."""

    name: ClassVar[str] = "hostile-loses"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        first = True

        def losing(block: Block) -> None:
            nonlocal first
            visit(block[1:] if first else block)
            first = False

        return losing


@dataclass(frozen=True)
class Twice(Hostile):
    """Visits every block twice."""

    name: ClassVar[str] = "hostile-twice"

    def misbehave(self, instance: Instance, visit: Visitor) -> Visitor:
        def twice(block: Block) -> None:
            visit(block)
            visit(block)

        return twice


@dataclass(frozen=True)
class Late(Hostile):
    """Finds one solution, with statistics, and then neither goes on nor, if it is deaf, stops."""

    name: ClassVar[str] = "hostile-late"

    deaf: bool = setting(True, "does not stop when told")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def search(recorder: Recorder) -> None:
            recorder.statistics["variables"] = instance.n**2
            recorder.built()
            recorder.statistics["nodes"] = 1234
            BitmaskEngine(method="python").enumerate(instance, recorder.solutions, Limits(1))
            if self.deaf:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            while limits.solutions != 1:
                time.sleep(1)

        return conduct(search, instance, visit, limits)


@dataclass(frozen=True)
class Empty(Hostile):
    """Says at once that there are no solutions: what a run costs that does nothing."""

    name: ClassVar[str] = "hostile-empty"

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return conduct(lambda recorder: recorder.built(), instance, visit, limits)
