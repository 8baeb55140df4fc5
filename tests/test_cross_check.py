"""Verdicts: engines that err in every way are caught, and what they did is shown."""

from __future__ import annotations

import pytest

from nqueens_models.cross_check import Verdict, cross_check
from nqueens_models.engines.base import Engine, Limits
from nqueens_models.errors import InvalidSetting, UnsupportedInstance
from nqueens_models.instance import Instance
from tests.test_run import FIRST, SECOND, Scripted

HONEST = Scripted(((FIRST,), (SECOND,)))


def verdict_on(*engines: Engine) -> Verdict:
    return cross_check(4, engines)


def test_engines_that_agree() -> None:
    verdict = verdict_on(HONEST, Scripted(((SECOND, FIRST),)))
    assert verdict.identical
    assert list(verdict.reference) == [FIRST, SECOND]
    assert verdict.published is not None
    assert verdict.published.count == 2


def test_a_lost_solution_is_named() -> None:
    verdict = verdict_on(HONEST, Scripted(((SECOND,),)))
    (disagreement,) = verdict.disagreements
    assert not verdict.identical
    assert list(disagreement.missing) == [FIRST]
    assert not disagreement.wrong


def test_an_addition_against_the_rules_is_named() -> None:
    verdict = verdict_on(Scripted(((FIRST, SECOND, (0, 1, 2, 3)),)), HONEST)
    (disagreement,) = verdict.disagreements
    assert list(disagreement.wrong) == [(0, 1, 2, 3)]
    assert not disagreement.missing
    assert list(verdict.reference) == [FIRST, SECOND]


def test_a_repetition_is_counted() -> None:
    (disagreement,) = verdict_on(HONEST, Scripted(((FIRST, FIRST), (SECOND,)))).disagreements
    assert disagreement.repetitions == 1


@pytest.mark.parametrize("block", [((0, 1, 2, 99),), ((0, 1, 2),)])
def test_something_that_is_no_placement_is_an_error_of_the_engine(block: tuple[tuple[int, ...], ...]) -> None:
    (disagreement,) = verdict_on(HONEST, Scripted((block,))).disagreements
    assert "no placement" in (disagreement.error or "")


def test_an_engine_that_raises_is_a_disagreement() -> None:
    verdict = verdict_on(HONEST, Scripted(((FIRST,),), fails=True))
    (disagreement,) = verdict.disagreements
    assert disagreement.error == "RuntimeError: out of order"
    assert not disagreement.missing  # it never claimed to be complete


def test_all_engines_may_miss_the_same_solution_but_not_the_published_count() -> None:
    verdict = verdict_on(Scripted(((FIRST,),)), Scripted(((FIRST,),)))
    assert not verdict.disagreements
    assert not verdict.published_agrees
    assert not verdict.identical


def test_no_engine_is_no_agreement() -> None:
    assert not verdict_on().identical


def test_a_limit_is_neither_agreement_nor_disagreement() -> None:
    verdict = cross_check(6, ["bitmask", "column-sets"], Limits(solutions=2))
    assert not verdict.disagreements
    assert not verdict.identical


def test_the_default_leaves_out_what_would_take_long_and_says_so() -> None:
    verdict = cross_check(Instance(12, fixed=[(0, 3)]), limits=Limits(solutions=1))
    assert "attack-table" in verdict.left_out
    assert "11 rows" in verdict.left_out["attack-table"]


def test_what_was_asked_for_by_name_must_be_possible() -> None:
    with pytest.raises(InvalidSetting):
        cross_check(4, ["no-such-engine"])
    regions = Instance(4, "adjacent", regions=["ABBB", "AABB", "CABD", "CCDD"])
    refusing = [name for name in ("attack-table", "column-sets", "conflict-check") if _refuses(name, regions)]
    for name in refusing:
        with pytest.raises(UnsupportedInstance):
            cross_check(regions, [name])
    assert set(refusing) <= set(cross_check(regions).left_out)


def _refuses(name: str, instance: Instance) -> bool:
    from nqueens_models.engines.registry import make_engine

    try:
        make_engine(name).enumerate(instance, lambda _: None)
    except UnsupportedInstance:
        return True
    return False
