"""The commands `model` and `models`."""

from __future__ import annotations

import json
from dataclasses import asdict

from nqueens_models.cli.exits import Exit
from nqueens_models.cli.options import (
    AsJson,
    BlockOut,
    DiagonalRule,
    EngineSpec,
    Fix,
    InstanceFile,
    InstanceFormatName,
    Size,
    engine_of,
    instance_of,
)
from nqueens_models.formats.account import Entry, account, catalogue


def model(
    n: Size = None,
    instance_file: InstanceFile = None,
    instance_format: InstanceFormatName = None,
    diagonals: DiagonalRule = None,
    fix: Fix = None,
    block: BlockOut = None,
    engine: EngineSpec = "sat",
) -> int:
    """Explain a model: its constraints, its size, and for a small board its very clauses or constraints.

    [b]nqueens model 4 --engine sat:at_most_one=product[/b] shows clauses.
    [b]nqueens model 4 --engine cpsat:model=channelled[/b] shows constraints.
    """
    instance = instance_of(n, instance_file, instance_format, diagonals, fix, block)
    for line in account(instance, engine_of(engine)):
        print(line)
    return Exit.DONE


def models(as_json: AsJson = False) -> int:
    """List every encoding and formulation, with its size at n = 8 and n = 100."""
    entries = catalogue()
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries], indent=2))
        return Exit.DONE
    for entry in entries:
        print(f"{entry.spec}\n    {entry.summary}")
        print("    " + "; ".join(_size(entry, *size) for size in entry.sizes))
    return Exit.DONE


def _size(entry: Entry, n: int, variables: int, size: int) -> str:
    what = "clauses" if entry.spec.startswith("sat") else "constraints"
    return f"n = {n}: {variables} variables, {size} {what}"
