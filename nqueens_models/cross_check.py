"""Do engines agree? Runs of several engines on one instance, judged from first principles, make a verdict.

A placement that obeys the rules is a solution, whoever found it. So the reference is every valid placement that
any engine found: an engine that lacks one of them has lost it, and a placement that breaks a rule is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from nqueens_models.cubes import taken_apart
from nqueens_models.engines.base import NO_LIMITS, Engine, Limits, Termination
from nqueens_models.engines.registry import describe, make_engine, names, spec_of
from nqueens_models.errors import EngineUnavailable, InvalidInput, UnsupportedInstance
from nqueens_models.instance import Instance
from nqueens_models.known import Published, published_count
from nqueens_models.run import Collector, Timings
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import valid_rows


@dataclass(frozen=True)
class Finding:
    """What one engine did on the instance.

    `visited` placements, of which `distinct` are different; `valid` are the distinct ones that obey the rules, and
    `wrong` those that do not. `termination` is None for an engine that failed, with the reason in `error`.
    """

    engine: str
    search: str
    termination: Termination | None
    visited: int
    distinct: int
    valid: SolutionSet
    wrong: SolutionSet
    seconds: float
    error: str | None = None

    @property
    def complete(self) -> bool:
        """Whether the engine claims to have found every solution."""
        return self.termination is Termination.EXHAUSTED


@dataclass(frozen=True)
class Disagreement:
    """How an engine errs: solutions it lost, placements that are none, how many visits were repetitions."""

    engine: str
    missing: SolutionSet
    wrong: SolutionSet
    repetitions: int
    error: str | None = None

    @property
    def exists(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.missing or self.wrong or self.repetitions or self.error)


@dataclass(frozen=True)
class Verdict:
    """What a cross-check found: every run, every disagreement, and how the number compares with the literature.

    `left_out` are the engines that were not asked, each with the reason.
    """

    instance: Instance
    findings: tuple[Finding, ...]
    disagreements: tuple[Disagreement, ...]
    reference: SolutionSet
    published: Published | None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def identical(self) -> bool:
        """Whether all engines completed and found the same set, of the published size if there is one."""
        return not self.disagreements and self.complete and self.published_agrees

    @property
    def complete(self) -> bool:
        """Whether at least one engine ran and every engine that ran completed its search."""
        return bool(self.findings) and all(finding.complete for finding in self.findings)

    @property
    def published_agrees(self) -> bool:
        """Whether the reference of a complete cross-check has the published size (or none is published)."""
        return self.published is None or not self.complete or self.published.count == len(self.reference)


def cross_check(
    instance: Instance | int,
    engines: Iterable[str | Engine] | None = None,
    limits: Limits = NO_LIMITS,
    *,
    search: Callable[[Engine], Engine] = lambda engine: engine,
    around: Callable[[Engine], AbstractContextManager[object]] = lambda _: nullcontext(),
) -> Verdict:
    """Run engines on the instance (or n), one after the other, and return the verdict.

    The default is every engine that can list this instance in reasonable time. `limits` hold for each engine; each
    is run as `search(engine)` inside the context manager `around(engine)`. An engine that raises while it runs is
    a disagreement, not an exception; bad specifications do raise, and missing solvers and unsupported instances
    too for `engines` that were asked for by name.
    """
    board = instance if isinstance(instance, Instance) else Instance(instance)
    wanted, left_out = (engines, {}) if engines is not None else _practical(board)
    findings: list[Finding] = []
    for engine in [search(make_engine(spec)) for spec in wanted]:
        try:
            with around(engine):
                findings.append(examine(engine, board, limits))
        except (UnsupportedInstance, EngineUnavailable) as reason:
            if engines is not None:
                raise
            left_out[engine.name] = str(reason)
        if findings and findings[-1].termination is Termination.INTERRUPTED:
            break
    return verdict_on(board, findings, left_out)


PRACTICAL_ROWS = 10
"""How many rows without a fixed queen an engine is asked to fill by default, if it has no `practical_rows`."""


def _practical(instance: Instance) -> tuple[list[str], dict[str, str]]:
    """Return the engines that can list the instance in reasonable time, and why the others are left out."""
    unfilled = instance.n - len({row for row, _ in instance.fixed})
    chosen, left_out = [], {}
    for name in names():
        info = describe(name)
        if info.needs:  # only who asks for it can say what
            continue
        if info.missing is not None:
            left_out[name] = info.missing
        elif unfilled > (rows := getattr(type(make_engine(name)), "practical_rows", PRACTICAL_ROWS)):
            left_out[name] = (
                f"it would take long to fill {unfilled} rows; it is asked by default to fill up to {rows}"
            )
        else:
            chosen.append(name)
    return chosen, left_out


def examine(engine: Engine, instance: Instance, limits: Limits = NO_LIMITS) -> Finding:
    """Run one engine and separate what it visited into valid and wrong placements."""
    collector = Collector(instance)
    termination, timings, error = None, Timings(0.0, 0.0, 0.0), None
    try:
        outcome = engine.enumerate(instance, collector, limits)
        termination = outcome.termination
        timings = Timings(outcome.build_seconds, outcome.solve_seconds, 0.0)
    except (UnsupportedInstance, EngineUnavailable, InvalidInput):
        raise
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return _finding(engine, instance, collector, termination, timings, error)


def _finding(
    engine: Engine,
    instance: Instance,
    collector: Collector,
    termination: Termination | None,
    timings: Timings,
    error: str | None,
) -> Finding:
    try:
        visited = collector.array
        good = valid_rows(instance, visited)
        wrong = SolutionSet(instance.n, visited[~good])
    except ValueError as failure:  # blocks of another shape, columns off the board
        return _unreadable(engine, instance, f"{error or 'visited something that is no placement'}: {failure}")
    valid = SolutionSet(instance.n, visited[good])
    return Finding(
        *_names(engine), termination, len(visited), len(valid) + len(wrong), valid, wrong,
        timings.build + timings.solve, error,
    )  # fmt: skip


def _unreadable(engine: Engine, instance: Instance, error: str) -> Finding:
    nothing = SolutionSet(instance.n)
    return Finding(*_names(engine), None, 0, 0, nothing, nothing, 0.0, error)


def _names(engine: Engine) -> tuple[str, str]:
    """Return the shortest specification of the engine proper, and its search."""
    inner, search = taken_apart(engine)
    return spec_of(inner), search


def verdict_on(
    instance: Instance, findings: Sequence[Finding], left_out: Mapping[str, str] | None = None
) -> Verdict:
    """Hold findings on one instance against each other and against the published count."""
    reference = SolutionSet(instance.n)
    for finding in findings:
        if len(finding.valid) != len(reference) or finding.valid != reference:
            reference = reference | finding.valid
    found = (_disagreement(finding, reference) for finding in findings)
    disagreements = tuple(one for one in found if one.exists)
    return Verdict(instance, tuple(findings), disagreements, reference, published_count(instance), left_out or {})


def _disagreement(finding: Finding, reference: SolutionSet) -> Disagreement:
    """Return what is wrong with a finding; only a search that claims to be complete can miss something."""
    nothing = SolutionSet(reference.n)
    missing = reference - finding.valid if finding.complete else nothing
    repetitions = finding.visited - finding.distinct
    return Disagreement(finding.engine, missing, finding.wrong, repetitions, finding.error)
