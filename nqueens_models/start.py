"""Ctrl-C while the command line is imported ends it as quietly as later; this has to be the first import of all.

A program that imports the package keeps Python's handler, and its own.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

SCRIPTS = ("nqueens", "nqueens.exe")


def is_command() -> bool:
    """Whether this process is `nqueens` or `python -m nqueens_models`, seen while the package is imported."""
    by_module = sys.argv[:1] == ["-m"] and "nqueens_models" in sys.orig_argv
    return by_module or os.path.basename(sys.argv[0] if sys.argv else "") in SCRIPTS  # noqa: PTH119 - no more imports


def end_quietly() -> None:
    """Have Ctrl-C end the process without a word; `cli.main` puts Python's handler back."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # only the main thread may
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if is_command():
    end_quietly()
