"""Checking a certificate: why exactly these placements are the solutions.

1. Every listed placement obeys the rules (`verify`), and no two are the same.
2. Every clause of the formula either follows from the rules at sight (`consequences`) or blocks one listed
   placement and nothing else; and every listed placement is blocked.
3. The clauses contradict each other: each step of the proof follows by unit propagation (`refutation`).

So a placement that obeys the rules makes all clauses of the first kind true, hence one of the second kind false,
hence it is listed. TRUSTED says what that rests on: not on the solver, nor on the engine that listed, nor on the
encoder that wrote the clauses.

A certificate may list one solution of each orbit under symmetries that it states. Then there are clauses of a
third kind, which hold for the first member of each orbit (`orbits`), and what follows is that this one is listed:
the solutions are the images of those that are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from nqueens_models.certify.consequences import Rules
from nqueens_models.certify.limit import time_limit
from nqueens_models.certify.orbits import (
    Leaders,
    Statement,
    check_symmetries,
    first_after_an_image,
    parse_statement,
    union_of_orbits,
)
from nqueens_models.certify.places import FORMULA, MANIFEST, PROOF, README, SOLUTIONS, SYMMETRIES, opened
from nqueens_models.certify.refutation import Proof, check_refutation, parse_proof
from nqueens_models.engines.recorder import Clock
from nqueens_models.errors import FormatError, InvalidInstance, RejectedCertificate
from nqueens_models.formats.dimacs import UNPACK, CnfFile, parse_dimacs
from nqueens_models.instance import Instance, Placement
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import violations
from nqueens_models.watch import Watch

FORMAT, VERSION = "nqueens_models.certificate", 1
PARTS: Mapping[str, type] = {
    "instance": dict,
    "symmetry_breaking": bool,
    "listed": int,
    "solutions": int,
    "fingerprint": str,
    "files": dict,
    "made_by": dict,
}
"""What a manifest has to say."""
TRUSTED = (
    "the rules as nqueens_models/verify.py states them",
    "the checker: nqueens_models/certify and the reader of DIMACS files",
    "Python, NumPy, and for long proofs Numba",
)
PLAIN_STEPS = 20_000  # proofs up to this length are checked before the compiled checker would be ready


@dataclass(frozen=True)
class Certified:
    """A certificate that was accepted: these are exactly the solutions of the instance.

    `listed` of them are in the certificate: with `symmetries`, one of each orbit under so many. `steps` of the
    proof were checked; `clauses` of the formula follow from the rules, `leader_clauses` hold for the first member
    of each orbit, the others block solutions.
    """

    instance: Instance
    solutions: SolutionSet
    listed: int
    clauses: int
    steps: int
    made_by: Mapping[str, str]
    symmetries: int | None = None
    leader_clauses: int = 0


def check_certificate(place: Path, seconds: float | None = None) -> Certified:
    """Check the certificate in the folder or archive `place`, using nothing but its files.

    Raises RejectedCertificate, naming file, line or placement, for one that does not prove what it claims,
    InvalidInput if there is none, and IncompleteSearch if it takes more than `seconds`.
    """
    with time_limit(seconds, f"{place} was checked") as clock:
        return check_files(place, clock)


def check_files(place: Path, clock: Clock) -> Certified:
    """Do as `check_certificate` does; raise SearchStopped when the time is up."""
    watch = clock.check_time
    with opened(place) as read:
        manifest = _manifest(read(MANIFEST))
        reduced = manifest["symmetry_breaking"]
        names = (SOLUTIONS, FORMULA, PROOF, *([SYMMETRIES] if reduced else []), README)
        files = {name: _file(read(name), name, manifest) for name in names}
    instance = _instance(manifest)
    formula, proof = _formula_and_proof(files)
    if not instance.n**2 <= formula.variables <= len(formula.literals):  # each square is in a clause
        raise RejectedCertificate(f"{FORMULA} has {formula.variables} variables, not one a square")
    statement = parse_statement(files[SYMMETRIES], instance, SYMMETRIES) if reduced else None
    if statement is not None:
        check_symmetries(instance, statement.maps, SYMMETRIES, watch)
    placements = _placements(instance, files[SOLUTIONS])
    solutions = _all_solutions(instance, placements, statement)
    _hold_against_manifest(manifest, placements, solutions)
    clauses, leader_clauses = _check_formula(instance, formula, placements, statement, watch)
    steps = _check_proof(formula, proof, watch)
    symmetries = None if statement is None else len(statement.maps)
    made_by = manifest["made_by"]
    return Certified(instance, solutions, len(placements), clauses, steps, made_by, symmetries, leader_clauses)


def _manifest(text: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RejectedCertificate(f"{MANIFEST} is no JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RejectedCertificate(f"{MANIFEST} is not of the format {FORMAT}")
    if manifest.get("version") != VERSION:
        raise RejectedCertificate(
            f"{MANIFEST} has version {manifest.get('version')!r}; this checker knows {VERSION}"
        )
    for name, kind in PARTS.items():
        if type(manifest.get(name)) is not kind:
            raise RejectedCertificate(f"{MANIFEST} does not say {name!r}, or not as it should")
    return manifest


def _file(content: bytes, name: str, manifest: Mapping[str, Any]) -> bytes:
    """Return the content of a file, which has to be what the manifest says."""
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if manifest["files"].get(name) != facts:
        raise RejectedCertificate(f"{name} is not the file that {MANIFEST} describes: its SHA-256 or size differs")
    return content


def _formula_and_proof(files: Mapping[str, bytes]) -> tuple[CnfFile, Proof]:
    if files[FORMULA].startswith(tuple(UNPACK)):  # it might unpack to anything, and drat-trim reads text
        raise RejectedCertificate(f"{FORMULA} is packed")
    try:
        formula = parse_dimacs(files[FORMULA], FORMULA)
        return formula, parse_proof(files[PROOF], formula.variables, PROOF)
    except FormatError as error:
        raise RejectedCertificate(str(error)) from error


def _instance(manifest: Mapping[str, Any]) -> Instance:
    facts = dict(manifest["instance"])
    try:
        parts = {name: facts.get(name) for name in ("diagonals", "fixed", "blocked", "regions")}
        instance = Instance(facts.get("n"), **parts)  # type: ignore[arg-type]  # it refuses what does not fit
    except (InvalidInstance, TypeError) as error:
        raise RejectedCertificate(f"{MANIFEST} holds no instance: {error}") from error
    if instance.to_dict() != facts:
        raise RejectedCertificate(f"{MANIFEST} does not state its instance in the canonical form")
    return instance


def _placements(instance: Instance, text: bytes) -> dict[Placement, int]:
    """Return the listed placements with their lines, after checking each."""
    placements: dict[Placement, int] = {}
    for line, row in enumerate(text.split(b"\n")[:-1], start=1):
        try:
            placement = tuple(int(word) for word in row.split(b" ") if row)
        except ValueError:
            _reject(SOLUTIONS, line, "this is no placement")
        if placement in placements:
            _reject(SOLUTIONS, line, f"the placement is that of line {placements[placement]}")
        broken = next(violations(instance, placement), None)
        if broken is not None:
            _reject(SOLUTIONS, line, f"the placement breaks a rule, {broken.rule}, on {list(broken.squares)}")
        placements[placement] = line
    if text and not text.endswith(b"\n"):
        _reject(SOLUTIONS, len(placements) + 1, "the last line is cut off")
    return placements


def _all_solutions(
    instance: Instance, placements: Mapping[Placement, int], statement: Statement | None
) -> SolutionSet:
    """Return what is listed, or all images of it, after checking that no two of these are listed."""
    listed = list(placements)
    if statement is None:
        return SolutionSet(instance.n, listed)
    later = first_after_an_image(listed, statement.maps)
    if later is not None:
        index, image = later
        _reject(SOLUTIONS, index + 1, f"the placement comes after {' '.join(map(str, image))}, an image of itself")
    return SolutionSet(instance.n, list(union_of_orbits(listed, statement.maps)))


def _hold_against_manifest(
    manifest: Mapping[str, Any], placements: Mapping[Placement, int], solutions: SolutionSet
) -> None:
    if len(placements) != manifest["listed"]:
        raise RejectedCertificate(
            f"{MANIFEST} speaks of {manifest['listed']} placements, {len(placements)} are listed"
        )
    if len(solutions) != manifest["solutions"]:
        raise RejectedCertificate(f"{MANIFEST} speaks of {manifest['solutions']} solutions, not {len(solutions)}")
    if solutions.fingerprint != manifest["fingerprint"]:
        raise RejectedCertificate(f"{MANIFEST} has the fingerprint of another set of solutions")


def _check_formula(
    instance: Instance,
    formula: CnfFile,
    placements: Mapping[Placement, int],
    statement: Statement | None,
    watch: Watch,
) -> tuple[int, int]:
    """Check every clause; return how many follow from the rules, and how many hold for the first of each orbit."""
    auxiliary = 0 if statement is None else len(statement.auxiliary)
    if formula.variables != instance.n**2 + auxiliary:
        more = f" and {auxiliary} more" if statement else ""
        raise RejectedCertificate(f"{FORMULA} has {formula.variables} variables, not one a square{more}")
    rules, leaders = Rules(instance), None if statement is None else Leaders(statement)
    unblocked = dict(placements)
    entailed = breaking = 0
    for number, clause in enumerate(formula.clauses, start=1):
        blocked = _blocked_by(clause, instance.n)
        if blocked is not None and blocked in placements:
            unblocked.pop(blocked, None)
        elif max(map(abs, clause), default=0) <= instance.n**2 and rules.entail(clause):
            entailed += 1
        elif leaders is not None and leaders.entail(clause):
            breaking += 1
        else:
            kinds = "neither follows from the rules nor blocks a listed placement"
            more = "" if leaders is None else ", nor holds for the first of each orbit"
            raise RejectedCertificate(f"{FORMULA}: clause {number} {kinds}{more}")
        watch()
    if unblocked:
        line = min(unblocked.values())
        _reject(SOLUTIONS, line, f"no clause of {FORMULA} blocks this placement, which no proof can leave out")
    return entailed, breaking


def _blocked_by(clause: Sequence[int], n: int) -> Placement | None:
    """Return the placement that alone makes the clause false, if the clause says no more than that."""
    queens = sorted({-literal - 1 for literal in clause})
    if [queen // n for queen in queens] != list(range(n)) if n else clause:
        return None
    return tuple(queen % n for queen in queens)


def _check_proof(formula: CnfFile, proof: Proof, watch: Watch) -> int:
    """Check the proof and return how many steps that took."""
    if len(proof.lines) <= PLAIN_STEPS:
        return check_refutation(formula.variables, formula.clauses, proof, PROOF, watch)
    from nqueens_models.certify import compiled_rup

    return compiled_rup.check_refutation(formula.variables, formula.literals, proof, PROOF, watch)


def _reject(file: str, line: int, why: str) -> NoReturn:
    raise RejectedCertificate(f"{file}, line {line}: {why}")
