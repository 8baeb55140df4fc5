"""SolutionSet: a set of placements as a sorted NumPy array."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.instance import Block, block_dtype


class SolutionSet(Set[tuple[int, ...]]):
    """An immutable set of placements of n queens, in lexicographic order.

    Iteration and membership use tuples (the column of each row, 0-based); `&`, `|`, `-`, `^`, `<=` and `==` work
    as on any set, whole arrays at a time.
    """

    def __init__(self, n: int, placements: Iterable[Sequence[int]] | NDArray[np.integer[Any]] = ()) -> None:
        """Sort `placements` (any iterable, or an array of shape (k, n)) and drop repetitions.

        Raises ValueError when a placement does not have n columns from 0 to n - 1.
        """
        array = _as_array(n, placements)
        order = lexicographic_order(array)
        array = array[order]
        self._array = array[first_of_equals(array)]
        self._array.flags.writeable = False
        self._n = n

    @classmethod
    def _from_sorted(cls, n: int, array: Block) -> SolutionSet:
        new = cls.__new__(cls)
        new._n, new._array = n, array
        new._array.flags.writeable = False
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return SolutionSet._from_sorted, (self._n, self._array)  # read-only after unpickling too

    @property
    def n(self) -> int:
        """The number of queens of each placement."""
        return self._n

    @property
    def array(self) -> Block:
        """The placements, shape (k, n), sorted, read-only, of the smallest unsigned dtype that holds n."""
        return self._array

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (tuple(row.tolist()) for row in self._array)

    def __contains__(self, placement: object) -> bool:
        if not isinstance(placement, Sequence | np.ndarray) or len(placement) != self._n:
            return False
        wanted = tuple(placement)
        if not all(isinstance(column, int | np.integer) for column in wanted):
            return False
        low, high = 0, len(self._array)
        while low < high:
            middle = (low + high) // 2
            if tuple(self._array[middle].tolist()) < wanted:
                low = middle + 1
            else:
                high = middle
        return low < len(self._array) and tuple(self._array[low].tolist()) == wanted

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SolutionSet):
            return self._n == other._n and np.array_equal(self._array, other._array)
        return super().__eq__(other)

    def __le__(self, other: Set[Any]) -> bool:
        if isinstance(other, SolutionSet):
            return self._n == other._n and len(self & other) == len(self)
        return super().__le__(other)

    def __ge__(self, other: Set[Any]) -> bool:
        return other <= self if isinstance(other, SolutionSet) else super().__ge__(other)

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        return f"<SolutionSet of {len(self)} placements of {self._n} queens>"

    def __and__(self, other: Iterable[Any]) -> SolutionSet:
        return self._combine(other, lambda mine, theirs: mine & theirs)

    def __or__(self, other: Iterable[Any]) -> SolutionSet:
        return self._combine(other, lambda mine, theirs: mine | theirs)

    def __sub__(self, other: Iterable[Any]) -> SolutionSet:
        return self._combine(other, lambda mine, theirs: mine & ~theirs)

    def __rsub__(self, other: Iterable[Any]) -> SolutionSet:
        return self._combine(other, lambda mine, theirs: theirs & ~mine)

    def __xor__(self, other: Iterable[Any]) -> SolutionSet:
        return self._combine(other, lambda mine, theirs: mine ^ theirs)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def _combine(self, other: Iterable[Any], keep: Any) -> SolutionSet:
        """Return the placements of both sets for which keep(is mine, is theirs) holds."""
        theirs = other if isinstance(other, SolutionSet) else SolutionSet(self._n, other)
        if theirs._n != self._n:
            raise ValueError(f"sets of {self._n} and of {theirs._n} queens cannot be combined")
        both = np.concatenate([self._array, theirs._array])
        mine = np.arange(len(both)) < len(self)
        order = lexicographic_order(both)
        both, mine = both[order], mine[order]
        first = first_of_equals(both)
        groups = np.cumsum(first) - 1
        is_mine = np.zeros(int(first.sum()), dtype=np.bool_)
        is_theirs = is_mine.copy()
        is_mine[groups[mine]] = True
        is_theirs[groups[~mine]] = True
        return self._from_sorted(self._n, both[first][keep(is_mine, is_theirs)])

    @property
    def fingerprint(self) -> str:
        """The SHA-256, in hexadecimal, of the text that `solve` prints for this set: see `canonical_bytes`."""
        digest = hashlib.sha256()
        for piece in self.canonical_bytes():
            digest.update(piece)
        return digest.hexdigest()

    def canonical_bytes(self) -> Iterator[bytes]:
        """Yield, in pieces, the ASCII lines of the set: columns by row, 0-based, separated by spaces, in order."""
        return columns_text(self._array)


def columns_text(array: NDArray[np.integer[Any]], base: int = 0, separator: str = " ") -> Iterator[bytes]:
    """Yield the lines of an array of shape (k, n) as ASCII, some thousands of lines a piece.

    Each line holds the columns of one placement, counted from `base`, with `separator` between them.
    """
    n = array.shape[1]
    texts = [f"{separator}{value + base}".encode("ascii") for value in range(n)]
    later, first = _text_words(texts), _text_words([text[len(separator) :] for text in texts])
    rows = max(1, (1 << 17) // (n + 1))
    for start in range(0, len(array), rows):
        chunk = array[start : start + rows]
        words = np.full((len(chunk), n + 1), ord("\n"), dtype=later.dtype)
        if n:
            words[:, 0] = first[chunk[:, 0]]
            words[:, 1:n] = later[chunk[:, 1:]]
        yield words.tobytes().translate(None, b"\0")


def _text_words(texts: Sequence[bytes]) -> NDArray[np.unsignedinteger[Any]]:
    """Return short texts as integers: in memory they are the text, filled up with zero bytes."""
    size = 4 if max(map(len, texts), default=0) <= 4 else 8
    return np.array([int.from_bytes(text.ljust(size, b"\0"), "little") for text in texts], dtype=f"<u{size}")


def lexicographic_order(array: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Return the permutation that sorts the rows of an array of shape (k, n) lexicographically."""
    words = packed_rows(array)
    if len(words) == 1:
        return np.argsort(words[0], kind="stable")
    return np.lexsort(words[::-1])


def packed_rows(array: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Pack each row of an array of shape (k, n), of values 0 to n - 1, into words that compare as the rows do.

    Returns shape (words, k), the most significant word first; there is at least one word.
    """
    k, n = array.shape
    bits = max(1, (n - 1).bit_length())
    per_word = 64 // bits
    words = np.zeros((max(1, -(-n // per_word)), k), dtype=np.uint64)
    for row in range(n):
        word = words[row // per_word]
        word <<= np.uint64(bits)
        word |= array[:, row].astype(np.uint64)
    return words


def first_of_equals(array: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return, for a sorted array of shape (k, n), which rows differ from the row before them."""
    first = np.ones(len(array), dtype=np.bool_)
    first[1:] = (array[1:] != array[:-1]).any(axis=1)
    return first


def _as_array(n: int, placements: Iterable[Sequence[int]] | NDArray[np.integer[Any]]) -> Block:
    dtype = block_dtype(n)
    array = placements if isinstance(placements, np.ndarray) else np.array([tuple(p) for p in placements])
    if len(array) == 0:
        array = np.zeros((0, n), dtype=dtype)
    if array.ndim != 2 or array.shape[1] != n or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"placements of {n} queens have shape (k, {n}) and whole numbers as columns")
    if array.size and (array.min() < 0 or array.max() >= n):
        raise ValueError(f"a placement of {n} queens has columns from 0 to {n - 1} only")
    return array.astype(dtype)
