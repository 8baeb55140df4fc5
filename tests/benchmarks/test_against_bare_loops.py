"""The benchmarks of engines against bare programs and of settings run, and all that they compare agrees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nqueens_models.instance import Instance
from tests import brute_force

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(*arguments: str) -> list[list[str]]:
    """Return the cells of the table that a script prints, without its header."""
    command = [sys.executable, str(BENCHMARKS / arguments[0]), *arguments[1:]]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.replace("|", " ").split() for line in output.splitlines() if line.startswith("|")]
    return lines[2:]


def test_engines_against_bare_programs() -> None:
    rows = run("against_bare_loops.py", "--sizes", "6", "--repeats", "1")
    assert [row[:3] for row in rows] == [
        ["6", name, compared] for name in ("sat", "cpsat") for compared in ("enumeration", "command")
    ]


@pytest.mark.parametrize("program", ["bare_pysat.py", "bare_ortools.py"])
def test_bare_programs(program: str) -> None:
    command = [sys.executable, str(BENCHMARKS / program), "6"]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [tuple(map(int, line.split())) for line in output.splitlines()]
    assert sorted(found) == brute_force.solutions(Instance(6))


def test_every_setting_is_compared() -> None:
    specs = [row[0] for row in run("default_settings.py", "cpsat", "--sizes", "5", "--repeats", "1")]
    wanted = {"cpsat", "cpsat:model=boolean", "cpsat:presolve=false", "cpsat:inprocessing=true"}
    assert wanted <= set(specs)
