"""JSON read strictly: no key twice, no NaN, no number of a thousand digits, no nesting without end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nqueens_models.formats.source import DIGITS, Mark, Source, shown, whole_number


class _RefusedError(Exception):
    """What a hook refuses; the message lacks the file's name."""


def load(source: Source) -> Any:
    """Return the value that a JSON file holds; raise FormatError naming the line, or the key that comes twice."""
    return _decoded(source, decoder(source), source.text, 1)


def load_lines(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the values of JSON Lines with their line numbers; blank lines are skipped."""
    strict = decoder(source)
    for number, line in source.lines():
        if line:
            yield number, _decoded(source, strict, line, number)


def decoder(source: Source) -> json.JSONDecoder:
    """Return a decoder that refuses what is not strictly JSON."""

    def number(text: str) -> int:
        return int(text) if len(text) <= DIGITS else whole_number(source, text, None, "a number")

    return json.JSONDecoder(
        object_pairs_hook=_object, parse_int=number, parse_constant=_constant, parse_float=_real
    )


def _decoded(source: Source, strict: json.JSONDecoder, text: str, first_line: int) -> Any:
    try:
        return strict.decode(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise source.error(f"not JSON: {error.msg} (column {error.colno})", line) from None
    except RecursionError:
        raise source.error("not JSON for us: brackets are nested too deeply") from None
    except _RefusedError as refused:
        raise source.error(str(refused)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise _RefusedError(f"the key {shown(key)} comes twice")
        content[key] = value
    return content


def _constant(text: str) -> Any:
    raise _RefusedError(f"{text} is not JSON")


def _real(text: str) -> float:
    value = float(text)
    if not abs(value) < float("inf"):
        raise _RefusedError(f"the number {shown(text)} is too large")
    return value


def brief(value: Any) -> str:
    """Return words for a value in an error message: never long, never deep."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        plain = len(value) <= 4 and not any(isinstance(item, list | dict | str) for item in value)
        return json.dumps(value) if plain else f"a list of {len(value)}"
    return json.dumps(value) if value is None or isinstance(value, int | float) else shown(str(value))


def size(source: Source, value: Any, key: str) -> int:
    """Return a board's size; raise FormatError when `value` is not a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise source.error(f"{key!r} must be a whole number, not {brief(value)}")
    return value


def marks(source: Source, value: Any, key: str, objects: bool = False) -> list[Mark]:
    """Return the squares of a list of pairs [row, column], or with `objects` of `{"row": 0, "col": 1}` too."""
    if not isinstance(value, list):
        raise source.error(f"{key!r} must be a list of squares, not {brief(value)}")
    return [_mark(source, item, key, objects) for item in value]


def _mark(source: Source, item: Any, key: str, objects: bool) -> Mark:
    parts = item
    if objects and isinstance(item, dict):
        parts = [item.get("row"), item.get("col", item.get("column"))]
    if not isinstance(parts, list) or len(parts) != 2 or not all(type(part) is int for part in parts):
        raise source.error(f"{key!r} must hold pairs [row, column], not {brief(item)}")
    return Mark(*parts)


def label_rows(source: Source, value: Any, key: str, n: int | None) -> list[list[Any]]:
    """Return the rows of a square matrix of labels: lists, strings, or objects with a list under `colors`.

    Raises FormatError, naming the row (0-based), where the shape is wrong or a label is neither text nor number.
    """
    if not isinstance(value, list):
        raise source.error(f"{key!r} must be a list of rows, not {brief(value)}")
    rows = [_labels(source, row, key, number) for number, row in enumerate(value)]
    wanted = len(rows) if n is None else n
    if len(rows) != wanted:
        raise source.error(f"{key!r} has {len(rows)} rows on a board of {wanted}")
    for number, row in enumerate(rows):
        if len(row) != wanted:
            raise source.error(f"row {number} of {key!r} (0-based) has {len(row)} squares, not {wanted}")
    return rows


def _labels(source: Source, row: Any, key: str, number: int) -> list[Any]:
    labels = row.get("colors") if isinstance(row, dict) else row
    if isinstance(labels, str):
        return list(labels)
    if not isinstance(labels, list):
        raise source.error(f"row {number} of {key!r} (0-based) must be a list or a text, not {brief(row)}")
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, str | int):
            raise source.error(f"row {number} of {key!r} (0-based) has the label {brief(label)}")
    return labels


def only_keys(source: Source, content: Any, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Return an object whose keys are all allowed; raise FormatError naming one that is not."""
    if not isinstance(content, dict):
        raise source.error(f"the file must hold an object in braces, not {type(content).__name__}")
    unknown = next((key for key in content if key not in allowed), None)
    if unknown is not None:
        raise source.error(f"no key {shown(unknown)} here; there are {', '.join(allowed)}")
    return content
