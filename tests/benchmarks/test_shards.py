"""The benchmark of listing into shards runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "shards.py"


def test_every_command_has_a_line() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--size", "6"], capture_output=True, text=True, check=True)
    lines = [line.split("|")[1:4] for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert [label.strip() for label, *_ in lines] == [
        "solve to one file",
        "solve to shards, 1 worker",
        "solve to shards, 2 workers",
        "verify",
        "verify --complete",
    ]
    assert all(float(seconds) > 0 and float(peak) > 10 for _, seconds, peak in lines)
