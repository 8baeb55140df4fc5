"""The benchmark of the textbook methods runs, and its counts are the published ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFERENCE = json.loads((ROOT / "tests" / "data" / "reference-numbers.json").read_text(encoding="utf-8"))


def test_each_table_has_a_line_for_each_size() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "textbook.py"), "--sizes", "4,6-7", "--repeats", "1"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.replace("|", " ").split() for line in output.splitlines() if line.startswith("|")]
    times, ratios, nodes = (lines[start + 2 : start + 5] for start in (0, 5, 10))
    sizes = [4, 6, 7]
    assert [(int(line[0]), int(line[1])) for line in times] == [
        (n, REFERENCE["A000170"]["values"][n]) for n in sizes
    ]
    assert [(int(line[0]), float(line[1])) for line in ratios] == [(n, 1.0) for n in sizes]
    assert [(int(line[0]), int(line[1])) for line in nodes] == [
        (n, REFERENCE["A319283"]["values"][n]) for n in sizes
    ]
    for _, once, deepening, repeated, _ in nodes:
        assert int(deepening) - int(repeated) == int(once)
