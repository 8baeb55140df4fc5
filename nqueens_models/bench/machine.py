"""Where runs are made, and with which versions of what."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path

import psutil

from nqueens_models.bench.records import Machine
from nqueens_models.engines.registry import describe

ALWAYS = ("nqueens-models", "numpy", "numba", "llvmlite", "ortools", "python-sat", "psutil", "msgspec")


def this_machine() -> Machine:
    """Return what there is to know about this machine."""
    return Machine(
        processor=_processor(),
        architecture=platform.machine(),
        cores=len(usable_cores()) or os.cpu_count() or 1,
        memory=psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.release()}",
        governor=_governor(),
    )


def versions(engines: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, of what the package uses and of what the named engines need."""
    found = {"python": f"{platform.python_version()} ({platform.python_implementation()})"}
    for package in ALWAYS:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    for name in engines:
        found |= describe(name).versions
    return found


def usable_cores() -> tuple[int, ...]:
    """Return the cores this process may be scheduled on, () where the system does not say."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def _processor() -> str:
    """Return the name of the processor: `platform.processor()` does not know it on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model")))
    return next(names, platform.processor() or platform.machine())


def _governor() -> str | None:
    """Return what sets the clock of the first core, if the system says so."""
    try:
        path = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None
