"""Is the answer of a run right? Judged from stored runs alone: against each other, the rules and the literature.

A placement that obeys the rules is a solution, whoever found it. So of two searches that claim to be complete, the
one with fewer valid placements has lost some; of two with as many but different ones, both have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from nqueens_models.bench.records import Case, Goal, MeasuredRun, Status
from nqueens_models.bench.store import Archive
from nqueens_models.instance import Instance
from nqueens_models.known import published_count


class RunVerdict(StrEnum):
    """What can be said about the answer of a run. Only the first two are ranked."""

    RIGHT = "right"  #              confirmed by the literature, by another engine, or (a limit) by the rules
    UNCONFIRMED = "unconfirmed"  #  nothing to hold it against
    INCOMPLETE = "incomplete"  #    stopped by a limit before the answer was there
    FAILED = "failed"  #            crashed, raised, was killed for its memory, wrote rubbish
    NOT_TRIED = "not tried"  #      it says that it cannot express the instance, or is not installed
    DISPUTED = "disputed"  #        counts differ and nothing tells which is wrong
    WRONG = "wrong"

    @property
    def ranked(self) -> bool:
        """Whether a run with this verdict takes part in the ranking."""
        return self in (RunVerdict.RIGHT, RunVerdict.UNCONFIRMED)


ENDS = {
    Status.TIME_LIMIT: RunVerdict.INCOMPLETE,
    Status.TIME_OUT: RunVerdict.INCOMPLETE,
    Status.OUT_OF_MEMORY: RunVerdict.FAILED,
    Status.CRASH: RunVerdict.FAILED,
    Status.ERROR: RunVerdict.FAILED,
    Status.RUBBISH: RunVerdict.FAILED,
    Status.UNSUPPORTED: RunVerdict.NOT_TRIED,
    Status.UNAVAILABLE: RunVerdict.NOT_TRIED,
}
"""The verdict on runs that gave no answer."""


@dataclass(frozen=True)
class Judgement:
    """A verdict and the reason, in words."""

    verdict: RunVerdict
    reason: str = ""


@dataclass(frozen=True)
class Reference:
    """What is known about an instance.

    `published` is the number of its solutions in OEIS `sequence`. `at_least` different valid placements were found
    by somebody. `sets` are the complete sets of that size by their fingerprint, with the engines that listed them:
    two of them mean that all have lost something. `counts` are what complete counts came to, with the engines.
    """

    published: int | None = None
    sequence: str = ""
    at_least: int = 0
    sets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counts: Mapping[int, frozenset[str]] = field(default_factory=dict)

    @property
    def claims(self) -> list[int]:
        """The numbers of solutions that are possible and that somebody claims."""
        counted = {number for number in self.counts if number >= self.at_least}
        return sorted(counted | ({self.at_least} if self.sets else set()))


@dataclass(frozen=True)
class Evidence:
    """A run, what was asked, what is known."""

    run: MeasuredRun
    case: Case
    known: Reference


def judge_runs(archive: Archive) -> list[Judgement]:
    """Return the judgement of each run of the archive, in its order."""
    boards = {id(case): case.board() for session in archive.sessions.values() for case in session.cases}
    runs_on: dict[Instance, list[MeasuredRun]] = defaultdict(list)
    for run in archive.runs:
        runs_on[boards[id(archive.case(run))]].append(run)
    references = {board: reference(board, runs) for board, runs in runs_on.items()}
    return [
        judge_run(Evidence(run, case, references[boards[id(case)]]))
        for run, case in ((run, archive.case(run)) for run in archive.runs)
    ]


def reference(board: Instance, runs: Sequence[MeasuredRun]) -> Reference:
    """Return what the literature and all runs on one instance say about it."""
    published = published_count(board)
    at_least = max((run.distinct or 0 for run in runs), default=0)
    sets: dict[str, set[str]] = defaultdict(set)
    counts: dict[int, set[str]] = defaultdict(set)
    for run in runs:
        if run.status is not Status.EXHAUSTED:
            continue
        if run.distinct is None:
            counts[run.solutions].add(engine(run))
        elif run.fingerprint and run.distinct == at_least:
            sets[run.fingerprint].add(engine(run))
    return Reference(
        None if published is None else published.count,
        "" if published is None else published.sequence,
        at_least,
        {fingerprint: frozenset(engines) for fingerprint, engines in sets.items()},
        {number: frozenset(engines) for number, engines in counts.items()},
    )


def engine(run: MeasuredRun) -> str:
    """Return the name of the engine of a run: other settings or searches of it are no independent witnesses."""
    return run.contender.partition(" ")[0].partition(":")[0]


def judge_run(evidence: Evidence) -> Judgement:
    """Return the judgement of a run."""
    for look in (_broken_rules, _no_answer, _limited, _against_literature, _against_others):
        judgement = look(evidence)
        if judgement is not None:
            return judgement
    return _confirmation(evidence.run, evidence.known)


def _broken_rules(evidence: Evidence) -> Judgement | None:
    run = evidence.run
    if run.wrong:
        return Judgement(RunVerdict.WRONG, f"{run.wrong} of {run.solutions} placements break the rules")
    repetitions = run.solutions - run.distinct if run.distinct is not None else 0
    if repetitions:
        return Judgement(RunVerdict.WRONG, f"{repetitions} of {run.solutions} placements were visited before")
    return None


def _no_answer(evidence: Evidence) -> Judgement | None:
    run = evidence.run
    if run.status not in ENDS:
        return None
    return Judgement(ENDS[run.status], f"{run.status}{': ' if run.detail else ''}{run.detail}")


def _limited(evidence: Evidence) -> Judgement | None:
    """Judge a search that was to stop at a number of solutions, and did."""
    run, case = evidence.run, evidence.case
    if run.status is not Status.SOLUTION_LIMIT:
        return None
    if run.solutions != case.solutions:
        return Judgement(RunVerdict.WRONG, f"stopped after {run.solutions} solutions, not {case.solutions}")
    if case.goal is Goal.LIST:
        return Judgement(RunVerdict.RIGHT, "its placements obey the rules")
    return Judgement(RunVerdict.UNCONFIRMED, "counted as many as it was asked for")


def _against_literature(evidence: Evidence) -> Judgement | None:
    run, known = evidence.run, evidence.known
    if known.published is None or run.solutions == known.published:
        return None
    return Judgement(RunVerdict.WRONG, f"{run.solutions} solutions, OEIS {known.sequence} says {known.published}")


def _against_others(evidence: Evidence) -> Judgement | None:
    """Hold a complete search against those of others on the same instance."""
    run, known = evidence.run, evidence.known
    if run.solutions < known.at_least:
        lost = known.at_least - run.solutions
        return Judgement(RunVerdict.WRONG, f"{lost} or more of the solutions that others found are missing")
    if run.fingerprint and len(known.sets) > 1:
        return Judgement(RunVerdict.WRONG, "others found as many solutions, but not the same: some are missing")
    if known.published is None and len(known.claims) > 1:
        return Judgement(RunVerdict.DISPUTED, f"the numbers differ: {', '.join(map(str, known.claims))}")
    return None


def _confirmation(run: MeasuredRun, known: Reference) -> Judgement:
    """Return by what a complete answer that nothing speaks against is confirmed."""
    if known.published is not None:
        return Judgement(RunVerdict.RIGHT, f"{run.solutions} solutions, as OEIS {known.sequence} says")
    engines = known.counts.get(run.solutions, frozenset()).union(*known.sets.values())
    others = engines - {engine(run)}
    if others:
        return Judgement(RunVerdict.RIGHT, f"{run.solutions} solutions, as {', '.join(sorted(others))} found")
    return Judgement(RunVerdict.UNCONFIRMED, "no other engine has completed this search")


def worst(judgements: Sequence[Judgement]) -> Judgement:
    """Return the judgement of a cell: that of its worst run."""
    order = list(RunVerdict)
    return max(judgements, key=lambda judgement: order.index(judgement.verdict))
