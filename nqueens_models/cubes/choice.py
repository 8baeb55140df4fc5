"""Which search an engine gets: its own (plain), or cubes; what the user says, or a rule from measured costs.

- `plain` is the engine's own enumeration: what a comparison of solvers means.
- `cubes`, `cubes:rows=K`, `cubes:centre-lines` is `CubeSearch`: what a user in a hurry means.
"""

from __future__ import annotations

import dataclasses

from nqueens_models.cubes.search import CubeSearch
from nqueens_models.cubes.split import SPLITS
from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import settings_of
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.symmetry import stabiliser

SEARCHES = ("plain", *("cubes" if split == "auto" else f"cubes:{split}" for split in SPLITS))
FASTER_FROM = {"cpsat": 7, "sat": 7}
"""The number of queens from which cubes pay for their making, by the name of the engine."""


def make_search(
    engine: Engine, instance: Instance, search: str | None = None, symmetry: bool = True, workers: int = 1
) -> Engine:
    """Return the engine that searches as `search` says: `engine` itself, or a CubeSearch of it.

    `search` is one of SEARCHES, or None for what `choose_search` chooses. An engine with a setting `workers` or
    `symmetry` of its own is told these when it searches by itself. Raises InvalidSetting for an unknown search,
    fewer than one worker, and more than one with a plain search that knows no workers.
    """
    if workers < 1:
        raise InvalidSetting(f"there must be 1 worker or more, not {workers}")
    if search is None:
        search = choose_search(engine, instance, symmetry, workers)
    kind, _, split = search.strip().partition(":")
    if kind == "cubes":
        return CubeSearch(engine, split or "auto", symmetry, workers)
    if search.strip() != "plain":
        raise InvalidSetting(f"no search is called {search!r}; there are: {', '.join(SEARCHES)}")
    if workers > 1 and not _has(engine, "workers"):
        raise InvalidSetting(f"{engine.name} has one worker in a plain search: take cubes for {workers}")
    said = [("symmetry", symmetry, True), ("workers", workers, 1)]  # and the defaults
    own = {name: value for name, value, default in said if value != default and _has(engine, name)}
    return dataclasses.replace(engine, **own) if own else engine  # type: ignore[type-var]


def choose_search(engine: Engine, instance: Instance, symmetry: bool = True, workers: int = 1) -> str:
    """Return the search that is fastest by what we measured: one of SEARCHES.

    - With more than one worker: the engine's own workers if it has some, else cubes.
    - With one worker: cubes for the solvers of FASTER_FROM, on an instance large enough that has symmetries.
    - Else plain.
    """
    if workers > 1:
        return "plain" if _has(engine, "workers") else "cubes"
    large = instance.n >= FASTER_FROM.get(engine.name, instance.n + 1)
    return "cubes" if large and symmetry and len(stabiliser(instance)) > 1 else "plain"


def _has(engine: Engine, setting: str) -> bool:
    return setting in {one.name for one in settings_of(type(engine))}
