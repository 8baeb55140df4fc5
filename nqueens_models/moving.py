"""Giving a finished file or folder its name, where nothing is to be overwritten."""

from __future__ import annotations

from pathlib import Path


def move_to_new(source: Path, target: Path) -> None:
    """Rename a file or folder to a name in the same folder; raise FileExistsError if there is one of that name.

    A file that appears at the last moment is seen too, where the file system has hard links: renaming would
    replace it. A folder never replaces what holds anything. Other errors are OSErrors.
    """
    if not source.is_dir():
        try:
            target.hardlink_to(source)
        except FileExistsError:
            raise
        except (NotImplementedError, OSError):
            pass  # a file system without hard links
        else:
            source.unlink()
            return
    if target.exists() or target.is_symlink():
        raise FileExistsError(f"{target} exists")
    source.rename(target)
