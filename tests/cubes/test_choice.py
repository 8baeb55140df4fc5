from dataclasses import dataclass

import pytest

from nqueens_models.cubes import SEARCHES, CubeSearch, choose_search, label, make_search, taken_apart
from nqueens_models.engines.base import setting
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from tests.cubes.test_cube_search import ListingOnly

BITMASK = BitmaskEngine()


@dataclass(frozen=True)
class Solver(ListingOnly):
    """Listed among those that cubes make faster."""

    name = "sat"


@dataclass(frozen=True)
class Threaded(ListingOnly):
    workers: int = setting(1, "threads")
    symmetry: bool = setting(True, "use the mirror")


def test_what_the_user_says() -> None:
    assert make_search(BITMASK, Instance(8), "plain") is BITMASK
    assert make_search(BITMASK, Instance(8), "cubes") == CubeSearch(BITMASK)
    assert make_search(BITMASK, Instance(8), "cubes:rows=3", False, 2) == CubeSearch(BITMASK, "rows=3", False, 2)
    assert make_search(BITMASK, Instance(8), " cubes:centre-lines ") == CubeSearch(BITMASK, "centre-lines")


@pytest.mark.parametrize("search", ["", "cube", "plain:rows=2", "cubes:rows", "cubes:columns=1"])
def test_unknown_searches(search: str) -> None:
    with pytest.raises(InvalidSetting, match="centre-lines"):
        make_search(BITMASK, Instance(8), search)


def test_workers_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match="1 worker or more, not 0"):
        make_search(BITMASK, Instance(8), workers=0)
    with pytest.raises(InvalidSetting, match="take cubes for 2"):
        make_search(ListingOnly(), Instance(8), "plain", workers=2)


def test_an_engine_with_workers_of_its_own_uses_them() -> None:
    assert make_search(Threaded(), Instance(8), workers=3) == Threaded(workers=3)
    assert make_search(Threaded(), Instance(8), "plain", symmetry=False) == Threaded(symmetry=False)
    assert make_search(Threaded(), Instance(8), "cubes", workers=3) == CubeSearch(Threaded(), workers=3)


def test_the_rule() -> None:
    assert choose_search(ListingOnly(), Instance(12)) == "plain"
    assert choose_search(ListingOnly(), Instance(12), workers=2) == "cubes:centre-lines=1"
    assert choose_search(Solver(), Instance(8)) == "plain"
    assert [choose_search(Solver(), Instance(n)) for n in (9, 13, 14, 15)] == [
        f"cubes:centre-lines={queens}" for queens in (1, 1, 2, 3)
    ]
    assert choose_search(Solver(), Instance(11, "modular")) == "cubes:rows=2"
    assert choose_search(Solver(), Instance(12)).startswith("cubes")
    assert choose_search(Solver(), Instance(12), symmetry=False) == "plain"
    assert choose_search(Solver(), Instance(12, fixed=[(0, 2)])) == "plain"
    assert choose_search(Solver(), Instance(12), workers=2).startswith("cubes")


def test_names() -> None:
    assert taken_apart(BITMASK) == (BITMASK, "plain")
    assert taken_apart(CubeSearch(BITMASK)) == (BITMASK, "cubes")
    searcher = CubeSearch(ListingOnly(), "rows=2", False, 2)
    assert label(searcher) == f"{label(ListingOnly())} by cubes:rows=2, no symmetry, 2 workers"
    assert "cubes:rows=K" in SEARCHES
