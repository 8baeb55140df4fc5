"""Reading a folder of shards without loading it: memory maps, blocks, single solutions, tables."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Block, Instance, Placement, block_dtype
from nqueens_models.shards.files import as_block, frame_of, mapped, read_blocks
from nqueens_models.shards.manifest import NAME, Manifest

if TYPE_CHECKING:
    import polars


def open_shards(folder: Path | str, *, partial: bool = False) -> Shards:
    """Open a folder that `list_in_shards` wrote; nothing but the manifest is read yet.

    Raises FormatError for another folder, and InvalidInput for an unfinished one unless `partial` is set: then
    only the finished shards are there. Files are trusted to be what the manifest says: `check_shards` finds out.
    """
    manifest = Manifest(Path(folder) / NAME)
    if manifest.summary is None and not partial:
        done = f"{len(manifest.entries)} of {manifest.heading.shards} shards are there"
        raise InvalidInput(f"{folder} is not complete: {done}, and the command that made it goes on")
    return Shards(Path(folder), manifest)


class Shards(Sequence[Placement]):
    """The solutions of an instance in lexicographic order: a sequence of tuples, and more in blocks.

    `len(shards)`, `shards[i]` and iteration read what is asked for; `fingerprint` is that of the whole set, None
    if it is not complete.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.instance: Instance = manifest.heading.of_instance()
        self.files: str = manifest.heading.files
        self.fingerprint = None if manifest.summary is None else manifest.summary.fingerprint
        entries = [manifest.entries[number] for number in sorted(manifest.entries)]
        self.paths = [folder / manifest.heading.file(entry.shard) for entry in entries]
        self._starts = [0, *accumulate(entry.count for entry in entries)]
        self._array = lru_cache(maxsize=4)(self._load)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger[Any]]:
        """The type of the columns: the smallest that holds n."""
        return block_dtype(self.instance.n)

    @property
    def shape(self) -> tuple[int, int]:
        """How many solutions, and n."""
        return len(self), self.instance.n

    @property
    def arrays(self) -> Iterator[Block]:
        """Each shard in turn, shape (k, n): mapped into memory if it is `npy`, read if it is Parquet."""
        return (self._load(shard) for shard in range(len(self.paths)))

    def blocks(self) -> Iterator[Block]:
        """Yield all solutions in order, in blocks of some ten thousand, shape (k, n)."""
        for path in self.paths:
            yield from read_blocks(path, self.instance.n)

    def scan(self) -> polars.LazyFrame:
        """Return all solutions as a lazy table of Polars, with columns row_0, row_1, ...; of Parquet only."""
        if self.files != "parquet":
            raise InvalidInput(f"{self.folder} holds NumPy arrays: scan() is for --format parquet")
        import polars

        return polars.scan_parquet(self.paths, glob=False)

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: Any) -> Any:
        """Return one solution as a tuple, or those of a slice as an array of shape (k, n)."""
        if isinstance(index, slice):
            rows = [self._row(i) for i in range(*index.indices(len(self)))]
            return np.array(rows, dtype=self.dtype).reshape(len(rows), self.instance.n)
        position = range(len(self))[index]
        return tuple(self._row(position).tolist())

    def _row(self, position: int) -> Block:
        shard = bisect_right(self._starts, position) - 1
        row: Block = self._array(shard)[position - self._starts[shard]]
        return row

    def __iter__(self) -> Iterator[Placement]:
        return (tuple(row) for block in self.blocks() for row in block.tolist())

    def __contains__(self, placement: object) -> bool:
        if not isinstance(placement, Sequence | np.ndarray) or len(placement) != self.instance.n:
            return False
        wanted = tuple(placement)
        place = bisect_right(self, wanted) - 1
        return place >= 0 and bool(self[place] == wanted)

    def __repr__(self) -> str:
        return f"<Shards of {len(self)} placements of {self.instance.n} queens in {self.folder}>"

    def _load(self, shard: int) -> Block:
        path, n = self.paths[shard], self.instance.n
        return mapped(path, n) if self.files == "npy" else as_block(frame_of(path, n), n)
