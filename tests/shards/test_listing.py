"""Listing into folders: the same set in the same order as in memory, whatever stops it and however often."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.engines.base import Termination
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidInput, InvalidSetting
from nqueens_models.instance import Diagonals, Instance
from nqueens_models.shards import check_shards, list_in_shards, open_shards, writing
from nqueens_models.shards.files import digest_of
from nqueens_models.shards.portion import Portion, list_portion, mirrored
from nqueens_models.shards.sharding import Sharding, expected_solutions, sharding_of
from nqueens_models.verify import is_solution
from tests.shards.conftest import edit, line_of

BLOCKED = Instance(7, blocked=[(0, 0), (3, 3), (5, 1)])
SYMMETRIC = Instance(7, blocked=[(0, 0), (0, 6)], fixed=[(2, 3)])
REGIONS = Instance(
    6, "adjacent", regions=[[row // 2 * 2 + column // 3 for column in range(6)] for row in range(6)]
)


def brute_force(instance: Instance) -> list[tuple[int, ...]]:
    return [p for p in permutations(range(instance.n)) if is_solution(instance, p)]


@pytest.mark.parametrize("files", ["npy", "parquet"])
@pytest.mark.parametrize("symmetry", [True, False])
@pytest.mark.parametrize(
    "instance",
    [
        Instance(6),
        Instance(7),
        Instance(5, Diagonals.MODULAR),
        BLOCKED,
        SYMMETRIC,
        REGIONS,
        Instance(3),
        Instance(1),
    ],
    ids=str,
)
def test_a_folder_holds_every_solution_in_order(
    tmp_path: Path, instance: Instance, symmetry: bool, files: str
) -> None:
    listing = list_in_shards(tmp_path / "all", instance, files=files, symmetry=symmetry)
    expected = brute_force(instance)
    assert list(open_shards(tmp_path / "all")) == expected
    assert listing.count == len(expected)
    assert listing.fingerprint == nq.SolutionSet(instance.n, expected).fingerprint
    assert check_shards(tmp_path / "all").faults == ()


@pytest.mark.parametrize("engine", ["cpsat", "sat", "column-sets"])
def test_any_engine_lists_the_same_files(tmp_path: Path, engine: str) -> None:
    for name in ("bitmask", engine):
        list_in_shards(tmp_path / name, 7, name)
    one, other = (sorted((tmp_path / name).glob("*.npy")) for name in ("bitmask", engine))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_two_workers_list_the_same_files(tmp_path: Path, eight: Path) -> None:
    listing = list_in_shards(tmp_path / "two", 8, workers=2)
    assert (listing.count, listing.shards) == (92, 8)
    for path in eight.glob("*.npy"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_empty_board_has_one_solution(tmp_path: Path) -> None:
    assert list_in_shards(tmp_path / "all", 0).count == 1
    assert list(open_shards(tmp_path / "all")) == [()]
    with pytest.raises(InvalidSetting, match="empty board"):
        list_in_shards(tmp_path / "other", 0, files="parquet")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_prefixes_divide_all_permutations(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    squares = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    blocked = data.draw(st.lists(squares, max_size=4))
    fixed = data.draw(st.lists(squares.filter(lambda square: square not in blocked), max_size=1))
    instance = Instance(n, data.draw(st.sampled_from(Diagonals)), fixed, blocked)
    free = [row for row in range(n) if row not in {r for r, _ in fixed}]
    sharding = Sharding(instance, tuple(free[: data.draw(st.integers(0, n))]))
    assert list(sharding.prefixes) == sorted(set(sharding.prefixes))
    for solution in brute_force(instance):
        assert (
            sum(all(solution[r] == c for r, c in cube.fixed) for cube in map(sharding.cube, range(len(sharding))))
            == 1
        )
    assert sorted(shard for portion in sharding.portions() for shard in portion) == list(range(len(sharding)))


def test_large_boards_are_divided_by_more_rows() -> None:
    sizes = {n: sharding_of(Instance(n)).rows for n in (8, 16, 17, 18)}
    assert sizes == {8: (0,), 16: (0,), 17: (0, 1), 18: (0, 1, 2)}
    assert sharding_of(Instance(18, fixed=[(1, 5)])).rows[0] == 0
    assert 1 not in sharding_of(Instance(18, fixed=[(1, 5)])).rows


def test_the_expected_number_of_solutions_is_of_the_right_size() -> None:
    assert expected_solutions(Instance(16)) == 14772512
    board = Instance(10, blocked=[(0, 0)])
    assert nq.count(board) / 2 < expected_solutions(board) < 2 * nq.count(board)
    assert expected_solutions(Instance(4, fixed=[(0, 0), (1, 1)])) == 0


# ------------------------------------------------------------------------------------------- stopping and going on


def stopped(folder: Path, after: int, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """List the eight queens, and raise an error in place of a later portion."""
    done: list[Any] = []

    def work(portion: Any) -> Any:
        if len(done) == after:
            raise error
        done.append(portion)
        return list_portion(portion)

    with monkeypatch.context() as patch:
        patch.setattr(writing, "list_portion", work)
        list_in_shards(folder, 8)


def test_ctrl_c_keeps_what_is_finished_and_the_same_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "all"
    stopped(folder, 2, monkeypatch, KeyboardInterrupt())
    with pytest.raises(InvalidInput, match="4 of 8 shards"):
        open_shards(folder)
    assert len(open_shards(folder, partial=True)) == 24  # 4 + 8, and their mirror images
    assert [f for f in check_shards(folder).faults if "not complete: 4 of 8" in f]
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*.npy")}
    listing = list_in_shards(folder, 8)
    assert (listing.count, listing.resumed, listing.finished) == (92, 4, 8)
    assert all(path.stat().st_mtime_ns == before for path, before in times.items())  # not made again
    assert check_shards(folder).faults == ()


def test_an_error_keeps_what_is_finished_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OSError, match="No space"):
        stopped(tmp_path / "all", 1, monkeypatch, OSError(28, "No space left on device"))
    assert list_in_shards(tmp_path / "all", 8).resumed == 2


def test_the_time_limit(tmp_path: Path) -> None:
    for _ in range(2):
        listing = list_in_shards(tmp_path / "all", 16, "column-sets", seconds=0.3)
        assert (listing.termination, listing.fingerprint) == (Termination.TIME_LIMIT, None)
    listing = list_in_shards(tmp_path / "all", 16, "column-sets", seconds=1.0, workers=2)
    assert (listing.termination, listing.finished) == (Termination.TIME_LIMIT, 0)
    assert [path.name for path in (tmp_path / "all").iterdir()] == ["manifest.jsonl"]


class Here(Executor):
    """In place of a pool of processes: portions are listed at once, and `strike` may raise."""

    def __init__(self, *_: object) -> None:
        self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        try:
            self.strike(args[0])
            future.set_result(fn(*args))
        except BrokenExecutor as error:
            future.set_exception(error)
        return future

    @staticmethod
    def strike(portion: Portion) -> None:
        """Do nothing."""


def test_time_that_is_up_when_all_is_there_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Here):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
            future = super().submit(fn, *args)
            if self.calls == 4:  # the last: four shards and their mirror images
                time.sleep(max(0.0, args[0].deadline + 0.01 - time.time()))
            return future

    monkeypatch.setattr(writing, "WorkerPool", Late)
    listing = list_in_shards(tmp_path / "all", 8, workers=2, seconds=0.7)
    assert (listing.termination, listing.finished, listing.count) == (Termination.EXHAUSTED, 8, 92)
    assert listing.fingerprint is not None


@pytest.mark.parametrize("deaths", [1, 2, 3])
def test_a_portion_whose_worker_dies_is_tried_three_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    died: list[Portion] = []

    def die(portion: Portion) -> None:
        if portion.targets[0].shard == 1 and len(died) < deaths:
            died.append(portion)
            raise BrokenExecutor("a worker process ended unexpectedly")

    monkeypatch.setattr(Here, "strike", staticmethod(die))
    monkeypatch.setattr(writing, "WorkerPool", Here)
    if deaths == 3:
        with pytest.raises(EngineError, match=r"unexpectedly, 3 times on shard-1\.npy and shard-6\.npy; the same"):
            list_in_shards(tmp_path / "all", 8, workers=2)
    else:
        assert list_in_shards(tmp_path / "all", 8, workers=2).count == 92
    assert len(died) == deaths
    monkeypatch.undo()
    assert list_in_shards(tmp_path / "all", 8).count == 92


def test_going_on_looks_at_the_clock(eight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(path: Path) -> str:
        time.sleep(0.2)
        return digest_of(path)

    monkeypatch.setattr(writing, "digest_of", slow)
    listing = list_in_shards(eight, 8, seconds=0.3)
    assert (listing.termination, listing.fingerprint) == (Termination.TIME_LIMIT, None)
    assert 0 < listing.finished == listing.resumed < 8
    monkeypatch.undo()
    assert list_in_shards(eight, 8).resumed == 8


def test_ctrl_c_leaves_no_lock_of_a_future_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while `wait` has locks, and waits for its end."""
    ended = []

    def interrupted(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        result = wait(*arguments)
        ended.append(result)
        return result

    monkeypatch.setattr(writing, "wait", interrupted)
    listing = list_in_shards(tmp_path / "all", 8, workers=2)
    assert listing.termination is Termination.INTERRUPTED
    assert len(ended) == 1
    monkeypatch.undo()
    assert list_in_shards(tmp_path / "all", 8, workers=2).count == 92


def finished_in(folder: Path) -> int:
    """Return how many shards the manifest has."""
    path = folder / "manifest.jsonl"
    return path.read_text().count('"line":"shard"') if path.exists() else 0


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_moment(tmp_path: Path, workers: int) -> None:
    folder = tmp_path / "all"
    command = [sys.executable, "-m", "nqueens_models", "solve", "11", "--engine", "column-sets", "--format", "npy",
               "--workers", str(workers), "-o", str(folder)]  # fmt: skip
    for shards in (1, 4):
        running = subprocess.Popen(command, start_new_session=True)
        latest = time.monotonic() + 30
        while finished_in(folder) < shards and time.monotonic() < latest:
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    for _ in range(100):  # a worker notices that its process is gone
        if not list(folder.glob(".*.part")):
            break
        time.sleep(0.01)
    listing = list_in_shards(folder, 11, "column-sets", workers=2)
    assert listing.count == 2680
    assert listing.resumed >= 2
    assert check_shards(folder).faults == ()


def test_damaged_shards_are_made_again(eight: Path) -> None:
    whole = (eight / "shard-3.npy").read_bytes()
    (eight / "shard-3.npy").write_bytes(whole[:-1])
    (eight / "shard-5.npy").write_bytes((eight / "shard-5.npy").read_bytes()[:-1] + b"\0")
    (eight / "shard-6.npy").unlink()
    edit(eight, lambda lines: line_of(lines, 0).update(prefix=[1]))
    listing = list_in_shards(eight, 8)
    assert listing.resumed == 4
    assert (eight / "shard-3.npy").read_bytes() == whole
    assert check_shards(eight).faults == ()


def test_a_torn_line_is_cut(eight: Path) -> None:
    path = eight / "manifest.jsonl"
    path.write_bytes(path.read_bytes()[:-200])
    assert list_in_shards(eight, 8).count == 92
    assert check_shards(eight).faults == ()


def test_a_folder_killed_before_its_first_line_is_new(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "manifest.jsonl").write_bytes(b'{"line":"list')
    assert list_in_shards(tmp_path / "all", 6).count == 4


# ------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"instance": Instance(9)}, "instance: n=8, not n=9"),
        ({"instance": Instance(8, blocked=[(0, 0)])}, "instance"),
        ({"engine": "sat"}, "engine"),
        ({"search": "cubes"}, "search"),
        ({"symmetry": False}, "symmetry"),
        ({"files": "parquet"}, "files: npy, not parquet"),
    ],
)
def test_a_folder_of_another_listing_is_refused(eight: Path, change: dict[str, Any], word: str) -> None:
    before = {path: path.read_bytes() for path in eight.iterdir()}
    with pytest.raises(InvalidInput, match=word):
        list_in_shards(eight, **{"instance": 8, **change})
    assert {path: path.read_bytes() for path in eight.iterdir()} == before


def test_the_same_size_with_other_squares(tmp_path: Path) -> None:
    list_in_shards(tmp_path / "all", Instance(6, blocked=[(0, 0)]))
    with pytest.raises(InvalidInput, match="1 blocked with other squares"):
        list_in_shards(tmp_path / "all", Instance(6, blocked=[(0, 1)]))


def test_a_division_that_is_none_is_refused(eight: Path) -> None:
    edit(eight, lambda lines: lines[0].update(rows=[3]))
    with pytest.raises(InvalidInput, match="division"):
        list_in_shards(eight, 8)


@pytest.mark.parametrize("restart", [False, True])
def test_other_files_are_never_touched(tmp_path: Path, restart: bool) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InvalidInput, match=r"such as letter\.txt"):
        list_in_shards(tmp_path, 8, restart=restart)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
    (tmp_path / "manifest.jsonl").write_text("mine\n")
    with pytest.raises(InvalidInput, match="line 1"):
        list_in_shards(tmp_path, 8, restart=restart)
    assert (tmp_path / "manifest.jsonl").read_text() == "mine\n"


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    "theirs", [b"one\ntwo", b"one", b'{"line":"listing"}\n{"a":', b'{"line":"listing","id":1']
)
def test_a_manifest_of_somebody_else_keeps_every_byte(tmp_path: Path, theirs: bytes, restart: bool) -> None:
    """Its last line has no end, as that of a listing that was killed has none."""
    (tmp_path / "manifest.jsonl").write_bytes(theirs)
    with pytest.raises(InvalidInput, match="manifest"):
        list_in_shards(tmp_path, 6, restart=restart)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("manifest.jsonl", theirs)]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("begun", [b"", b'{"line":"list'])
def test_a_manifest_without_a_line_makes_no_folder_ours(tmp_path: Path, begun: bytes, restart: bool) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(begun)
    (tmp_path / "shard-0.npy").write_text("mine")
    with pytest.raises(InvalidInput, match=r"such as shard-0\.npy"):
        list_in_shards(tmp_path, 6, restart=restart)
    assert (tmp_path / "shard-0.npy").read_text() == "mine"


def test_restart_throws_shards_away_and_nothing_else(eight: Path) -> None:
    (eight / "notes.txt").write_text("mine")
    assert list_in_shards(eight, 6, restart=True).resumed == 0
    assert len(open_shards(eight)) == 4
    assert sorted(path.name for path in eight.iterdir())[:2] == ["manifest.jsonl", "notes.txt"]
    assert len(list(eight.glob("shard-*"))) == 6


def test_one_process_at_a_time(eight: Path) -> None:
    pytest.importorskip("fcntl")
    with writing._opened(eight, restart=False), pytest.raises(InvalidInput, match="another process"):
        list_in_shards(eight, 8)


def test_bad_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder, settings_, word in [
        ("file", {}, "is not a folder"),
        ("no/where", {}, "there is no folder"),
        ("all", {"files": "csv"}, "npy or parquet"),
        ("all", {"workers": 0}, "1 worker"),
        ("all", {"seconds": 0.0}, "time limit"),
    ]:
        with pytest.raises(InvalidInput, match=word):
            list_in_shards(tmp_path / folder, 8, **settings_)  # type: ignore[arg-type]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineUnavailable, match=r"nqueens-models\[parquet\]"):
        list_in_shards(tmp_path / "all", 8, files="parquet")
    assert not (tmp_path / "all").exists()


def test_a_mirror_image_read_backwards_is_sorted() -> None:
    block = nq.solve(8).solutions.array  # type: ignore[union-attr]
    rows = [tuple(row) for row in mirrored(block).tolist()]
    assert all(one < other for one, other in pairwise(rows))
    assert {tuple(7 - column for column in row) for row in block.tolist()} == set(rows)
    wide = np.array([[0, 255]], dtype=np.uint16).repeat(128, axis=1)
    assert mirrored(wide).tolist() == (255 - wide.astype(int)).tolist()
