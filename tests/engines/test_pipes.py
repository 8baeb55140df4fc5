"""Other processes of ours, and what a thread reads from their pipes."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from nqueens_models.engines.pipes import Inbox, start_interpreter


def numbers(end: int) -> Callable[[], int]:
    """Return a function that returns 0, 1, ... and raises EOFError instead of `end`."""
    counter = iter(range(end))

    def read() -> int:
        try:
            return next(counter)
        except StopIteration:
            raise EOFError from None

    return read


def interrupted(call: Callable[[], Any], step: int) -> bool:
    """Call, with KeyboardInterrupt before instruction number `step` below; return whether it came to that."""
    left = step

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal left
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_items_in_order_and_none_at_the_end() -> None:
    inbox = Inbox(numbers(20), ahead=3)
    assert [inbox.get(10) for _ in range(21)] == [*range(20), None]
    assert inbox.close(10)


def test_no_more_is_read_ahead_than_was_said() -> None:
    taken = count()
    inbox = Inbox(lambda: next(taken), ahead=3)
    assert [inbox.get(10) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert inbox.close(10)  # which ends a reader that waits
    assert next(taken) <= 5 + 3 + 2  # one is read and waits for room, which `close` made


def test_an_error_of_the_reader_comes_after_the_last_item() -> None:
    def read() -> int:
        if remaining:
            return remaining.pop()
        raise LookupError("lost")

    remaining = [1, 0]
    inbox = Inbox(read, ahead=3)
    assert [inbox.get(10), inbox.get(10)] == [0, 1]
    with pytest.raises(LookupError, match="lost"):
        inbox.get(10)
    assert inbox.close(10)


def test_nothing_within_the_time() -> None:
    hold = queue.SimpleQueue[int]()
    inbox = Inbox(hold.get, ahead=1)
    with pytest.raises(queue.Empty):
        inbox.get(0.01)
    assert not inbox.close(0.01)
    hold.put(0)
    assert inbox.close(10)


def test_ctrl_c_anywhere_locks_nothing() -> None:
    """One item may be lost, between being taken and being returned; the next call does not hang."""
    for step in count(1):
        inbox = Inbox(numbers(3), ahead=2)
        came = interrupted(lambda inbox=inbox: inbox.get(10), step)  # type: ignore[misc]
        rest = list(iter(lambda inbox=inbox: inbox.get(10), None))  # type: ignore[misc]
        assert rest in ([0, 1, 2], [1, 2])
        assert inbox.close(10)
        if not came:
            break
    assert step > 5


MODULE = """
import sys
def main(*words):
    print(sys.path[-1], *words, flush=True)
"""


def test_an_interpreter_imports_from_where_we_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_mine.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, "last of all"])
    with start_interpreter("of_mine", "one", "two words") as process:
        out, _ = process.communicate()
    assert (process.returncode, out.decode().strip()) == (0, "last of all one two words")
