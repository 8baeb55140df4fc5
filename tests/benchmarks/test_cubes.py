"""The benchmarks of cubes and of other systems run; they check by themselves that all results are the same."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def lines(script: str, *options: str) -> list[list[str]]:
    command = [sys.executable, str(BENCHMARKS / script), *options, "--repeats", "1"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in output.splitlines() if line.startswith("|")
    ]


def test_plain_and_cubes() -> None:
    header, _, *rows = lines("cubes.py", "--sizes", "5,7", "--plain-up-to", "5")
    assert [row[:2] for row in rows] == [["sat", "5"], ["sat", "7"], ["cpsat", "5"], ["cpsat", "7"]]
    assert all(len(row) == len(header) for row in rows)
    assert (float(rows[0][-1]) > 0, rows[1][-1]) == (True, "")  # no ratio without the plain search


def test_one_worker_and_two() -> None:
    header, _, row = lines("cubes.py", "--sizes", "6", "--engines", "sat", "--workers", "2")
    assert len(row) == len(header)
    assert float(row[-1]) >= 0  # starting a process takes many times as long as 6 queens: 0.0 is possible


def test_other_systems() -> None:
    header, _, row = lines("other_systems.py", "--sizes", "5")
    assert header[:4] == ["n", "bitmask here", "sat here", "cpsat here"]
    assert row[0] == "5"
