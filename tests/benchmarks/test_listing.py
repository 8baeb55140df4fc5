"""The listing benchmark runs, and its yardsticks list the same boards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "listing.py"


def run(*arguments: str, **environment: str) -> str:
    command = [sys.executable, str(BENCHMARK), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment or None)
    return str(done.stdout)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_each_size_has_a_line() -> None:
    output = run("--sizes", "7-9", "--python", "8", "--repeats", "1")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in output.splitlines() if line[:1] == "|"]
    assert [line[:2] for line in lines[2:]] == [["7", "40"], ["8", "92"], ["9", "352"]]
    assert [line[4] != "" for line in lines[2:]] == [False, True, False]


def test_without_a_compiler_the_yardstick_is_left_out(tmp_path: Path) -> None:
    output = run("--sizes", "8", "--python", "8", "--repeats", "1", PATH=str(tmp_path))
    assert "no C compiler" in output
    assert "plain C" not in output
