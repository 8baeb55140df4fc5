"""The words, numbers and signs of a small language, with their lines: for Essence, DZN and ASP files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from nqueens_models.formats.source import Source, shown, whole_number


class Scanner:
    """Reads a text token by token: `token` is the next one ("" at the end), on line `line`."""

    def __init__(self, source: Source, comment: str) -> None:
        """Start at the first token; `comment` is the character that begins a comment up to the line's end."""
        self.source = source
        self.pattern = re.compile(
            rf"(?P<gap>\s+|{re.escape(comment)}[^\n]*)|[+-]?[0-9]+|[^\W\d]\w*|\.\.|.", re.DOTALL
        )
        self._tokens = self._scan()
        self.token, self.line = next(self._tokens)

    def _scan(self) -> Iterator[tuple[str, int]]:
        line = 1
        for match in self.pattern.finditer(self.source.text):
            text = match.group()
            if match.lastgroup == "gap":
                line += text.count("\n")
            else:
                yield text, line
        while True:
            yield "", line

    def take(self) -> str:
        """Return the next token and go on to the one after it."""
        token = self.token
        self.token, self.line = next(self._tokens)
        return token

    def skip(self, token: str) -> bool:
        """Take the next token if it is `token`; return whether it was."""
        if self.token != token:
            return False
        self.take()
        return True

    def expect(self, *tokens: str) -> str:
        """Take the next token; raise FormatError unless it is one of `tokens`."""
        if self.token not in tokens:
            self.fail(" or ".join(repr(token) for token in tokens))
        return self.take()

    def name(self, what: str) -> str:
        """Take the next token; raise FormatError unless it is a word."""
        if not self.token.isidentifier():
            self.fail(what)
        return self.take()

    def number(self, what: str) -> int:
        """Take the next token; raise FormatError unless it is a whole number."""
        if not self.token or self.token[-1] not in "0123456789":
            self.fail(what)
        line = self.line
        return whole_number(self.source, self.take(), line, what)

    def fail(self, wanted: str) -> NoReturn:
        """Raise FormatError: something else was wanted here."""
        found = shown(self.token) if self.token else "the end of the file"
        raise self.source.error(f"{wanted} expected, not {found}", self.line)
