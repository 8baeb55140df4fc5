"""Engines that misbehave in a worker; a module, so that worker processes can import them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import UnsupportedInstance
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class Plain:
    """An engine that only lists."""

    name: ClassVar[str] = "plain"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return BitmaskEngine(method="python").enumerate(instance, visit, limits)


@dataclass(frozen=True)
class Deadly(Plain):
    """An engine whose process is killed: once, if there is a file to mark that, else always."""

    home: int
    mark: Path | None = None

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if os.getpid() != self.home and instance.n > 4 and not (self.mark and self.mark.exists()):
            if self.mark:
                self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().enumerate(instance, visit, limits)


@dataclass(frozen=True)
class Slow(Plain):
    """An engine that takes its time over each cube, and does not look at the clock."""

    seconds: float

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        time.sleep(self.seconds * (instance.n > 4))
        return super().enumerate(instance, visit, limits)


class Refusing(Plain):
    """An engine that takes no cubes."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if instance.n > 4:
            raise UnsupportedInstance("no fixed queens here")
        return super().enumerate(instance, visit, limits)
