"""Writing a certificate: a list of solutions, the clauses that leave no other, and a solver's proof of that.

A certificate is a folder, or a ZIP archive, of these files:

- `solutions.txt`: a placement a line, the column of the queen of each row, 0-based, in order;
- `formula.cnf`: DIMACS clauses that state the instance, and one clause a listed placement that blocks it;
- `proof.drat`: a proof, in the text format that drat-trim reads too, that no assignment satisfies all of them;
- `manifest.json`: the instance, the numbers, the SHA-256 of each file, what made them;
- `README.txt`: why that proves that there is no other solution, for people.

With symmetry breaking the list has one solution of each orbit, the formula lex-leader clauses besides, and
`symmetries.json` states the symmetries and what the auxiliary variables say. `check` and `orbits` say why that is
enough.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import nqueens_models
from nqueens_models.certify.check import FORMAT, VERSION, Certified, check_files
from nqueens_models.certify.limit import time_limit
from nqueens_models.certify.orbits import statement_bytes
from nqueens_models.certify.places import (
    FORMULA,
    MANIFEST,
    PROOF,
    README,
    SOLUTIONS,
    SYMMETRIES,
    is_archive,
    write_archive,
    write_folder,
)
from nqueens_models.certify.words import readme
from nqueens_models.cubes.pool import WorkerPool
from nqueens_models.engines.base import Engine, Termination
from nqueens_models.engines.oracle import endures, pysat_oracle
from nqueens_models.engines.recorder import Clock, SearchStopped
from nqueens_models.errors import EngineError, InvalidSetting
from nqueens_models.formats.dimacs import dimacs_bytes, square_comments
from nqueens_models.instance import Instance
from nqueens_models.models.clauses import Clause
from nqueens_models.models.cnf import blocking_clauses, queens_cnf
from nqueens_models.models.lex_leader import lex_leader_clauses
from nqueens_models.render import board_text
from nqueens_models.run import solve
from nqueens_models.solutions import SolutionSet
from nqueens_models.symmetry import Symmetry, expand, stabiliser

PROOF_SOLVERS = ("cadical153", "cadical103", "cadical195", "glucose3", "glucose4", "lingeling", "maplecm")
"""PySAT's solvers whose proofs stay within RUP; the first gives the shortest at n = 10 to 12."""
POLL_SECONDS = 0.05  # between two looks at the clock, and for Ctrl-C, while another process refutes


def certify(
    instance: Instance,
    place: Path,
    *,
    engine: str | Engine = "bitmask",
    solver: str = PROOF_SOLVERS[0],
    symmetry_breaking: bool = False,
    seconds: float | None = None,
) -> Certified:
    """Write a certificate that the solutions `engine` lists are all there are, and check it.

    `place` is a folder that exists, or an archive that does not, its name ending in `.zip`; `solver` is one of
    PROOF_SOLVERS. With `symmetry_breaking` the first solution of each orbit is listed. Raises EngineError, with a
    board, if the list lacks a solution, RejectedCertificate if the check fails, IncompleteSearch if it takes more
    than `seconds`, and what `run.solve` raises.
    """
    if solver not in PROOF_SOLVERS:
        raise InvalidSetting(f"{solver!r} writes no proof that is checked here; {', '.join(PROOF_SOLVERS)} do")
    with time_limit(seconds, f"{instance} was certified") as clock:
        listed = _listed(instance, engine, symmetry_breaking, seconds)
        files = _files(instance, listed, solver, symmetry_breaking, clock)
        group = stabiliser(instance) if symmetry_breaking else ()
        solutions = SolutionSet(instance.n, expand(listed.array, group)) if group else listed
        manifest = _manifest(instance, listed, solutions, files, solver)
        files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode("ascii")
        (write_archive if is_archive(place) else write_folder)(place, files)
        return check_files(place, clock)


def _listed(
    instance: Instance, engine: str | Engine, symmetry_breaking: bool, seconds: float | None
) -> SolutionSet:
    """Return the solutions that an engine lists, or the first of each orbit."""
    run = solve(instance, engine, seconds=seconds, fundamental=symmetry_breaking)
    if run.solutions is None or run.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    if not run.complete:
        raise SearchStopped(run.termination)
    return run.solutions


def _files(
    instance: Instance, listed: SolutionSet, solver: str, symmetry_breaking: bool, clock: Clock
) -> dict[str, bytes]:
    """Return the files of a certificate by name, without the manifest."""
    cnf = queens_cnf(instance, watch=clock.check_time)
    comments, files = list(square_comments(instance)), {}
    if symmetry_breaking:
        told = lex_leader_clauses(cnf, instance, range(1, instance.n**2 + 1))
        comments.append(f"{SYMMETRIES} says what the variables from {instance.n**2 + 1} on are")
        files[SYMMETRIES] = statement_bytes(_maps(instance.n, stabiliser(instance)), told)
    cnf.extend(blocking_clauses(instance.n, listed))
    comments.append(f"the last {len(listed)} clauses block the placements of {SOLUTIONS}")
    proof = _proof(instance, cnf.clauses, solver, clock)
    return {
        SOLUTIONS: b"".join(listed.canonical_bytes()),
        FORMULA: b"".join(dimacs_bytes(cnf.variables, cnf.clauses, comments=comments)),
        PROOF: "".join(f"{step}\n" for step in proof).encode("ascii"),
        **files,
        README: readme(instance, len(listed), symmetry_breaking).encode("ascii"),
    }


def _maps(n: int, symmetries: Sequence[Symmetry]) -> list[list[int]]:
    """Return for each symmetry the square to which each square goes, counted row by row."""
    squares = [divmod(square, n) for square in range(n * n)]
    moved = ([symmetry.square(square, n) for square in squares] for symmetry in symmetries)
    return [[n * row + column for row, column in one] for one in moved]


def _proof(instance: Instance, clauses: Sequence[Clause], name: str, clock: Clock) -> list[str]:
    """Return the lines of a proof that the clauses contradict each other; raise EngineError if they do not."""
    if not all(clauses):  # the empty clause is the proof
        return ["0"]
    search = refute if endures(name, instance.n**2) else _refute_elsewhere
    lost, proof = search(clauses, name, clock)
    if lost:
        n = instance.n
        board = np.array([(literal - 1) % n for literal in lost if 0 < literal <= n * n], dtype=np.int64)
        raise EngineError(f"the list of solutions of {instance} lacks this one:\n{board_text(board)}")
    return proof if proof and proof[-1].strip() == "0" else [*proof, "0"]


def refute(clauses: Sequence[Clause], name: str, clock: Clock) -> tuple[list[int], list[str]]:
    """Return an assignment that satisfies the clauses, none of them empty, or else a proof that there is none."""
    with pysat_oracle(name, clock, with_proof=True) as solver:
        solver.add(clauses)
        return (solver.assignment(), []) if solver.solve() else ([], solver.proof())


def _refute_elsewhere(clauses: Sequence[Clause], name: str, clock: Clock) -> tuple[list[int], list[str]]:
    """Return the same, from a process that is killed when the time is up and at Ctrl-C.

    Pools and futures have locks that Ctrl-C might leave taken: it waits while they are used.
    """
    with clock.uninterrupted(), WorkerPool(1, _refute_without_limit, [[1]], name) as pool:
        answer: Future[tuple[list[int], list[str]]] = pool.submit(_refute_without_limit, clauses, name)
        while not wait([answer], POLL_SECONDS).done:
            with clock.interruptible():
                clock.check_time()
        return answer.result()


def _refute_without_limit(clauses: Sequence[Clause], name: str) -> tuple[list[int], list[str]]:
    with time_limit(None, "") as clock:
        return refute(clauses, name, clock)


def _manifest(
    instance: Instance, listed: SolutionSet, solutions: SolutionSet, files: Mapping[str, bytes], solver: str
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance": instance.to_dict(),
        "symmetry_breaking": SYMMETRIES in files,
        "listed": len(listed),
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
        "check_with": [f"drat-trim {FORMULA} {PROOF}", "nqueens certify --check CERTIFICATE"],
    }
