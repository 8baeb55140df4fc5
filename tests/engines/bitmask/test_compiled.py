"""Kernels are compiled once for all processes, and run where nothing can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nqueens_models.engines.bitmask import compiled

CALLER = """
from nqueens_models.engines.bitmask.compiled import kernel
from {folder}.callee import twice

@kernel
def four_times(x):
    return twice(twice(x))
"""
CALLEE = """
from nqueens_models.engines.bitmask.compiled import kernel

@kernel
def twice(x):
    return {factor} * x
"""
PROGRAM = """
from nqueens_models.engines.bitmask.compiled import is_ready
from kernels.caller import four_times
print(is_ready(four_times), four_times(3), four_times.stats.cache_hits.total(), is_ready(four_times))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two files of kernels, one of which calls the other."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "caller.py").write_text(CALLER.format(folder="kernels"))
    (folder / "callee.py").write_text(CALLEE.format(factor=2))
    return folder


def run(folder: Path, **environment: str) -> str:
    path = os.pathsep.join([str(folder.parent), str(Path(compiled.__file__).parents[3])])
    variables = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, cwd=folder.parent, env=variables, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.strip()


def test_the_next_process_takes_the_code_of_the_first(folder: Path) -> None:
    assert run(folder) == "False 12 0 True"
    assert run(folder) == "True 12 1 True"


def test_a_change_in_a_called_kernel_of_another_file_is_seen(folder: Path) -> None:
    run(folder)
    (folder / "callee.py").write_text(CALLEE.format(factor=3))
    assert run(folder) == "False 27 0 True"


def test_the_cache_folder_can_be_chosen(folder: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    run(folder, NUMBA_CACHE_DIR=str(chosen))
    assert list(chosen.rglob("*.nbi"))
    assert not list(folder.rglob("*.nbi"))


def no_folder_can_be_made(path: Path) -> None:
    """Put a file where a folder would be made: that stops even the superuser."""
    path.write_text("")


def test_a_read_only_installation_keeps_the_code_with_the_user(folder: Path, tmp_path: Path) -> None:
    no_folder_can_be_made(folder / "__pycache__")
    home = tmp_path / "home"
    environment = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "LOCALAPPDATA": str(home)}
    assert run(folder, **environment) == "False 12 0 True"
    assert run(folder, **environment) == "True 12 1 True"
    assert list(home.rglob("*.nbi"))


def test_where_nothing_can_be_kept_each_process_compiles(folder: Path, tmp_path: Path) -> None:
    no_folder_can_be_made(folder / "__pycache__")
    no_folder_can_be_made(home := tmp_path / "home")
    environment = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home)}
    assert run(folder, **environment) == "False 12 0 True"
    assert run(folder, **environment) == "False 12 0 True"


def test_a_cache_that_cannot_be_read_or_written_is_no_error(folder: Path) -> None:
    run(folder)
    for index in (folder / "__pycache__").glob("*.nbi"):
        index.unlink()
        (index / "occupied").mkdir(parents=True)
    assert run(folder) == "False 12 0 True"
