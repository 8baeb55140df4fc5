"""`solve --cnf` and `count --cnf`: any CNF by the solvers of an engine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import typer
from numpy.typing import NDArray

from nqueens_models.cli.exits import Exit, exit_for
from nqueens_models.cli.messages import ended, plural, progress, say
from nqueens_models.cli.options import engine_of
from nqueens_models.cli.output import result_stream
from nqueens_models.engines.any_cnf import OracleEngine, count_cnf, enumerate_cnf
from nqueens_models.engines.base import Block, Limits, Outcome
from nqueens_models.errors import InvalidInput
from nqueens_models.formats.dimacs import CnfFile, parse_dimacs, read_dimacs

WITH_CNF = {"cnf", "engine", "limit", "timeout", "seed", "no_sort", "output", "force", "as_json", "quiet"}
"""The parameters of `solve` and `count` that mean something for a CNF."""


def solve_cnf(
    context: typer.Context,
    file: str,
    limits: Limits,
    seed: int | None,
    at_once: bool,
    output: Path | None,
    force: bool,
    quiet: bool,
) -> int:
    """Write the literals of each solution as a SAT solver does: `v 1 -2 0`; in order unless `at_once`."""
    engine, label = _engine(context, seed)
    cnf = _read(file)
    primary = np.array(cnf.primary, dtype=np.int64)
    blocks: list[Block] = []
    with result_stream(output, force) as stream, progress(f"{label}, {file}", wanted=not quiet and not at_once):

        def write(block: Block) -> None:
            stream.write(_lines(primary, block))
            stream.flush()

        outcome = enumerate_cnf(cnf, engine, write if at_once else blocks.append, limits)
        if blocks:
            found = np.concatenate(blocks)
            write(found[np.lexsort(1 - found.T[::-1])] if found.shape[1] else found)
        if output is not None and exit_for(outcome.termination) is Exit.INTERRUPTED:
            raise KeyboardInterrupt  # no file that holds half of the solutions
    return _end(outcome, label, quiet)


def count_cnf_file(
    context: typer.Context, file: str, limits: Limits, seed: int | None, as_json: bool, quiet: bool
) -> int:
    """Print the number of solutions."""
    engine, label = _engine(context, seed)
    cnf = _read(file)
    with progress(f"{label}, {file}", wanted=not quiet):
        outcome = count_cnf(cnf, engine, limits)
    sys.set_int_max_str_digits(0)  # free variables make numbers that are long, and right
    print(json.dumps(_facts(outcome, cnf, label)) if as_json else outcome.solutions, flush=True)
    return _end(outcome, label, quiet)


def _engine(context: typer.Context, seed: int | None) -> tuple[OracleEngine, str]:
    """Return the engine that was asked for, or `sat`, and its name; refuse options that a CNF has no use for."""
    given = {
        name for name in context.params if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    if unfit := sorted(given - WITH_CNF):
        options = [_written(param) for param in context.command.params if param.name in unfit]
        raise InvalidInput(f"--cnf does not go with {', '.join(options)}")
    spec = context.params["engine"] if "engine" in given else "sat"
    engine = engine_of(spec, seed)
    if not hasattr(engine, "oracle"):
        raise InvalidInput(f"engine {engine.name} does not solve CNF; sat and external do")
    return cast(OracleEngine, engine), spec


def _written(param: Any) -> str:
    """Return what a user writes for an option or an argument."""
    return str(param.opts[0] if param.param_type_name == "option" else param.metavar)


def _read(file: str) -> CnfFile:
    if file == "-":
        return parse_dimacs(sys.stdin.buffer.read(), "standard input")
    return read_dimacs(Path(file))


def _lines(primary: NDArray[np.int64], block: Block) -> bytes:
    rows = np.where(block != 0, primary, -primary).tolist()
    return "".join([f"v {' '.join(map(str, [*row, 0]))}\n" for row in rows]).encode("ascii")


def _facts(outcome: Outcome, cnf: CnfFile, label: str) -> dict[str, object]:
    return {
        "engine": label,
        "variables": cnf.variables,
        "projection": len(cnf.primary),
        "count": outcome.solutions,
        "termination": str(outcome.termination),
        "seconds": {"build": round(outcome.build_seconds, 6), "solve": round(outcome.solve_seconds, 6)},
        "statistics": dict(outcome.statistics),
    }


def _end(outcome: Outcome, label: str, quiet: bool) -> Exit:
    if not quiet:
        seconds = f"build {outcome.build_seconds:.3f} s, solve {outcome.solve_seconds:.3f} s"
        say(f"{label}: {plural(outcome.solutions, 'solution')}, {ended(outcome.termination)}; {seconds}")
    return exit_for(outcome.termination)
