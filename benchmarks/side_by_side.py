"""What the scripts of this folder have in common: runs that take turns, and a table of ratios."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple


class Measured(NamedTuple):
    """What a run gave, and the seconds it took by its own clock."""

    result: Any
    seconds: float


Contestant = Callable[[int], Measured]
"""Runs once for a board size."""


def take_turns(contestants: Mapping[str, Contestant], size: int, repeats: int) -> dict[str, Measured]:
    """Run all contestants in turn, `repeats` times; return the fastest run of each.

    Taking turns, they share whatever else the machine does. Raises ValueError if their results differ.
    """
    rounds = [{name: run(size) for name, run in contestants.items()} for _ in range(repeats)]
    results = {name: {measured[name].result for measured in rounds} for name in contestants}
    if len(set().union(*results.values())) > 1:
        raise ValueError(f"the results for {size} differ: {results}")
    return {name: min((r[name] for r in rounds), key=lambda measured: measured.seconds) for name in contestants}


def sizes(text: str) -> list[int]:
    """Return the board sizes that "12-14,16" stands for."""
    ranges = [part.partition("-") for part in text.split(",")]
    return [size for first, _, last in ranges for size in range(int(first), int(last or first) + 1)]


def environment(distributions: Sequence[str]) -> str:
    """Return one line that says on what these figures were measured."""
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in distributions)]
    return f"{processor()}; {platform.system()}; {', '.join(versions)}"


def processor() -> str:
    """Return the name of the processor, as the system knows it."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return platform.processor() or platform.machine()


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, numbers to the right."""
    lines = [header, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    formatted = [
        "| " + " | ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines
    ]
    rule = "|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|"
    return "\n".join([formatted[0], rule, *formatted[1:]])
