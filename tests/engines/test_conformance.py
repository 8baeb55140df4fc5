"""Every engine under one contract: the conformance kit and the shared table of instances."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nqueens_models.cubes import CubeSearch
from nqueens_models.engines import registry
from nqueens_models.engines.base import Engine, Termination
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import EngineUnavailable
from nqueens_models.instance import Instance
from nqueens_models.models.cpsat import FORMULATIONS
from nqueens_models.solutions import SolutionSet
from nqueens_models.testing import check_engine
from nqueens_models.verify import valid_rows

ENGINES: tuple[str | Engine, ...] = (
    *(name for name in registry.names() if not registry.describe(name).needs),  # external: test_external.py
    "bitmask:method=python",
    *(f"cpsat:model={formulation}" for formulation in FORMULATIONS if formulation != "boolean"),
    "sat:solver=cadical153,at_most_one=seqcounter",
    "sat:solver=minicard,at_most_one=ladder,seed=1",
    "sat:symmetry_breaking=true",
    "sat:variables=order",
    "sat:variables=log",
    "cpsat:symmetry_breaking=true",
    "column-sets:container=set",
    CubeSearch(BitmaskEngine()),
)
CASES = json.loads((Path(__file__).parents[1] / "data" / "instances.json").read_text(encoding="utf-8"))


@pytest.fixture(params=ENGINES, ids=str)
def engine(request: pytest.FixtureRequest) -> Engine:
    try:
        return registry.make_engine(request.param)
    except EngineUnavailable as error:
        if os.environ.get("CI"):
            pytest.fail(f"continuous integration tests every engine: {error}")
        pytest.skip(str(error))


def test_engine_keeps_the_contract(engine: Engine) -> None:
    assert check_engine(engine) == (), "an engine of ours takes the whole family"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_shared_table(engine: Engine, case: dict[str, Any]) -> None:
    instance = Instance(case["n"], case["diagonals"], case["fixed"], case["blocked"], case["regions"])
    found: list[tuple[int, ...]] = []
    outcome = engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())))
    assert outcome.termination is Termination.EXHAUSTED
    assert len(found) == outcome.solutions == case["solutions"]
    distinct = SolutionSet(instance.n, found)
    assert len(distinct) == len(found)
    assert valid_rows(instance, distinct.array).all()
