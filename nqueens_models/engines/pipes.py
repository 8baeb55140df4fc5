"""Another process of ours, or of others: starting it out of reach of Ctrl-C, and what goes through its pipes.

Messages between processes of ours are bytes, framed by their length.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO, Any, Generic, TypeVar

from nqueens_models.errors import EngineError

Item = TypeVar("Item")

START = """
import sys
from importlib import import_module
module, paths = sys.argv[1], int(sys.argv[2])
sys.path[:], arguments = sys.argv[3 : 3 + paths], sys.argv[3 + paths :]
import_module(module).main(*arguments)
"""
"""What the new interpreter executes: no script of the user's, and imports from where this process does."""

LENGTH = struct.Struct("<Q")  # before each message, how many bytes it has


def start_interpreter(module: str, *arguments: str, stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a process that calls `main(*arguments)` of a module, with pipes for its standard input and output.

    Not by multiprocessing: it works from scripts without an `if __name__ == "__main__"`, and from a prompt. Ctrl-C
    in the terminal does not reach it.
    """
    return subprocess.Popen(
        [sys.executable, "-c", START, module, str(len(sys.path)), *sys.path, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        **OUT_OF_REACH_OF_CTRL_C,
    )


def _out_of_reach_of_ctrl_c() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


OUT_OF_REACH_OF_CTRL_C = _out_of_reach_of_ctrl_c()
"""The settings of Popen for that."""


class Inbox(Generic[Item]):
    """What a thread of its own reads, one item after the other, and at most `ahead` of those who get them.

    `read` returns the next item and raises EOFError after the last. Ctrl-C may come up anywhere in `get` and
    leaves nothing locked. `queue.Queue` stays locked when Ctrl-C comes just after the lock was taken.
    """

    def __init__(self, read: Callable[[], Item], ahead: int) -> None:
        self._read = read
        self._closed = False
        self._items: SimpleQueue[Item | None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()  # as many as may be read
        for _ in range(ahead):
            self._room.put(None)
        self._thread = threading.Thread(target=self._fill, daemon=True)
        self._thread.start()

    def get(self, seconds: float) -> Item | None:
        """Return the next item, None after the last; raise queue.Empty if there is none within so many seconds."""
        item = self._items.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        self._room.put(None)
        return item

    def close(self, seconds: float) -> bool:
        """Wait for the end of what is read, and return whether it came within so many seconds."""
        self._closed = True
        self._room.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _fill(self) -> None:
        while not self._closed:
            try:
                item = self._read()
            except EOFError:
                break
            self._room.get()
            self._items.put(item)
        self._items.put(None)


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
