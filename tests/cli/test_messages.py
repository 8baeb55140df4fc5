"""Progress: on a terminal, after two seconds, and nowhere else."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from nqueens_models.cli import messages
from nqueens_models.engines.base import Limits
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance
from nqueens_models.run import execute_count
from tests.cli.conftest import COMMAND

pty = pytest.importorskip("pty", reason="terminals are made for tests on POSIX systems only")
SEARCH = ("count", "15", "--engine", "conflict-check", "--timeout", "4")


def on_terminal(*options: str) -> str:
    """Return what a command writes to standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen([*COMMAND, *SEARCH, *options], stdout=subprocess.PIPE, stderr=theirs, env=environment):
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    return shown.decode("utf-8", "replace")


def test_progress_is_shown_on_a_terminal() -> None:
    text = on_terminal()
    assert re.search(r"conflict-check, n=15: [\d,]+ solutions, \d+ s", text), text
    assert "incomplete: stopped by the time limit" in text


def test_no_progress_in_a_pipe_or_when_quiet() -> None:
    done = subprocess.run([*COMMAND, *SEARCH], capture_output=True, check=False)
    assert len(done.stderr.splitlines()) == 1
    assert on_terminal("--quiet") == ""


def test_the_display_follows_a_search(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(messages, "PROGRESS_AFTER", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with messages.progress("watched"):
        run = execute_count(make_engine("conflict-check"), Instance(13), Limits(seconds=1.5))
    assert run.count > 0
    display = messages._Display("watched")
    display.observe(1234, 0.5)
    assert display._line(9.0) == "watched: 1,234 solutions, 50% searched, 9 s, some 9 s left"


def test_nothing_is_said_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    messages.say("nobody hears this")
    with messages.progress("nor sees this"):
        assert execute_count(make_engine("bitmask"), Instance(6)).count == 4
