"""Tables are what the stored runs say: nothing that is wrong is ranked, nothing is mixed, nothing is lost."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nqueens_models.bench.changes import Kind, change_facts, change_table, changes, sentence
from nqueens_models.bench.plan import Plan, make_case
from nqueens_models.bench.records import Allowance, Goal, MeasuredRun, Seconds, Status, Trial
from nqueens_models.bench.store import Archive
from nqueens_models.bench.summary import Cell, Measure, Summary, summarise
from nqueens_models.bench.tables import (
    csv_text,
    interval_text,
    json_facts,
    markdown,
    memory_text,
    seconds_text,
    verdict_sentence,
)
from nqueens_models.bench.verdicts import RunVerdict
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Instance
from tests.bench import records

EIGHT, BLOCKED = make_case(Instance(8)), make_case(Instance(8, blocked=[(0, 0)]))
PLAN = records.plan([EIGHT, BLOCKED], ["slow", "fast", "wrong", "cut"], repeat=3)
SOLVE = {"slow": 4.0, "fast": 1.0, "wrong": 0.5, "cut": 9.0}
CHANGES: dict[str, dict[str, Any]] = {
    "wrong": {"solutions": 91, "distinct": 91, "fingerprint": "0" * 64},
    "cut": {"status": Status.TIME_LIMIT, "solutions": 5, "distinct": 5},
}


def runs(plan: Plan = PLAN, factor: float = 1.0, **more: Any) -> list[MeasuredRun]:
    return [_run(trial, factor, more) for trial in plan.trials()]


def _run(trial: Trial, factor: float, more: dict[str, Any]) -> MeasuredRun:
    engine = trial.contender.engine
    spread = 1 + 0.01 * trial.repetition
    return records.run(trial, 0.5 * factor, SOLVE[engine] * factor * spread, **(CHANGES.get(engine, {}) | more))


def whole(**settings: Any) -> Summary:
    return summarise(records.archive(PLAN, runs()), **settings)


def cell(summary: Summary, contender: str, case: str = "n=8") -> Cell:
    return next(c for c in summary.cells if c.contender == contender and c.case.name == case)


def test_ranks_go_to_right_answers_only() -> None:
    summary = whole()
    ranks = {c.contender: c.rank for c in summary.cells if c.case.name == "n=8"}
    assert ranks == {"fast": 1, "slow": 2, "wrong": None, "cut": None}
    verdicts = {c.contender: c.judgement.verdict for c in summary.cells if c.case is cell(summary, "fast").case}
    assert verdicts == {
        "fast": RunVerdict.RIGHT, "slow": RunVerdict.RIGHT,
        "wrong": RunVerdict.WRONG, "cut": RunVerdict.INCOMPLETE,
    }  # fmt: skip


def test_one_bad_run_takes_the_rank_of_the_cell() -> None:
    made = runs()
    place = next(i for i, r in enumerate(made) if r.contender == "fast" and r.repetition == 1 and r.case == "n=8")
    made[place] = msgspec.structs.replace(made[place], status=Status.CRASH, detail="SIGSEGV")
    found = cell(summarise(records.archive(PLAN, made)), "fast")
    assert (found.rank, found.judgement.verdict) == (None, RunVerdict.FAILED)


def test_medians_are_of_building_and_solving() -> None:
    found = cell(whole(), "slow").estimates
    assert found[Measure.TIME].median == pytest.approx(4.54)
    assert found[Measure.SOLVE].median == pytest.approx(4.04)
    assert found[Measure.MEMORY].median == 50 << 20


def test_standings_count_what_is_not_solved_twice() -> None:
    standings = {one.contender: one for one in whole().standings}
    assert [one.contender for one in whole().standings][:2] == ["fast", "slow"]
    assert standings["slow"].score == pytest.approx(4.54)
    assert standings["wrong"].score == 20.0  # the limit is 10 seconds
    assert (standings["fast"].solved, standings["fast"].firsts, standings["cut"].solved) == (2, 2, 0)
    assert standings["wrong"].verdicts[RunVerdict.WRONG] == 2


def test_a_case_that_a_contender_was_not_given_is_not_solved() -> None:
    plan = records.plan([EIGHT, BLOCKED], ["slow", "fast"], cells=((0, 0), (0, 1), (1, 1)), repeat=1)
    summary = summarise(records.archive(plan, runs(plan)))
    slow = next(one for one in summary.standings if one.contender == "slow")
    assert (slow.given, slow.cases) == (1, 2)
    assert slow.score == pytest.approx((4.5 + 20) / 2)


def test_an_answer_after_the_time_limit_is_not_solved() -> None:
    plan = records.plan([EIGHT], ["slow"], repeat=1)
    summary = summarise(records.archive(plan, runs(plan, factor=3.0)))
    assert cell(summary, "slow").judgement.verdict is RunVerdict.RIGHT
    assert cell(summary, "slow").rank is None
    assert summary.standings[0].score == 20.0


def test_ratios_to_a_baseline() -> None:
    summary = whole(baseline="slow", measure=Measure.SOLVE)
    fast = cell(summary, "fast").ratio
    assert fast is not None
    assert fast.median == pytest.approx(0.25)
    assert fast.low <= 0.25 <= fast.high
    assert cell(summary, "wrong").ratio is None
    with pytest.raises(InvalidInput, match="did you mean fast"):
        whole(baseline="fats")


def test_machines_and_versions_are_not_mixed_unless_asked() -> None:
    archive = records.archive(PLAN, runs())
    other = records.session(PLAN, id="other", versions={"python": "3.11.0 (CPython)", "ortools": "9.16"})
    archive.add_session(other)
    archive.runs.extend(runs(factor=0.5, session="other"))
    with pytest.raises(InvalidInput, match=r"ortools 9\.15, now 9\.16.*--mix"):
        summarise(archive)
    summary = summarise(archive, mix=True)
    assert summary.contenders[:2] == ("slow [A]", "slow [B]")
    assert cell(summary, "slow [B]").estimates[Measure.TIME].median == pytest.approx(2.27)
    assert "MIXED" in markdown(summary)
    assert "ortools 9.15, now 9.16" in markdown(summary)


def test_other_limits_on_the_same_cell_are_refused_in_any_order() -> None:
    """A session that shares no cell with either is alike to both, and hides neither from the other."""
    other = dataclasses.replace(PLAN, allowance=Allowance(seconds=20.0))
    apart = records.plan([make_case(Instance(5))], ["elsewhere"], allowance=Allowance(seconds=30.0))
    made = [(PLAN, "a"), (other, "b"), (apart, "c")]
    for order in permutations(made):
        archive = records.archive(order[0][0], [])
        archive.sessions.clear()
        for plan, name in order:
            archive.add_session(records.session(plan, id=name, title=name))
            archive.runs.extend(records.run(trial, session=name) for trial in plan.trials())
        with pytest.raises(InvalidInput, match=r"(10|20|30) s.*now (10|20|30) s"):
            summarise(archive)
        assert summarise(archive, mix=True).title == ", ".join(name for _, name in order)


def test_sessions_under_the_same_conditions_are_one_comparison() -> None:
    first, second = runs()[:5], runs()[5:]
    archive = records.archive(PLAN, first)
    archive.add_session(records.session(PLAN, id="resumed", began="2026-02-02T00:00:00+00:00"))
    archive.runs.extend(msgspec.structs.replace(run, session="resumed") for run in second)
    both, whole_one = summarise(archive), whole()
    assert both.standings == whole_one.standings
    assert [(c.contender, c.rank, c.estimates) for c in both.cells] == [
        (c.contender, c.rank, c.estimates) for c in whole_one.cells
    ]


def test_the_report_does_not_depend_on_the_order_of_the_runs() -> None:
    straight, reverse = (
        summarise(records.archive(PLAN, made), baseline="slow") for made in (runs(), runs()[::-1])
    )
    assert markdown(straight) == markdown(reverse)
    assert csv_text(straight) == csv_text(reverse)


def test_what_is_missing_is_said() -> None:
    archive = records.archive(PLAN, runs()[:10])
    archive.torn.append(Path("runs.jsonl"))
    notes = " ".join(summarise(archive).notes)
    # of 24 runs 10 are there; the second and third runs of the two cells that hit the limit are not wanted
    given_up = {run.trial[:16] for run in archive.runs if run.contender == "cut"}
    skipped = 2 * len(given_up) - sum(r.repetition > 0 for r in archive.runs if r.trial[:16] in given_up)
    assert f"{24 - 10 - skipped} of its runs are missing" in notes
    assert "runs.jsonl: the last line is not whole" in notes


def test_nothing_to_report() -> None:
    with pytest.raises(InvalidInput, match="no runs"):
        summarise(Archive())


def test_the_verdict_in_words() -> None:
    assert "2 cells wrong or disputed: wrong." in verdict_sentence(whole())
    good = records.plan([EIGHT], ["slow", "fast"], repeat=1)
    assert verdict_sentence(summarise(records.archive(good, runs(good)))).startswith("No answer is wrong")


def test_csv_and_json_have_every_cell() -> None:
    summary = whole(baseline="slow")
    lines = list(csv.DictReader(io.StringIO(csv_text(summary))))
    assert len(lines) == 8
    fast = next(line for line in lines if line["contender"] == "fast" and line["case"] == "n=8")
    assert float(fast["time"]) == pytest.approx(1.51)
    assert (fast["verdict"], fast["rank"], fast["solutions"]) == ("right", "1", "92")
    facts = json.loads(json.dumps(json_facts(summary)))
    assert [one["contender"] for one in facts["cells"]] == [line["contender"] for line in lines]
    assert facts["standings"][0]["contender"] == "fast"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.00 µs"),
        (1.5e-6, "1.50 µs"),
        (999.6e-6, "1.00 ms"),
        (0.0123, "12.3 ms"),
        (0.9996, "1.00 s"),
        (123.4, "123 s"),
    ],
)
def test_seconds_for_people(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_memory_and_intervals_for_people() -> None:
    assert memory_text(37.5 * 2**20) == "37.5 MiB"
    assert memory_text(3 * 2**30) == "3.00 GiB"
    estimate = cell(whole(), "slow").estimates[Measure.TIME]
    assert interval_text(estimate, Measure.TIME) == "4.50 – 4.58 s"


def test_measures_of_a_run() -> None:
    run = records.run(next(PLAN.trials()), 0.25, 2.0, first_solution=0.5)
    values = {measure: measure.of(run) for measure in Measure}
    assert values == {
        Measure.TIME: 2.25, Measure.BUILD: 0.25, Measure.SOLVE: 2.0, Measure.TOTAL: 3.25, Measure.CPU: 1.0,
        Measure.FIRST: 0.5, Measure.MEMORY: float(50 << 20),
    }  # fmt: skip
    unfinished = msgspec.structs.replace(run, seconds=Seconds(total=1.0))
    assert Measure.TIME.of(unfinished) is None


# What changed.


def compared(factor: float, threshold: float = 0.1, **more: Any) -> dict[str, Kind]:
    plan = records.plan([EIGHT], ["slow", "fast"], repeat=3)
    old = summarise(records.archive(plan, runs(plan)))
    new = summarise(records.archive(plan, runs(plan, factor, **more)))
    return {change.cell.contender: change.kind for change in changes(old, new, threshold).changes}


def test_the_same_runs_have_not_changed() -> None:
    assert compared(1.0) == {"slow": Kind.SAME, "fast": Kind.SAME}


def test_slower_and_faster_beyond_the_threshold() -> None:
    assert set(compared(1.3).values()) == {Kind.SLOWER}
    assert set(compared(0.7).values()) == {Kind.FASTER}
    assert set(compared(1.3, threshold=0.5).values()) == {Kind.SAME}


def test_no_change_as_long_as_the_intervals_overlap() -> None:
    assert set(compared(1.01, threshold=0.0).values()) == {Kind.SAME}


def test_a_verdict_that_got_worse_is_a_regression() -> None:
    assert set(compared(1.0, status=Status.CRASH).values()) == {Kind.REGRESSED}


def test_cells_that_come_and_go_and_mend() -> None:
    before = records.plan([EIGHT], ["slow", "wrong"], repeat=1)
    after = records.plan([EIGHT, BLOCKED], ["wrong"], repeat=1)
    old = summarise(records.archive(before, runs(before)))
    mended = [records.run(trial) for trial in after.trials()]
    found = changes(old, summarise(records.archive(after, mended)))
    kinds = {(c.cell.case.name, c.cell.contender): c.kind for c in found.changes}
    assert kinds == {
        ("n=8", "slow"): Kind.REMOVED, ("n=8", "wrong"): Kind.MENDED,
        (BLOCKED.name, "wrong"): Kind.ADDED,
    }  # fmt: skip
    assert not found.bad
    assert "1 mended" in sentence(found)
    assert len(change_table(found).rows) == 3
    assert json.loads(json.dumps(change_facts(found)))["bad"] is False


def test_times_too_small_to_tell_are_not_slower() -> None:
    plan = records.plan([EIGHT], ["slow"], repeat=3)
    old, new = (summarise(records.archive(plan, runs(plan, factor))) for factor in (1e-5, 2e-5))
    assert [c.kind for c in changes(old, new).changes] == [Kind.SAME]
    assert [c.kind for c in changes(old, new, least=0.0).changes] == [Kind.SLOWER]


def test_conditions_that_differ_are_said() -> None:
    plan = records.plan([EIGHT], ["slow"], repeat=1)
    old = summarise(records.archive(plan, runs(plan)))
    new = summarise(records.archive(plan, runs(plan), versions={"python": "3.12.0 (CPython)"}))
    assert changes(old, new).conditions == "python 3.11.0 (CPython), now 3.12.0 (CPython)"


def test_goals_and_limits_make_different_cells() -> None:
    counted = make_case(Instance(8), Goal.COUNT)
    plan = records.plan([EIGHT, counted], ["slow"], repeat=1)
    assert len(summarise(records.archive(plan, runs(plan))).cells) == 2
