"""Ctrl-C while the command line is being imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nqueens_models.start import end_quietly, is_command

ROOT = Path(__file__).parents[1]
HURRIED = """
import signal, sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "nqueens_models.cross_check":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""
"""Ctrl-C during the first of the imports that take time."""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "start",
    [
        "sys.argv[0] = '/some/bin/nqueens'; from nqueens_models.cli import main; main()",
        "sys.argv, sys.orig_argv = ['-m'], ['python', '-m', 'nqueens_models']; import nqueens_models.__main__",
        f"import runpy; runpy.run_path({str(ROOT / 'cli.py')!r}, run_name='__main__')",
    ],
    ids=["script", "module", "cli.py"],
)
def test_every_way_to_start_ends_without_a_word(start: str) -> None:
    done = subprocess.run([sys.executable, "-c", HURRIED + start], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")  # a shell says 130


def test_a_program_that_imports_the_package_keeps_its_handler() -> None:
    code = HURRIED + "import nqueens_models"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False)
    assert b"KeyboardInterrupt" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "original", "command"),
    [
        (["/usr/bin/nqueens", "solve"], ["python", "/usr/bin/nqueens", "solve"], True),
        (["-m", "solve"], ["python", "-m", "nqueens_models", "solve"], True),
        (["-m"], ["python", "-m", "pytest"], False),
        (["nqueens.py"], ["python", "nqueens.py"], False),
        ([""], ["python"], False),
        ([], [], False),
    ],
)
def test_what_is_a_command(
    arguments: list[str], original: list[str], command: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setattr(sys, "orig_argv", original)
    assert is_command() is command


def test_only_python_s_own_handler_gives_way() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        for handler, after in ((signal.default_int_handler, signal.SIG_DFL), (signal.SIG_IGN, signal.SIG_IGN)):
            signal.signal(signal.SIGINT, handler)
            end_quietly()
            assert signal.getsignal(signal.SIGINT) is after
    finally:
        signal.signal(signal.SIGINT, before)
