"""Checking a certificate: why exactly these placements are the solutions.

1. Every listed placement obeys the rules (`verify`), and no two are the same.
2. Every clause of the formula either follows from the rules at sight (`consequences`) or blocks one listed
   placement and nothing else; and every listed placement is blocked.
3. The clauses contradict each other: each step of the proof follows by unit propagation (`refutation`).

So a placement that obeys the rules makes all clauses of the first kind true, hence one of the second kind false,
hence it is listed. TRUSTED says what that rests on: not on the solver, nor on the engine that listed, nor on the
encoder that wrote the clauses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from nqueens_models.certify.consequences import Rules
from nqueens_models.certify.refutation import Proof, check_refutation, parse_proof
from nqueens_models.errors import FormatError, InvalidInput, InvalidInstance, RejectedCertificate
from nqueens_models.formats.dimacs import CnfFile, parse_dimacs
from nqueens_models.instance import Instance, Placement
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import violations

FORMAT, VERSION = "nqueens_models.certificate", 1
MANIFEST, SOLUTIONS, FORMULA, PROOF = "manifest.json", "solutions.txt", "formula.cnf", "proof.drat"
TRUSTED = (
    "the rules as nqueens_models/verify.py states them",
    "the checker: nqueens_models/certify and the reader of DIMACS files",
    "Python, NumPy, and for long proofs Numba",
)
PLAIN_STEPS = 20_000  # proofs up to this length are checked before the compiled checker would be ready


@dataclass(frozen=True)
class Certified:
    """A certificate that was accepted: these are exactly the solutions of the instance.

    `steps` of the proof were checked; `clauses` of the formula follow from the rules, the others block solutions.
    """

    instance: Instance
    solutions: SolutionSet
    clauses: int
    steps: int
    made_by: Mapping[str, str]


def check_certificate(folder: Path) -> Certified:
    """Check the certificate in `folder`, using nothing but its files.

    Raises RejectedCertificate, naming file, line or placement, for one that does not prove what it claims, and
    InvalidInput if there is none.
    """
    if not (folder / MANIFEST).is_file():
        raise InvalidInput(f"{folder} holds no certificate: there is no {MANIFEST}")
    manifest = _manifest(folder)
    files = {name: _file(folder, name, manifest) for name in (SOLUTIONS, FORMULA, PROOF)}
    instance = _instance(manifest)
    try:
        formula = parse_dimacs(files[FORMULA], FORMULA)
        proof = parse_proof(files[PROOF], formula.variables, PROOF)
    except FormatError as error:
        raise RejectedCertificate(str(error)) from error
    placements = _placements(instance, files[SOLUTIONS])
    solutions = SolutionSet(instance.n, list(placements))
    _hold_against_manifest(manifest, solutions)
    clauses = _check_formula(instance, formula, placements)
    steps = _check_proof(formula, proof)
    return Certified(instance, solutions, clauses, steps, manifest["made_by"])


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (ValueError, RecursionError) as error:
        raise RejectedCertificate(f"{MANIFEST} is no JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RejectedCertificate(f"{MANIFEST} is not of the format {FORMAT}")
    if manifest.get("version") != VERSION:
        raise RejectedCertificate(
            f"{MANIFEST} has version {manifest.get('version')!r}; this checker knows {VERSION}"
        )
    parts = {"instance": dict, "solutions": int, "fingerprint": str, "files": dict, "made_by": dict}
    for name, kind in parts.items():
        if type(manifest.get(name)) is not kind:
            raise RejectedCertificate(f"{MANIFEST} does not say {name!r}, or not as it should")
    return manifest


def _file(folder: Path, name: str, manifest: Mapping[str, Any]) -> bytes:
    """Return the content of a file, which has to be what the manifest says."""
    try:
        content = (folder / name).read_bytes()
    except OSError as error:
        raise RejectedCertificate(f"{name} cannot be read: {error.strerror}") from error
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if manifest["files"].get(name) != facts:
        raise RejectedCertificate(f"{name} is not the file that {MANIFEST} describes: its SHA-256 or size differs")
    return content


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


def _hold_against_manifest(manifest: Mapping[str, Any], solutions: SolutionSet) -> None:
    if len(solutions) != manifest["solutions"]:
        raise RejectedCertificate(
            f"{MANIFEST} speaks of {manifest['solutions']} solutions, {len(solutions)} are listed"
        )
    if solutions.fingerprint != manifest["fingerprint"]:
        raise RejectedCertificate(f"{MANIFEST} has the fingerprint of another set of solutions")


def _check_formula(instance: Instance, formula: CnfFile, placements: Mapping[Placement, int]) -> int:
    """Check every clause; return how many follow from the rules."""
    if formula.variables != instance.n**2:
        raise RejectedCertificate(f"{FORMULA} has {formula.variables} variables, not one a square")
    rules = Rules(instance)
    unblocked = dict(placements)
    entailed = 0
    for number, clause in enumerate(formula.clauses, start=1):
        queens = sorted(rules.square(-literal) for literal in set(clause) if literal < 0)
        placement = tuple(column for _, column in queens)
        if placement in placements and set(clause) == {-(instance.n * r + c + 1) for r, c in enumerate(placement)}:
            unblocked.pop(placement, None)
        elif rules.entail(clause):
            entailed += 1
        else:
            raise RejectedCertificate(
                f"{FORMULA}: clause {number} neither follows from the rules nor blocks a listed placement"
            )
    if unblocked:
        line = min(unblocked.values())
        _reject(SOLUTIONS, line, f"no clause of {FORMULA} blocks this placement, which no proof can leave out")
    return entailed


def _check_proof(formula: CnfFile, proof: Proof) -> int:
    """Check the proof and return how many steps that took."""
    if len(proof.lines) <= PLAIN_STEPS:
        return check_refutation(formula.variables, formula.clauses, proof, PROOF)
    from nqueens_models.certify import compiled_rup

    return compiled_rup.check_refutation(formula.variables, formula.literals, proof, PROOF)


def _reject(file: str, line: int, why: str) -> NoReturn:
    raise RejectedCertificate(f"{file}, line {line}: {why}")
