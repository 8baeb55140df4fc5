"""Nothing that is wrong passes for right, whoever it comes from."""

from __future__ import annotations

from typing import Any

import pytest

from nqueens_models.bench.plan import make_case
from nqueens_models.bench.records import Case, Contender, Goal, MeasuredRun, Status, Trial
from nqueens_models.bench.verdicts import Judgement, RunVerdict, judge_runs, worst
from nqueens_models.instance import Instance
from tests.bench import records

EIGHT = make_case(Instance(8))  #                    92 solutions, says the literature
BLOCKED = make_case(Instance(8, blocked=[(0, 0)]))  # nobody has published their number
GOOD: dict[str, Any] = {}
LOST = {"solutions": 91, "distinct": 91, "fingerprint": "e" * 64}
OTHER = {"fingerprint": "e" * 64}
COUNTED = {"distinct": None, "wrong": None, "fingerprint": None}


def judged(case: Case, *changes: tuple[str, dict[str, Any]]) -> list[Judgement]:
    """Return the judgements of runs of the named engines that differ from a good one by the changes."""
    plan = records.plan([case], sorted({engine for engine, _ in changes}))
    runs: list[MeasuredRun] = []
    for engine, change in changes:
        trial = Trial(case=case, contender=Contender(engine=engine), allowance=plan.allowance)
        runs.append(records.run(trial, **change))
    return judge_runs(records.archive(plan, runs))


def verdicts(case: Case, *changes: tuple[str, dict[str, Any]]) -> list[RunVerdict]:
    return [judgement.verdict for judgement in judged(case, *changes)]


def test_the_literature_confirms() -> None:
    (judgement,) = judged(EIGHT, ("a", GOOD))
    assert judgement.verdict is RunVerdict.RIGHT
    assert "A000170" in judgement.reason


@pytest.mark.parametrize(
    "change",
    [
        LOST,
        {"wrong": 1, "solutions": 93, "witness": (0,) * 8},
        {"solutions": 93},  # one came twice
        COUNTED | {"solutions": 91},
        COUNTED | {"solutions": 93},
        {"solutions": 0, "distinct": 0, "fingerprint": "0" * 64},
    ],
)
def test_the_literature_and_the_rules_refute(change: dict[str, Any]) -> None:
    assert verdicts(EIGHT, ("a", change)) == [RunVerdict.WRONG]


def test_others_confirm_but_other_settings_do_not() -> None:
    assert verdicts(BLOCKED, ("a", GOOD), ("b", GOOD)) == [RunVerdict.RIGHT] * 2
    assert verdicts(BLOCKED, ("a", GOOD), ("a:x=1", GOOD)) == [RunVerdict.UNCONFIRMED] * 2
    assert verdicts(BLOCKED, ("a", GOOD)) == [RunVerdict.UNCONFIRMED]
    assert verdicts(BLOCKED, ("a", GOOD), ("b", COUNTED)) == [RunVerdict.RIGHT] * 2


def test_of_two_complete_lists_the_shorter_has_lost_something() -> None:
    assert verdicts(BLOCKED, ("a", GOOD), ("b", LOST), ("c", LOST)) == [
        RunVerdict.UNCONFIRMED, RunVerdict.WRONG, RunVerdict.WRONG,
    ]  # fmt: skip


def test_a_list_that_a_limit_cut_short_refutes_too() -> None:
    cut = {"status": Status.TIME_LIMIT}
    assert verdicts(BLOCKED, ("a", cut), ("b", LOST)) == [RunVerdict.INCOMPLETE, RunVerdict.WRONG]
    assert verdicts(BLOCKED, ("a", cut), ("b", COUNTED | {"solutions": 91})) == [
        RunVerdict.INCOMPLETE,
        RunVerdict.WRONG,
    ]


def test_different_lists_of_one_length_have_both_lost_something() -> None:
    assert verdicts(BLOCKED, ("a", GOOD), ("b", OTHER)) == [RunVerdict.WRONG] * 2


def test_counts_that_nothing_decides_are_disputed() -> None:
    more = COUNTED | {"solutions": 95}
    assert verdicts(BLOCKED, ("a", COUNTED), ("b", more)) == [RunVerdict.DISPUTED] * 2
    assert verdicts(BLOCKED, ("a", GOOD), ("b", more)) == [RunVerdict.DISPUTED] * 2
    assert verdicts(BLOCKED, ("a", COUNTED), ("b", COUNTED)) == [RunVerdict.RIGHT] * 2


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (Status.TIME_LIMIT, RunVerdict.INCOMPLETE),
        (Status.TIME_OUT, RunVerdict.INCOMPLETE),
        (Status.OUT_OF_MEMORY, RunVerdict.FAILED),
        (Status.CRASH, RunVerdict.FAILED),
        (Status.ERROR, RunVerdict.FAILED),
        (Status.RUBBISH, RunVerdict.FAILED),
        (Status.UNSUPPORTED, RunVerdict.NOT_TRIED),
        (Status.UNAVAILABLE, RunVerdict.NOT_TRIED),
    ],
)
def test_runs_without_an_answer(status: Status, verdict: RunVerdict) -> None:
    change = {"status": status, "detail": "for a reason", "solutions": 5, "distinct": 5}
    (judgement,) = judged(EIGHT, ("a", change))
    assert judgement.verdict is verdict
    assert "for a reason" in judgement.reason
    assert not verdict.ranked


def test_a_partial_list_with_a_wrong_placement_is_wrong() -> None:
    assert verdicts(EIGHT, ("a", {"status": Status.TIME_LIMIT, "wrong": 1})) == [RunVerdict.WRONG]


def test_every_status_leads_to_a_verdict() -> None:
    for status in Status:
        assert judged(EIGHT, ("a", {"status": status}))


def test_a_limit_of_solutions() -> None:
    three = make_case(Instance(8), solutions=3)
    good = {"status": Status.SOLUTION_LIMIT, "solutions": 3, "distinct": 3}
    assert verdicts(three, ("a", good)) == [RunVerdict.RIGHT]
    assert verdicts(three, ("a", good | {"solutions": 2, "distinct": 2})) == [RunVerdict.WRONG]
    assert verdicts(three, ("a", good | {"wrong": 1, "distinct": 2})) == [RunVerdict.WRONG]
    none = {"solutions": 0, "distinct": 0, "fingerprint": "0" * 64}
    blocked = make_case(Instance(8, blocked=[(0, 0)]), solutions=3)
    assert verdicts(blocked, ("a", good), ("b", none)) == [RunVerdict.RIGHT, RunVerdict.WRONG]
    counted = make_case(Instance(8), Goal.COUNT, solutions=3)
    assert verdicts(counted, ("a", good | COUNTED | {"solutions": 3})) == [RunVerdict.UNCONFIRMED]


def test_a_cell_is_as_good_as_its_worst_run() -> None:
    order = [RunVerdict.RIGHT, RunVerdict.FAILED, RunVerdict.UNCONFIRMED]
    assert worst([Judgement(verdict) for verdict in order]).verdict is RunVerdict.FAILED
    assert worst([Judgement(RunVerdict.INCOMPLETE), Judgement(RunVerdict.WRONG)]).verdict is RunVerdict.WRONG
