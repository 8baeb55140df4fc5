"""Every form of the engine gives the same answer on every instance of the family."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from nqueens_models.engines.base import NO_LIMITS, Engine, Limits, Outcome, Termination
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance, Placement
from tests import brute_force

CASES = json.loads(Path("tests/data/instances.json").read_text(encoding="utf-8"))
PUBLISHED = json.loads(Path("tests/data/reference-numbers.json").read_text(encoding="utf-8"))
ENGINES = [BitmaskEngine(), BitmaskEngine(method="python"), BitmaskEngine(method="compiled")]


def placements(engine: Engine, instance: Instance, limits: Limits = NO_LIMITS) -> tuple[list[Placement], Outcome]:
    found: list[Placement] = []
    outcome = engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())), limits)
    assert len(found) == outcome.solutions
    return found, outcome


def instance_of(case: dict) -> Instance:  # type: ignore[type-arg]
    return Instance(case["n"], case["diagonals"], case["fixed"], case["blocked"], case["regions"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_cases(engine: BitmaskEngine, case: dict) -> None:  # type: ignore[type-arg]
    instance = instance_of(case)
    found, outcome = placements(engine, instance)
    assert outcome.termination is Termination.EXHAUSTED
    assert len(set(found)) == len(found) == case["solutions"]
    counted = engine.count(instance)
    assert (counted.solutions, counted.termination) == (case["solutions"], Termination.EXHAUSTED)


@settings(max_examples=150, deadline=None)
@given(brute_force.instances())
def test_random_instances_against_brute_force(instance: Instance) -> None:
    expected = brute_force.solutions(instance)
    for engine in ENGINES:
        found, outcome = placements(engine, instance)
        assert sorted(found) == expected
        assert engine.count(instance).solutions == len(expected)
        assert outcome.termination is Termination.EXHAUSTED
