"""Cubes: an instance as disjoint instances with more queens fixed, of which one an orbit has to be solved.

::

    CubeSearch(engine)          an engine made from an engine: cubes instead of its plain search
    make_search(engine, ...)    the same from what a user says, or from a rule (`choose_search`)
    cube_orbits(instance)       the cubes themselves, for whoever wants to solve them elsewhere
"""

from nqueens_models.cubes.choice import SEARCHES, choose_search, make_search
from nqueens_models.cubes.naming import label, taken_apart
from nqueens_models.cubes.search import CubeSearch
from nqueens_models.cubes.split import SPLITS, CubeOrbit, cube_orbits

__all__ = [
    "SEARCHES",
    "SPLITS",
    "CubeOrbit",
    "CubeSearch",
    "choose_search",
    "cube_orbits",
    "label",
    "make_search",
    "taken_apart",
]
