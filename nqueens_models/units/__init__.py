"""Counts that outlast a sitting or a machine: divided into units that are counted and recorded one by one.

::

    divide(instance, engine)            the units of a count, the same on every machine
    count_units(division, executor)     counts units anywhere, and yields each as it is done
    local_workers(division, workers)    threads or processes to count them
"""

from nqueens_models.units.counting import CountedUnit, check_version, count_unit, count_units
from nqueens_models.units.division import Cubes, Division, RowSplits, Unit, divide, divide_as
from nqueens_models.units.executors import Workers, local_workers

__all__ = [
    "CountedUnit",
    "Cubes",
    "Division",
    "RowSplits",
    "Unit",
    "Workers",
    "check_version",
    "count_unit",
    "count_units",
    "divide",
    "divide_as",
    "local_workers",
]
