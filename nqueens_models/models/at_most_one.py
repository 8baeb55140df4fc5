"""At most one of some literals is true: the encodings, by name, behind one call.

Every encoding is a function that adds clauses to a `Cnf` and takes its auxiliary variables from it, so that their
numbers cannot collide, beside a function that says how many variables and clauses that takes. To add one, write
the two and add its line to ENCODINGS. Those of PySAT are in pysat_encodings.py.

Below, k is the number of literals, x1 to x4 stand for the literals 1 to 4 of the examples, and auxiliary variables
follow from 5 on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from itertools import product as pairs
from math import ceil, comb, isqrt

from nqueens_models.errors import InvalidSetting
from nqueens_models.models.clauses import Cnf
from nqueens_models.models.encoding import Encode, Encoding, Sizes
from nqueens_models.models.pysat_encodings import PYSAT_ENCODINGS


def at_most_one(cnf: Cnf, literals: Sequence[int], encoding: str) -> None:
    """Add to `cnf` that at most one of `literals` is true.

    Fewer than two literals need no clause. Raises InvalidSetting for an unknown encoding and EngineUnavailable for
    one that needs PySAT when that is not installed.
    """
    encode = _named(encoding).encode
    if len(literals) > 1:
        encode(cnf, literals)


def sizes(encoding: str, k: int) -> Sizes:
    """Return how many auxiliary variables and clauses `at_most_one` adds for k literals, by formula.

    Raises InvalidSetting for an unknown encoding.

    >>> sizes("pairwise", 8), sizes("product", 100)
    (Sizes(auxiliary=0, clauses=28), Sizes(auxiliary=34, clauses=258))
    """
    formula = _named(encoding).sizes
    return formula(k) if k > 1 else Sizes()


def pairwise(cnf: Cnf, literals: Sequence[int]) -> None:
    """No two are true.

    >>> example(pairwise)
    [[-1, -2], [-1, -3], [-1, -4], [-2, -3], [-2, -4], [-3, -4]]
    """
    cnf.extend(map(list, combinations([-literal for literal in literals], 2)))


def sequential(cnf: Cnf, literals: Sequence[int]) -> None:
    """Sequential counter: s[i] says that one of the first i literals is true, and then the next one is not.

    Sinz, Towards an optimal CNF encoding of Boolean cardinality constraints, CP 2005.

    >>> example(sequential)
    [[-1, 5], [-2, 6], [-5, 6], [-2, -5], [-3, 7], [-6, 7], [-3, -6], [-4, -7]]
    """
    first, *inner, last = literals
    s = cnf.new_variables(len(literals) - 1)
    cnf.extend([[-first, s[0]]])
    for x, before, now in zip(inner, s, s[1:], strict=False):
        cnf.extend([[-x, now], [-before, now], [-x, -before]])
    cnf.extend([[-last, -s[-1]]])


def commander(cnf: Cnf, literals: Sequence[int]) -> None:
    """Groups of three: one in a group at most, each makes its group's commander true, one commander at most.

    Klieber and Kwon, Efficient CNF encoding for selecting 1 from N objects, CFV 2007. Their clauses that a
    commander needs a true literal in its group serve exactly-one and are left out.

    >>> example(commander)
    [[-1, -2], [-1, -3], [-2, -3], [-1, 5], [-2, 5], [-3, 5], [-4, 6], [-5, -6]]
    """
    if len(literals) <= 3:
        pairwise(cnf, literals)
        return
    groups = _groups(literals, 3)
    commanders = cnf.new_variables(len(groups))
    for group, c in zip(groups, commanders, strict=True):
        pairwise(cnf, group)
        cnf.extend([-x, c] for x in group)
    commander(cnf, commanders)


def product(cnf: Cnf, literals: Sequence[int]) -> None:
    """The literals fill a table row by row: a true one makes its row and column true, of which one at most is.

    Chen, A new SAT encoding of the at-most-one constraint, ModRef 2010. Rows and columns are encoded in the same
    way, as long as that takes fewer clauses than all pairs: from seven literals on.

    >>> example(product, k=7)[:8]  # rows 8, 9, 10 and columns 11, 12, 13
    [[-1, 8], [-1, 11], [-2, 8], [-2, 12], [-3, 8], [-3, 13], [-4, 9], [-4, 11]]
    >>> example(product, k=7)[14:]
    [[-8, -9], [-8, -10], [-9, -10], [-11, -12], [-11, -13], [-12, -13]]
    """
    if len(literals) < 7:
        pairwise(cnf, literals)
        return
    height, width = _table(len(literals))
    rows, columns = cnf.new_variables(height), cnf.new_variables(width)
    for x, (row, column) in zip(literals, pairs(rows, columns), strict=False):
        cnf.extend([[-x, row], [-x, column]])
    product(cnf, rows)
    product(cnf, columns)


def binary(cnf: Cnf, literals: Sequence[int]) -> None:
    """Every literal has a number, and the bits say which number's literal is the true one.

    Frisch, Peugniez, Doggett and Nightingale, Solving non-Boolean satisfiability problems with stochastic local
    search, Journal of Automated Reasoning 35, 2005.

    >>> example(binary)
    [[-1, -5], [-1, -6], [-2, 5], [-2, -6], [-3, -5], [-3, 6], [-4, 5], [-4, 6]]
    """
    _numbered(cnf, _groups(literals, 1))


def bimander(cnf: Cnf, literals: Sequence[int]) -> None:
    """Groups of two: one in a group at most, and the bits say which number's group has the true one.

    Nguyen and Mai, A new method to encode the at-most-one constraint into SAT, SoICT 2015.

    >>> example(bimander)
    [[-1, -2], [-3, -4], [-1, -5], [-2, -5], [-3, 5], [-4, 5]]
    """
    groups = _groups(literals, 2)
    for group in groups:
        pairwise(cnf, group)
    _numbered(cnf, groups)


def _numbered(cnf: Cnf, groups: Sequence[Sequence[int]]) -> None:
    """Add that a true literal sets the bits, least first, to the number of its group, counted from 0."""
    bits = cnf.new_variables(_bits(len(groups)))
    for number, group in enumerate(groups):
        signed = [bit if number >> place & 1 else -bit for place, bit in enumerate(bits)]
        for x in group:
            cnf.extend([-x, bit] for bit in signed)


def _groups(literals: Sequence[int], size: int) -> list[Sequence[int]]:
    """Return the literals in groups of `size`; the last may be smaller."""
    return [literals[start : start + size] for start in range(0, len(literals), size)]


def _bits(numbers: int) -> int:
    """Return how many bits tell 0 .. numbers - 1 apart."""
    return (numbers - 1).bit_length()


def _table(k: int) -> tuple[int, int]:
    """Return height and width of the squarest table that holds k literals, filled row by row."""
    width = isqrt(k - 1) + 1
    return ceil(k / width), width


def pairwise_sizes(k: int) -> Sizes:
    """Variables: none; clauses: k(k-1)/2."""
    return Sizes(0, comb(k, 2))


def sequential_sizes(k: int) -> Sizes:
    """Variables: k - 1; clauses: 3k - 4."""
    return Sizes(k - 1, 3 * k - 4)


def commander_sizes(k: int) -> Sizes:
    """Variables: g = ceil(k/3); clauses: 3 in every full group, k; and what the g commanders take themselves."""
    if k <= 3:
        return pairwise_sizes(k)
    full, rest = divmod(k, 3)
    groups = full + (rest > 0)
    return Sizes(groups, 3 * full + comb(rest, 2) + k) + commander_sizes(groups)


def product_sizes(k: int) -> Sizes:
    """Variables: w + h, w = ceil(sqrt(k)), h = ceil(k/w); clauses: 2k; and what w columns and h rows take."""
    if k < 7:
        return pairwise_sizes(k)
    height, width = _table(k)
    return Sizes(height + width, 2 * k) + product_sizes(height) + product_sizes(width)


def binary_sizes(k: int) -> Sizes:
    """Variables: b = ceil(log2(k)); clauses: kb."""
    return Sizes(_bits(k), k * _bits(k))


def bimander_sizes(k: int) -> Sizes:
    """Variables: b = ceil(log2(ceil(k/2))); clauses: floor(k/2) + kb."""
    bits = _bits(ceil(k / 2))
    return Sizes(bits, k // 2 + k * bits)


ENCODINGS: Mapping[str, Encoding] = {
    "pairwise": Encoding(pairwise, pairwise_sizes),
    "sequential": Encoding(sequential, sequential_sizes),
    "commander": Encoding(commander, commander_sizes),
    "product": Encoding(product, product_sizes),
    "binary": Encoding(binary, binary_sizes),
    "bimander": Encoding(bimander, bimander_sizes),
    **PYSAT_ENCODINGS,
}


def example(encode: Encode, k: int = 4) -> list[list[int]]:
    """Return the clauses of an encoding for the literals 1 .. k."""
    cnf = Cnf(k)
    encode(cnf, range(1, k + 1))
    return cnf.clauses


def _named(encoding: str) -> Encoding:
    if encoding not in ENCODINGS:
        raise InvalidSetting(f"no encoding is called {encoding!r}; there are {', '.join(ENCODINGS)}")
    return ENCODINGS[encoding]
