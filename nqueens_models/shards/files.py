"""The files of shards: NumPy arrays or Parquet, written whole or not at all, read in blocks.

Parquet has one column `row_0`, `row_1`, ... for each row of the board, with the column of its queen as UInt8 (or a
wider one for n > 256), which is what DuckDB, Polars and pandas read at once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nqueens_models.errors import EngineUnavailable, FormatError, InvalidSetting
from nqueens_models.instance import Block, block_dtype
from nqueens_models.shards.manifest import FILES

if TYPE_CHECKING:
    import polars

BLOCK_ROWS = 1 << 16  # placements read at a time
CHUNK_BYTES = 1 << 20


def require(files: str, n: int) -> None:
    """Raise InvalidSetting or EngineUnavailable if shards of boards of n rows cannot be such files."""
    if files not in FILES:
        raise InvalidSetting(f"shards are {' or '.join(FILES)}, not {files!r}")
    if files == "parquet" and not importlib.util.find_spec("polars"):
        raise EngineUnavailable("Parquet is not available: pip install 'nqueens-models[parquet]'")
    if files == "parquet" and n == 0:
        raise InvalidSetting("Parquet cannot hold the solution of the empty board: take npy")


def write_shard(path: Path, block: Block) -> tuple[int, str]:
    """Write a sorted block, shape (k, n), to a file; return its bytes and their SHA-256 in hexadecimal.

    It is written beside it, brought to the disk and renamed: the file is whole, or not there.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    digest, size = hashlib.sha256(), 0
    try:
        with beside.open("wb") as stream:
            for piece in _npy(block) if path.suffix == ".npy" else [_parquet(block)]:
                stream.write(piece)
                digest.update(piece)
                size += len(piece)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    return size, digest.hexdigest()


def _npy(block: Block) -> Iterator[bytes | memoryview]:
    dtype = block.dtype.newbyteorder("<")
    heading = io.BytesIO()
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": block.shape}
    np.lib.format.write_array_header_1_0(heading, described)
    yield heading.getvalue()
    if block.size:
        yield np.ascontiguousarray(block, dtype=dtype).reshape(-1).view(np.uint8).data


def _parquet(block: Block) -> bytes:
    import polars

    stream = io.BytesIO()
    columns = {f"row_{row}": np.ascontiguousarray(block[:, row]) for row in range(block.shape[1])}
    polars.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; raise OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_blocks(path: Path, n: int) -> Iterator[Block]:
    """Yield the placements of a shard in blocks of shape (k, n), in order; raise FormatError for another shape."""
    if path.suffix == ".npy":
        array = mapped(path, n)
        for start in range(0, len(array), BLOCK_ROWS):
            yield np.array(array[start : start + BLOCK_ROWS])
    else:
        yield from _parquet_blocks(path, n)


def mapped(path: Path, n: int) -> Block:
    """Return the array of an `.npy` shard, shape (k, n), mapped into memory; raise FormatError for another."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r" if n else None, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FormatError(f"{path}: {error}") from error
    if array.ndim != 2 or array.shape[1] != n or array.dtype != block_dtype(n):
        raise FormatError(f"{path} holds {array.dtype} of shape {array.shape}, not {block_dtype(n)} of (k, {n})")
    return array


def _parquet_blocks(path: Path, n: int) -> Iterator[Block]:
    frame = frame_of(path, n)
    for start in range(0, len(frame), BLOCK_ROWS):
        yield as_block(frame[start : start + BLOCK_ROWS], n)


def frame_of(path: Path, n: int) -> polars.DataFrame:
    """Return the table of a Parquet shard; raise FormatError if it is none of boards of n rows."""
    import polars

    try:
        frame = polars.read_parquet(path, glob=False)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"{path}: {' '.join(str(error).split())}") from error
    if frame.columns != column_names(n):
        raise FormatError(f"{path} has other columns than {', '.join(column_names(n))}")
    kind = polars.Series(np.empty(0, block_dtype(n))).dtype
    if set(frame.dtypes) != {kind}:
        raise FormatError(f"{path} has columns of other types than {kind}")
    if any(frame[name].null_count() for name in frame.columns):
        raise FormatError(f"{path} has squares with no value")
    return frame


def as_block(frame: polars.DataFrame, n: int) -> Block:
    """Return the rows of a table as an array of shape (k, n)."""
    block = np.empty((len(frame), n), dtype=block_dtype(n))
    for row, name in enumerate(frame.columns):
        block[:, row] = frame[name].to_numpy()
    return block


def column_names(n: int) -> Sequence[str]:
    """Return the names of the columns of a Parquet shard."""
    return [f"row_{row}" for row in range(n)]
