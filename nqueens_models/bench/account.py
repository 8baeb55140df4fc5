"""What a worker said and how its process ended, put together as the record of a run."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field

from nqueens_models.bench.events import Checked, Ended, Entered, Event, Finished, Partial, Progress, Warm
from nqueens_models.bench.records import Goal, MeasuredRun, Phase, Seconds, Status, Trial

KEPT_SAMPLES = 100


@dataclass
class Ending:
    """How a process ended, and what the system counted.

    `interrupted` says whether its search was told to stop; `killed` is the limit it was killed for, if it was.
    """

    total: float
    exit_status: int
    cpu_seconds: float
    peak_memory: int
    interrupted: bool = False
    killed: Status | None = None
    reason: str = ""


@dataclass
class Account:
    """What a worker has said so far; `entered` is its phase and when it began, in seconds since the spawning."""

    entered: tuple[Phase, float] = (Phase.IMPORT, 0.0)
    starts: dict[Phase, float] = field(default_factory=dict)
    samples: list[tuple[float, int]] = field(default_factory=list)
    warm: Warm | None = None
    partial: Partial | None = None
    ended: Ended | None = None
    checked: Checked | None = None
    finished: Finished | None = None
    rubbish: bytes = b""
    output: bytes = b""
    printed: int = 0

    def take(self, event: Event | None, line: bytes) -> None:
        """Take an event; None for a line that is none."""
        match event:
            case None:
                self.rubbish = self.rubbish or line
            case Entered():
                self.starts.setdefault(event.phase, event.seconds)
                self.entered = (event.phase, event.seconds)
            case Progress():
                self.samples.append((event.seconds, event.solutions))
            case Warm():
                self.warm = event
            case Partial():
                self.partial = event
            case Ended():
                self.ended = event
            case Checked():
                self.checked = event
            case Finished():
                self.finished = event

    @property
    def phase(self) -> Phase:
        """Where the run is; a search that has reported a model or a solution is past building."""
        phase = self.entered[0]
        built = self.samples or (self.partial is not None and self.partial.build is not None)
        return Phase.SOLVE if phase is Phase.BUILD and built else phase


def record(
    account: Account,
    ending: Ending,
    trial: Trial,
    *,
    session: str,
    began: str,
    load: float | None,
    pinned: tuple[int, ...],
) -> MeasuredRun:
    """Return the record of a run."""
    status, detail = _status(account, ending)
    ended = account.ended or Ended(status)
    partial = account.partial or Partial(None, {})
    listing = trial.case.goal is Goal.LIST
    checked = account.checked if account.checked and not account.checked.problem else None
    solutions = max(ended.solutions, account.samples[-1][1] if account.samples else 0)
    return MeasuredRun(
        session=session,
        case=trial.case.name,
        contender=trial.contender.label,
        repetition=trial.repetition,
        trial=trial.identity,
        status=status,
        phase=account.phase,
        detail=detail,
        output=_output(account),
        began=began,
        load=None if load is None else round(load, 2),
        pinned=pinned,
        seconds=_seconds(account, ending),
        cpu_seconds=round(ending.cpu_seconds, 6),
        peak_memory=max(ending.peak_memory, account.finished.peak_memory if account.finished else 0),
        solutions=checked.visited if checked else solutions,
        distinct=checked.distinct if checked else None,
        wrong=checked.wrong if checked else None,
        witness=checked.witness if checked else None,
        fingerprint=checked.fingerprint if checked else None,
        first_solution=round(account.samples[0][0], 6) if account.samples and listing else None,
        samples=_samples(account, ended, trial.case.goal),
        statistics=ended.statistics or partial.statistics,
    )


def _status(account: Account, ending: Ending) -> tuple[Status, str]:
    """Return how the run ended, and what there is to say about it."""
    ended, checked = account.ended, account.checked
    if ending.killed is not None:
        return ending.killed, ending.reason
    if account.rubbish:
        return Status.RUBBISH, f"wrote {account.rubbish[:80]!r} among the reports of its worker"
    if ending.exit_status or account.finished is None:
        return Status.CRASH, _death(ending.exit_status)
    if ended is None:
        return Status.CRASH, "the worker finished without an outcome"
    if checked is not None and checked.problem:
        return Status.ERROR, checked.problem
    if ending.interrupted and ended.status in (Status.ERROR, Status.UNAVAILABLE):
        return Status.TIME_LIMIT, f"told to stop, it failed: {ended.detail}"
    return ended.status, ended.detail


def _death(exit_status: int) -> str:
    """Return what killed a process."""
    if exit_status >= 0:
        return f"left with exit status {exit_status}"
    try:
        name = signal.Signals(-exit_status).name
    except ValueError:
        name = f"signal {-exit_status}"
    hint = " (not from here: the system may have run out of memory)" if name == "SIGKILL" else ""
    return f"{name}{hint}"


def _seconds(account: Account, ending: Ending) -> Seconds:
    ended, warm, starts = account.ended, account.warm, account.starts
    build = ended.build if ended else account.partial.build if account.partial else None
    check = starts[Phase.END] - starts[Phase.CHECK] if Phase.CHECK in starts and Phase.END in starts else None
    loaded = starts.get(Phase.WARM_UP, starts.get(Phase.BUILD))
    return Seconds(
        total=_rounded(ending.total) or 0.0,
        imports=_rounded(None if loaded is None else loaded + (warm.imports if warm else 0.0)),
        warm_up=_rounded(warm.warm_up if warm else None),
        build=_rounded(build),
        solve=_rounded(ended.solve if ended else None),
        check=_rounded(check),
    )


def _samples(account: Account, ended: Ended, goal: Goal) -> tuple[tuple[float, int], ...]:
    """Return solutions over time, thinned out, with the end of the search as the last."""
    samples = [(round(seconds, 6), solutions) for seconds, solutions in account.samples]
    if goal is Goal.LIST and ended.solve is not None and ended.build is not None and ended.solutions:
        samples.append((round(ended.build + ended.solve, 6), ended.solutions))
    return tuple(_thinned(samples))


def _thinned(samples: Sequence[tuple[float, int]]) -> Sequence[tuple[float, int]]:
    if len(samples) <= KEPT_SAMPLES:
        return samples
    step = (len(samples) - 1) / (KEPT_SAMPLES - 1)
    return [samples[round(number * step)] for number in range(KEPT_SAMPLES)]


def _output(account: Account) -> str:
    """Return the end of what the engine printed, and how much that was if it is not all."""
    text = account.output.decode("utf-8", "replace").strip()
    return text if account.printed <= len(account.output) else f"({account.printed} bytes) ... {text}"


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
