"""Odd DIMACS files, readable and not, and what satisfies a CNF from the definition."""

import bz2
import gzip
import lzma
from itertools import product

from nqueens_models.formats.dimacs import CnfFile

PLAIN = b"p cnf 3 2\n1 -2 0\n2 3 0\n"

READABLE: dict[str, bytes] = {
    "plain": PLAIN,
    "a clause over several lines": b"p cnf 3 2\n1\n-2\n0 2\n3 0\n",
    "several clauses on a line": b"p cnf 3 2\n1 -2 0 2 3 0\n",
    "the end of a clause on the next line": b"p cnf 3 2\n1 -2\n0\n2 3\n0\n",
    "comments anywhere": b"c one\n\nc\np cnf 3 2\nc two\n1\nc three 0 0\n-2 0\n2 3 0\nc four",
    "comments without a blank, indented": b"comment\n  c p cnf 9 9\np cnf 3 2\n1 -2 0\ncomment\n2 3 0\n",
    "comments in Latin-1": "c größer\n".encode("latin-1") + PLAIN,
    "the trailer of SATLIB": PLAIN + b"%\n0\n\n",
    "a bare trailer": PLAIN + b"%",
    "blanks and tabs": b"\n  p\t cnf  3 \t2 \n 1   -2\t0 \n\n\n\t2  3 0\n\n",
    "no final newline": b"p cnf 3 2\n1 -2 0\n2 3 0",
    "line ends of Windows": PLAIN.replace(b"\n", b"\r\n"),
    "line ends of the old Macintosh": PLAIN.replace(b"\n", b"\r"),
    "a byte-order mark": b"\xef\xbb\xbf" + PLAIN,
    "leading zeros": b"p cnf 003 02\n01 -02 0\n2 003 0\n",
    "gzip": gzip.compress(PLAIN),
    "gzip in two members": gzip.compress(PLAIN[:12]) + gzip.compress(PLAIN[12:]),
    "bzip2": bz2.compress(PLAIN),
    "xz": lzma.compress(PLAIN),
    "unused variables": b"p cnf 7 2\n1 -2 0\n2 3 0\n",
    "an empty clause": b"p cnf 3 3\n1 -2 0\n0\n2 3 0\n",
    "repeated and opposite literals": b"p cnf 3 3\n1 1 -2 0\n2 -2 0\n2 3 0\n",
    "no clause": b"p cnf 3 0\n",
    "nothing": b"p cnf 0 0\n",
    "only the empty clause": b"p cnf 0 1\n0\n",
    "c p show": b"c p show 1 3 0\n" + PLAIN,
    "c ind": b"c ind 1 2 0\n" + PLAIN,
    "a projection after the header, indented": b"p cnf 3 2\n 1 -2 0\n  c  p  show  3 0\n2 3 0",
    "several projection lines": b"c p show 1 0\n" + PLAIN + b"c p show 3 0\n",
    "several c ind lines": b"c ind 1 0\nc ind 2 1 0\n" + PLAIN,
    "both conventions, the same": b"c ind 2 1 0\nc p show 1 2 0\n" + PLAIN,
    "an empty projection": b"c p show 0\n" + PLAIN,
    "an unused variable in the projection": b"c p show 1 5 0\np cnf 5 2\n1 -2 0\n2 3 0\n",
    "words like projections": b"c independent 1\nc p shown 7\nc p weight 1 0.5 0\n" + PLAIN,
}

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing at all": (b"", "line 1: there is no header"),
    "only comments": (b"c one\nc two\n", "line 3: there is no header"),
    "no header": (b"c\n1 -2 0\n", "line 2: the header .* has to come first"),
    "a clause before the header": (b"1 0\np cnf 3 2\n", "line 1: the header .* has to come first"),
    "two headers": (b"p cnf 3 2\n1 -2 0\np cnf 3 2\n2 3 0\n", "line 3: a second header"),
    "another format": (b"p wcnf 3 2 9\n1 1 -2 0\n", "line 1: the header is 'p wcnf 3 2 9'"),
    "a header in capitals": (b"P CNF 3 2\n1 -2 0\n", "line 1: the header .* has to come first"),
    "a header that is too short": (b"p cnf 3\n1 -2 0\n", "line 1: the header is 'p cnf 3'"),
    "a header that is too long": (b"p cnf 3 2 1\n1 -2 0\n", "line 1: the header is"),
    "negative numbers in the header": (b"p cnf -3 2\n1 -2 0\n", "line 1: the header is"),
    "too many variables": (b"p cnf 2147483648 0\n", "line 1: the header declares 2147483648 variables"),
    "numbers beyond reason": (b"p cnf " + b"9" * 5000 + b" 1\n1 0\n", "line 1: the header is"),
    "beyond the header": (b"p cnf 3 2\n1 -2 0\n2\n-4 0\n", "line 4: literal -4 is beyond the 3 variables"),
    "far beyond the header": (
        b"p cnf 3 1\n1\n-99999999999999999999 0",
        "line 3: '-9{20}' is beyond the variables",
    ),
    "thousands of digits": (b"p cnf 3 1\n" + b"1" * 5000 + b" 0", "line 2: '1{37}...' is beyond the variables"),
    "a word": (b"p cnf 3 2\n1 -2 0\n2 x3 0\n", "line 3: 'x3' is no literal"),
    "a comment at the end of a line": (b"p cnf 3 2\n1 -2 0 c first\n2 3 0\n", "line 2: 'c' is no literal"),
    "a number with a point": (b"p cnf 3 1\n1.0 0\n", "line 2: '1.0' is no literal"),
    "a number with a plus": (b"p cnf 3 1\n+1 0\n", r"line 2: '\+1' is no literal"),
    "a number with an underscore": (b"p cnf 30 1\n1_0 0\n", "line 2: '1_0' is no literal"),
    "a lone minus": (b"p cnf 3 1\n- 1 0\n", "line 2: '-' is no literal"),
    "two numbers in one": (b"p cnf 3 1\n1-2 0\n", "line 2: '1-2' is no literal"),
    "minus nought": (b"p cnf 3 2\n1 -0\n2 0\n", "line 2: '-0' is no literal"),
    "digits of another script": ("p cnf 3 1\n١ 0\n".encode(), "line 2: .* is no literal"),
    "a nought within a clause": (b"p cnf 3 2\n1 0 -2 0\n2 3 0\n", "line 3: the header declares 2 clauses, here"),
    "more clauses": (b"p cnf 3 1\n1 -2 0\n2 3 0\n", "line 3: the header declares 1 clauses, here ends another"),
    "fewer clauses": (b"p cnf 3 3\n1 -2 0\n2 3 0\n\n", "line 3: .* declares 3 clauses, the file ends after 2"),
    "cut off": (b"p cnf 3 2\n1 -2 0\n2 3", "line 3: the last clause does not end with 0"),
    "clauses after the trailer": (b"p cnf 3 2\n1 -2 0\n%\n0\n2 3 0\n", "line 3: more than a 0 follows the %"),
    "a trailer too early": (b"p cnf 3 2\n1 -2 0\n%\n0\n", "line 2: .* the file ends after 1"),
    "something on the trailer": (PLAIN + b"% 0\n", "line 4: more than a 0"),
    "no text": (b"p cnf 3 2\n1 -2 0\n\0\x01\x02", "line 3: a zero byte"),
    "UTF-16": (PLAIN.decode().encode("utf-16"), "line 1: a zero byte"),
    "half of a gzip file": (gzip.compress(PLAIN)[:-9], "cannot be unpacked"),
    "half of an xz file": (lzma.compress(PLAIN)[:-20], "cannot be unpacked"),
    "half of a bzip2 file": (bz2.compress(PLAIN)[:-4], "cannot be unpacked"),
    "damaged gzip": (gzip.compress(PLAIN)[:12] + b"????" + gzip.compress(PLAIN)[16:], "cannot be unpacked"),
    "a projection off the header": (b"c p show 1 4 0\n" + PLAIN, "line 1: 4 is none of the 3 variables"),
    "a projection on a literal": (PLAIN + b"c ind 1 -2 0\n", "line 4: a projection is variables and a 0"),
    "a projection without an end": (b"c p show 1 2\n" + PLAIN, "line 1: a projection is variables and a 0"),
    "a projection on 0": (b"c ind 0 1 0\n" + PLAIN, "line 1: 0 is none of the 3 variables"),
    "two projections": (b"c ind 1 0\nc p show 2 0\n" + PLAIN, "'c p show' and 'c ind' name different"),
}


def projected(cnf: CnfFile) -> set[tuple[bool, ...]]:
    """Return the satisfying assignments, projected, by trying all of them."""
    found = set()
    for values in product((False, True), repeat=cnf.variables):
        if all(any(values[abs(one) - 1] == (one > 0) for one in clause) for clause in cnf.clauses):
            found.add(tuple(values[variable - 1] for variable in cnf.primary))
    return found
