"""The textbook search: the published counts, the published node counts, the order."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.engines.base import Limits, Outcome, Termination
from nqueens_models.engines.bitmask import search
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.instance import Instance

PUBLISHED = json.loads(Path("tests/data/reference-numbers.json").read_text(encoding="utf-8"))


def listed(n: int, limits: Limits) -> tuple[list[tuple[int, ...]], Outcome]:
    found: list[tuple[int, ...]] = []
    outcome = conduct(
        lambda recorder: search.list_solutions(n, recorder),
        Instance(n),
        lambda block: found.extend(map(tuple, block.tolist())),
        limits,
    )
    return found, outcome


@pytest.mark.parametrize("n", range(11))
def test_lists_the_published_number_in_lexicographic_order(n: int) -> None:
    found, outcome = listed(n, Limits())
    assert len(found) == outcome.solutions == PUBLISHED["A000170"]["values"][n]
    assert found == sorted(set(found))
    assert outcome.termination is Termination.EXHAUSTED


@pytest.mark.parametrize("n", range(11))
def test_visits_the_published_number_of_nodes(n: int) -> None:
    assert listed(n, Limits())[1].statistics["nodes"] == PUBLISHED["A319283"]["values"][n]


@pytest.mark.parametrize("n", range(12))
def test_counts_the_published_number(n: int) -> None:
    outcome = conduct(lambda recorder: search.count_solutions(n, recorder), Instance(n))
    assert outcome.solutions == PUBLISHED["A000170"]["values"][n]


@pytest.mark.parametrize("n", [key for key in PUBLISHED["A141843"]["values"] if int(key) <= 12])
def test_the_first_solution_is_the_published_one(n: str) -> None:
    found, outcome = listed(int(n), Limits(solutions=1))
    assert [column + 1 for column in found[0]] == PUBLISHED["A141843"]["values"][n]
    assert outcome.termination is Termination.SOLUTION_LIMIT


def test_the_masks_have_no_width() -> None:
    """No eight and no 32 or 64 bits: a queen's diagonal reaches the far corner of a board of any size."""
    deepest = 0

    class Stop(Recorder):
        def check_time(self) -> None:
            nonlocal deepest
            deepest += 1
            if deepest == 20:
                raise KeyboardInterrupt

    for n in (33, 65, 130):
        recorder = Stop(Instance(n), lambda _: None, Limits())
        with pytest.raises(KeyboardInterrupt):
            search.list_solutions(n, recorder)
        assert recorder.statistics["nodes"] == 20 * search.NODES_PER_CHECK
        deepest = 0


@pytest.mark.parametrize("run", [search.list_solutions, search.count_solutions])
def test_a_time_limit_is_noticed_between_solutions(run: Callable[[int, Recorder], None]) -> None:
    outcome = conduct(lambda recorder: run(40, recorder), Instance(40), limits=Limits(seconds=0.02))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.statistics["nodes"] > 0
