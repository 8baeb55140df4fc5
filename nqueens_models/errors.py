"""The exception tree.

::

    NQueensError
    ├── InvalidInput (ValueError)      what the caller gave cannot be used: exit status 2
    │   ├── InvalidInstance            a square off the board, not n regions, ...
    │   ├── InvalidSetting             an unknown engine, setting or value
    │   ├── FormatError                a file that does not say what its format requires
    │   └── RefusedLedger              a ledger of another count, in use, damaged, or none at all
    ├── UnsupportedInstance            the method cannot express a constraint of the instance: exit status 2
    ├── EngineUnavailable              a solver is not installed: exit status 2
    │   └── WrongVersion               a worker has another version of this package
    ├── EngineError                    an engine broke its contract: exit status 1
    │   ├── WrongSolution              a placement that breaks a rule
    │   ├── DuplicateSolution          a placement visited twice
    │   └── DifferentCounts            two counts of one unit that should agree
    ├── RejectedCertificate            a certificate does not prove what it claims: exit status 1
    └── IncompleteSearch               a limit stopped a search whose complete answer was asked for
"""

from __future__ import annotations


class NQueensError(Exception):
    """Root of every error this package raises on purpose."""


class InvalidInput(NQueensError, ValueError):
    """Something given by the caller cannot be used; the message is one line and says why."""


class InvalidInstance(InvalidInput):
    """The parts of an instance contradict each other or its size."""


class InvalidSetting(InvalidInput):
    """No such engine, setting or value; the message lists what exists."""


class FormatError(InvalidInput):
    """A file does not follow its format; the message names the line or the square."""


class RefusedLedger(InvalidInput):
    """A ledger that cannot be used for this count; the message names the file and the reason."""


class UnsupportedInstance(NQueensError):
    """An engine's method cannot express a constraint of this instance."""


class EngineUnavailable(NQueensError):
    """A package or program an engine needs is missing; the message says what to install."""


class WrongVersion(EngineUnavailable):
    """A worker has another version of this package; the message names the host and both versions."""


class EngineError(NQueensError):
    """An engine broke the contract; the message names the engine."""


class WrongSolution(EngineError):
    """An engine visited a placement that breaks a rule."""


class DuplicateSolution(EngineError):
    """An engine visited a placement twice."""


class DifferentCounts(EngineError):
    """Two counts of one unit differ, so one of them is wrong; the message names the unit and both."""


class RejectedCertificate(NQueensError):
    """A certificate does not prove what it claims; the message says which file, line or placement is at fault."""


class IncompleteSearch(NQueensError):
    """A limit ended a search whose complete answer was asked for; `partial` is what was found."""

    def __init__(self, message: str, partial: int) -> None:
        super().__init__(message)
        self.partial = partial
