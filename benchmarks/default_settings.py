"""Claim: the default settings of the engines sat and cpsat are the fastest for plain boards, or close to it.

    python benchmarks/default_settings.py sat|cpsat [--sizes 10] [--repeats 2] [--engines SPEC,SPEC,...]

Every engine that differs from the default in one setting, or those named, list all solutions in one process, in
turn. The table has their processor time over that of the default.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator

from against_bare_loops import enumeration
from side_by_side import environment, sizes, table, take_turns

from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import make_engine, settings_of, spec_of, split_specs
from nqueens_models.errors import EngineUnavailable
from nqueens_models.instance import Instance


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=["sat", "cpsat"])
    parser.add_argument("--sizes", type=sizes, default="10", help="board sizes (default: 10)")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each, of which the fastest counts")
    parser.add_argument("--engines", type=split_specs, help="specifications (default: all with one other setting)")
    arguments = parser.parse_args()
    specs = [arguments.engine, *(arguments.engines or variations(arguments.engine))]
    print(environment(["ortools", "python-sat", "numpy"]) + "\n")
    columns = [ratios(specs, n, arguments.repeats) for n in arguments.sizes]
    rows = [[spec, *(f"{column[spec]:.2f}" for column in columns)] for spec in specs]
    print(table(["engine", *(f"n = {n}" for n in arguments.sizes)], rows))


def ratios(specs: list[str], n: int, repeats: int) -> dict[str, float]:
    """Return the time of each engine over that of the first."""
    times = take_turns({spec: enumeration(spec) for spec in specs}, n, repeats)
    return {spec: times[spec].seconds / times[specs[0]].seconds for spec in specs}


def variations(name: str) -> Iterator[str]:
    """Yield the specification of every engine, of those that work here, that has one setting of another value."""
    default = make_engine(name)
    for setting in settings_of(type(default)):
        for value in setting.choices or ([not setting.default] if isinstance(setting.default, bool) else []):
            engine = dataclasses.replace(default, **{setting.name: value})  # type: ignore[type-var]
            if engine != default and works(engine):
                yield spec_of(engine)


def works(engine: Engine) -> bool:
    """Return whether the solver is installed."""
    try:
        engine.enumerate(Instance(1), lambda _: None)
    except EngineUnavailable:
        return False
    return True


if __name__ == "__main__":
    main()
