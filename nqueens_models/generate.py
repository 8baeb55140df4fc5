"""Random instances in the manner of the literature, the same for a seed on every machine and Python version.

All randomness comes from `random.Random(seed).random()`, which Python promises to keep (Notes on Reproducibility
in its documentation), as whole numbers of 53 bits; numbers below a bound and shuffles are made of these
here, since Python's own may change. Nor does an instance with exactly one solution depend on the engine that says
so: only on how many solutions there are, or on all of them together.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, MutableSequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from nqueens_models.engines.base import Block, Engine, Limits
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Diagonals, Instance, Placement, Square
from nqueens_models.solutions import SolutionSet

ATTEMPTS = 1000
MOST_DRAWS = 10**7  # squares looked at in all attempts together
MOST_ROWS = 5000
MOST_UNIQUE_ROWS = 12  # of a region puzzle with exactly one solution: beyond, there are too many to look at
MOST_SOLUTIONS = 100_000  # of a region puzzle that is made unique
BITS = 53  # of a number that random() gives


class Solver(Protocol):
    """What making puzzles asks of an engine."""

    def __call__(self, instance: Instance, limit: int | None) -> SolutionSet:
        """Return all solutions, or `limit` of them if there are as many."""
        ...


def solver_of(engine: Engine) -> Solver:
    """Return a Solver that asks `engine`."""

    def solve(instance: Instance, limit: int | None) -> SolutionSet:
        blocks: list[Block] = []
        engine.enumerate(instance, blocks.append, Limits(solutions=limit))
        return SolutionSet(instance.n, np.concatenate(blocks) if blocks else ())

    return solve


class Choices:
    """The random choices of one instance."""

    def __init__(self, seed: int) -> None:
        """Start the stream of `seed`, a whole number of 0 or more; raise InvalidInput for another."""
        if seed < 0:
            raise InvalidInput(f"the seed must be 0 or more, not {seed}")
        self._random = random.Random(seed)

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, all equally likely: those of an incomplete round are rejected."""
        limit = (1 << BITS) // bound * bound
        while (number := int(self._random.random() * (1 << BITS))) >= limit:
            pass
        return number % bound

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put the items in random order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


def completion(n: int, queens: int, seed: int, unique: Solver | None = None) -> Instance:
    """Return an n-queens completion instance: `queens` fixed queens that do not attack each other.

    The generator of Gent, Jefferson and Nightingale, Complexity of n-Queens Completion, JAIR 59 (2017), and of
    CSPLib 079: n * n times a row and a column are drawn from those without a queen; a queen is placed where no
    diagonal is attacked. Nothing says that it can be completed. With `unique`, whole instances are drawn until one
    has exactly one solution. Raises InvalidInput for numbers that do not fit, and when no draw succeeds.
    """
    return _placed(n, queens, Diagonals.FULL, seed, unique)


def modular(n: int, queens: int, seed: int, unique: Solver | None = None) -> Instance:
    """Return a completion instance of the modular board: as `completion`, with diagonals that wrap round."""
    return _placed(n, queens, Diagonals.MODULAR, seed, unique)


def blocked(n: int, squares: int, seed: int, free: int = 1, unique: Solver | None = None) -> Instance:
    """Return a blocked n-queens instance: `squares` blocked ones, in each row and column `free` or more free ones.

    The generator of CSPLib 080, for the paper named at `completion`: the squares are taken in random order; each
    is blocked if its row and its column keep `free` free squares; if they end before there are enough, another
    order is drawn. With `unique`, whole instances are drawn until one has exactly one solution. Raises
    InvalidInput for numbers that do not fit, and when no draw succeeds.
    """
    _require_size(n)
    _require(0 <= free <= n, f"a row of {n} squares cannot keep {free} free")
    most = n * (n - free)
    _require(0 <= squares <= most, f"{squares} squares cannot be blocked: at most {most} can")
    choices = Choices(seed)

    def draw() -> Instance | None:
        taken = _blocked_in_random_order(n, squares, free, choices)
        return Instance(n, blocked=taken) if len(taken) == squares else None

    return _drawn(draw, n, unique)


def regions(n: int, seed: int, unique: Solver | None = None) -> Instance:
    """Return a region puzzle with at least one solution: connected regions, grown from queens that do not touch.

    The queens are a random placement without two in neighbouring columns of neighbouring rows. Then, as in Eden's
    model of growth (1961), a border between a region and a square without one is drawn again and again, and the
    square joins the region. With `unique`, squares at borders change their region until only the queens' own
    placement is left: see `_with_one_solution`. Raises InvalidInput for n = 0, 2 and 3, where there is none, and
    with `unique` for n above MOST_UNIQUE_ROWS.
    """
    _require_size(n)
    _require(n == 1 or n >= 4, f"there is no region puzzle of {n} rows with a solution")
    few = unique is None or n <= MOST_UNIQUE_ROWS
    _require(few, f"a region puzzle with exactly one solution has at most {MOST_UNIQUE_ROWS} rows here, not {n}")
    choices = Choices(seed)
    for _ in range(ATTEMPTS):
        queens = _apart(n, choices)
        labels = _grown(queens, choices)
        if unique is None or _with_one_solution(labels, queens, unique, choices):
            return Instance(n, Diagonals.ADJACENT, regions=labels)
    raise InvalidInput(f"no puzzle with exactly one solution in {ATTEMPTS} attempts; take another seed")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidInput(message)


def _require_size(n: int) -> None:
    _require(0 <= n <= MOST_ROWS, f"a random instance has 0 to {MOST_ROWS} rows, not {n}")


def _drawn(draw: Callable[[], Instance | None], n: int, unique: Solver | None) -> Instance:
    """Return the first instance drawn, with `unique` the first that has exactly one solution."""
    attempts = max(1, min(ATTEMPTS, MOST_DRAWS // max(1, n * n)))
    for _ in range(attempts):
        instance = draw()
        if instance is not None and (unique is None or len(unique(instance, 2)) == 1):
            return instance
    wanted = "" if unique is None else " with exactly one solution"
    raise InvalidInput(f"no instance{wanted} in {attempts} attempts; take other numbers or another seed")


def _placed(n: int, queens: int, diagonals: Diagonals, seed: int, unique: Solver | None) -> Instance:
    _require_size(n)
    _require(0 <= queens <= n, f"a board of {n} rows cannot have {queens} queens")
    choices = Choices(seed)

    def draw() -> Instance | None:
        squares = _without_attack(n, queens, n if diagonals is Diagonals.MODULAR else 2 * n, choices)
        return Instance(n, diagonals, squares) if len(squares) == queens else None

    return _drawn(draw, n, unique)


def _without_attack(n: int, queens: int, modulus: int, choices: Choices) -> list[Square]:
    """Return squares in different rows, columns and diagonals (modulo `modulus`), `queens` if n * n draws do."""
    rows, columns = list(range(n)), list(range(n))
    sums, differences = set[int](), set[int]()
    squares: list[Square] = []
    for _ in range(n * n):
        if len(squares) == queens:
            break
        i, j = choices.below(len(rows)), choices.below(len(columns))
        row, column = rows[i], columns[j]
        rising, falling = (row + column) % modulus, (row - column) % modulus
        if rising in sums or falling in differences:
            continue
        squares.append((row, column))
        sums.add(rising)
        differences.add(falling)
        for free, index in ((rows, i), (columns, j)):
            free[index] = free[-1]
            free.pop()
    return squares


def _blocked_in_random_order(n: int, squares: int, free: int, choices: Choices) -> list[Square]:
    order = [(row, column) for row in range(n) for column in range(n)]
    choices.shuffle(order)
    rows, columns = [n] * n, [n] * n
    taken: list[Square] = []
    for row, column in order:
        if len(taken) == squares:
            break
        if rows[row] > free and columns[column] > free:
            rows[row] -= 1
            columns[column] -= 1
            taken.append((row, column))
    return taken


def _apart(n: int, choices: Choices) -> Placement:
    """Return a permutation of the columns without neighbours in neighbouring rows: about one in seven is."""
    columns = list(range(n))
    while True:
        choices.shuffle(columns)
        if all(abs(one - other) > 1 for one, other in pairwise(columns)):
            return tuple(columns)


def _grown(queens: Placement, choices: Choices) -> list[list[int]]:
    """Return the region of every square: region r grows from the queen of row r."""
    n = len(queens)
    labels = [[-1] * n for _ in range(n)]
    borders: list[tuple[Square, int]] = []

    def join(square: Square, region: int) -> None:
        labels[square[0]][square[1]] = region
        borders.extend((near, region) for near in _beside(square, n) if labels[near[0]][near[1]] < 0)

    for row, column in enumerate(queens):
        join((row, column), row)
    while borders:
        index = choices.below(len(borders))
        (row, column), region = borders[index]
        borders[index] = borders[-1]
        borders.pop()
        if labels[row][column] < 0:
            join((row, column), region)
    return labels


def _beside(square: Square, n: int) -> list[Square]:
    """Return the squares that share a side with a square."""
    row, column = square
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [(r, c) for r, c in near if 0 <= r < n and 0 <= c < n]


def _with_one_solution(labels: list[list[int]], queens: Placement, solve: Solver, choices: Choices) -> bool:
    """Move squares to neighbouring regions until `queens` is the only solution; return whether that came about.

    A square on which other solutions have a queen, given to a neighbouring region, ends them: they then have two
    queens in that region. Moves are tried from those that end most, and kept if fewer solutions are left; where no
    move helps, this puzzle is given up. The squares of `queens` stay, and regions stay connected.
    """

    def other_solutions() -> SolutionSet:
        return solve(Instance(len(queens), Diagonals.ADJACENT, regions=labels), MOST_SOLUTIONS) - [queens]

    others = other_solutions()
    while 0 < len(others) < MOST_SOLUTIONS - 1:
        for (row, column), region in _moves(labels, queens, others, choices):
            before, labels[row][column] = labels[row][column], region
            fewer = other_solutions()
            if len(fewer) < len(others):
                others = fewer
                break
            labels[row][column] = before
        else:
            return False
    return not others


def _moves(
    labels: list[list[int]], queens: Placement, others: SolutionSet, choices: Choices
) -> Iterator[tuple[Square, int]]:
    """Yield the moves of a square to another region, first those that end most of the other solutions."""
    n = len(labels)
    ended = np.array([np.bincount(others.array[:, row], minlength=n) for row in range(n)])
    squares = [(row, column) for row in range(n) for column in range(n) if queens[row] != column]
    choices.shuffle(squares)
    for row, column in sorted(squares, key=lambda square: -int(ended[square])):
        near = sorted({labels[r][c] for r, c in _beside((row, column), n)} - {labels[row][column]})
        if near and _can_leave(labels, (row, column)):
            choices.shuffle(near)
            yield from (((row, column), region) for region in near)


def _can_leave(labels: list[list[int]], square: Square) -> bool:
    """Whether the region of a square stays connected, and something remains of it, without the square."""
    n = len(labels)
    region = labels[square[0]][square[1]]
    rest = {(r, c) for r in range(n) for c in range(n) if labels[r][c] == region} - {square}
    reached: set[Square] = set()
    waiting = [min(rest)] if rest else []
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += [near for near in _beside(here, n) if near in rest]
    return bool(rest) and reached == rest
