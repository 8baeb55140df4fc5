"""Another process of ours, or of others: starting it out of reach of Ctrl-C, and what goes through its pipes.

Messages between processes of ours are bytes, framed by their length.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
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
module, parent, paths = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.path[:], arguments = sys.argv[4 : 4 + paths], sys.argv[4 + paths :]
import_module("nqueens_models.engines.pipes").die_with(parent)
import_module(module).main(*arguments)
"""
"""What the new interpreter executes: no script of the user's, and imports from where this process does."""

LENGTH = struct.Struct("<Q")  # before each message, how many bytes it has
PR_SET_PDEATHSIG = 1  #         linux/prctl.h


def start_interpreter(module: str, *arguments: str, stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a process that calls `main(*arguments)` of a module, with pipes for its standard input and output.

    Not by multiprocessing: it works from scripts without an `if __name__ == "__main__"`, and from a prompt. Ctrl-C
    in the terminal does not reach it. On Linux it dies with this process, and with the thread that calls.
    """
    return subprocess.Popen(
        [sys.executable, "-c", START, module, str(os.getpid()), str(len(sys.path)), *sys.path, *arguments],
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


def die_with(parent: int) -> None:
    """Have this process killed when its parent dies, where the system can do that, whatever it is doing then.

    The end of a pipe tells it too, but not while a solver holds Python's lock.
    """
    if os.name != "posix":
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        os._exit(1)


class Inbox(Generic[Item]):
    """What a thread of its own reads, one item after the other, and at most `ahead` of those who get them.

    `read` returns the next item and raises EOFError after the last. Ctrl-C may come up anywhere in `get` and
    leaves nothing locked. `queue.Queue` stays locked when Ctrl-C comes just after the lock was taken.
    """

    def __init__(self, read: Callable[[], Item], ahead: int) -> None:
        self._read = read
        self._closed = False
        self._error: Exception | None = None
        self._items: SimpleQueue[Item | None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()  # as many as may be read
        for _ in range(ahead):
            self._room.put(None)
        self._thread = threading.Thread(target=self._fill, daemon=True)
        self._thread.start()

    def get(self, seconds: float) -> Item | None:
        """Return the next item, None after the last; raise queue.Empty if there is none within so many seconds.

        Where `read` raised anything but EOFError, that is raised after the last.
        """
        item = self._items.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        if item is None and self._error is not None:
            raise self._error
        self._room.put(None)
        return item

    def close(self, seconds: float) -> bool:
        """Wait for the end of what is read, and return whether it came within so many seconds."""
        self._closed = True
        self._room.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _fill(self) -> None:
        try:
            while not self._closed:
                item = self._read()
                self._room.get()
                self._items.put(item)
        except EOFError:
            pass
        except Exception as error:
            self._error = error  # for whoever waits, who would wait for ever
        finally:
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
