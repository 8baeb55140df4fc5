"""The counting benchmark runs, and its yardstick counts right."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
A000170 = {6: 4, 7: 40, 8: 92, 9: 352, 10: 724}


def run(*arguments: str, **environment: str) -> str:
    command = [sys.executable, str(BENCHMARKS / "counting.py"), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment or None)
    return str(done.stdout)


def lines_of_table(output: str) -> list[list[str]]:
    return [line.replace("|", " ").split() for line in output.splitlines() if line.startswith("|")]


def test_each_size_has_a_line() -> None:
    lines = lines_of_table(run("--sizes", "6-8,10", "--repeats", "1"))[2:]
    assert [(int(line[0]), int(line[1])) for line in lines] == [(n, A000170[n]) for n in (6, 7, 8, 10)]


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_the_yardstick_counts_every_size(tmp_path: Path) -> None:
    program = tmp_path / "plain_bitmask"
    subprocess.run(
        ["cc", "-Wall", "-Wextra", "-Werror", "-o", program, BENCHMARKS / "plain_bitmask.c"], check=True
    )
    for n, solutions in {4: 2, 5: 10, **A000170}.items():
        assert (
            int(subprocess.run([program, str(n)], capture_output=True, check=True).stdout.split()[0]) == solutions
        )
    assert subprocess.run([program, "32"], capture_output=True).returncode == 2


def test_without_a_compiler_the_yardstick_is_left_out(tmp_path: Path) -> None:
    output = run("--sizes", "8", "--repeats", "1", PATH=str(tmp_path))
    assert "no C compiler" in output
    assert "plain C" not in output
