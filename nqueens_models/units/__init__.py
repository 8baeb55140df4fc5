"""Counts that outlast a sitting or a machine: divided into units that are counted and recorded one by one.

::

    count_under_ledger(path, instance)  counts what a ledger lacks, on this machine: all of the following
    divide(instance, engine)            the units of a count, the same on every machine
    count_units(division, executor)     counts units anywhere, and yields each as it is done
    local_workers(division, workers)    threads or processes to count them
    Ledger(path, division)              the file that keeps what has been counted
    execute_units(division, ledger, workers)    counts what is missing: a run
"""

from nqueens_models.units.counting import CountedUnit, check_version, count_unit, count_units
from nqueens_models.units.division import Cubes, Division, RowSplits, Unit, divide, divide_as
from nqueens_models.units.executors import Workers, local_workers
from nqueens_models.units.ledger import Ledger, Record, read_ledger
from nqueens_models.units.running import Share, UnitsRun, count_under_ledger, execute_units

__all__ = [
    "CountedUnit",
    "Cubes",
    "Division",
    "Ledger",
    "Record",
    "RowSplits",
    "Share",
    "Unit",
    "UnitsRun",
    "Workers",
    "check_version",
    "count_under_ledger",
    "count_unit",
    "count_units",
    "divide",
    "divide_as",
    "execute_units",
    "local_workers",
    "read_ledger",
]
