"""The exit statuses of the command line."""

from __future__ import annotations

from enum import IntEnum

from nqueens_models.engines.base import Termination


class Exit(IntEnum):
    """What the exit status of a command says."""

    DONE = 0
    DISAGREEMENT = 1  #    or a wrong count, an engine that broke its contract, not exactly one solution
    BAD_INPUT = 2  #       or an engine that is not available
    TIME_LIMIT = 3  #      partial results were printed
    INTERRUPTED = 130  #   partial results were printed
    READER_GONE = 141


def exit_for(termination: Termination) -> Exit:
    """Return the status of a run that ended like this; a limit of solutions that was reached is done."""
    return {
        Termination.EXHAUSTED: Exit.DONE,
        Termination.SOLUTION_LIMIT: Exit.DONE,
        Termination.TIME_LIMIT: Exit.TIME_LIMIT,
        Termination.INTERRUPTED: Exit.INTERRUPTED,
    }[termination]
