"""What is wrong with a folder of shards: found from the rules, the manifest and the files alone.

Nothing is taken from the engines: placements are judged by `verify`, hashes and the fingerprint are computed
again. The prefixes are those of `sharding`, by which the folder was written, but nothing depends on them:
solutions that are right, in strictly increasing order and as many as there are (`count_again`), are all of them.
Memory is that of a block, or of one shard of Parquet.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nqueens_models.engines.base import Limits
from nqueens_models.engines.bitmask.engine import LARGEST_JOIN
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import FormatError, InvalidInput
from nqueens_models.instance import Block, Instance
from nqueens_models.run import Run, execute_count
from nqueens_models.shards.files import digest_of, read_blocks, require
from nqueens_models.shards.manifest import NAME, Entry, Heading, Manifest
from nqueens_models.shards.sharding import MOST_SHARDS, prefixes
from nqueens_models.solutions import columns_text, packed_rows
from nqueens_models.verify import valid_rows

SMALLEST_JOIN = 13  # rows of plain boards: smaller ones are counted by lists of columns in a second
FEW = 50_000  #        solutions that a SAT solver counts in some seconds


@dataclass(frozen=True)
class Examination:
    """What a folder holds, and one line for each fault; `heading` is None when the manifest cannot be read."""

    folder: Path
    heading: Heading | None
    instance: Instance | None
    shards: int
    count: int
    fingerprint: str | None
    faults: tuple[str, ...]


def check_shards(folder: Path | str, instance: Instance | None = None) -> Examination:
    """Examine a folder, which should hold the solutions of `instance` (default: of what its manifest says).

    Each shard is there, has the bytes, hash and count of the manifest, and holds solutions with its prefix, in
    strictly increasing order; nothing else is there; and the number and the fingerprint of all are those of the
    manifest. Whether the manifest's number is right is another question: `count_again`.
    """
    folder = Path(folder)
    try:
        manifest = Manifest(folder / NAME)
        board = manifest.heading.of_instance()
        require(manifest.heading.files, board.n)
    except InvalidInput as error:
        return Examination(folder, None, None, 0, 0, None, (str(error),))
    check = _Check(folder, manifest, board)
    faults = [*_of_instance(folder, board, instance), *check.faults()]
    fingerprint = check.digest.hexdigest() if check.all_read else None
    return Examination(folder, manifest.heading, board, check.shards, check.count, fingerprint, tuple(faults))


def _of_instance(folder: Path, board: Instance, instance: Instance | None) -> Iterator[str]:
    if instance is not None and instance != board:
        yield f"{folder / NAME}: it is of another instance ({board}, not {instance})"


class _Check:
    """The examination of one folder, shard by shard."""

    def __init__(self, folder: Path, manifest: Manifest, instance: Instance) -> None:
        self.folder, self.manifest, self.instance = folder, manifest, instance
        self.digest = hashlib.sha256()
        self.shards = self.count = 0
        self.all_read = True
        self._last: Block | None = None

    def faults(self) -> Iterator[str]:
        heading = self.manifest.heading
        where = self.folder / NAME
        held = {row for row, _ in self.instance.fixed}
        rows = [row for row in range(self.instance.n) if row not in held][: len(heading.rows)]
        expected = list(islice(prefixes(self.instance, rows), min(heading.shards, MOST_SHARDS) + 1))
        if list(heading.rows) != rows or len(expected) != heading.shards:
            self.all_read = False
            yield f"{where}: there is no division into {heading.shards} shards by the rows {list(heading.rows)}"
            return
        for shard, prefix in enumerate(expected):
            fault = next(self._of_shard(shard, prefix), None)
            if fault is not None:
                self.all_read = False
                yield f"{self.folder / heading.file(shard)}: {fault}"
        known = {NAME, *(heading.file(shard) for shard in range(heading.shards))}
        for path in sorted(self.folder.iterdir()):
            if path.name not in known:
                yield f"{path}: it is not in the manifest"
        yield from (f"{where}: {fault}" for fault in self._of_summary())

    def _of_summary(self) -> Iterator[str]:
        summary, entries = self.manifest.summary, self.manifest.entries
        if summary is None:
            yield f"the listing is not complete: {len(entries)} of {self.manifest.heading.shards} shards"
            return
        total = sum(entry.count for entry in entries.values())
        if summary.count != total:
            yield f"it counts {summary.count} solutions in all, and its shards {total}"
        if self.all_read and summary.fingerprint != self.digest.hexdigest():
            yield "its fingerprint is not that of the solutions"

    def _of_shard(self, shard: int, prefix: tuple[int, ...]) -> Iterator[str]:
        """Yield what is wrong with a shard: the first is enough."""
        entry, name = self.manifest.entries.get(shard), self.manifest.heading.file(shard)
        path = self.folder / name
        if entry is None:
            yield "the manifest does not have it"
            return
        self.shards += 1
        if (entry.file, entry.prefix) != (name, prefix):
            yield f"the manifest says {entry.file} with prefix {list(entry.prefix)}, not {list(prefix)}"
        yield from _of_bytes(path, entry)
        try:
            yield from self._of_solutions(path, entry, prefix)
        except (FormatError, OSError) as error:
            yield str(error).removeprefix(f"{path}: ")

    def _of_solutions(self, path: Path, entry: Entry, prefix: tuple[int, ...]) -> Iterator[str]:
        found, rows = 0, list(self.manifest.heading.rows)
        for block in read_blocks(path, self.instance.n):
            wrong = ~valid_rows(self.instance, block)
            if wrong.any():
                yield f"solution {found + int(wrong.argmax())} (from 0) breaks a rule"
            other = (block[:, rows] != np.array(prefix)).any(axis=1)
            if other.any():
                yield f"solution {found + int(other.argmax())} (from 0) does not begin with {list(prefix)}"
            ordered = np.concatenate([block[:0] if self._last is None else self._last, block])
            falling = ~_increasing(ordered)
            if falling.any():
                first = found + int(falling.argmax()) + 1 - (len(ordered) - len(block))
                yield f"solution {first} (from 0) does not come after the one before it"
            for piece in columns_text(block):
                self.digest.update(piece)
            found, self._last = found + len(block), block[-1:]
        self.count += found
        if found != entry.count:
            yield f"it holds {found} solutions, and the manifest says {entry.count}"


def _of_bytes(path: Path, entry: Entry) -> Iterator[str]:
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            yield f"it has {size} bytes, and the manifest says {entry.bytes}"
        if digest_of(path) != entry.sha256:
            yield "it was altered: its SHA-256 is not the manifest's"
    except FileNotFoundError:
        yield "it is missing"
    except OSError as error:
        yield f"it cannot be read: {error.strerror}"


def _increasing(block: Block) -> NDArray[np.bool_]:
    """Return, for a block of shape (k, n), a boolean array of shape (k - 1,): is each row less than the next."""
    less = np.zeros(max(0, len(block) - 1), dtype=np.bool_)
    for word in packed_rows(block)[::-1]:
        less = (word[:-1] < word[1:]) | ((word[:-1] == word[1:]) & less)
    return less


def count_again(examination: Examination, engine: str | None = None, seconds: float | None = None) -> Run:
    """Count the solutions by another way than they were listed: by `engine`, or as `other_engine` chooses."""
    assert examination.instance is not None
    searcher = make_engine(engine or other_engine(examination))
    return execute_count(searcher, examination.instance, Limits(seconds=seconds))


def other_engine(examination: Examination) -> str:
    """Return an engine that shares no search with the one that listed, where there is one for so many solutions.

    Plain boards are counted by the four-quadrant join, small ones by `column-sets`; what another engine listed, by
    `bitmask`; what `bitmask` listed, by a SAT solver up to FEW solutions, and else, for want of another way, by
    `bitmask` on the whole board at once.
    """
    instance, heading = examination.instance, examination.heading
    assert instance is not None
    assert heading is not None
    listed_by = heading.engine.partition(":")[0]
    if instance.is_plain and SMALLEST_JOIN <= instance.n <= LARGEST_JOIN and importlib.util.find_spec("numba"):
        return "bitmask:method=join"
    if instance.is_plain and instance.n < SMALLEST_JOIN and listed_by != "column-sets":
        return "column-sets"
    return "sat" if listed_by == "bitmask" and examination.count <= FEW else "bitmask"
