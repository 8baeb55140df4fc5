"""All solutions from first principles, and random instances to compare with them."""

import itertools

from hypothesis import strategies as st

from nqueens_models.instance import Diagonals, Instance, Placement


def solutions(instance: Instance) -> list[Placement]:
    """Return every solution in lexicographic order, by looking at every permutation of the columns."""
    return [p for p in itertools.permutations(range(instance.n)) if _obeys(instance, p)]


def _obeys(instance: Instance, p: Placement) -> bool:
    if any(p[r] != c for r, c in instance.fixed) or any(p[r] == c for r, c in instance.blocked):
        return False
    regions = instance.regions
    if regions is not None and len({regions[r][c] for r, c in enumerate(p)}) < instance.n:
        return False
    return not any(_attack(instance, j - i, p[j] - p[i]) for i, j in itertools.combinations(range(instance.n), 2))


def _attack(instance: Instance, down: int, right: int) -> bool:
    """Whether two queens in different rows and columns attack each other along a diagonal."""
    n = instance.n
    if instance.diagonals is Diagonals.FULL:
        return abs(down) == abs(right)
    if instance.diagonals is Diagonals.MODULAR:
        return (down - right) % n == 0 or (down + right) % n == 0
    return abs(down) == abs(right) == 1


@st.composite
def instances(draw: st.DrawFn, max_n: int = 7) -> Instance:
    """Draw any instance of the family: every rule, often with solutions, sometimes with queens that attack."""
    n = draw(st.integers(0, max_n))
    square = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)) if n else st.nothing()
    fixed = draw(st.lists(square, max_size=2)) if n else []
    blocked = draw(st.lists(square, max_size=n * n // 2)) if n else []
    regions = draw(st.none() | _regions(n)) if n else None
    blocked = [s for s in blocked if s not in fixed]
    return Instance(n, draw(st.sampled_from(Diagonals)), fixed, blocked, regions)


def _regions(n: int) -> st.SearchStrategy[list[list[int]]]:
    """Return matrices in which each of n labels appears, in one square at least."""
    labels = st.lists(st.integers(0, n - 1), min_size=n * n - n, max_size=n * n - n)
    return labels.flatmap(lambda rest: st.permutations([*range(n), *rest])).map(
        lambda flat: [list(flat[i * n : i * n + n]) for i in range(n)]
    )
