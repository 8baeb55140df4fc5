"""Writing a certificate: a list of solutions, the clauses that leave no other, and a solver's proof of that.

A certificate is a folder of four files:

- `solutions.txt`: a placement a line, the column of the queen of each row, 0-based, in order;
- `formula.cnf`: DIMACS clauses that state the instance, and one clause a solution that blocks it;
- `proof.drat`: a proof, in the text format that drat-trim reads too, that no assignment satisfies all of them;
- `manifest.json`: the instance, the numbers, the SHA-256 of each file, what made them.

`check` says why that is enough.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import nqueens_models
from nqueens_models.certify.check import (
    FORMAT,
    FORMULA,
    MANIFEST,
    PROOF,
    SOLUTIONS,
    VERSION,
    Certified,
    check_certificate,
)
from nqueens_models.engines.base import Engine
from nqueens_models.engines.oracle import Uninterruptible
from nqueens_models.errors import EngineError, InvalidSetting
from nqueens_models.formats.dimacs import dimacs_bytes, square_comments
from nqueens_models.instance import Instance
from nqueens_models.models.clauses import Clause
from nqueens_models.models.cnf import blocking_clauses, queens_cnf
from nqueens_models.render import board_text
from nqueens_models.run import solve
from nqueens_models.solutions import SolutionSet

PROOF_SOLVERS = ("cadical153", "cadical103", "cadical195", "glucose3", "glucose4", "lingeling", "maplecm")
"""PySAT's solvers whose proofs stay within RUP; the first gives the shortest at n = 10 to 12."""


def certify(
    instance: Instance, folder: Path, *, engine: str | Engine = "bitmask", solver: str = PROOF_SOLVERS[0]
) -> Certified:
    """Write a certificate that the solutions `engine` lists are all there are into `folder`, and check it.

    `folder` exists; `solver` is one of PROOF_SOLVERS. Raises EngineError, with a board, if the list lacks a
    solution, RejectedCertificate if the check fails, and what `run.solve` raises.
    """
    if solver not in PROOF_SOLVERS:
        raise InvalidSetting(f"{solver!r} writes no proof that is checked here; {', '.join(PROOF_SOLVERS)} do")
    run = solve(instance, engine)
    solutions = run.solutions
    if solutions is None or not run.complete:  # without a limit, only Ctrl-C ends a search early
        raise KeyboardInterrupt
    clauses = queens_cnf(instance).clauses + list(blocking_clauses(instance.n, solutions))
    proof = _proof(instance, clauses, solver)
    comments = [
        *square_comments(instance),
        f"the last {len(solutions)} clauses block the placements of {SOLUTIONS}",
    ]
    files = {
        SOLUTIONS: b"".join(solutions.canonical_bytes()),
        FORMULA: b"".join(dimacs_bytes(instance.n**2, clauses, comments=comments)),
        PROOF: "".join(f"{step}\n" for step in proof).encode("ascii"),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    manifest = _manifest(instance, solutions, files, solver)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii")
    return check_certificate(folder)


def _proof(instance: Instance, clauses: Sequence[Clause], name: str) -> list[str]:
    """Return the lines of a proof that the clauses contradict each other; raise EngineError if they do not."""
    if not all(clauses):  # the empty clause is the proof
        return ["0"]
    with Uninterruptible(name, with_proof=True) as solver:
        solver.add(clauses)
        if solver.solve():
            true = {literal for literal in solver.assignment() if literal > 0}
            n = instance.n
            lost = np.array([c for r in range(n) for c in range(n) if n * r + c + 1 in true], dtype=np.int64)
            raise EngineError(f"the list of solutions of {instance} lacks this one:\n{board_text(lost)}")
        proof = solver.proof()
    return proof if proof and proof[-1].strip() == "0" else [*proof, "0"]


def _manifest(instance: Instance, solutions: SolutionSet, files: dict[str, bytes], solver: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance": instance.to_dict(),
        "solutions": len(solutions),
        "fingerprint": solutions.fingerprint,
        "files": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        },
        "made_by": {
            "nqueens_models": nqueens_models.__version__,
            "python": platform.python_version(),
            "python-sat": version("python-sat"),
            "solver": solver,
        },
        "check_with": [f"drat-trim {FORMULA} {PROOF}", "nqueens certify --check FOLDER"],
    }
