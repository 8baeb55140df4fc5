"""What a file of solutions says, right or wrong: nothing is assumed about the placements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.formats.source import LARGEST_N, Source
from nqueens_models.instance import Square, block_dtype

BLOCK = 1 << 15  # placements gathered before they become an array


@dataclass(frozen=True)
class Oddity:
    """An answer that is not one queen in each row on the board: where its queens stand (0-based), and why."""

    number: int
    line: int | None
    queens: tuple[Square, ...]
    note: str | None


@dataclass(frozen=True)
class Answers:
    """The answers of a file, numbered from 1.

    `placements` has shape (k, n), `numbers` and `lines` shape (k,) (a line is 0 where the format has none): the
    answers that have one queen in each row, whether or not they obey the other rules. `oddities` are the rest.
    """

    source: Source
    n: int
    base: int
    placements: NDArray[np.unsignedinteger[Any]]
    numbers: NDArray[np.int64]
    lines: NDArray[np.int64]
    oddities: tuple[Oddity, ...]

    def __len__(self) -> int:
        return len(self.numbers) + len(self.oddities)

    def all_placements(self) -> NDArray[np.unsignedinteger[Any]]:
        """Return `placements`; raise FormatError, naming the line, if there is an answer that is none."""
        for odd in self.oddities:
            problem = odd.note or "not one queen in each row, on the board"
            raise self.source.error(f"answer {odd.number}: {problem}", odd.line)
        return self.placements


@dataclass
class AnswerCollector:
    """Gathers the answers of a file as a reader finds them; squares are 0-based."""

    source: Source
    n: int
    base: int
    count: int = 0
    _waiting: list[Sequence[int]] = field(default_factory=list)
    _blocks: list[NDArray[np.unsignedinteger[Any]]] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)
    _oddities: list[Oddity] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not 0 <= self.n <= LARGEST_N:
            raise self.source.error(f"a board of {self.n} rows is not one of 0 to {LARGEST_N}")

    def columns(self, columns: Sequence[int], line: int | None = None) -> None:
        """Take an answer given as the column of each row."""
        if len(columns) == self.n and (not columns or (min(columns) >= 0 and max(columns) < self.n)):
            self.count += 1
            self._numbers.append(self.count)
            self._lines.append(line or 0)
            self._waiting.append(columns)
            if len(self._waiting) == BLOCK:
                self._flush()
            return
        note = None if len(columns) == self.n else f"{len(columns)} columns, not {self.n}"
        self._odd(list(enumerate(columns)), line, note)

    def queens(self, queens: Sequence[Square], line: int | None = None, note: str | None = None) -> None:
        """Take an answer given as the squares of its queens."""
        in_order = sorted(queens)
        if note is None and len(queens) == self.n and [row for row, _ in in_order] == list(range(self.n)):
            self.columns([column for _, column in in_order], line)
        else:
            self._odd(in_order, line, note)

    def _odd(self, queens: Sequence[Square], line: int | None, note: str | None) -> None:
        self.count += 1
        self._oddities.append(Oddity(self.count, line, tuple(queens), note))

    def _flush(self) -> None:
        dtype = block_dtype(self.n)
        self._blocks.append(np.array(self._waiting, dtype=dtype).reshape(len(self._waiting), self.n))
        self._waiting = []

    def answers(self) -> Answers:
        """Return what was gathered."""
        self._flush()
        return Answers(
            self.source,
            self.n,
            self.base,
            np.concatenate(self._blocks),
            np.array(self._numbers, dtype=np.int64),
            np.array(self._lines, dtype=np.int64),
            tuple(self._oddities),
        )
