"""A process with all that descend from it: what they use, and their end."""

from __future__ import annotations

import signal
from contextlib import suppress

import psutil


class Tree:
    """The process tree under one process.

    `memory` is the sum of resident sizes at the last look, in bytes (pages that processes share count for each),
    `peak_memory` the largest such sum, `cpu_seconds` what the processes seen at the last look had used.
    """

    def __init__(self, root: int) -> None:
        self.memory = 0
        self.peak_memory = 0
        self.cpu_seconds = 0.0
        self._seen: set[psutil.Process] = set()
        with suppress(psutil.Error):
            self._root = psutil.Process(root)
            self._seen.add(self._root)

    def look(self) -> None:
        """Measure all processes of the tree."""
        self._find()
        memory, cpu = 0, 0.0
        for process in self._seen:
            with suppress(psutil.Error):
                memory += process.memory_info().rss
                times = process.cpu_times()
                cpu += times.user + times.system
        self.memory = memory
        self.peak_memory = max(self.peak_memory, memory)
        self.cpu_seconds = max(self.cpu_seconds, cpu)

    def interrupt(self) -> None:
        """Send SIGINT to the root."""
        with suppress(psutil.Error, ValueError):  # a system without signals refuses the number
            self._root.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Kill every process that was ever seen in the tree, and their descendants, until none is new."""
        known = -1
        while known != len(self._seen):
            known = len(self._seen)
            self._find()
            for process in self._seen:
                with suppress(psutil.Error):
                    process.kill()

    def _find(self) -> None:
        """Add the descendants of all processes seen: one whose parent has died is found as it was before."""
        for process in tuple(self._seen):
            with suppress(psutil.Error):
                self._seen.update(process.children(recursive=True))
