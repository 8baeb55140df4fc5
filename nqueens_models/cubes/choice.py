"""Which search an engine gets: its own (plain), or cubes; what the user says, or a rule from measured costs.

- `plain` is the engine's own enumeration: what a comparison of solvers means.
- `cubes`, `cubes:rows=K`, `cubes:centre-lines` is `CubeSearch`: what a user in a hurry means.

Measured (benchmarks/cubes.py; seconds of one core, imports apart; python-sat 1.9.dev24, ortools 9.15, AMD EPYC):

==== ====== ===== ====== ============== ============== ============== ============
n    engine plain rows=2 centre-lines=1 centre-lines=2 centre-lines=3 centre-lines
==== ====== ===== ====== ============== ============== ============== ============
8    sat    0.003 0.004  0.005          0.007          0.009          0.009
9    sat    0.009 0.014  0.008          0.007          0.026          0.008
10   sat    0.031 0.018  0.015          0.024          0.032          0.035
11   sat    0.142 0.072  0.025          0.024          0.117          0.024
12   sat    0.796 0.150  0.090          0.131          0.176          0.194
13   sat    15.3  1.264  0.336          0.323          0.622          0.329
14   sat          3.747  2.321          1.640          1.790          2.028
15   sat                                15.2           9.2
8    cpsat  0.014 0.029  0.028          0.040          0.046          0.048
9    cpsat  0.132 0.104  0.042          0.041          0.151          0.040
10   cpsat  0.272 0.080  0.075          0.096          0.133          0.157
11   cpsat  1.753 0.428  0.127          0.123          0.512          0.123
12   cpsat  7.402 0.837  0.435          0.448          0.658          0.877
13   cpsat        10.9   2.785          2.776          3.006          2.743
14   cpsat               21.4           17.2
==== ====== ===== ====== ============== ============== ============== ============

Few large cubes are best for small boards, on which making and loading a cube costs as much as solving it; smaller
ones for large boards, on which each solution costs more the more of them a solver has to keep blocked. The solver
that is fastest plain, MiniSat with its warm start, is so under cubes.
"""

from __future__ import annotations

import dataclasses

from nqueens_models.cubes.search import CubeSearch
from nqueens_models.cubes.split import SPLITS, fastest_split
from nqueens_models.engines.base import Engine
from nqueens_models.engines.registry import settings_of
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.symmetry import stabiliser

SEARCHES = ("plain", *("cubes" if split == "auto" else f"cubes:{split}" for split in SPLITS))
FASTER_FROM = {"cpsat": 9, "sat": 9}
"""How many queens there are to place when cubes pay for their making, by the name of the engine."""
FASTER_TO = 24
"""From how many queens on nobody sees all solutions, and a plain search gives the first ones soonest."""


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
    - With one worker: cubes for the solvers of FASTER_FROM, on an instance that has symmetries, and neither too
      few nor too many queens to place.
    - Else plain.

    Cubes are those of `fastest_split`.
    """
    if workers > 1:
        return "plain" if _has(engine, "workers") else f"cubes:{fastest_split(instance)}"
    to_place = instance.n - len(instance.fixed)
    pays = engine.name in FASTER_FROM and FASTER_FROM[engine.name] <= to_place < FASTER_TO
    return f"cubes:{fastest_split(instance)}" if pays and symmetry and len(stabiliser(instance)) > 1 else "plain"


def _has(engine: Engine, setting: str) -> bool:
    return setting in {one.name for one in settings_of(type(engine))}
