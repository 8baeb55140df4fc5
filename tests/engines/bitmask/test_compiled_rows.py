"""The compiled textbook search: its counts, its sets, and that it goes on where it stopped."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from nqueens_models.engines.base import NO_LIMITS, Block, Limits, Outcome, Termination
from nqueens_models.engines.bitmask import compiled_rows, search
from nqueens_models.engines.recorder import conduct
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.verify import valid_rows
from tests import brute_force

PUBLISHED = json.loads(Path("tests/data/reference-numbers.json").read_text(encoding="utf-8"))


def searched(
    instance: Instance, listing: bool = True, limits: Limits = NO_LIMITS, workers: int = 1
) -> tuple[list[Placement], Outcome]:
    found: list[Placement] = []
    outcome = conduct(
        lambda recorder: compiled_rows.search(recorder, listing, workers),
        instance,
        lambda block: found.extend(map(tuple, block.tolist())),
        limits,
    )
    return found, outcome


def consistent(instance: Instance) -> Instance:
    """Leave the regions out, and the fixed queens after the first."""
    return Instance(instance.n, instance.diagonals, instance.fixed[:1], instance.blocked)


@settings(max_examples=200, deadline=None)
@given(brute_force.instances().map(consistent))
def test_random_instances_against_brute_force(instance: Instance) -> None:
    found, outcome = searched(instance)
    assert sorted(found) == brute_force.solutions(instance)
    assert searched(instance, listing=False)[1].solutions == len(found)
    assert outcome.termination is Termination.EXHAUSTED


@pytest.mark.parametrize("n", range(15))
def test_counts_the_published_number(n: int) -> None:
    assert searched(Instance(n), listing=False)[1].solutions == PUBLISHED["A000170"]["values"][n]


@pytest.mark.parametrize("n", [n for n in range(1, 18) if n != 16])
def test_counts_the_published_number_of_modular_boards(n: int) -> None:
    outcome = searched(Instance(n, "modular"), listing=False)[1]
    assert outcome.solutions == PUBLISHED["A051906"]["values"][n - 1]


@pytest.mark.parametrize("n", [9, 10, 11, 12])
def test_lists_what_the_textbook_lists(n: int) -> None:
    textbook: list[Placement] = []
    conduct(
        lambda recorder: search.list_solutions(n, recorder),
        Instance(n),
        lambda block: textbook.extend(map(tuple, block.tolist())),
    )
    assert sorted(searched(Instance(n))[0]) == textbook


@pytest.mark.parametrize("diagonals", Diagonals)
def test_calls_blocks_and_workers_do_not_matter(diagonals: Diagonals, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Instance(8, diagonals, blocked=[(0, 0), (2, 7)])
    whole, _ = searched(instance)
    monkeypatch.setattr(compiled_rows, "NODES_PER_CALL", 7)
    monkeypatch.setattr(compiled_rows, "BLOCK_BYTES", 1)
    pieces, outcome = searched(instance)
    assert pieces == whole
    assert outcome.solutions == len(whole)
    shared, outcome = searched(instance, workers=3)
    assert sorted(shared) == sorted(whole)
    assert searched(instance, workers=3)[0] == shared
    assert searched(instance, listing=False, workers=3)[1].solutions == len(whole)


def test_a_solution_limit() -> None:
    whole, _ = searched(Instance(10))
    for limit in (1, 7, 723, 724):
        some, outcome = searched(Instance(10), limits=Limits(solutions=limit))
        assert some == whole[:limit]
        assert outcome.termination is Termination.SOLUTION_LIMIT


@pytest.mark.parametrize("listing", [True, False])
def test_a_time_limit_keeps_what_was_found(listing: bool) -> None:
    instance = Instance(20)
    blocks: list[Block] = []
    outcome = conduct(
        lambda recorder: compiled_rows.search(recorder, listing), instance, blocks.append, Limits(seconds=0.5)
    )
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.solutions > 0
    if listing:
        assert sum(len(block) for block in blocks) == outcome.solutions
        assert valid_rows(instance, np.concatenate(blocks)[:1000]).all()


def test_a_start_may_be_a_solution() -> None:
    """With no row left to search."""
    solution = (2, 0, 3, 1)
    assert searched(Instance(4, fixed=enumerate(solution)))[0] == [solution]
