"""Messages between this process and another of ours, over pipes: bytes, framed by their length."""

from __future__ import annotations

import os
import pickle
import struct
import traceback
from typing import IO

from nqueens_models.errors import EngineError

LENGTH = struct.Struct("<Q")  # before each message, how many bytes it has


def send(pipe: IO[bytes], message: bytes) -> None:
    """Write a message to a pipe; raise OSError when nobody reads it."""
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Return the next message of a pipe; raise EOFError when it ends, be it in the middle of one."""
    header = pipe.read(LENGTH.size)
    if len(header) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(header)
    message = pipe.read(length)
    if len(message) < length:
        raise EOFError
    return message


def take_standard_output() -> IO[bytes]:
    """Return what is standard output now; what is printed from here on, by whomever, goes to standard error."""
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return stream


def portable(error: BaseException) -> BaseException:
    """Return an exception that can be pickled and unpickled, with its traceback here in its notes."""
    text = "".join(traceback.format_exception(error))
    try:
        copy: BaseException = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = EngineError(f"{type(error).__name__}: {error}")
    copy.add_note(f"In the engine's own process:\n{text}")
    return copy
