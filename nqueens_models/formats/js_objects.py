"""Object literals in pasted JavaScript or TypeScript, JSON among them, by the tree-sitter grammar.

Comments, unquoted keys, single quotes, trailing commas, `const level: Level = {...}`, `export default` and imports
are all read by the one grammar. Values are as in JSON; a name or a call stands for its own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nqueens_models.formats.source import Source, shown, whole_number

if TYPE_CHECKING:
    from tree_sitter import Node

LARGEST = 1 << 20
"""The most bytes that are parsed: a puzzle has some hundred, and the parser takes a thousand times as much."""
DEEPEST = 60
"""The deepest nesting of brackets that is parsed: the parser itself has no limit but its stack."""
SAME_VALUE = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
NAMES = ("identifier", "member_expression")


@dataclass(frozen=True)
class Code:
    """An expression that is no literal: `fill(0)`."""

    text: str

    def __str__(self) -> str:
        return self.text


def literals(source: Source) -> list[Any]:
    """Return the outermost objects and arrays of a file, in order.

    Raises FormatError, naming the line, for a syntax error, a key that comes twice, and a hole in an array.
    """
    from tree_sitter import Language, Parser
    from tree_sitter_typescript import language_typescript

    text = source.text.strip()
    _check_bounds(source, text)
    first_line = source.text[: source.text.index(text)].count("\n")
    if text[0] in "{[":  # a literal alone, not a block of statements
        text = "(" + text.removesuffix(";") + ")"
    reader = _Reader(source, first_line)
    root = Parser(Language(language_typescript())).parse(text.encode("utf-8")).root_node
    if root.has_error:
        reader.fail_at_error(root)
    return [reader.value(node) for node in _outermost(root)]


def _check_bounds(source: Source, text: str) -> None:
    if len(text) > LARGEST:
        raise source.error(f"larger than {LARGEST >> 20} MiB, the most that is read of this format")
    depth = 0
    for match in re.finditer(r"[\[({]|[\])}]", text):
        depth += 1 if match.group() in "[({" else -1
        if depth > DEEPEST:
            line = source.text.count("\n", 0, source.text.index(text) + match.start()) + 1
            raise source.error(f"more than {DEEPEST} brackets inside each other", line)


def _outermost(node: Node) -> Iterator[Node]:
    if node.type in ("object", "array"):
        yield node
        return
    for child in node.named_children:
        if child.type not in ("import_statement", "type_annotation"):
            yield from _outermost(child)


class _Reader:
    """Turns nodes of the grammar into values."""

    def __init__(self, source: Source, first_line: int) -> None:
        self.source, self.first_line = source, first_line

    def line(self, node: Node) -> int:
        return self.first_line + int(node.start_point[0]) + 1

    def fail_at_error(self, node: Node) -> None:
        """Raise FormatError for the first error inside `node`."""
        while not (node.is_error or node.is_missing):
            node = next(child for child in node.children if child.has_error or child.is_missing)
        text = _text(node)
        found = f"{node.type!r} is missing" if node.is_missing else f"{shown(text.strip())} is not understood"
        raise self.source.error(f"not an object of JSON or JavaScript: {found}", self.line(node))

    def value(self, node: Node) -> Any:
        kind = node.type
        if kind == "object":
            return self.object(node)
        if kind == "array":
            return self.array(node)
        if kind in SAME_VALUE:
            return self.value(_inner(node)[0])
        if kind in ("string", "template_string"):
            return _text(node)[1:-1]
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        text = _text(node)
        if kind in NAMES:
            return text
        negative = kind == "unary_expression" and text.startswith("-") and _inner(node)[0].type == "number"
        return self.number(node, text) if kind == "number" or negative else Code(text)

    def number(self, node: Node, text: str) -> int | float | Code:
        if re.fullmatch(r"-?\s*[0-9]+", text):
            return whole_number(self.source, "".join(text.split()), self.line(node), "a number")
        return Code(text)

    def object(self, node: Node) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for child in _inner(node):
            key_node, value_node = child.child_by_field_name("key"), child.child_by_field_name("value")
            if child.type != "pair" or key_node is None or value_node is None:
                continue  # a method, a spread: nothing a puzzle is made of
            key = _text(key_node)
            key = key[1:-1] if key_node.type == "string" else key
            if key in content:
                raise self.source.error(f"the key {shown(key)} comes twice", self.line(child))
            content[key] = self.value(value_node)
        return content

    def array(self, node: Node) -> list[Any]:
        before = "["
        for child in node.children:
            if child.type == "," and before in ("[", ","):
                raise self.source.error("two commas with nothing between", self.line(child))
            before = child.type if child.type != "comment" else before
        return [self.value(child) for child in _inner(node)]


def _inner(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8")
