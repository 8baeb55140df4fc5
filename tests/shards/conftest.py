"""A finished folder of shards, and what the tests do to it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nqueens_models.shards import list_in_shards

Line = dict[str, Any]


@pytest.fixture(scope="session")
def _eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shards") / "eight"
    list_in_shards(folder, 8)
    return folder


@pytest.fixture
def eight(_eight: Path, tmp_path: Path) -> Path:
    """The 92 solutions of the eight queens in 8 shards: a copy that may be damaged."""
    return Path(shutil.copytree(_eight, tmp_path / "eight"))


def edit(folder: Path, change: Callable[[list[Line]], object]) -> None:
    """Change the lines of a manifest."""
    path = folder / "manifest.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    changed = change(lines)
    lines = changed if isinstance(changed, list) else lines
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def line_of(lines: list[Line], shard: int) -> Line:
    return next(line for line in lines if line.get("shard") == shard)


def rewrite(folder: Path, shard: int, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> None:
    """Change the solutions of a shard, and its count, size and hash in the manifest with them."""
    path = folder / f"shard-{shard}.npy"
    np.save(path, change(np.load(path)))
    data = path.read_bytes()

    def follow(lines: list[Line]) -> None:
        facts = {"count": len(np.load(path)), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        line_of(lines, shard).update(facts)

    edit(folder, follow)
