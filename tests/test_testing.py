"""The conformance kit takes an honest engine and rejects every kind of wrong one, naming the clause."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest

from nqueens_models import testing
from nqueens_models.engines.base import NO_LIMITS, Block, Limits, Outcome, Termination, Visitor
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import EngineUnavailable, UnsupportedInstance
from nqueens_models.instance import Diagonals, Instance, Placement
from nqueens_models.testing import CONFORMANCE_INSTANCES, Clause, ConformanceError, brute_force, check_engine
from nqueens_models.verify import Rule, is_solution, violations
from tests.brute_force import solutions

SMALL = [instance for instance in CONFORMANCE_INSTANCES if instance.n <= 5]


class Honest:
    """Tries all permutations; the wrong engines below each change one thing."""

    name: ClassVar[str] = "honest"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return conduct(self.search, instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        return conduct(self.search, instance, limits=limits)

    def search(self, recorder: Recorder) -> None:
        for placement in self.found(recorder.instance):
            recorder.node()
            if placement is not None:
                recorder.solution(placement)

    def found(self, instance: Instance) -> Iterator[Placement | None]:
        """Yield each permutation that is a solution, None for each that is not."""
        for placement in permutations(range(instance.n)):
            yield placement if is_solution(instance, placement) else None


class DropsADiagonal(Honest):
    def found(self, instance: Instance) -> Iterator[Placement | None]:
        for placement in permutations(range(instance.n)):
            broken = {violation.rule for violation in violations(instance, placement)}
            yield placement if broken <= {Rule.ANTIDIAGONAL} else None


class VisitsTwice(Honest):
    def found(self, instance: Instance) -> Iterator[Placement | None]:
        for placement in super().found(instance):
            yield placement
            if instance.n == 5:
                yield placement


class MissesTheFirst(Honest):
    def found(self, instance: Instance) -> Iterator[Placement | None]:
        every = super().found(instance)
        if instance.n == 5:
            next(placement for placement in every if placement is not None)
        yield from every


class MissesOnLargeBoards(Honest):
    def found(self, instance: Instance) -> Iterator[Placement | None]:
        return iter(()) if instance.n > 8 else super().found(instance)


class SaysTimeLimit(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return dataclasses.replace(super().enumerate(instance, visit, limits), termination=Termination.TIME_LIMIT)


class Altered(Honest):
    """Changes fields of the outcome of a listing."""

    changes: ClassVar[dict[str, Any]] = {}

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return dataclasses.replace(super().enumerate(instance, visit, limits), **self.changes)


class AlwaysExhausted(Altered):
    changes: ClassVar[dict[str, Any]] = {"termination": Termination.EXHAUSTED}


class NumpyNumber(Altered):
    changes: ClassVar[dict[str, Any]] = {"solutions": np.int64(1)}


class WrongNumber(Altered):
    changes: ClassVar[dict[str, Any]] = {"solutions": 7}


class NegativeSeconds(Altered):
    changes: ClassVar[dict[str, Any]] = {"solve_seconds": -1.0}


class NotANumberOfSeconds(Altered):
    changes: ClassVar[dict[str, Any]] = {"build_seconds": float("nan")}


class UnknownStatistic(Altered):
    changes: ClassVar[dict[str, Any]] = {"statistics": {"leaves": 3}}


class FractionalStatistic(Altered):
    changes: ClassVar[dict[str, Any]] = {"statistics": {"nodes": 2.5}}


class StringTermination(Altered):
    changes: ClassVar[dict[str, Any]] = {"termination": "exhausted"}


class ForgetsTheTimeLimit(Honest):
    """Says EXHAUSTED when the time is up."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().enumerate(instance, visit, limits)
        if outcome.termination is Termination.TIME_LIMIT:
            return dataclasses.replace(outcome, termination=Termination.EXHAUSTED)
        return outcome


class ForgetsTheTimeLimitInCount(Honest):
    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().count(instance, limits)
        if outcome.termination is Termination.TIME_LIMIT:
            return dataclasses.replace(outcome, termination=Termination.EXHAUSTED)
        return outcome


class ExhaustedAtTheLastSolution(Honest):
    """Says EXHAUSTED when the limit is just the number of solutions."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().enumerate(instance, visit, limits)
        if outcome.solutions == len(brute_force(instance)) and instance.n <= 5:
            return dataclasses.replace(outcome, termination=Termination.EXHAUSTED)
        return outcome


class IgnoresTheSolutionLimit(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return super().enumerate(instance, visit, Limits(seconds=limits.seconds))


class SwallowsExceptions(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        try:
            return super().enumerate(instance, visit, limits)
        except Exception:
            return Outcome(Termination.INTERRUPTED, 0, 0.0, 0.0)


class ReplacesExceptions(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        try:
            return super().enumerate(instance, visit, limits)
        except Exception as error:
            raise RuntimeError("callback failed") from error


class SpoiltByAnException(Honest):
    spoilt = False

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if self.spoilt:
            return Outcome(Termination.EXHAUSTED, 0, 0.0, 0.0)
        try:
            return super().enumerate(instance, visit, limits)
        except Exception:
            self.spoilt = True
            raise


class RaisesOnCtrlC(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().enumerate(instance, visit, limits)
        if outcome.termination is Termination.INTERRUPTED:
            raise KeyboardInterrupt
        return outcome


class GoesOnAfterCtrlC(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def visit_all_the_same(block: Block) -> None:
            with contextlib.suppress(KeyboardInterrupt):
                visit(block)

        outcome = super().enumerate(instance, visit_all_the_same, limits)
        if outcome.termination is Termination.INTERRUPTED:
            return dataclasses.replace(outcome, termination=Termination.EXHAUSTED)
        return outcome


class Reshapes(Honest):
    """Changes the blocks on their way to the visitor."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        return super().enumerate(instance, lambda block: visit(self.reshaped(block)), limits)

    def reshaped(self, block: Block) -> Any:
        raise AssertionError


class WideBlocks(Reshapes):
    def reshaped(self, block: Block) -> Any:
        return block.astype(np.int64)


class FlatBlocks(Reshapes):
    def reshaped(self, block: Block) -> Any:
        return block.reshape(-1)


class ListBlocks(Reshapes):
    def reshaped(self, block: Block) -> Any:
        return block.tolist()


class ReusesItsBlock(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def visit_and_wipe(block: Block) -> None:
            visit(block)
            block[:] = 0

        return super().enumerate(instance, visit_and_wipe, limits)


class CountsOneMore(Honest):
    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().count(instance, limits)
        return dataclasses.replace(outcome, solutions=outcome.solutions + (instance.n == 5))


class CountsPastTheLimit(Honest):
    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        return super().count(instance, Limits(seconds=limits.seconds))


class RefusesTooLate(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().enumerate(instance, visit, limits)
        if instance.regions is not None:
            raise UnsupportedInstance("no regions")
        return outcome


class RefusesAll(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        raise UnsupportedInstance("nothing")

    count = None  # type: ignore[assignment]


class RefusesToListOnly(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if instance.regions is not None:
            raise UnsupportedInstance("no regions")
        return super().enumerate(instance, visit, limits)


class RefusesTheSecondTime(Honest):
    runs = 0

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        self.runs += 1
        if self.runs > 1:
            raise UnsupportedInstance("not again")
        return super().enumerate(instance, visit, limits)


class Crashes(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if instance.n == 0:
            raise ZeroDivisionError("division by zero")
        return super().enumerate(instance, visit, limits)


class RefusesWithTheWrongError(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        if instance.diagonals is Diagonals.MODULAR:
            raise ValueError("no modular boards")
        return super().enumerate(instance, visit, limits)


class ChangesItsOrder(Honest):
    backwards = False

    def found(self, instance: Instance) -> Iterator[Placement | None]:
        self.backwards = not self.backwards
        every = list(super().found(instance)) if instance.n <= 5 else super().found(instance)
        return reversed(every) if self.backwards and isinstance(every, list) else iter(every)


class CannotBePickled(Honest):
    def __reduce__(self) -> str:
        raise TypeError("a handle of a solver")


class ForgetsItsSettings(Honest):
    """Loses a setting on the way to another process."""

    def __init__(self) -> None:
        self.backwards = True

    def __reduce__(self) -> Any:
        return Honest, ()

    def found(self, instance: Instance) -> Iterator[Placement | None]:
        every = super().found(instance)
        return reversed(list(every)) if instance.n <= 5 else every


class HasNoName(Honest):
    name = None  # type: ignore[assignment]


class IsUnavailable(Honest):
    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        raise EngineUnavailable("pip install solver")


WRONG = {
    DropsADiagonal: Clause.VALID,
    VisitsTwice: Clause.ONCE,
    MissesTheFirst: Clause.EVERY,
    SaysTimeLimit: Clause.EVERY,
    AlwaysExhausted: Clause.SOLUTION_LIMIT,
    ExhaustedAtTheLastSolution: Clause.SOLUTION_LIMIT,
    IgnoresTheSolutionLimit: Clause.SOLUTION_LIMIT,
    ForgetsTheTimeLimit: Clause.TIME_LIMIT,
    ForgetsTheTimeLimitInCount: Clause.TIME_LIMIT,
    SwallowsExceptions: Clause.VISITOR,
    ReplacesExceptions: Clause.VISITOR,
    SpoiltByAnException: Clause.VISITOR,
    RaisesOnCtrlC: Clause.INTERRUPT,
    GoesOnAfterCtrlC: Clause.INTERRUPT,
    NumpyNumber: Clause.OUTCOME,
    WrongNumber: Clause.OUTCOME,
    NegativeSeconds: Clause.OUTCOME,
    NotANumberOfSeconds: Clause.OUTCOME,
    UnknownStatistic: Clause.OUTCOME,
    FractionalStatistic: Clause.OUTCOME,
    StringTermination: Clause.OUTCOME,
    WideBlocks: Clause.BLOCK,
    FlatBlocks: Clause.BLOCK,
    ListBlocks: Clause.BLOCK,
    ReusesItsBlock: Clause.BLOCK,
    CountsOneMore: Clause.COUNT,
    CountsPastTheLimit: Clause.COUNT,
    RefusesTooLate: Clause.UNSUPPORTED,
    RefusesAll: Clause.UNSUPPORTED,
    RefusesToListOnly: Clause.UNSUPPORTED,
    RefusesTheSecondTime: Clause.UNSUPPORTED,
    Crashes: Clause.ERROR,
    RefusesWithTheWrongError: Clause.ERROR,
    ChangesItsOrder: Clause.ORDER,
    CannotBePickled: Clause.ORDER,
    ForgetsItsSettings: Clause.ORDER,
    HasNoName: Clause.ENGINE,
}


def test_honest_engine_is_taken() -> None:
    assert check_engine(Honest(), SMALL) == ()


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_wrong_engine_is_rejected(wrong: type[Honest]) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_engine(wrong(), SMALL)
    assert caught.value.clause is WRONG[wrong]
    assert WRONG[wrong] in str(caught.value)
    if caught.value.instance is not None:
        assert "engine honest on " + caught.value.instance.canonical_json() in str(caught.value)


def test_missing_solutions_of_large_boards_are_noticed() -> None:
    """Above the boards of which all permutations are tried, published counts judge."""
    with pytest.raises(ConformanceError, match=r"Visited 0, not 352 \(A000170\)") as caught:
        check_engine(MissesOnLargeBoards(), [Instance(9)])
    assert caught.value.clause is Clause.EVERY


class EndsLate(Honest):
    """Says TIME_LIMIT, as it should, but long after."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        outcome = super().enumerate(instance, visit, limits)
        if outcome.termination is Termination.TIME_LIMIT:
            time.sleep(0.5)
        return outcome


class NeverEnds(Honest):
    """Goes on visiting."""

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        while instance.n == 26 and limits.solutions is None:
            visit(np.arange(26, dtype=np.uint8)[None, :])
        return super().enumerate(instance, visit, limits)


@pytest.mark.parametrize("late", [EndsLate, NeverEnds])
def test_ending_long_after_the_time_limit(late: type[Honest], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "GRACE", 0.2)
    with pytest.raises(ConformanceError, match=r"more than 0.2 seconds after the limit") as caught:
        check_engine(late(), [Instance(4)])
    assert caught.value.clause is Clause.TIME_LIMIT


def test_unavailable_engine_says_what_to_install() -> None:
    with pytest.raises(EngineUnavailable, match="pip install solver"):
        check_engine(IsUnavailable(), SMALL)


class WithoutRegions(Honest):
    def refuse(self, instance: Instance) -> None:
        if instance.regions is not None:
            raise UnsupportedInstance("no regions")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        self.refuse(instance)
        return super().enumerate(instance, visit, limits)

    def count(self, instance: Instance, limits: Limits = NO_LIMITS) -> Outcome:
        self.refuse(instance)
        return super().count(instance, limits)


def test_refused_instances_are_returned() -> None:
    assert check_engine(WithoutRegions(), SMALL) == tuple(i for i in SMALL if i.regions is not None)


@pytest.mark.parametrize("instance", CONFORMANCE_INSTANCES, ids=lambda instance: instance.canonical_json())
def test_expected_solutions(instance: Instance) -> None:
    """The kit's brute force agrees with the one that the tests state on their own."""
    assert list(brute_force(instance)) == solutions(instance)


@pytest.mark.parametrize("diagonals", Diagonals)
def test_conformance_instances_hold_every_kind(diagonals: Diagonals) -> None:
    mine = [instance for instance in CONFORMANCE_INSTANCES if instance.diagonals is diagonals]
    assert any(instance.fixed for instance in mine)
    assert any(instance.blocked for instance in mine)
    assert any(instance.regions for instance in mine)
    assert {len(brute_force(instance)) > 0 for instance in mine} == {True, False}
    assert {0, 1} <= {instance.n for instance in mine}
