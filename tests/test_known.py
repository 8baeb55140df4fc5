"""Published counts: the table is the one that was collected from OEIS, and small terms are right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nqueens_models.instance import Instance
from nqueens_models.known import A000170, A002562, A051906, Published, published_count
from nqueens_models.symmetry import MIRRORS, orbits
from tests import brute_force

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference-numbers.json").read_text(encoding="utf-8"))


def test_tables_are_those_of_the_encyclopedia() -> None:
    assert list(A000170) == REFERENCE["A000170"]["values"]
    assert list(A002562) == REFERENCE["A002562"]["values"]
    assert list(A051906) == REFERENCE["A051906"]["values"]


@pytest.mark.parametrize("n", range(8))
def test_small_terms_by_brute_force(n: int) -> None:
    plain, modular = brute_force.solutions(Instance(n)), brute_force.solutions(Instance(n, "modular"))
    assert published_count(Instance(n)) == Published(len(plain), "A000170")
    if n == 0:
        assert published_count(Instance(0), fundamental=True) is None
        assert published_count(Instance(0, "modular")) is None
        return
    assert published_count(Instance(n, "modular")) == Published(len(modular), "A051906")
    block = np.array(plain, dtype=np.uint8).reshape(len(plain), n)
    fundamental = int(orbits(block, MIRRORS).least.sum())
    assert published_count(Instance(n), fundamental=True) == Published(fundamental, "A002562")


@pytest.mark.parametrize(
    "instance",
    [
        Instance(28), Instance(35, "modular"), Instance(8, "adjacent"), Instance(8, fixed=[(0, 0)]),
        Instance(8, blocked=[(0, 0)]), Instance(2, regions=["AA", "BB"]), Instance(7, "modular", [(0, 0)]),
    ],
    ids=str,
)  # fmt: skip
def test_nothing_is_claimed_where_nothing_is_published(instance: Instance) -> None:
    assert published_count(instance) is None
    assert published_count(instance, fundamental=True) is None


def test_last_published_terms() -> None:
    assert published_count(Instance(27)) == Published(234907967154122528, "A000170")
    assert published_count(Instance(27), fundamental=True) == Published(29363495934315694, "A002562")
    assert published_count(Instance(31, "modular")) == Published(13404947681712, "A051906")
    assert published_count(Instance(7, "modular"), fundamental=True) is None
