"""At most one of some literals is true: the encodings, by name, behind one call.

Every encoding is a function that adds clauses to a `Cnf` and takes its auxiliary variables from it, so that their
numbers cannot collide. To add one, write the function and add its line to ENCODINGS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from nqueens_models.errors import EngineUnavailable, InvalidSetting

if TYPE_CHECKING:
    from nqueens_models.models.cnf import Cnf

Encoding = Callable[["Cnf", Sequence[int]], None]


def at_most_one(cnf: Cnf, literals: Sequence[int], encoding: str) -> None:
    """Add to `cnf` that at most one of `literals` is true.

    Fewer than two literals need no clause. Raises InvalidSetting for an unknown encoding and EngineUnavailable for
    one that needs PySAT when that is not installed.
    """
    encode = ENCODINGS.get(encoding)
    if encode is None:
        raise InvalidSetting(f"no encoding is called {encoding!r}; there are {', '.join(ENCODINGS)}")
    if len(literals) > 1:
        encode(cnf, literals)


def pairwise(cnf: Cnf, literals: Sequence[int]) -> None:
    """No two are true: k(k-1)/2 clauses over k literals, no auxiliary variable."""
    negated = [-literal for literal in literals]
    for number, one in enumerate(negated, start=1):
        cnf.extend([one, other] for other in negated[number:])


def pysat_encoding(cnf: Cnf, literals: Sequence[int], name: str) -> None:
    """Encode with PySAT's CardEnc, whose documentation cites the paper of each encoding."""
    try:
        from pysat.card import CardEnc, EncType
    except ImportError as error:
        raise EngineUnavailable(f"the encoding {name} needs PySAT: pip install python-sat") from error
    encoded = CardEnc.atmost(list(literals), bound=1, top_id=cnf.variables, encoding=getattr(EncType, name))
    cnf.new_variables(max(0, encoded.nv - cnf.variables))
    cnf.extend(encoded.clauses)


PYSAT_ENCODINGS = (
    "seqcounter", "sortnetwrk", "cardnetwrk", "bitwise", "ladder", "totalizer", "mtotalizer", "kmtotalizer",
)  # fmt: skip
ENCODINGS: Mapping[str, Encoding] = {
    "pairwise": pairwise,
    **{name: partial(pysat_encoding, name=name) for name in PYSAT_ENCODINGS},
}
