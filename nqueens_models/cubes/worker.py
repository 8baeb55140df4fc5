"""The other end of the pipes of `pool`: a process that calls functions until its pipe ends."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import IO

from nqueens_models.engines.base import may_be_killed
from nqueens_models.engines.pipes import portable, receive, send, take_standard_output
from nqueens_models.errors import EngineError


def answer(message: bytes) -> bytes:
    """Call the function of a message with its arguments; return (True, result) or (False, exception), pickled."""
    try:
        function, arguments, settings = pickle.loads(message)
    except Exception as error:
        reason = f"a worker process cannot load what it was sent ({error}): define it in a module, not in a script"
        return pickle.dumps((False, EngineError(reason)))
    try:
        return pickle.dumps((True, function(*arguments, **settings)))
    except Exception as error:
        return pickle.dumps((False, portable(error)))


def main() -> None:
    """Answer messages from standard input until it ends; what is printed meanwhile goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    may_be_killed()
    answers = take_standard_output()
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, inbox), daemon=True).start()
    while True:
        send(answers, answer(inbox.get()))


def _read(pipe: IO[bytes], inbox: SimpleQueue[bytes]) -> None:
    """Take messages; end the process at once when the pipe does, even in the middle of a search."""
    while True:
        try:
            inbox.put(receive(pipe))
        except EOFError:
            os._exit(0)
