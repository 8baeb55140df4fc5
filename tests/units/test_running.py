"""Counts under a ledger: stopped, killed, shared out, and right in the end."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.engines.base import Limits, Termination
from nqueens_models.engines.recorder import observed
from nqueens_models.errors import DifferentCounts, EngineError, InvalidInput, InvalidSetting, RefusedLedger
from nqueens_models.instance import Instance
from nqueens_models.units import (
    CountedUnit,
    Division,
    Ledger,
    Share,
    UnitsRun,
    Workers,
    count_under_ledger,
    divide,
    execute_units,
    local_workers,
    read_ledger,
)
from nqueens_models.units.merging import merge_ledgers, merged_units
from nqueens_models.units.running import in_order_of_work
from tests.units.engines import Deadly, Plain, Slow
from tests.units.test_ledger import counted

JOIN = nq.make_engine("bitmask:method=join")
A000170 = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184]


def run(division: Division, path: Path, shard: Share = Share(), seconds: float | None = None) -> UnitsRun:  # noqa: B008
    """Count under a ledger, in threads."""
    with Ledger(path, division) as ledger, ThreadPoolExecutor(1) as executor:
        return execute_units(division, ledger, Workers(executor, 1), Limits(seconds=seconds), shard)


# ---------------------------------------------------------------------------------------------- one ledger


class Unwilling(Executor):
    """An executor to which nothing may be submitted."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise AssertionError("everything is counted already")


@pytest.mark.parametrize("n", [6, 9, 12, 13])
def test_a_count_and_the_same_again(n: int, tmp_path: Path) -> None:
    division = divide(Instance(n), JOIN)
    first = run(division, tmp_path / "one.sqlite")
    assert (first.count, first.complete, first.done) == (A000170[n], True, len(division.units))
    assert first.termination is Termination.EXHAUSTED
    with Ledger(tmp_path / "one.sqlite", division) as ledger:
        again = execute_units(division, ledger, Workers(Unwilling(), 1))
    assert (again.count, again.complete, again.statistics) == (A000170[n], True, {})
    assert again.engine == division.engine_spec
    assert again.search == "row-splits=64"


def test_nodes_are_added_up(tmp_path: Path) -> None:
    division = divide(Instance(8), nq.make_engine("bitmask"), "cubes:rows=1")
    first = run(division, tmp_path / "one.sqlite")
    assert (
        first.statistics["nodes"]
        == sum(unit.nodes or 0 for unit in read_ledger(tmp_path / "one.sqlite").units)
        > 0
    )


def test_the_time_limit_keeps_what_was_finished(tmp_path: Path) -> None:
    division = divide(Instance(8), Slow(0.05), "cubes:rows=2", symmetry=False)
    first = run(division, tmp_path / "one.sqlite", seconds=0.4)
    assert first.termination is Termination.TIME_LIMIT
    assert not first.complete
    assert 0 < first.done < first.units
    record = read_ledger(tmp_path / "one.sqlite")
    assert (len(record.units), record.solutions) == (first.done, first.count)
    last = run(divide(Instance(8), Plain(), "cubes:rows=2", symmetry=False), tmp_path / "one.sqlite")
    assert (last.count, last.complete) == (92, True)


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path) -> None:
    division = divide(Instance(8), Slow(0.05), "cubes:rows=2", symmetry=False)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    first = run(division, tmp_path / "one.sqlite")
    assert first.termination is Termination.INTERRUPTED
    assert 0 < first.done < first.units
    assert len(read_ledger(tmp_path / "one.sqlite").units) == first.done


def test_an_error_keeps_what_was_finished(tmp_path: Path) -> None:
    division = divide(Instance(8), Deadly(os.getpid()), "cubes:rows=1")
    path = tmp_path / "one.sqlite"
    with Ledger(path, division) as ledger, local_workers(division, 1) as workers, pytest.raises(EngineError):
        execute_units(division, ledger, workers)
    assert run(divide(Instance(8), Plain(), "cubes:rows=1"), path).count == 92


def test_progress_begins_with_what_is_in_the_ledger(tmp_path: Path) -> None:
    division, seen = divide(Instance(8), Plain(), "cubes:rows=1"), list[tuple[int, float | None]]()
    with Ledger(tmp_path / "one.sqlite", division) as ledger:
        ledger.add(counted(division, 0, 4))
    with observed(lambda found, fraction: seen.append((found, fraction))):
        run(division, tmp_path / "one.sqlite")
    assert seen[0] == (4, 0.25)
    assert seen[-1][0] > 4
    fractions = [fraction for _, fraction in seen if fraction is not None]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_there_is_no_limit_of_solutions(tmp_path: Path) -> None:
    division = divide(Instance(8), Plain())
    with (
        Ledger(tmp_path / "one.sqlite", division) as ledger,
        ThreadPoolExecutor(1) as executor,
        pytest.raises(InvalidSetting, match="counted whole"),
    ):
        execute_units(division, ledger, Workers(executor, 1), Limits(3))


def test_the_order_of_work_is_a_fair_sample_of_row_splits() -> None:
    units = divide(Instance(17), JOIN).units
    order = in_order_of_work(divide(Instance(17), JOIN), list(units))
    assert sorted(unit.position for unit in order) == list(range(len(units)))
    tenth = [unit.position for unit in order[: len(order) // 10]]
    for quarter in range(4):
        inside = [p for p in tenth if quarter <= 4 * p / len(units) < quarter + 1]
        assert abs(len(inside) - len(tenth) / 4) <= 2
    cubes = divide(Instance(8), Plain())
    assert in_order_of_work(cubes, list(cubes.units)) == list(cubes.units)


def test_a_count_in_one_call(tmp_path: Path) -> None:
    first = count_under_ledger(tmp_path / "one.sqlite", 8, search="cubes:rows=1", shard=Share(1, 2))
    assert (first.done, first.units, first.complete) == (2, 4, False)
    last = count_under_ledger(str(tmp_path / "one.sqlite"), Instance(8), "sat", search="cubes:rows=1", workers=2)
    assert (last.count, last.complete) == (92, True)


# ---------------------------------------------------------------------------------------------- killed

COUNT = """
import sys
from pathlib import Path
import nqueens_models as nq
from nqueens_models.units import Ledger, divide, execute_units, ledger, local_workers
from tests.units.engines import Slow
ledger.COMMIT_SECONDS = float(sys.argv[2])
division = divide(nq.Instance(9), Slow(0.01), "cubes:rows=2", symmetry=False)
from concurrent.futures import ThreadPoolExecutor
from nqueens_models.units import Workers
with Ledger(Path(sys.argv[1]), division) as one, ThreadPoolExecutor(1) as executor:
    print("started", flush=True)
    print(execute_units(division, one, Workers(executor, 1)).count, flush=True)
"""


@pytest.mark.parametrize("commit_seconds", [0.0, 0.1])
def test_sigkill_at_random_moments(tmp_path: Path, commit_seconds: float) -> None:
    path, moments = tmp_path / "one.sqlite", random.Random(20)
    command = [sys.executable, "-c", COUNT, str(path), str(commit_seconds)]
    before: tuple[CountedUnit, ...] = ()
    for _ in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"started\n"
            time.sleep(moments.uniform(0.0, 0.3))
            process.kill()
        assert set(before) <= set(read_ledger(path).units)
        before = read_ledger(path).units
    last = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    assert last == b"started\n352\n"
    units = read_ledger(path).units
    assert len({unit.identity for unit in units}) == len(units) == read_ledger(path).number
    assert set(before) <= set(units)  # what was recorded when it was killed was not counted again


# ---------------------------------------------------------------------------------------------- shards

SHARD = """
import sys
from pathlib import Path
import nqueens_models as nq
from nqueens_models.cli import command_status
sys.exit(command_status(["count", "10", "--ledger", sys.argv[1], "--shard", sys.argv[2]]))
"""


def test_four_shards_in_four_processes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.sqlite" for number in (1, 2, 3, 4)]
    processes = [
        subprocess.Popen([sys.executable, "-c", SHARD, str(path), f"{number}/4"], stdout=subprocess.PIPE)
        for number, path in enumerate(paths, 1)
    ]
    assert [process.communicate()[0] for process in processes] == [b""] * 4
    assert [process.returncode for process in processes] == [0] * 4
    assert not any(read_ledger(path).complete for path in paths)
    merged = merge_ledgers(paths, tmp_path / "all.sqlite")
    assert (merged.complete, merged.solutions) == (True, A000170[10])
    assert run(divide(Instance(10), nq.make_engine("bitmask")), tmp_path / "all.sqlite").complete


def test_a_shard_is_done_before_the_whole(tmp_path: Path) -> None:
    division = divide(Instance(9), Plain(), "cubes:rows=1")
    runs = [run(division, tmp_path / "one.sqlite", Share(number, 2)) for number in (1, 2)]
    assert [one.termination for one in runs] == [Termination.EXHAUSTED] * 2
    assert [one.complete for one in runs] == [False, True]
    assert [one.shard_done == one.shard_units for one in runs] == [True, True]
    assert [one.done for one in runs] == [runs[0].shard_units, runs[0].units]
    assert runs[1].count == 352


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 3), st.integers(6, 9), st.randoms())
def test_any_shards_in_any_order_give_the_same_total(
    tmp_path_factory: pytest.TempPathFactory, shards: int, n: int, order: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    division = divide(Instance(n), Plain(), "cubes:rows=2")
    numbers = list(range(1, shards + 1))
    order.shuffle(numbers)
    paths = [folder / f"{number}.sqlite" for number in numbers]
    for number, path in zip(numbers, paths, strict=True):
        run(division, path, Share(number, shards))
    merged = merge_ledgers([*paths, paths[0]], folder / "all.sqlite")
    assert (merged.complete, merged.solutions) == (True, A000170[n])


# ---------------------------------------------------------------------------------------------- merging


def ledgers(folder: Path, *solutions: dict[int, int]) -> list[Path]:
    """Return ledgers of four units, with these numbers of solutions by position."""
    division = divide(Instance(8), nq.make_engine("attack-table"), "cubes:rows=1")
    paths = [folder / f"{number}.sqlite" for number in range(len(solutions))]
    for path, numbers in zip(paths, solutions, strict=True):
        with Ledger(path, division) as ledger:
            for position, number in numbers.items():
                ledger.add(counted(division, position, number))
    return paths


def test_overlaps_that_agree_count_once(tmp_path: Path) -> None:
    merged = merge_ledgers(ledgers(tmp_path, {0: 5, 1: 6}, {1: 6, 3: 2**70}), tmp_path / "all.sqlite")
    assert {unit.position: unit.solutions for unit in merged.units} == {0: 5, 1: 6, 3: 2**70}
    assert merged.solutions == 11 + 2**70
    assert not merged.complete


def test_of_two_the_first_to_be_finished_is_kept(tmp_path: Path) -> None:
    records = [read_ledger(path) for path in ledgers(tmp_path, {0: 5}, {0: 5})]
    from dataclasses import replace

    earlier = replace(records[1].units[0], finished="2025-01-01T00:00:00+00:00", host="earlier")
    records[1] = replace(records[1], units=(earlier,))
    for order in itertools.permutations(records):
        assert merged_units(order) == [earlier]


def test_overlaps_that_disagree_are_refused(tmp_path: Path) -> None:
    one, other = ledgers(tmp_path, {0: 5, 2: 8}, {2: 9})
    with pytest.raises(DifferentCounts, match=rf"unit 2 \([0-9a-f]{{16}}\): {one} says 8, {other} 9"):
        merge_ledgers([one, other], tmp_path / "all.sqlite")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0.sqlite", "1.sqlite"]


def test_ledgers_that_do_not_go_together(tmp_path: Path) -> None:
    (one,) = ledgers(tmp_path, {0: 5})
    other = tmp_path / "other.sqlite"
    Ledger(other, divide(Instance(9), Plain())).close()
    with pytest.raises(RefusedLedger, match="do not go together: it counts n=9, not n=8"):
        merge_ledgers([one, other], tmp_path / "all.sqlite")


def test_where_a_merged_ledger_may_be(tmp_path: Path) -> None:
    (one,) = ledgers(tmp_path, {0: 5})
    with pytest.raises(InvalidInput, match="exists"):
        merge_ledgers([one], one)
    with pytest.raises(InvalidInput, match="no ledger to merge"):
        merge_ledgers([], tmp_path / "all.sqlite")
    with pytest.raises(InvalidInput, match="cannot be written"):
        merge_ledgers([one], tmp_path / "nowhere" / "all.sqlite")


def test_a_merge_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = ledgers(tmp_path, {0: 5})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "flush", interrupted)
    with pytest.raises(KeyboardInterrupt):
        merge_ledgers([one], tmp_path / "all.sqlite")
    assert [file.name for file in tmp_path.iterdir()] == ["0.sqlite"]


def test_the_record_of_a_run_is_that_of_any_count(tmp_path: Path) -> None:
    from nqueens_models.cli.published import record

    facts = record(run(divide(Instance(8), Plain()), tmp_path / "one.sqlite"))
    assert set(record(nq.solve(8))) == set(facts)
    assert json.loads(json.dumps(facts))["published"] == {"count": 92, "oeis": "A000170"}
