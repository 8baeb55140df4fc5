"""The command `cross-check`."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import Annotated, Any

import typer

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import progress
from nqueens_models.cli.options import (
    SEARCH,
    AsJson,
    BlockOut,
    DiagonalRule,
    Fix,
    InstanceFile,
    InstanceFormatName,
    Quiet,
    Search,
    Seed,
    Size,
    UseSymmetry,
    Workers,
    engine_of,
    instance_of,
)
from nqueens_models.cross_check import Disagreement, Finding, Verdict
from nqueens_models.cross_check import cross_check as examine_all
from nqueens_models.cubes import label, make_search
from nqueens_models.engines.base import Engine, Limits, Termination
from nqueens_models.engines.registry import split_specs
from nqueens_models.render import board_text

SHOWN = 2  # boards drawn for each kind of disagreement


def cross_check(
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    engines: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC,SPEC,...",
            rich_help_panel=SEARCH,
            help="Default: every engine that can do it in reasonable time.",
        ),
    ] = None,
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", rich_help_panel=SEARCH, help="Time limit of each engine.")
    ] = 60.0,
    search: Search = None,
    symmetry: UseSymmetry = True,
    workers: Workers = 1,
    seed: Seed = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Let several engines list every solution and show whether the sets are identical.

    [b]nqueens cross-check 8[/b] runs them all.
    [b]nqueens cross-check 10 --engines sat:solver=glucose4,sat:solver=cadical195,cpsat[/b] compares three.
    A disagreement is drawn: which placements an engine lost, added, or gave twice.
    """
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    specs = None if engines is None else [engine_of(spec, seed) for spec in split_specs(engines)]

    def searching(engine: Engine) -> Engine:
        return make_search(engine, instance, search, symmetry, workers)

    def watched(engine: Engine) -> AbstractContextManager[object]:
        return progress(f"{label(engine)}, {instance}", wanted=not quiet)

    verdict = examine_all(instance, specs, Limits(seconds=timeout), search=searching, around=watched)
    if as_json:
        print(json.dumps(_facts(verdict), indent=2))
    else:
        print("\n".join([*_table(verdict), "", *_sentences(verdict)]), flush=True)
    return _status(verdict)


def _status(verdict: Verdict) -> Exit:
    if verdict.disagreements or not verdict.published_agrees:
        return Exit.DISAGREEMENT
    ends = [exit_for(finding.termination) for finding in verdict.findings if finding.termination is not None]
    return max(ends, default=Exit.DONE)


def _table(verdict: Verdict) -> list[str]:
    """Return the table of findings, aligned."""
    heading = ("engine", "search", "found", "distinct", "valid", "fingerprint", "seconds", "ended")
    rows = [heading, *(_row(finding) for finding in verdict.findings)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heading))]
    right = {2, 3, 4, 6}
    return [
        "  ".join(
            c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _row(finding: Finding) -> tuple[str, ...]:
    state = "failed" if finding.termination is None else str(finding.termination)
    numbers = (str(finding.visited), str(finding.distinct), str(len(finding.valid)))
    return (finding.engine, finding.search, *numbers, _fingerprint(finding)[:16], f"{finding.seconds:.3f}", state)


def _fingerprint(finding: Finding) -> str:
    return (finding.valid | finding.wrong).fingerprint if finding.wrong else finding.valid.fingerprint


def _sentences(verdict: Verdict) -> list[str]:
    """Return what was left out, the verdict in words, and the witnesses of every disagreement."""
    left_out = [f"left out: {engine} ({reason})" for engine, reason in verdict.left_out.items()]
    return left_out + _verdict(verdict)


def _verdict(verdict: Verdict) -> list[str]:
    size = len(verdict.reference)
    if verdict.disagreements:
        return [
            f"DISAGREEMENT on {verdict.instance}: {size} placements were found that obey the rules",
            *(line for one in verdict.disagreements for line in _witnesses(one)),
        ]
    published = verdict.published
    if not verdict.complete:
        return [f"INCOMPLETE on {verdict.instance}: no disagreement, but not every search was completed"]
    if not verdict.published_agrees and published is not None:
        return [f"WRONG on {verdict.instance}: all found {size}, OEIS {published.sequence} says {published.count}"]
    equal = f", the published number (OEIS {published.sequence})" if published is not None else ""
    engines = len(verdict.findings)
    return [f"IDENTICAL on {verdict.instance}: {engines} engines, {size} solutions{equal}"]


def _witnesses(one: Disagreement) -> list[str]:
    lines = [f"{one.engine} failed: {one.error}"] if one.error else []
    if one.repetitions:
        lines.append(f"{one.engine} visited {one.repetitions} placements again")
    for placements, what in ((one.missing, "misses"), (one.wrong, "adds, against the rules,")):
        if placements:
            lines.append(f"{one.engine} {what} {len(placements)} placements, such as:")
            lines += [line for row in placements.array[:SHOWN] for line in (*board_text(row).split("\n"), "")]
    return lines


def _facts(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as JSON says it."""
    published = verdict.published
    return {
        "instance": verdict.instance.to_dict(),
        "identical": verdict.identical,
        "complete": verdict.complete,
        "solutions": len(verdict.reference),
        "fingerprint": verdict.reference.fingerprint,
        "published": None if published is None else {"count": published.count, "oeis": published.sequence},
        "termination": _termination(verdict),
        "left_out": dict(verdict.left_out),
        "engines": [_finding_facts(finding) for finding in verdict.findings],
        "disagreements": [_disagreement_facts(one) for one in verdict.disagreements],
    }


def _termination(verdict: Verdict) -> str:
    ends = {finding.termination for finding in verdict.findings}
    order = (Termination.INTERRUPTED, Termination.TIME_LIMIT, Termination.SOLUTION_LIMIT, Termination.EXHAUSTED)
    return str(next((end for end in order if end in ends), "failed"))


def _finding_facts(finding: Finding) -> dict[str, Any]:
    return {
        "engine": finding.engine,
        "search": finding.search,
        "termination": None if finding.termination is None else str(finding.termination),
        "complete": finding.complete,
        "found": finding.visited,
        "distinct": finding.distinct,
        "valid": len(finding.valid),
        "fingerprint": _fingerprint(finding),
        "seconds": round(finding.seconds, 6),
        "error": finding.error,
    }


def _disagreement_facts(one: Disagreement) -> dict[str, Any]:
    return {
        "engine": one.engine,
        "missing": one.missing.array.tolist(),
        "wrong": one.wrong.array.tolist(),
        "repetitions": one.repetitions,
        "error": one.error,
    }
