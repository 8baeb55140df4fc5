"""Estimates of whole runs: exact where they are small, of the right size where not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import nqueens_models as nq
from nqueens_models.cubes import CubeSearch
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination, Visitor
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import InvalidSetting, UnsupportedInstance
from nqueens_models.estimate import cost as costs
from nqueens_models.estimate import estimate
from nqueens_models.estimate.interval import known
from nqueens_models.estimate.population import Order
from nqueens_models.estimate.tree_size import tree_size
from nqueens_models.instance import Instance


def random() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("engine", ["bitmask", "column-sets", "sat", "cpsat"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_small_runs_are_known(n: int, engine: str) -> None:
    found = estimate(n, engine)
    solutions = nq.count(n)
    assert found.solutions == known(solutions)
    assert (found.text_bytes, found.npy_bytes) == (known(max(1, 2 * n) * solutions), known(n * solutions))
    assert found.by == "the whole search"
    assert found.seconds_to_count is not None
    assert found.seconds_to_list is not None
    assert found.seconds_to_count.exact
    assert found.seconds_to_list.value > 0


def test_the_nodes_of_a_small_run_are_the_engines_own() -> None:
    assert estimate(7, "column-sets").nodes == known(552)  # OEIS A319283
    assert estimate(7).nodes == known(BitmaskEngine().count(Instance(7)).statistics["nodes"])


def test_bytes_are_those_of_the_files() -> None:
    found = estimate(11, timing=False, boards=100_000)
    assert found.seconds_to_list is found.nodes is None
    run = nq.solve(11)
    assert run.solutions is not None
    assert found.text_bytes.value == found.solutions.value * len(b"".join(run.solutions.canonical_bytes())) / 2680
    assert estimate(100, timing=False, boards=1).text_bytes.value >= 0


def test_the_nodes_of_the_textbook_are_its_tree() -> None:
    found = estimate(12, "column-sets", seconds=0.4)
    assert found.nodes is not None
    assert not found.nodes.exact
    assert 0.8 * 856_189 < found.nodes.value < 1.2 * 856_189  # OEIS A319283
    assert 14_200 in found.solutions


def test_some_starts_stand_for_all() -> None:
    engine = BitmaskEngine()
    size = tree_size(Instance(14), Order.FEWEST, random(), 0.1)
    found = costs.cost(engine, Instance(14), size, False, random(), 0.3)
    true = engine.count(Instance(14)).statistics["nodes"]
    assert found.by == "starts on the centre lines"
    assert found.nodes is not None
    assert 0.5 * true < found.nodes.value < 2 * true
    assert found.seconds.low <= found.seconds.value <= found.seconds.high


def test_workers_share_the_time() -> None:
    parts = [costs._Part(1.0, 5)] * 5
    alone, shared = (costs._summed(parts, 100, "parts", workers) for workers in (1, 2))
    assert (alone.seconds.value, shared.seconds.value) == (100.0, 50.0)
    assert (alone.nodes, shared.nodes) == (shared.nodes, alone.nodes)


def test_some_row_splits_stand_for_all() -> None:
    found = costs._by_row_splits(12, 1, random(), 0.05)
    assert found.seconds.value > 0


@pytest.mark.parametrize(("n", "method"), [(16, "auto"), (18, "auto"), (22, "join")])
def test_what_the_join_counts_is_timed_by_row_splits(n: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BitmaskEngine("join").count(Instance(8))  # compiled: what makes `auto` take it at 16
    monkeypatch.setattr(costs, "_by_row_splits", lambda n, *_: costs.Cost(known(n), None, None, "row splits"))
    monkeypatch.setattr(BitmaskEngine, "count", lambda *_: pytest.fail("it counts"))
    size = tree_size(Instance(n), Order.FEWEST, random(), 0.1, boards=4)
    found = costs.cost(BitmaskEngine(method), Instance(n), size, False, random(), 0.1)
    assert (found.by, found.seconds.value) == ("row splits", n)


def test_the_join_of_too_many_rows_is_refused_before_it_does_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would count 23 queens, for hours."""
    monkeypatch.setattr(BitmaskEngine, "count", lambda *_: pytest.fail("it counts"))
    monkeypatch.setattr(costs, "_by_row_splits", lambda *_: pytest.fail("it makes tables"))
    with pytest.raises(UnsupportedInstance, match="for 23 its tables are too large"):
        estimate(23, "bitmask:method=join", seconds=0.1, boards=4)


def test_the_join_is_for_plain_boards_of_many_rows() -> None:
    assert BitmaskEngine().join_for(Instance(18))
    assert not BitmaskEngine().join_for(Instance(18, blocked=[(0, 0)]))
    assert not BitmaskEngine().join_for(Instance(12))
    assert not BitmaskEngine("python").join_for(Instance(18))
    with pytest.raises(UnsupportedInstance, match="6 to 24 rows"):
        BitmaskEngine("join").join_for(Instance(25))


def test_the_join_only_counts() -> None:
    found = estimate(17, "bitmask:method=join", seconds=0.1, boards=10)
    assert found.seconds_to_list is None
    assert found.seconds_to_count is not None
    with pytest.raises(UnsupportedInstance, match="join counts plain boards"):
        estimate(Instance(17, blocked=[(0, 0)]), "bitmask:method=join", seconds=0.1)


def test_some_orbits_of_cubes_stand_for_all() -> None:
    found = estimate(10, "sat", search="cubes:rows=2", seconds=0.05)
    assert "cubes" in found.engine
    search = CubeSearch(nq.make_engine("sat"))
    assert costs._by_orbits(search, Instance(9), False, random(), 0.5) is not None
    assert costs._by_orbits(search, Instance(14), False, random(), 1e-3) is None
    nothing = costs._by_orbits(search, Instance(4, fixed=[(0, 0), (1, 1)]), False, random(), 0.1)
    assert nothing is not None
    assert nothing.seconds.value < 1


def test_some_cubes_stand_for_all() -> None:
    instance = Instance(10, blocked=[(0, 0)])
    engine = BitmaskEngine("python")
    found = costs._by_cubes(engine, instance, False, random(), 0.5, 1)
    true = engine.count(instance)
    assert found.nodes is not None
    assert 0.3 * true.statistics["nodes"] < found.nodes.value < 3 * true.statistics["nodes"]
    deeper = costs._by_cubes(nq.make_engine("attack-table"), Instance(13), True, random(), 0.05, 1)
    assert deeper.seconds.value > 1


@pytest.mark.parametrize(
    "instance", [Instance(70), Instance(24, blocked=[(r, c) for r in range(24) for c in range(r)])]
)
def test_large_and_hopeless_boards(instance: Instance) -> None:
    found = estimate(instance, seconds=0.2)
    assert found.solutions.low <= found.solutions.value <= found.solutions.high
    json.dumps(found.facts(), allow_nan=False)


@dataclass(frozen=True)
class Interrupted:
    """An engine at which somebody presses Ctrl-C."""

    name: ClassVar[str] = "interrupted"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return Outcome(Termination.INTERRUPTED, 0, 0.0, 0.0)


def test_ctrl_c_ends_the_estimate() -> None:
    with pytest.raises(KeyboardInterrupt):
        costs._solved(Interrupted(), Instance(4), True, Limits())


@pytest.mark.parametrize("settings", [{"seconds": 0.0}, {"seconds": float("nan")}, {"boards": 0}, {"workers": 0}])
def test_bad_arguments(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting):
        estimate(8, **settings)


def test_without_numba_python_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_numba", lambda: False)
    size = tree_size(Instance(17), Order.FEWEST, random(), 0.1)
    found = costs.cost(BitmaskEngine("python"), Instance(17), size, False, random(), 0.2)
    assert "queens more" in found.by
