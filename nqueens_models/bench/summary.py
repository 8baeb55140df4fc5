"""What the stored runs say: cells with their medians and ranks, and how the contenders stand over all cases.

Everything that is shown, in the terminal, in a file or on the page, is made from a Summary, and a Summary from
stored runs alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from nqueens_models.bench.compare import NOT_REPEATED
from nqueens_models.bench.conditions import limits_text, unlike
from nqueens_models.bench.records import Allowance, Case, MeasuredRun, Session, Trial
from nqueens_models.bench.statistics import Estimate, estimate, par2, ratio
from nqueens_models.bench.store import Archive
from nqueens_models.bench.verdicts import Judgement, RunVerdict, judge_runs, worst
from nqueens_models.errors import InvalidInput


class Measure(StrEnum):
    """What is compared; seconds, and bytes for memory."""

    TIME = "time"  #      building and solving
    BUILD = "build"
    SOLVE = "solve"
    TOTAL = "total"  #    the whole process, from its spawning to its end
    CPU = "cpu"  #        of the whole process
    FIRST = "first"  #    until the first solution
    MEMORY = "memory"  #  the peak, of the process tree

    def of(self, run: MeasuredRun) -> float | None:
        """Return the value for a run, None if it has none."""
        seconds = run.seconds
        match self:
            case Measure.TIME:
                return None if seconds.solve is None else (seconds.build or 0.0) + seconds.solve
            case Measure.CPU:
                return run.cpu_seconds
            case Measure.FIRST:
                return run.first_solution
            case Measure.MEMORY:
                return float(run.peak_memory)
        value: float | None = getattr(seconds, self.value)
        return value


@dataclass(frozen=True)
class Cell:
    """One contender on one case: its runs, their judgement, the estimates of what was measured.

    `rank` is None unless the answer is right and was there within the limit, and so is `ratio`, to the baseline.
    """

    case: Case
    contender: str
    allowance: Allowance
    runs: tuple[MeasuredRun, ...]
    judgement: Judgement
    estimates: Mapping[Measure, Estimate]
    rank: int | None = None
    ratio: Estimate | None = None

    @property
    def solved(self) -> bool:
        """Whether the answer is right, as far as can be told, and was there within the time limit."""
        time = self.estimates.get(Measure.TIME)
        return self.judgement.verdict.ranked and time is not None and time.median <= self.allowance.seconds

    def values(self, measure: Measure) -> list[float]:
        """Return the values of the runs that have one."""
        return [value for run in self.runs if (value := measure.of(run)) is not None]

    @property
    def statistics(self) -> Mapping[str, int]:
        """The statistics of the first run."""
        return self.runs[0].statistics


@dataclass(frozen=True)
class Standing:
    """How a contender did over all cases of the comparison; one it was not given counts as not solved."""

    contender: str
    cases: int
    given: int
    solved: int
    firsts: int
    score: float  # PAR-2, seconds
    verdicts: Mapping[RunVerdict, int]


@dataclass(frozen=True)
class Summary:
    """All there is to show. `conditions` maps the letters behind mixed contenders to what they mean."""

    title: str
    sessions: tuple[Session, ...]
    measure: Measure
    baseline: str | None
    cases: tuple[Case, ...]
    contenders: tuple[str, ...]
    cells: tuple[Cell, ...]
    standings: tuple[Standing, ...]
    judgements: tuple[tuple[MeasuredRun, Judgement], ...]
    conditions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def count(self, verdict: RunVerdict) -> int:
        """Return how many cells have a verdict."""
        return sum(cell.judgement.verdict is verdict for cell in self.cells)

    @property
    def groups(self) -> list[str]:
        """The groups of cases, in order."""
        return list(dict.fromkeys(case.group for case in self.cases))


def summarise(
    archive: Archive, measure: Measure = Measure.TIME, baseline: str | None = None, mix: bool = False
) -> Summary:
    """Return the summary of an archive; cells are ranked by `measure` and compared with the contender `baseline`.

    Raises InvalidInput for an archive without runs, an unknown baseline, and for runs that were made on different
    machines, with different versions or under different limits, unless they are to be mixed.
    """
    if not archive.runs:
        raise InvalidInput("there are no runs to report")
    letters, conditions = _conditions(archive, mix)
    judgements = judge_runs(archive)
    grouped: dict[tuple[str, str], list[tuple[MeasuredRun, Judgement]]] = defaultdict(list)
    for run, judgement in zip(archive.runs, judgements, strict=True):
        grouped[run.trial.rpartition("-")[0], letters[run.session]].append((run, judgement))
    cells = [_cell(archive, letter, runs) for (_, letter), runs in grouped.items()]
    cases, contenders = _order(archive, cells)
    cells.sort(key=lambda cell: (cases[cell.case.name], contenders[cell.contender]))
    chosen = _baseline(baseline, contenders)
    ranked = _compared(_ranked(cells, measure), measure, chosen)
    in_order = {cell.case.name: cell.case for cell in ranked}
    return Summary(
        title=_title(archive),
        sessions=tuple(archive.sessions.values()),
        measure=measure,
        baseline=chosen,
        cases=tuple(in_order.values()),
        contenders=tuple(sorted({cell.contender for cell in ranked}, key=contenders.__getitem__)),
        cells=tuple(ranked),
        standings=_standings(ranked),
        judgements=tuple(zip(archive.runs, judgements, strict=True)),
        conditions=conditions,
        notes=tuple(_notes(archive)),
    )


def _title(archive: Archive) -> str:
    """Return the title of the comparison, or those of a few, or how many they are."""
    titles = list(dict.fromkeys(session.title for session in archive.sessions.values()))
    return f"{len(titles)} comparisons" if len(titles) > 3 else ", ".join(titles)


def _conditions(archive: Archive, mix: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Return the letter of each session, "" if there is only one kind, and what the letters mean."""
    with_runs = {run.session for run in archive.runs}
    kinds: list[list[Session]] = []  # sessions of which each may stand beside each other
    letters: dict[str, str] = {}
    for session in archive.sessions.values():
        if session.id in with_runs:
            alike = (number for number, kind in enumerate(kinds) if not any(unlike(k, session) for k in kind))
            number = next(alike, len(kinds))
            kinds += [[]] if number == len(kinds) else []
            kinds[number].append(session)
            letters[session.id] = chr(ord("A") + number)
    if len(kinds) == 1:
        return dict.fromkeys(letters, ""), {}
    differences = [_difference_of(kinds[0], other) for other in kinds[1:]]
    if not mix:
        raise InvalidInput(
            f"these runs were made under different conditions ({differences[0]}); --mix shows them side by side"
        )
    meanings = [_described(kinds[0][0]), *differences]
    return letters, {letters[kind[0].id]: meaning for kind, meaning in zip(kinds, meanings, strict=True)}


def _difference_of(first: list[Session], others: list[Session]) -> str:
    """Return in what sessions of one kind differ from those of another."""
    differences = (unlike(one, other) for one in first for other in others)
    return next(filter(None, differences), "as A, but not as the others")


def _described(session: Session) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in session.versions.items())
    return f"{session.machine.describe()}; {versions}; {limits_text(session)}; {session.at_once} run(s) at a time"


def _cell(archive: Archive, letter: str, judged: Sequence[tuple[MeasuredRun, Judgement]]) -> Cell:
    runs = tuple(sorted((run for run, _ in judged), key=lambda run: (run.repetition, run.began)))
    estimates = {}
    for measure in Measure:
        values = [value for run in runs if (value := measure.of(run)) is not None]
        if values:
            estimates[measure] = estimate(values)
    return Cell(
        case=archive.case(runs[0]),
        contender=runs[0].contender + (f" [{letter}]" if letter else ""),
        allowance=archive.session(runs[0]).allowance,
        runs=runs,
        judgement=worst([judgement for _, judgement in judged]),
        estimates=estimates,
    )


def _order(archive: Archive, cells: Iterable[Cell]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the places of cases and contenders: those of the plans, whatever order the runs were made in."""
    cases: dict[str, int] = {}
    planned: dict[str, int] = {}
    for session in archive.sessions.values():
        for case in session.cases:
            cases.setdefault(case.name, len(cases))
        for contender in session.contenders:
            planned.setdefault(contender.label, len(planned))
    shown = {cell.contender: cell.runs[0].contender for cell in cells}
    ordered = sorted(shown, key=lambda label: (planned.get(shown[label], len(planned)), label))
    return cases, {label: place for place, label in enumerate(ordered)}


def _baseline(wanted: str | None, contenders: Iterable[str]) -> str | None:
    from nqueens_models.engines.registry import unknown

    if wanted is not None and wanted not in contenders:
        raise InvalidInput(unknown("engine of this comparison", wanted, contenders))
    return wanted


def _ranked(cells: Sequence[Cell], measure: Measure) -> list[Cell]:
    """Return the cells with the ranks of those that solved their case; equal medians share one."""
    medians: dict[str, list[float]] = defaultdict(list)
    for cell in cells:
        if cell.solved and measure in cell.estimates:
            medians[cell.case.name].append(cell.estimates[measure].median)
    return [
        replace(cell, rank=1 + sum(m < cell.estimates[measure].median for m in medians[cell.case.name]))
        if cell.solved and measure in cell.estimates
        else cell
        for cell in cells
    ]


def _compared(cells: Sequence[Cell], measure: Measure, baseline: str | None) -> list[Cell]:
    """Return the cells with their ratios to the baseline's, where both have a rank."""
    bases = {cell.case.name: cell for cell in cells if cell.contender == baseline and cell.rank is not None}
    return [
        replace(cell, ratio=ratio(cell.values(measure), bases[cell.case.name].values(measure)))
        if cell.rank is not None and cell.case.name in bases
        else cell
        for cell in cells
    ]


def _standings(cells: Sequence[Cell]) -> tuple[Standing, ...]:
    limits: dict[str, float] = defaultdict(float)
    by_contender: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_contender[cell.contender].append(cell)
        limits[cell.case.name] = max(limits[cell.case.name], cell.allowance.seconds)
    standings = [_standing(contender, own, limits) for contender, own in by_contender.items()]
    return tuple(sorted(standings, key=lambda one: (-one.solved, one.score)))


def _standing(contender: str, cells: Sequence[Cell], limits: Mapping[str, float]) -> Standing:
    times = {cell.case.name: cell.estimates[Measure.TIME].median for cell in cells if cell.solved}
    return Standing(
        contender=contender,
        cases=len(limits),
        given=len({cell.case.name for cell in cells}),
        solved=len(times),
        firsts=sum(cell.rank == 1 for cell in cells),
        score=par2([(times.get(case), limit) for case, limit in limits.items()]),
        verdicts={verdict: sum(cell.judgement.verdict is verdict for cell in cells) for verdict in RunVerdict},
    )


def _notes(archive: Archive) -> Iterable[str]:
    """Yield what a reader has to know besides."""
    for path in archive.torn:
        yield f"{path.name}: the last line is not whole and was left out; compare --resume repairs the file"
    missing = _missing(archive)
    if missing:
        yield f"the comparison is not finished: {missing} of its runs are missing; compare --resume goes on"


def _missing(archive: Archive) -> int:
    """Return how many planned runs are not there, apart from repetitions that would bring nothing new."""
    there = {run.trial for run in archive.runs}
    given_up = {run.trial.rpartition("-")[0] for run in archive.runs if run.status in NOT_REPEATED}
    missing: set[str] = set()
    for session in archive.sessions.values():
        for cell in _planned(session):
            if cell not in given_up:
                missing |= {f"{cell}-{number}" for number in range(session.repeat)} - there
    return len(missing)


def _planned(session: Session) -> Iterable[str]:
    for case, contender in session.cells:
        yield Trial(
            case=session.cases[case], contender=session.contenders[contender], allowance=session.allowance
        ).cell
