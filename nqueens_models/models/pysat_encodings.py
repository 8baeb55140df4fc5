"""The at-most-one encodings of PySAT's CardEnc, and what each takes for k literals and the bound 1.

CardEnc has one clause for two literals, whatever the encoding; the formulas below are for k >= 3. They are those
of PySAT 1.9, which builds cardinality encodings for any bound: with 1 some have parts that decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt

from nqueens_models.errors import EngineUnavailable
from nqueens_models.long_jumps import no_long_jumps
from nqueens_models.models.clauses import Cnf
from nqueens_models.models.encoding import Encoding, Sizes


def seqcounter(k: int) -> Sizes:
    """Variables: k - 1; clauses: 3k - 4."""
    return Sizes(k - 1, 3 * k - 4)


def sortnetwrk(k: int) -> Sizes:
    """Variables: 2C + [k < P]; clauses: 3C + 1 + [k < P]; C comparators of Batcher's network for P = 2^t >= k.

    C = (t^2 - t + 4) 2^(t-2) - 1 (Knuth, The Art of Computer Programming 3, section 5.3.4). One variable, false
    by a clause, stands on all inputs that are too many.
    """
    t = (k - 1).bit_length()
    comparators = (t * t - t + 4) * 2**t // 4 - 1
    padding = int(k < 2**t)
    return Sizes(2 * comparators + padding, 3 * comparators + 1 + padding)


def cardnetwrk(k: int) -> Sizes:
    """Variables: 4k - 6; clauses: 6k - 8 for even k; for odd k: 4k - 1 and 6k - 1."""
    return Sizes(4 * k - 1, 6 * k - 1) if k % 2 else Sizes(4 * k - 6, 6 * k - 8)


def bitwise(k: int) -> Sizes:
    """Variables: b = ceil(log2(k)); clauses: kb."""
    bits = (k - 1).bit_length()
    return Sizes(bits, k * bits)


def ladder(k: int) -> Sizes:
    """Variables: k + 1; clauses: 4k."""
    return Sizes(k + 1, 4 * k)


def totalizer(k: int) -> Sizes:
    """Variables: k in every unary adder of k; clauses: (a+1)(b+1) - 1, over halves of a and b; 1 for the bound."""
    return _unary(k) + Sizes(0, 1)


def mtotalizer(k: int) -> Sizes:
    """Variables: floor(k/p) + p in every adder of k; clauses: mn + m + n + 1 + 2(ab + a + b), see below.

    Adders count in digits to the base p = max(2, floor(sqrt(k))). Their outputs are floor(k/p) upper and p - 1
    lower ones, and there is a carry; their halves have a and b upper and m and n lower outputs. Fewer than p
    literals are counted in unary, as by totalizer. The bound takes floor(k/p) + p - 2 clauses.
    """
    base = max(2, isqrt(k))
    return _modulo(k, base) + Sizes(0, k // base + base - 2)


def kmtotalizer(k: int) -> Sizes:
    """Variables: 2(k - 1); clauses: 4(k - 1)."""
    return Sizes(2 * (k - 1), 4 * (k - 1))


def _unary(k: int) -> Sizes:
    """Return the sizes of a tree of unary adders over k literals."""
    if k == 1:
        return Sizes()
    half = k // 2
    return _unary(half) + _unary(k - half) + Sizes(k, (half + 1) * (k - half + 1) - 1)


def _modulo(k: int, base: int) -> Sizes:
    """Return the sizes of a tree of adders modulo `base` over k literals."""
    if k < base:
        return _unary(k)
    halves = (k - k // 2, k // 2)
    m, n = (min(half, base - 1) for half in halves)
    a, b = (half // base for half in halves)
    own = Sizes(k // base + base, m * n + m + n + 1 + 2 * (a * b + a + b))
    return _modulo(halves[0], base) + _modulo(halves[1], base) + own


def _encoding(name: str, formula: Callable[[int], Sizes]) -> Encoding:
    def encode(cnf: Cnf, literals: Sequence[int]) -> None:
        try:
            from pysat.card import CardEnc, EncType
        except ImportError as error:
            raise EngineUnavailable(f"the encoding {name} needs PySAT: pip install python-sat") from error
        encoding = getattr(EncType, name)
        with no_long_jumps():
            encoded = CardEnc.atmost(list(literals), bound=1, top_id=cnf.variables, encoding=encoding)
        cnf.new_variables(max(0, encoded.nv - cnf.variables))
        cnf.extend(encoded.clauses)

    def sizes(k: int) -> Sizes:
        return formula(k) if k > 2 else Sizes(0, 1)

    encode.__doc__ = f"PySAT's {name}: its documentation cites the paper."
    sizes.__doc__ = formula.__doc__
    return Encoding(encode, sizes)


PYSAT_ENCODINGS: Mapping[str, Encoding] = {
    formula.__name__: _encoding(formula.__name__, formula)
    for formula in (seqcounter, sortnetwrk, cardnetwrk, bitwise, ladder, totalizer, mtotalizer, kmtotalizer)
}
