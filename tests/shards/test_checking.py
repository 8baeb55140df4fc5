"""Every fault of a folder is found and named; what is found does not depend on who listed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from nqueens_models.errors import FormatError
from nqueens_models.instance import Instance
from nqueens_models.shards import check_shards, list_in_shards, open_shards
from nqueens_models.shards.checking import count_again, other_engine
from tests.shards.conftest import Line, edit, line_of, rewrite


def truncate(folder: Path) -> None:
    path = folder / "shard-2.npy"
    path.write_bytes(path.read_bytes()[:-8])


def alter(folder: Path) -> None:
    path = folder / "shard-2.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def swap(folder: Path) -> None:
    (folder / "shard-2.npy").rename(folder / "a")
    (folder / "shard-5.npy").rename(folder / "shard-2.npy")
    (folder / "a").rename(folder / "shard-5.npy")


def swap_with_hashes(folder: Path) -> None:
    swap(folder)

    def follow(lines: list[Line]) -> None:
        one, other = line_of(lines, 2), line_of(lines, 5)
        one["sha256"], other["sha256"] = other["sha256"], one["sha256"]

    edit(folder, follow)


def replace_by_folder(folder: Path) -> None:
    (folder / "shard-2.npy").unlink()
    (folder / "shard-2.npy").mkdir()


def wrong_solution(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array[3, :2] = array[3, 1::-1]
    return array


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (lambda f: (f / "shard-2.npy").unlink(), "shard-2.npy: it is missing"),
    "truncated": (truncate, "shard-2.npy: it has 248 bytes, and the manifest says 256"),
    "altered": (alter, "shard-2.npy: it was altered"),
    "swapped": (swap, "shard-5.npy: it was altered"),
    "extra": (
        lambda f: shutil.copy(f / "shard-2.npy", f / "shard-9.npy"),
        "shard-9.npy: it is not in the manifest",
    ),
    "a folder": (replace_by_folder, "shard-2.npy: it "),
    "no line": (
        lambda f: edit(f, lambda lines: [x for x in lines if x.get("shard") != 2]),
        "shard-2.npy: the manifest does",
    ),
    "no summary": (lambda f: edit(f, lambda lines: lines[:-1]), "the listing is not complete: 8 of 8 shards"),
    "other count": (
        lambda f: edit(f, lambda lines: line_of(lines, 2).update(count=17)),
        "holds 16 solutions, and the manif",
    ),
    "other total": (
        lambda f: edit(f, lambda lines: lines[-1].update(count=93)),
        "counts 93 solutions in all, and its shards 92",
    ),
    "other print": (
        lambda f: edit(f, lambda lines: lines[-1].update(fingerprint="ab")),
        "its fingerprint is not that of",
    ),
    "other hash": (
        lambda f: edit(f, lambda lines: line_of(lines, 2).update(sha256="ab")),
        "shard-2.npy: it was altered",
    ),
    "other prefix": (
        lambda f: edit(f, lambda lines: line_of(lines, 2).update(prefix=[3])),
        "shard-2.npy: the manifest says",
    ),
    "other rows": (
        lambda f: edit(f, lambda lines: lines[0].update(rows=[0, 1])),
        "there is no division into 8 shards",
    ),
    "more shards": (
        lambda f: edit(f, lambda lines: lines[0].update(shards=9)),
        "there is no division into 9 shards",
    ),
    "other board": (
        lambda f: edit(f, lambda lines: lines[0]["instance"].update(blocked=[[7, 4]])),
        "breaks a rule",
    ),
    "no board": (lambda f: edit(f, lambda lines: lines[0]["instance"].pop("n")), "the instance has no 'n'"),
    "bad board": (lambda f: edit(f, lambda lines: lines[0]["instance"].update(fixed=[[9, 9]])), "off the board"),
    "other format": (lambda f: edit(f, lambda lines: lines[0].update(version=2)), "nqueens_models.shards 2, not"),
    "no heading": (lambda f: edit(f, lambda lines: lines[1:]), "line 1: it has no place there"),
    "no lines": (lambda f: (f / "manifest.jsonl").write_text(""), "there is no heading"),
    "no JSON": (lambda f: (f / "manifest.jsonl").write_text("{]\n"), "line 1: "),
    "no manifest": (lambda f: (f / "manifest.jsonl").unlink(), "manifest.jsonl cannot be read"),
    "with its hash: swapped": (swap_with_hashes, "does not begin with [2]"),
    "with its hash: wrong": (lambda f: rewrite(f, 2, wrong_solution), "solution 3 (from 0) breaks a rule"),
    "with its hash: order": (
        lambda f: rewrite(f, 2, lambda a: a[::-1]),
        "solution 1 (from 0) does not come after",
    ),
    "with its hash: twice": (
        lambda f: rewrite(f, 2, lambda a: a.repeat(2, axis=0)),
        "solution 1 (from 0) does not",
    ),
    "with its hash: lost": (lambda f: rewrite(f, 2, lambda a: a[1:]), "92 solutions in all, and its shards 91"),
    "with its hash: type": (lambda f: rewrite(f, 2, lambda a: a.astype(np.int64)), "holds int64 of shape (16, 8)"),
    "with its hash: shape": (lambda f: rewrite(f, 2, lambda a: a[:, 1:]), "shape (16, 7), not uint8 of (k, 8)"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_fault_is_named(eight: Path, damage: str) -> None:
    harm, words = DAMAGE[damage]
    harm(eight)
    faults = check_shards(eight).faults
    assert [fault for fault in faults if words in fault], faults
    assert all("\n" not in fault for fault in faults)


def test_nothing_else_is_a_fault(eight: Path) -> None:
    examination = check_shards(eight, Instance(8))
    assert (examination.count, examination.shards, examination.faults) == (92, 8, ())
    (eight / "shard-2.npy").unlink()
    assert len(check_shards(eight).faults) == 1
    assert "another instance (n=8, not n=9)" in check_shards(eight, Instance(9)).faults[0]


def test_parquet_that_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    list_in_shards(folder, 6, files="parquet")
    path = folder / "shard-1.parquet"
    polars.read_parquet(path).rename({"row_0": "first"}).write_parquet(path)
    assert "altered" in check_shards(folder).faults[0]
    path.write_bytes(b"PAR1")
    assert "4 bytes" in check_shards(folder).faults[0]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (polars.col("row_0").cast(polars.Int64) + 256, "columns of other types than UInt8"),
        (polars.lit(None, dtype=polars.UInt8).alias("row_0"), "no value"),
    ],
)
def test_parquet_of_other_numbers(tmp_path: Path, damage: polars.Expr, words: str) -> None:
    """As an array of bytes, 256 more would be the same column."""
    folder = tmp_path / "all"
    list_in_shards(folder, 6, files="parquet")
    path = folder / "shard-2.parquet"
    polars.read_parquet(path).with_columns(damage).write_parquet(path)
    data = path.read_bytes()
    facts = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    edit(folder, lambda lines: line_of(lines, 2).update(facts))
    assert words in check_shards(folder).faults[0]
    with pytest.raises(FormatError, match=words):
        list(open_shards(folder).blocks())


def test_a_consistent_omission_is_found_by_counting(eight: Path) -> None:
    """Solutions, hashes, counts and fingerprint agree with each other; only another count can tell."""
    rewrite(eight, 2, lambda a: a[1:])
    lines = [
        " ".join(map(str, row)) + "\n" for k in range(8) for row in np.load(eight / f"shard-{k}.npy").tolist()
    ]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    edit(eight, lambda lines: lines[-1].update(count=91, fingerprint=digest))
    examination = check_shards(eight)
    assert (examination.faults, examination.count) == ((), 91)
    assert count_again(examination).count == 92


def test_counting_shares_no_search_with_the_listing(
    tmp_path: Path, eight: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert other_engine(check_shards(eight)) == "column-sets"
    edit(eight, lambda lines: lines[0].update(engine="column-sets:container=list"))
    assert other_engine(check_shards(eight)) == "bitmask"
    list_in_shards(tmp_path / "thirteen", 13)
    examination = check_shards(tmp_path / "thirteen")
    assert other_engine(examination) == "bitmask:method=join"
    assert count_again(examination).count == 73712
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert other_engine(examination) == "bitmask"
    monkeypatch.undo()
    list_in_shards(tmp_path / "blocked", Instance(7, blocked=[(0, 0)]))
    blocked = check_shards(tmp_path / "blocked")
    assert other_engine(blocked) == "sat"
    assert count_again(blocked).count == blocked.count > 0
    assert count_again(blocked, "cpsat").count == blocked.count
    list_in_shards(tmp_path / "sat", Instance(7, blocked=[(0, 0)]), "sat")
    assert other_engine(check_shards(tmp_path / "sat")) == "bitmask"
