"""Names that are given without overwriting anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from nqueens_models.cli.output import result_stream
from nqueens_models.errors import InvalidInput
from nqueens_models.moving import move_to_new


def made(path: Path, folder: bool) -> Path:
    """Make a file, or a folder with a file in it."""
    if folder:
        path.mkdir()
    (path / "content" if folder else path).write_text("new")
    return path


def content(path: Path) -> str:
    return (path / "content" if path.is_dir() else path).read_text()


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("links", [False, True])
def test_a_new_name(folder: bool, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(os, "link", _refuse)
    move_to_new(made(tmp_path / "old", folder), tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert content(tmp_path / "new") == "new"


def _refuse(*_: Any, **__: Any) -> None:
    raise PermissionError("Operation not permitted")


@pytest.mark.parametrize("folder", [False, True])
@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("there", ["file", "folder", "link to nothing"])
def test_what_is_there_stays(
    folder: bool, links: bool, there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = made(tmp_path / "old", folder), tmp_path / "new"
    if there == "folder":
        target.mkdir()
    elif there == "file":
        target.touch()
    else:
        target.symlink_to("nothing")
    before = target.lstat()
    if not links:
        monkeypatch.setattr(os, "link", _refuse)
    with pytest.raises(FileExistsError):
        move_to_new(source, target)
    assert target.lstat() == before
    assert content(source) == "new"


def test_a_file_that_appears_at_the_last_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking whether there is one, and then renaming, is too late."""
    source, target = made(tmp_path / "old", folder=False), tmp_path / "new"
    target.write_text("theirs")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr(Path, "is_symlink", lambda _: False)
    with pytest.raises(FileExistsError):
        move_to_new(source, target)
    assert content(target) == "theirs"


def test_what_appears_while_results_are_written_stays(tmp_path: Path) -> None:
    def write() -> None:
        with result_stream(path) as stream:
            stream.write(b"ours")
            path.symlink_to("nothing")

    path = tmp_path / "results"
    with pytest.raises(InvalidInput, match="exists; --force overwrites it"):
        write()
    assert [file.name for file in tmp_path.iterdir()] == ["results"]
    assert path.is_symlink()
