"""`solve` into folders of shards, and `verify` of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nqueens_models as nq
from nqueens_models.cli import published, shards
from nqueens_models.cli.output import names_folder
from nqueens_models.known import Published
from nqueens_models.shards import open_shards
from tests.cli.conftest import Result, Started, process

Command = Callable[..., Result]


@pytest.mark.parametrize("files", ["npy", "parquet"])
def test_a_folder_of_shards(nqueens: Command, tmp_path: Path, files: str) -> None:
    result = nqueens("solve", 8, "-o", tmp_path / "all", "--format", files)
    fingerprint = nq.solve(8).solutions.fingerprint  # type: ignore[union-attr]
    assert (result.status, result.out) == (0, "")
    assert f"92 solutions in 8 of 8 shards, complete; fingerprint {fingerprint}" in result.err
    again = nqueens("solve", 8, "-o", tmp_path / "all", "--format", files)
    assert (again.status, "(8 from before)" in again.err) == (0, True)
    checked = nqueens("verify", "--complete", tmp_path / "all")
    assert checked.status == 0
    assert checked.out.startswith("92 solutions in 8 shards, 0 faults, the number is that of column-sets")
    assert "published one (OEIS A000170)" in checked.out
    assert fingerprint in checked.out


def test_when_o_names_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "file").touch()
    folders = [f"{tmp_path}/{name}" for name in ("new", "new.d/", "folder.npy")]
    files = ["-", *(f"{tmp_path}/{name}" for name in ("new.npy", "file", "new.txt"))]
    assert [names_folder(name, "npy") for name in folders + files] == [True] * 3 + [False] * 4
    assert not any(names_folder(name, "columns") for name in folders)
    assert not names_folder(None, "npy")


def test_a_name_with_a_suffix_is_a_file_as_ever(nqueens: Command, tmp_path: Path) -> None:
    nqueens("solve", 6, "--format", "npy", "-o", tmp_path / "all.npy")
    assert np.load(tmp_path / "all.npy").shape == (4, 6)
    nqueens("solve", 6, "--format", "npy", "-o", f"{tmp_path}/all.d/")
    assert len(open_shards(tmp_path / "all.d")) == 4


@pytest.mark.parametrize(
    "option", ["--limit=3", "--limit=0", "--fundamental", "--unique", "--no-sort", "--one-based"]
)
def test_options_that_make_no_sense(nqueens: Command, tmp_path: Path, option: str) -> None:
    result = nqueens("solve", 8, "--format", "npy", "-o", f"{tmp_path}/all/", option)
    assert option.partition("=")[0] in result.one_line_error()
    assert result.status == 2
    assert not (tmp_path / "all").exists()


def test_what_is_refused_says_why(nqueens: Command, tmp_path: Path) -> None:
    assert "-o DIR/" in nqueens("solve", 8, "--format", "parquet").one_line_error()
    assert "-o DIR/" in nqueens("solve", 8, "--format", "parquet", "-o", tmp_path / "a.parquet").one_line_error()
    assert "npy or parquet" in nqueens("solve", 8, "-o", tmp_path).one_line_error()
    nqueens("solve", 6, "--format", "npy", "-o", tmp_path / "six")
    result = nqueens("solve", 7, "--format", "npy", "-o", tmp_path / "six")
    assert (result.status, "n=6, not n=7" in result.one_line_error()) == (2, True)
    assert nqueens("solve", 7, "--format", "npy", "-o", tmp_path / "six", "--force").status == 0
    assert len(open_shards(tmp_path / "six")) == 40
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter").touch()
    result = nqueens("solve", 7, "--format", "npy", "-o", tmp_path / "other", "--force")
    assert "such as letter" in result.one_line_error()


def test_the_time_limit_is_status_3(nqueens: Command, tmp_path: Path) -> None:
    command = ("solve", 15, "--engine", "column-sets", "--format", "npy", "-o", tmp_path / "all", "-q")
    result = nqueens(*command, "--timeout", 0.3)
    assert result.status == 3
    assert "incomplete: stopped by the time limit; the same command goes on" in result.one_line_error()
    checked = nqueens("verify", tmp_path / "all")
    assert checked.status == 1
    assert "not complete: 0 of 15 shards" in checked.out


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_is_status_130_and_leaves_what_is_finished(
    start: Callable[..., Started], tmp_path: Path, workers: int
) -> None:
    started = start(
        "solve", 15, "--engine", "column-sets", "--format", "npy", "-o", tmp_path / "all", "--workers", workers
    )
    result = started.interrupt(after=2.0)
    assert result.status == 130
    assert "incomplete: interrupted; the same command goes on" in result.one_line_error()
    assert [path.name for path in (tmp_path / "all").iterdir()] == ["manifest.jsonl"]
    assert started.group_is_gone()


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_is_one_line_and_status_2(tmp_path: Path, workers: int) -> None:
    import resource

    command = ("solve", 10, "--format", "npy", "-o", tmp_path / "all", "--workers", workers)
    full = process(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900)))
    assert full.status == 2
    first_line = full.err.splitlines()[0]  # a measurement of coverage has no room for its file either, and says so
    assert first_line.endswith("what is finished is kept, and the same command goes on")
    assert not list((tmp_path / "all").glob(".*"))
    assert process(*command).status == 0
    assert process("verify", "--complete", tmp_path / "all").status == 0


def test_verify_names_each_fault_on_a_line(nqueens: Command, tmp_path: Path) -> None:
    nqueens("solve", 8, "--format", "npy", "-o", tmp_path / "all")
    (tmp_path / "all" / "shard-3.npy").unlink()
    (tmp_path / "all" / "shard-8.npy").touch()
    result = nqueens("verify", "--complete", 8, tmp_path / "all")
    assert result.status == 1
    missing, extra, summary = result.out.splitlines()
    assert missing.endswith("shard-3.npy: it is missing")
    assert extra.endswith("shard-8.npy: it is not in the manifest")
    assert summary.endswith("2 faults")
    facts = json.loads(nqueens("verify", tmp_path / "all", "--json").out)
    assert (facts["right"], len(facts["faults"]), facts["solutions"]) == (False, 2, 74)
    assert nqueens("verify", 9, tmp_path / "all").status == 1
    assert nqueens("verify", tmp_path).status == 1
    assert "give the instance" in nqueens("verify", 8).one_line_error()


def test_verify_counts_again(nqueens: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nqueens("solve", 8, "--block", "0:0", "--format", "npy", "-o", tmp_path / "all")
    result = nqueens("verify", "--complete", tmp_path / "all", "--engine", "cpsat")
    assert result.status == 0
    assert "88 solutions in 7 shards, 0 faults, the number is that of cpsat" in result.out
    facts = json.loads(nqueens("verify", "--complete", tmp_path / "all", "--json").out)
    assert facts["counted"]["engine"].startswith("sat")
    nqueens("solve", 8, "--format", "npy", "-o", tmp_path / "plain")
    for module in (shards, published):
        monkeypatch.setattr(module, "published_count", lambda *_: Published(93, "A0"))
    result = nqueens("verify", "--complete", tmp_path / "plain")
    assert (result.status, "92 solutions, and 93 by OEIS A0" in result.out) == (1, True)
    assert nqueens("solve", 8, "--format", "npy", "-o", tmp_path / "plain").status == 1


def test_verify_says_when_the_count_was_stopped(nqueens: Command, tmp_path: Path) -> None:
    nqueens("solve", 12, "--format", "npy", "-o", tmp_path / "all")
    result = nqueens("verify", "--complete", tmp_path / "all", "--timeout", 0.3, "--engine", "attack-table")
    assert result.status == 3
    assert "whether any is missing is not known" in result.err
