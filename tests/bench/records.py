"""Sessions and runs for the tests, without running anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec

from nqueens_models.bench.plan import Plan, every_cell
from nqueens_models.bench.records import (
    Allowance,
    Case,
    Contender,
    Machine,
    MeasuredRun,
    Seconds,
    Session,
    Status,
    Trial,
)
from nqueens_models.bench.store import Archive

MACHINE = Machine(processor="Abacus", architecture="x86_64", cores=2, memory=8 << 30, system="Linux 6")


def plan(cases: Sequence[Case], engines: Sequence[str], **changes: Any) -> Plan:
    contenders = tuple(Contender(engine=engine) for engine in engines)
    new = Plan("A plan", tuple(cases), contenders, every_cell(cases, contenders), Allowance(seconds=10.0))
    return dataclasses.replace(new, **changes)


def session(made: Plan, **changes: Any) -> Session:
    whole = Session(
        id="0123456789ab",
        title=made.title,
        command="nqueens compare",
        began="2026-01-01T00:00:00+00:00",
        cases=made.cases,
        contenders=made.contenders,
        cells=made.cells,
        allowance=made.allowance,
        repeat=made.repeat,
        seed=made.seed,
        at_once=made.at_once,
        machine=MACHINE,
        versions={"python": "3.11.0 (CPython)", "ortools": "9.15"},
    )
    return msgspec.structs.replace(whole, **changes)


def run(trial: Trial, build: float = 0.0, solve: float = 1.0, **changes: Any) -> MeasuredRun:
    """Return a run that found the 92 solutions of the eight queens, but for the changes."""
    whole = MeasuredRun(
        session="0123456789ab",
        case=trial.case.name,
        contender=trial.contender.label,
        repetition=trial.repetition,
        trial=trial.identity,
        status=Status.EXHAUSTED,
        began="2026-01-01T00:00:00+00:00",
        seconds=Seconds(total=1.0 + build + solve, imports=0.5, warm_up=0.1, build=build, solve=solve, check=0.1),
        cpu_seconds=1.0,
        peak_memory=50 << 20,
        solutions=92,
        distinct=92,
        wrong=0,
        fingerprint="f" * 64,
    )
    return msgspec.structs.replace(whole, **changes)


def archive(made: Plan, runs: Sequence[MeasuredRun], **changes: Any) -> Archive:
    whole = Archive()
    whole.add_session(session(made, **changes))
    whole.runs.extend(runs)
    return whole
