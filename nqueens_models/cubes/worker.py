"""The other end of the pipes of `pool`: a process that calls functions until its pipe ends."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
from queue import SimpleQueue
from typing import IO

from nqueens_models.errors import EngineError

LENGTH = struct.Struct(">Q")  # before each message, how many bytes it has


def send(pipe: IO[bytes], message: bytes) -> None:
    """Write a message to a pipe."""
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Return the next message of a pipe; raise EOFError when it ends."""
    header = pipe.read(LENGTH.size)
    if len(header) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(header)
    message = pipe.read(length)
    if len(message) < length:
        raise EOFError
    return message


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
        return _failure(error)


def _failure(error: Exception) -> bytes:
    """Return an exception as an answer: itself, if it survives the journey."""
    try:
        message = pickle.dumps((False, error))
        pickle.loads(message)
    except Exception:
        return pickle.dumps((False, EngineError(f"{type(error).__name__}: {error}")))
    return message


def main() -> None:
    """Answer messages from standard input until it ends; what is printed meanwhile goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
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
