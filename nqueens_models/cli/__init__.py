"""The command line: each command parses, calls one function of the package, prints.

Results go to standard output, everything else to standard error. Exit status: 0 done, 1 a disagreement or a wrong
count, 2 bad input or an engine that is not available, 3 stopped by the time limit, 130 interrupted, 141 the reader
of the output has gone.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from nqueens_models import __version__
from nqueens_models.cli.exits import Exit
from nqueens_models.cli.messages import say
from nqueens_models.cli.output import ClosedOutput
from nqueens_models.errors import EngineError, NQueensError

COMMANDS = {
    "solve": "solve:solve",
    "count": "solve:count",
    "ledger": "ledger:app",
    "estimate": "estimate:estimate",
    "cross-check": "cross_check:cross_check",
    "model": "models:model",
    "models": "models:models",
    "export": "export:export",
    "certify": "certify:certify",
    "engines": "engines:engines",
    "compare": "compare:compare",
    "suites": "compare:suites",
    "report": "report:report",
    "compare-runs": "report:compare_runs",
    "generate": "generate:app",
    "convert": "files:convert",
    "show": "files:show",
    "verify": "files:verify",
}
"""Each command, in the order of the help text, and where its function (or its group of commands) is."""


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """Return the app that understands a command line.

    If the line begins with a command, that one is all it has: so `solve` does not import what a comparison needs.
    """
    app = typer.Typer(
        name="nqueens",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Every solution of the n-queens family by bitmask search, CP-SAT and SAT: listed, counted, checked.",
        epilog="Exit status: 0 done, 1 disagreement or wrong count, 2 bad input or unavailable engine, "
        "3 stopped by the time limit, 130 interrupted.",
    )
    app.callback()(_root)
    for name in arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS:
        module, _, attribute = COMMANDS[name].partition(":")
        command = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nqueens_models {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> NoReturn:
    """Run the command line and exit with its status; never show a traceback for what a user can cause."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    status = command_status(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = _reader_gone()
    except OSError as error:
        status = _complain(f"the output: {error.strerror or error}", Exit.BAD_INPUT)
        _forget_output()
    raise SystemExit(status)


def _interrupt(_signal: int, _frame: Any) -> NoReturn:
    """Treat a request to terminate as Ctrl-C, so that temporary files and processes go too."""
    raise KeyboardInterrupt


def command_status(arguments: list[str]) -> int:
    """Return the exit status of a command line, having said on standard error what went wrong."""
    try:
        return int(app_for(arguments)(arguments, standalone_mode=False) or 0)
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as ended:  # the parser meets a closed pipe by replacing standard output and status 1
        return _reader_gone() if ended.code == 1 else int(ended.code or 0)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", Exit.INTERRUPTED)
    except EngineError as error:
        return _complain(str(error), Exit.DISAGREEMENT)
    except NQueensError as error:
        return _complain(str(error), Exit.BAD_INPUT)
    except MemoryError:
        return _complain("there is not enough memory for this", Exit.BAD_INPUT)
    except OSError as error:
        return _complain(f"{error.filename or 'the output'}: {error.strerror or error}", Exit.BAD_INPUT)
    except Exception as error:
        return _other(error, arguments)


def _other(error: Exception, arguments: list[str]) -> int:
    """Return the exit status for what the parser of the command line, or Numba, raises; raise all else."""
    if isinstance(error.__cause__, KeyboardInterrupt):  # it came while Numba loaded machine code
        return _complain("interrupted", Exit.INTERRUPTED)
    if not hasattr(error, "format_message"):
        raise error
    return _complain(_usage(error.format_message(), arguments), Exit.BAD_INPUT)


def _usage(message: str, arguments: list[str]) -> str:
    """Return what is wrong with a command line; a negative N is taken for an option by the parser."""
    negative = next((argument for argument in arguments if re.fullmatch(r"-\d[\d.]*", argument)), None)
    if negative and message.startswith("No such option"):
        return f"N must be a whole number, 0 or more, not {negative!r}"
    return " ".join(message.split())


def _complain(message: str, status: Exit) -> int:
    if message:  # there is none after the help text for a line without a command
        say(f"nqueens: {message}")
    return status


def _reader_gone() -> int:
    """End quietly when whoever read the output has closed it: nothing more may be written, not even at exit."""
    _forget_output()
    return Exit.READER_GONE


def _forget_output() -> None:
    """Have what is still to be written go nowhere, so that nobody complains of it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
