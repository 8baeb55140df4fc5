"""Listing at scale: a folder of shards instead of one array.

A *shard* is a file with the solutions that begin with one prefix, the columns of the queens of the first rows.
Shards are sorted and so is each of them, so that together they are the whole set in lexicographic order, with the
fingerprint that a `SolutionSet` has. No more than one shard for each worker is in memory at a time, and what is
finished is kept, whatever ends the process.

::

    list_in_shards(folder, instance, engine)    list, or go on where another run was stopped
    open_shards(folder)                         read lazily
    check_shards(folder)                        every fault of a folder, block by block
"""

from nqueens_models.shards.checking import Examination, check_shards
from nqueens_models.shards.reading import Shards, open_shards
from nqueens_models.shards.writing import Listing, list_in_shards

__all__ = ["Examination", "Listing", "Shards", "check_shards", "list_in_shards", "open_shards"]
