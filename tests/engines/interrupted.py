"""Programs in processes of their own, to which signals are sent while they search."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import Any

PROGRAM = """
import json, sys
from nqueens_models.engines.base import Limits
from nqueens_models.engines.registry import make_engine
from nqueens_models.instance import Instance

visited = 0

def visit(block):
    global visited
    visited += len(block)
    print("visiting", flush=True)

spec, n, seconds, before = sys.argv[1:]
exec(before)
outcome = make_engine(spec).enumerate(Instance(int(n)), visit, Limits(seconds=json.loads(seconds)))
found = {"termination": outcome.termination, "solutions": outcome.solutions, "visited": visited}
print(json.dumps(found | {"statistics": dict(outcome.statistics)}), flush=True)
"""


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit status, what it says it found, and everything else that it wrote."""

    status: int
    found: dict[str, Any]
    rest: str


def signalled(
    spec: str, n: int, seconds: float | None = None, number: int = signal.SIGINT, before: str = ""
) -> Ended:
    """Enumerate in a program of its own, and send it a signal as soon as it has visited something twice.

    `before` is run in it first.
    """
    arguments = [sys.executable, "-c", PROGRAM, spec, str(n), json.dumps(seconds), textwrap.dedent(before)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
        assert program.stdout is not None
        lines = [program.stdout.readline(), program.stdout.readline()]
        program.send_signal(number)
        try:
            lines += program.communicate(timeout=60)[0].splitlines(keepends=True)
        finally:
            program.kill()
    last = lines[-1] if lines[-1].startswith("{") else "{}"
    return Ended(program.returncode, json.loads(last), "".join(line for line in lines if line != "visiting\n"))
