"""Where results go: standard output, or a file that is complete or not there."""

from __future__ import annotations

import codecs
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from nqueens_models.errors import InvalidInput
from nqueens_models.moving import move_to_new

SHARD_FORMATS = ("npy", "parquet")


@contextmanager
def result_stream(path: Path | None, force: bool = False) -> Iterator[BinaryIO]:
    """Give a binary stream to write results to: standard output, or the file at `path`.

    The file is written under a temporary name beside it and renamed at the end, so that an exception (Ctrl-C too)
    leaves nothing. Raises InvalidInput if it exists and `force` is not set, or cannot be written.
    """
    if path is None or str(path) == "-":
        yield _standard_output()
        return
    refuse_existing(path, force)
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.exists() and not target.is_file():  # a device or a pipe is written, not replaced
        with target.open("wb") as stream:
            yield stream
        return
    with _replacing(target, force) as stream:
        yield stream


def encoding_of(path: Path | None) -> str:
    """Return the encoding of text results: that of the terminal, or UTF-8 in a file."""
    return "utf-8" if path is not None else sys.stdout.encoding


PLAIN = {"µ": "u", "–": "-", "×": "x", "±": "+-", "…": "..."}


def plain_where_needed() -> None:
    """Have characters that standard output's encoding lacks written as others that look alike."""
    codecs.register_error("nqueens-plain", _plain)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="nqueens-plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in lacking), error.end


def names_folder(output: str | None, format_name: str) -> bool:
    """Return whether `-o` names a folder of shards, for a format that has shards.

    It does if it ends in a slash, is a folder, or is new and has no suffix: `-o queens.npy` is a file.
    """
    if output is None or format_name not in SHARD_FORMATS:
        return False
    path = Path(output)
    new_folder = output != "-" and not path.suffix and not path.exists()
    return output.endswith(("/", os.sep)) or path.is_dir() or new_folder


def refuse_existing(path: Path | None, force: bool) -> None:
    """Raise InvalidInput for a file that would be overwritten without `force`, or a folder."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder")
    if path.is_file() and not force:
        raise InvalidInput(f"{path} exists; --force overwrites it")
    if not path.parent.is_dir():
        raise InvalidInput(f"there is no folder {path.parent}")


@contextmanager
def _replacing(target: Path, force: bool) -> Iterator[BinaryIO]:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        refuse_existing(target, force)  # somebody may have written it meanwhile
        _rename(Path(name), target, force)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _rename(source: Path, target: Path, force: bool) -> None:
    if force:
        source.replace(target)
        return
    try:
        move_to_new(source, target)
    except FileExistsError:  # it was written just now
        raise InvalidInput(f"{target} exists; --force overwrites it") from None


def _standard_output() -> BinaryIO:
    return sys.stdout.buffer


class ClosedOutput(io.TextIOBase):
    """What stands for standard output when there is none: whoever writes to it learns that."""

    encoding = "utf-8"

    @property
    def buffer(self) -> BinaryIO:
        """Raise InvalidInput."""
        raise InvalidInput("standard output is closed")

    def write(self, _text: str) -> int:
        """Raise InvalidInput."""
        raise InvalidInput("standard output is closed")
