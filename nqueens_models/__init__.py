"""The n-queens family as CP-SAT, as CNF and as bitmask search: every solution, cross-checked and compared.

>>> import nqueens_models as nq
>>> run = nq.solve(6, engine="bitmask")
>>> run.complete, len(run.solutions), (1, 3, 5, 0, 2, 4) in run.solutions
(True, 4, True)
>>> nq.count(8)
92

Glossary
--------
instance
    n, the rule of the diagonals (full, modular, adjacent), fixed queens, blocked squares, regions.
placement, solution
    The column of the queen of each row, 0-based; a placement that obeys every rule.
model
    A statement of the constraints for a solver.
assignment
    What a SAT solver returns.
encoding
    A constraint turned into clauses.
primary, auxiliary variable
    A square's variable; one that an encoding adds.
blocking clause, projected enumeration
    Over primary variables only, so that each placement comes once.
exhausted
    The search was completed: the list holds every solution.
cube
    An instance with more queens fixed, or squares blocked; disjoint cubes cover their parent.
unit, division, share
    A part of a count that is counted and recorded on its own; all units of one count; every K-th of them.
row split
    The rows whose queens are in each quadrant of the board: what the four-quadrant join counts one by one.
ledger
    The file in which the units of a count are recorded as they are done.
shard, portion, manifest
    A file with the solutions that begin with one prefix: the columns of the queens of the first rows; the shards
    that are searched together; the file that says what each holds.
symmetry group, stabiliser, orbit, fundamental solution
    Always relative to an instance: the symmetries that map it onto itself, and what they do to placements.
engine, solver
    Our searcher; the external program it drives.
run, verdict, disagreement, witness
    One engine on one instance, recorded; what a cross-check returns, and what it shows.
"""

from nqueens_models import start as start  # isort: skip - the first import of all
from nqueens_models.cross_check import Verdict, cross_check
from nqueens_models.engines.base import Engine, Limits, Outcome, Termination
from nqueens_models.engines.registry import make_engine
from nqueens_models.errors import NQueensError
from nqueens_models.instance import Diagonals, Instance, Placement, Square
from nqueens_models.run import Run, Timings, count, iter_solutions, solve
from nqueens_models.solutions import SolutionSet
from nqueens_models.verify import is_solution, violations

__version__ = "0.1.0"

__all__ = [
    "Diagonals",
    "Engine",
    "Instance",
    "Limits",
    "NQueensError",
    "Outcome",
    "Placement",
    "Run",
    "SolutionSet",
    "Square",
    "Termination",
    "Timings",
    "Verdict",
    "count",
    "cross_check",
    "is_solution",
    "iter_solutions",
    "make_engine",
    "solve",
    "violations",
]
