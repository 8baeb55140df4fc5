"""The search for the whole family: in Python, compiled, and handed over from the one to the other."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Termination
from nqueens_models.engines.bitmask import BitmaskEngine, compiled_family, family
from nqueens_models.engines.bitmask.compiled_family import CompiledFamily
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.instance import Instance, Placement, Square
from nqueens_models.verify import broken_by_pair, is_solution
from tests import brute_force


def searched(
    instance: Instance, patience: int, limits: Limits = NO_LIMITS, workers: int = 1
) -> tuple[list[Placement], Outcome]:
    """Search in Python for so long, then in compiled code."""
    found: list[Placement] = []

    def search(recorder: Recorder) -> None:
        rules = family.Family(instance)
        board = rules.residual()
        if board is not None:
            compiled = CompiledFamily(recorder, listing=True, workers=workers)
            family.search(rules, board, recorder.solution, recorder, compiled.finish, patience)

    return found, conduct(search, instance, lambda block: found.extend(map(tuple, block.tolist())), limits)


def squares(n: int) -> list[Square]:
    return [(row, column) for row in range(n) for column in range(n)]


def is_free(instance: Instance, queens: list[Square], square: Square) -> bool:
    """Whether a queen may be placed there, by the rules from first principles."""
    if square in instance.blocked or any(square[0] == row for row, _ in queens):
        return False
    return not any(list(broken_by_pair(instance, queen, square)) for queen in queens)


def blocked_board(n: int, blocked: int, seed: int) -> Instance:
    """Block random squares, in the manner of CSPLib 080."""
    return Instance(n, blocked=random.Random(seed).sample(squares(n), blocked))


def completion_board(n: int, left: int, seed: int) -> Instance:
    """Take queens from the solution that walks in knight's moves, for n = 0, 1, 4, 5 mod 6."""
    solution = [*range(1, n, 2), *range(0, n, 2)]
    rows = random.Random(seed).sample(range(n), n - left)
    return Instance(n, fixed=[(row, solution[row]) for row in rows])


@settings(max_examples=100, deadline=None)
@given(brute_force.instances(), st.integers(0, 600))
def test_a_search_may_be_handed_over_at_any_time(instance: Instance, patience: int) -> None:
    assert sorted(searched(instance, patience)[0]) == brute_force.solutions(instance)


@given(brute_force.instances(), st.randoms(use_true_random=False))
def test_rows_and_columns_show_the_same_squares(instance: Instance, choice: random.Random) -> None:
    """Whatever queens are placed, and only squares that no rule forbids."""
    rules = family.Family(instance)
    board = rules.residual()
    queens = list(instance.fixed)
    while board is not None:
        by_rows = [(r, c) for r, free in board.rows.items() for c in family.bits(free)]
        by_columns = [(r, c) for c, free in board.columns.items() for r in family.bits(free)]
        assert by_rows == sorted(by_columns)
        assert by_rows == [square for square in squares(instance.n) if is_free(instance, queens, square)]
        queens += [choice.choice(by_rows)] if by_rows else []
        board = rules.place(board, queens[-1]) if by_rows else None


@pytest.mark.parametrize("seed", range(2))
def test_blocked_boards_have_the_same_solutions_in_python_and_compiled(seed: int) -> None:
    instance = blocked_board(20, 230, seed)
    python, compiled = (searched(instance, patience)[0] for patience in (1 << 40, 0))
    assert python
    assert sorted(python) == sorted(set(compiled))
    assert len(compiled) == BitmaskEngine("compiled").count(instance).solutions
    assert all(is_solution(instance, placement) for placement in compiled[:50])


@pytest.mark.parametrize("n", [600, 601])
def test_completion_boards_of_many_rows(n: int) -> None:
    """With the same set from both searches; the squares they leave are far apart."""
    instance = completion_board(n, 24, 5)
    python, compiled = (searched(instance, patience)[0] for patience in (1 << 40, 0))
    assert len(compiled) > 1
    assert sorted(python) == sorted(set(compiled))
    assert is_solution(instance, compiled[0])


@pytest.mark.parametrize("engine", [BitmaskEngine("python"), BitmaskEngine("compiled"), BitmaskEngine()], ids=str)
@pytest.mark.parametrize("n", [33, 64, 65, 91, 130])
def test_some_solutions_of_large_boards(n: int, engine: BitmaskEngine) -> None:
    found: list[Placement] = []
    instance = Instance(n)
    limits = Limits(solutions=3)
    outcome = engine.enumerate(instance, lambda block: found.extend(map(tuple, block.tolist())), limits)
    assert outcome.termination is Termination.SOLUTION_LIMIT
    assert len(set(found)) == 3
    assert all(is_solution(instance, placement) for placement in found)


def test_a_board_with_too_many_squares_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """And its parts are taken as soon as they are small enough."""
    instance = blocked_board(24, 380, 0)
    whole, _ = searched(instance, 0)
    monkeypatch.setattr(compiled_family, "MOST_SQUARES", 100)
    parts, _ = searched(instance, 0)
    assert sorted(parts) == sorted(whole)


def test_blocks_calls_and_limits_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that returns after every few nodes, with room for one solution, goes on where it was."""
    instance = Instance(7, "adjacent")
    whole, _ = searched(instance, 0)
    monkeypatch.setattr(compiled_family, "WORK_PER_CALL", 100)
    monkeypatch.setattr(compiled_family, "BLOCK_BYTES", 1)
    again, outcome = searched(instance, 0)
    assert again == whole
    assert len(again) == outcome.solutions == 646
    shared, _ = searched(instance, 0, workers=3)
    assert sorted(shared) == sorted(whole)
    assert searched(instance, 0, workers=3)[0] == shared
    some, outcome = searched(instance, 0, Limits(solutions=5))
    assert some == whole[:5]
    assert outcome.termination is Termination.SOLUTION_LIMIT


@pytest.mark.parametrize("patience", [0, 1 << 40])
def test_a_time_limit_keeps_what_was_found(patience: int) -> None:
    found, outcome = searched(Instance(20, "adjacent"), patience, Limits(seconds=0.3))
    assert outcome.termination is Termination.TIME_LIMIT
    assert len(found) == outcome.solutions > 0


def test_the_work_of_both_searches_is_counted() -> None:
    """Of a board whose queens are all forced there is one node for each queen, and one for the board."""
    solution = (0, 2, 4, 1, 3)
    blocked = [(r, c) for r in range(5) for c in range(5) if solution[r] != c]
    for patience in (0, 1 << 40):
        assert searched(Instance(5, blocked=blocked), patience)[1].statistics["nodes"] == 6
