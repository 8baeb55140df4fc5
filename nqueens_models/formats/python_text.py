"""What Python's `print` writes of a list of solutions: single quotes and tuples, otherwise like JSON."""

from __future__ import annotations

import ast
from typing import Any

LARGEST = 4 << 20  # characters; the parser takes some hundred times as much memory


def is_printed(text: str) -> bool:
    """Return whether a list is written as Python does and JSON does not: with single quotes or parentheses."""
    return text.lstrip().startswith(("[", "(")) and ("'" in text or "(" in text) and '"' not in text


def load(text: str) -> Any:
    """Return the lists, texts and numbers that a printed list holds, tuples as lists.

    Raises ValueError, in one line, for anything else and for a text of more than LARGEST characters.
    """
    if len(text) > LARGEST:
        raise ValueError(f"larger than {LARGEST >> 20} MiB, the most that is read of a printed list")
    try:
        return _as_lists(ast.literal_eval(text.strip()))
    except SyntaxError as error:
        raise ValueError(f"not a list as Python prints it: {error.msg}") from None
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise ValueError("not a list as Python prints it") from None


def _as_lists(value: Any) -> Any:
    return [_as_lists(item) for item in value] if isinstance(value, list | tuple) else value
