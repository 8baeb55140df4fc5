"""Counting units on executors: every unit once, whatever happens to the workers."""

from __future__ import annotations

import json
import os
import pickle
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nqueens_models as nq
from nqueens_models.cubes import capacity
from nqueens_models.engines.base import Termination
from nqueens_models.engines.recorder import SearchStopped
from nqueens_models.errors import EngineError, EngineUnavailable, InvalidSetting, UnsupportedInstance
from nqueens_models.instance import Instance
from nqueens_models.units import CountedUnit, Division, check_version, count_units, counting, divide, local_workers
from tests import brute_force
from tests.units.engines import Deadly, Plain, Refusing, Slow

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference-numbers.json").read_text())
A000170: list[int] = REFERENCE["A000170"]["values"]
JOIN = nq.make_engine("bitmask:method=join")


def counted(division: Division, workers: int = 1, **settings: Any) -> list[CountedUnit]:
    """Count all units of a division on this machine."""
    with local_workers(division, workers) as local:
        return list(count_units(division, local.executor, workers=local.number, **settings))


def total(units: list[CountedUnit], division: Division) -> int:
    """Return the sum, each unit having come once."""
    assert sorted((one.position, one.identity) for one in units) == [
        (unit.position, unit.identity) for unit in division.units
    ]
    return sum(one.solutions for one in units)


# ---------------------------------------------------------------------------------------------- totals


@pytest.mark.parametrize("n", range(6, 15))
def test_the_join_by_units(n: int) -> None:
    division = divide(Instance(n), JOIN)
    assert total(counted(division, 1 + n % 2), division) == A000170[n]


@pytest.mark.parametrize(
    ("n", "spec", "search"),
    [
        (0, "bitmask", None), (1, "sat", None), (2, "bitmask", None), (3, "cpsat", None), (8, "cpsat", None),
        (8, "column-sets", "cubes:rows=1"), (10, "sat", None), (12, "bitmask", None), (12, "sat", None),
        (14, "bitmask", "cubes"),
    ],
)  # fmt: skip
def test_cubes_by_units(n: int, spec: str, search: str | None) -> None:
    division = divide(Instance(n), nq.make_engine(spec), search)
    assert total(counted(division), division) == A000170[n]


CASES = [case for case in json.loads(Path("tests/data/instances.json").read_text()) if case["n"] > 4]


@pytest.mark.parametrize("engine", ["bitmask", "sat", "attack-table"])
def test_instances_of_the_family(engine: str) -> None:
    """Blocked squares, fixed queens, modular boards, regions; the counts are those of brute force."""
    for case in CASES[::4]:
        instance = Instance(case["n"], case["diagonals"], case["fixed"], case["blocked"], case["regions"])
        division = divide(instance, nq.make_engine(engine))
        with ThreadPoolExecutor(1) as executor:
            assert total(list(count_units(division, executor)), division) == case["solutions"], case["name"]


@settings(max_examples=20, deadline=None)
@given(st.integers(6, 10), st.data())
def test_any_order_and_any_partition_give_the_same_total(n: int, data: st.DataObject) -> None:
    engine, search = data.draw(st.sampled_from([(JOIN, None), (Plain(), "cubes:rows=1")]))
    division = divide(Instance(n), engine, search)
    units = data.draw(st.permutations(division.units))
    cut = data.draw(st.integers(0, len(units)))
    with ThreadPoolExecutor(2) as executor:
        parts = [list(count_units(division, executor, part, workers=2)) for part in (units[:cut], units[cut:])]
    assert total([*parts[0], *parts[1]], division) == A000170[n]


@settings(max_examples=10, deadline=None)
@given(brute_force.instances(max_n=6))
def test_any_instance(instance: Instance) -> None:
    division = divide(instance, Plain())
    with ThreadPoolExecutor(1) as executor:
        assert total(list(count_units(division, executor)), division) == len(brute_force.solutions(instance))


def test_what_is_recorded_of_a_unit() -> None:
    division = divide(Instance(9), nq.make_engine("bitmask"))
    before = datetime.now(UTC)
    units = counted(division)
    assert sum(one.solutions for one in units) == 352
    assert all(one.nodes and one.kernel == "bitmask:method=auto,workers=1" for one in units)
    assert all(one.version == nq.__version__ and one.host and one.seconds > 0 for one in units)
    assert all(before - timedelta(seconds=1) <= datetime.fromisoformat(one.finished) for one in units)
    (unit,) = counted(divide(Instance(6), JOIN))
    assert (unit.kernel, unit.nodes) == ("join", None)
    (unit, *_) = counted(divide(Instance(6), nq.make_engine("sat")))
    assert unit.kernel.startswith("sat:solver=minisat22,")
    assert "(python-sat " in unit.kernel


def test_the_tables_are_built_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from nqueens_models.engines.bitmask import quadrant_join

    made = []

    class Watched(quadrant_join.QuadrantJoin):
        def __init__(self, size: int) -> None:
            made.append(size)
            time.sleep(0.1)
            super().__init__(size)

    monkeypatch.setattr(quadrant_join, "QuadrantJoin", Watched)
    monkeypatch.setattr(counting, "_joins", [])
    for n in (11, 12):
        division = divide(Instance(n), JOIN)
        assert total(counted(division, 3), division) == A000170[n]
    assert made == [11, 12]


# ---------------------------------------------------------------------------------------------- workers


class Recording(Executor):
    """An executor that counts at once, and knows what it was given."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.append(future)
        future.set_result(fn(*args, **kwargs))
        return future


def test_a_bounded_number_is_under_way() -> None:
    division = divide(Instance(8), Plain(), "cubes:rows=1")
    executor = Recording()
    counted_ones = count_units(division, executor, workers=1)
    next(counted_ones)
    assert len(executor.futures) == counting.IN_FLIGHT_EACH < len(division.units)
    assert len(list(counted_ones)) == len(division.units) - 1


def test_only_some_units() -> None:
    division = divide(Instance(8), Plain(), "cubes:rows=1")
    some = random.Random(1).sample(division.units, 2)
    assert {one.identity for one in count_units(division, Recording(), some)} == {unit.identity for unit in some}
    assert not list(count_units(division, Recording(), []))


def test_a_unit_whose_worker_dies_is_counted_again(tmp_path: Path) -> None:
    division = divide(Instance(8), Deadly(os.getpid(), tmp_path / "died"), "cubes:rows=2")
    assert total(counted(division), division) == 92
    assert (tmp_path / "died").exists()


def test_a_unit_that_always_kills_is_an_error() -> None:
    division = divide(Instance(8), Deadly(os.getpid()), "cubes:rows=1")
    with pytest.raises(EngineError, match=r"plain: .*3 times on unit \d of n=8"):
        counted(division)


def test_what_an_engine_raises_propagates() -> None:
    with pytest.raises(UnsupportedInstance, match="no fixed queens"):
        counted(divide(Instance(8), Refusing(), "cubes:rows=1"))


def test_an_executor_that_is_lost() -> None:
    class Lost(Recording):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise BrokenExecutor("no more")

    with pytest.raises(EngineError, match="the workers are lost: no more"):
        list(count_units(divide(Instance(8), Plain()), Lost()))


def test_what_was_finished_with_a_unit_that_fails_is_kept() -> None:
    class Failing(Recording):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if len(self.futures) == 1:
                future = Future()
                future.set_exception(UnsupportedInstance("not this one"))
            return future

    units: list[CountedUnit] = []
    division = divide(Instance(8), Plain(), "cubes:rows=1")
    with pytest.raises(UnsupportedInstance, match="not this one"):
        units.extend(count_units(division, Failing(), workers=4))
    assert len(units) == len(division.units) - 1


class Silent(Executor):
    """An executor like that of a cluster: a future is pending until it is done, `after` so many seconds.

    The clock of its workers is ahead by `clock` seconds: for them, every time of day comes earlier.
    """

    def __init__(self, after: float, clock: float = 0.0, cores: int = 1) -> None:
        self.after, self.clock, self.cores, self.calls = after, clock, cores, 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        *first, work = args
        unit, seconds, deadline = pickle.loads(work)
        counted = fn(*first, pickle.dumps((unit, seconds, deadline and deadline - self.clock)), **kwargs)

        def finish() -> None:
            if future.set_running_or_notify_cancel():
                future.set_result(counted)

        threading.Timer(self.after, finish).start()
        return future


def test_what_a_cluster_finishes_when_the_time_is_up_is_taken() -> None:
    """It does not say which units it has begun."""
    division = divide(Instance(8), Plain(), "cubes:rows=1")
    units: list[CountedUnit] = []
    with pytest.raises(SearchStopped) as stopped:
        units.extend(count_units(division, Silent(0.3), seconds=0.2))
    assert stopped.value.termination is Termination.TIME_LIMIT
    assert len(units) == counting.IN_FLIGHT_EACH


def test_a_worker_whose_clock_is_ahead_does_not_end_the_count() -> None:
    division = divide(Instance(8), nq.make_engine("bitmask:method=python"), "cubes:rows=1")
    executor = Silent(0.01, clock=3600.0)
    assert total(list(count_units(division, executor, seconds=60)), division) == 92
    assert executor.calls == 2 * len(division.units)  # the second time by its stopwatch alone


def test_a_cluster_that_grows_gets_more_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "ASK_SECONDS", 0.1)
    division = divide(Instance(9), Plain(), "cubes:rows=2", symmetry=False)
    executor = Silent(1.0)
    counted_ones = count_units(division, executor, seconds=0.3)
    threading.Timer(0.05, setattr, (executor, "cores", 10)).start()
    with pytest.raises(SearchStopped):
        list(counted_ones)
    assert executor.calls == counting.IN_FLIGHT_EACH * 10


def test_ctrl_c_waits_while_futures_are_used() -> None:
    """It would leave their locks taken: nothing is called but inside the block that holds it off."""
    inside: list[bool] = []

    @contextmanager
    def uninterrupted() -> Iterator[None]:
        inside.append(True)
        yield
        inside.pop()

    class Watched(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            assert inside
            return super().result(timeout)

        def cancel(self) -> bool:
            assert inside
            return super().cancel()

    class Watching(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            assert inside
            future = Watched()
            future.set_result(fn(*args, **kwargs))
            return future

    division = divide(Instance(8), Plain(), "cubes:rows=1")
    units = count_units(division, Watching(), uninterrupted=uninterrupted)
    assert next(units)
    units.close()
    assert total(list(count_units(division, Watching(), uninterrupted=uninterrupted)), division) == 92


def test_the_time_limit_ends_the_count_and_keeps_what_was_counted() -> None:
    division = divide(Instance(8), Slow(0.1), "cubes:rows=2", symmetry=False)
    units: list[CountedUnit] = []
    began = time.perf_counter()
    with local_workers(division, 1) as workers, pytest.raises(SearchStopped) as stopped:
        units.extend(count_units(division, workers.executor, seconds=1.5))
    assert stopped.value.termination is Termination.TIME_LIMIT
    assert time.perf_counter() - began < 10
    assert len(units) < len(division.units)


@pytest.mark.parametrize("solver", ["minisat22", "lingeling"])
def test_engines_that_may_have_to_be_killed_take_a_time_limit(solver: str) -> None:
    division = divide(Instance(6), nq.make_engine(f"sat:solver={solver}"), "cubes:rows=1")
    with local_workers(division, 1) as workers:
        assert total(list(count_units(division, workers.executor, seconds=100)), division) == 4


def test_units_given_a_deadline_stop_by_themselves() -> None:
    division = divide(Instance(14), nq.make_engine("bitmask:method=python"), "cubes:rows=1")
    with ThreadPoolExecutor(1) as executor, pytest.raises(SearchStopped):
        list(count_units(division, executor, seconds=0.2))


def test_a_generator_that_is_closed_takes_back_what_nobody_has_begun() -> None:
    division = divide(Instance(8), Slow(0.1), "cubes:rows=2")
    with ThreadPoolExecutor(1) as executor:
        units = count_units(division, executor, workers=4)
        next(units)
        units.close()
        began = time.perf_counter()
    assert time.perf_counter() - began < 0.5  # of the 7 that were waiting, one had begun
    assert len(division.units) > 8


def test_idle_is_called_while_units_are_counted() -> None:
    calls: list[int] = []
    division = divide(Instance(8), Slow(0.3), "cubes:rows=1")
    with ThreadPoolExecutor(1) as executor:
        list(count_units(division, executor, division.units[:1], idle=lambda: calls.append(threading.get_ident())))
    assert len(calls) > 2
    assert set(calls) == {threading.get_ident()}


# ---------------------------------------------------------------------------------------------- versions


def test_a_worker_of_another_version_refuses() -> None:
    check_version(nq.__version__)
    with pytest.raises(EngineUnavailable, match=rf"worker \S+ has nqueens_models {nq.__version__}.* 9\.9\.9:"):
        check_version("9.9.9")


def test_versions_are_compared_before_anything_is_unpacked() -> None:
    with pytest.raises(EngineUnavailable, match=r"9\.9\.9"):
        counting.count_unit("9.9.9", b"what this version does not understand", b"nor this")


def test_a_count_with_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    division = divide(Instance(8), Plain(), "cubes:rows=1")
    with local_workers(division, 1) as workers:
        monkeypatch.setattr(counting, "package_version", lambda: "9.9.9")
        with pytest.raises(EngineUnavailable, match=r"9\.9\.9"):
            list(count_units(division, workers.executor))


# ---------------------------------------------------------------------------------------------- local workers


def test_who_counts_what() -> None:
    with local_workers(divide(Instance(8), JOIN), 2) as workers:
        assert isinstance(workers.executor, ThreadPoolExecutor)
        assert workers.number == 2
    with local_workers(divide(Instance(8), nq.make_engine("bitmask:method=join,workers=3")), 1) as workers:
        assert workers.number == 3
    with local_workers(divide(Instance(8), Plain()), 1) as workers:
        assert not isinstance(workers.executor, ThreadPoolExecutor)


def test_there_must_be_a_worker() -> None:
    with pytest.raises(InvalidSetting, match="1 worker or more"), local_workers(divide(Instance(8), JOIN), 0):
        pass
