"""The command `certify`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from nqueens_models.certify import PROOF_SOLVERS, Certified, check_certificate
from nqueens_models.certify import certify as write_certificate
from nqueens_models.certify.check import TRUSTED
from nqueens_models.certify.places import is_archive
from nqueens_models.cli.exits import Exit
from nqueens_models.cli.messages import progress, say
from nqueens_models.cli.options import (
    OUTPUT,
    SEARCH,
    AsJson,
    BlockOut,
    DiagonalRule,
    EngineSpec,
    Fix,
    InstanceFile,
    InstanceFormatName,
    Quiet,
    Size,
    Timeout,
    engine_of,
    instance_of,
)
from nqueens_models.errors import IncompleteSearch, InvalidInput, RejectedCertificate
from nqueens_models.moving import move_to_new


def certify(
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    engine: EngineSpec = "bitmask",
    solver: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            rich_help_panel=SEARCH,
            help=f"The SAT solver that writes the proof: {', '.join(PROOF_SOLVERS)}.",
        ),
    ] = PROOF_SOLVERS[0],
    symmetry_breaking: Annotated[
        bool,
        typer.Option(
            "--symmetry-breaking",
            rich_help_panel=SEARCH,
            help="List and prove one solution of each orbit; the argument for the others is checked too.",
        ),
    ] = False,
    timeout: Timeout = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PLACE",
            rich_help_panel=OUTPUT,
            help="Keep the certificate in a new folder, or in a new archive if the name ends in [b].zip[/b].",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="PLACE",
            rich_help_panel=SEARCH,
            help="Check the certificate in a folder or an archive instead of making one.",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Prove that the list of solutions lacks none, and check the proof without the solver that made it.

    [b]nqueens certify 8[/b] lists the 92 solutions and proves that there is no other.
    [b]nqueens certify 12 --output twelve[/b] keeps formula, proof and solutions in files of standard formats.
    [b]nqueens certify 12 --symmetry-breaking --output twelve.zip[/b] proves less, and why that is enough.
    [b]nqueens certify --check twelve[/b] accepts or rejects them, on any machine.
    """
    if check is not None and (n, instance_file, output) != (None, None, None):
        raise InvalidInput("--check takes a certificate and neither an instance nor --output")
    try:
        if check is not None:
            with progress(f"checking {check}", wanted=not quiet):
                certified = check_certificate(check, timeout)
        else:
            instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
            searcher = engine_of(engine)
            with _place(output) as place, progress(f"certify {instance}", wanted=not quiet):
                certified = write_certificate(
                    instance,
                    place,
                    engine=searcher,
                    solver=solver,
                    symmetry_breaking=symmetry_breaking,
                    seconds=timeout,
                )
    except IncompleteSearch as reason:
        say(f"nqueens: {reason}")
        return Exit.TIME_LIMIT
    except RejectedCertificate as reason:
        print(json.dumps({"certified": False, "reason": str(reason)}) if as_json else f"REJECTED: {reason}")
        return Exit.DISAGREEMENT
    print(json.dumps(_facts(certified), indent=2) if as_json else _account(certified), flush=True)
    if check is None and not quiet:
        say("the certificate is not kept; --output PLACE keeps it" if output is None else f"written to {output}")
    return Exit.DONE


@contextmanager
def _place(output: Path | None) -> Iterator[Path]:
    """Give a place to write to that becomes `output` in the end, and is removed if there is an exception."""
    _refuse_existing(output)
    parent, suffix = (None, "") if output is None else (output.parent, output.suffix)
    with _temporary_folder(parent, output) as name:
        place = Path(name) / f"certificate{suffix}"
        if not is_archive(place):
            place.mkdir()
        yield place
        if output is not None:
            _move(place, output)


def _temporary_folder(parent: Path | None, output: Path | None) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix=".certificate-", dir=parent)
    except OSError as error:
        raise InvalidInput(f"{output or parent} cannot be written: {error.strerror}") from error


def _move(place: Path, output: Path) -> None:
    try:
        move_to_new(place, output)
    except FileExistsError:  # somebody has written it meanwhile
        raise InvalidInput(f"{output} exists") from None
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}") from error


def _refuse_existing(output: Path | None) -> None:
    if output is not None and not output.name:
        raise InvalidInput("--output needs a name")
    if output is not None and (output.exists() or not output.parent.is_dir()):
        raise InvalidInput(f"{output} exists" if output.exists() else f"there is no folder {output.parent}")


def _account(certified: Certified) -> str:
    number = len(certified.solutions)
    exactly = {0: "there is no solution", 1: "exactly this 1 solution"}.get(
        number, f"exactly these {number} solutions"
    )
    return "\n".join(
        [
            f"CERTIFIED {certified.instance}: {exactly}",
            *_of_orbits(certified),
            f"each listed placement obeys the rules; {certified.clauses} clauses follow from the rules,",
            f"{certified.listed} clauses block a listed placement, and {certified.steps} steps of the proof by "
            f"{certified.made_by.get('solver')} lead to a contradiction",
            *(f"trusted: {what}" for what in TRUSTED),
        ]
    )


def _of_orbits(certified: Certified) -> Iterator[str]:
    """Yield what a certificate with symmetry breaking rests on besides."""
    if certified.symmetries is not None:
        group, clauses = certified.symmetries, certified.leader_clauses
        yield f"listed is the first solution of each of {certified.listed} orbits; {group} symmetries (a group)"
        yield f"map the instance onto itself, and {clauses} clauses hold for what is first in its orbit;"


def _facts(certified: Certified) -> dict[str, Any]:
    """Return the verdict as JSON says it."""
    return {
        "certified": True,
        "instance": certified.instance.to_dict(),
        "solutions": len(certified.solutions),
        "fingerprint": certified.solutions.fingerprint,
        "listed": certified.listed,
        "symmetries": certified.symmetries,
        "clauses_from_rules": certified.clauses,
        "clauses_of_orbits": certified.leader_clauses,
        "proof_steps": certified.steps,
        "made_by": dict(certified.made_by),
        "trusted": list(TRUSTED),
    }
