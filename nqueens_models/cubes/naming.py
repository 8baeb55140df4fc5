"""What an engine and its search are called, in records and for people."""

from __future__ import annotations

from nqueens_models.cubes.search import CubeSearch
from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import full_spec


def taken_apart(engine: Engine) -> tuple[Engine, str]:
    """Return the engine proper and how it searches: `plain`, or as the option `--search` says it, and more."""
    if not isinstance(engine, CubeSearch):
        return engine, "plain"
    search = "cubes" if engine.split == "auto" else f"cubes:{engine.split}"
    search += "" if engine.symmetry else ", no symmetry"
    return engine.engine, search + (f", {engine.workers} workers" if engine.workers > 1 else "")


def label(engine: Engine) -> str:
    """Return the specification of an engine with all settings, and its search if that is not its own."""
    inner, search = taken_apart(engine)
    return full_spec(inner) if search == "plain" else f"{full_spec(inner)} by {search}"
