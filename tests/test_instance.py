"""Instances: what is refused and why, one form for equal ones, a digest that anyone can recompute."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.errors import InvalidInstance
from nqueens_models.instance import Diagonals, Instance
from tests import brute_force


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "n must be 0 or more, not -1"),
        ({"n": 2.5}, "n must be a whole number, not 2.5"),
        ({"n": 8.0}, "n must be a whole number, not 8.0"),
        ({"n": "x"}, "n must be a whole number, not 'x'"),
        ({"n": "8"}, "n must be a whole number, not '8'"),
        ({"n": None}, "n must be a whole number, not None"),
        ({"n": True}, "n must be a whole number, not True"),
        ({"n": np.bool_(True)}, "n must be a whole number"),
        ({"n": np.float64(4)}, "n must be a whole number"),
        ({"n": 4, "diagonals": "toroidal"}, "no diagonal rule 'toroidal'; there are full, modular, adjacent"),
        ({"n": 4, "diagonals": None}, "no diagonal rule None"),
        ({"n": 4, "fixed": [(4, 0)]}, "fixed queen (4, 0) is off the board of 4 rows and columns (0-based)"),
        ({"n": 4, "fixed": [(0, -1)]}, "fixed queen (0, -1) is off the board"),
        ({"n": 0, "blocked": [(0, 0)]}, "blocked square (0, 0) is off the board of 0 rows"),
        (
            {"n": 4, "blocked": [(1, 2, 3)]},
            "blocked square (1, 2, 3) is not a pair of whole numbers (row, column)",
        ),
        ({"n": 4, "blocked": [(1,)]}, "blocked square (1,) is not a pair"),
        ({"n": 4, "blocked": [3]}, "blocked square 3 is not a pair"),
        ({"n": 4, "blocked": [(1.0, 2)]}, "blocked square (1.0, 2) is not a pair"),
        ({"n": 4, "fixed": ["12"]}, "fixed queen '12' is not a pair"),
        ({"n": 4, "fixed": [(1, 2), (0, 0)], "blocked": [(0, 0)]}, "square (0, 0) is both fixed and blocked"),
        ({"n": 3, "regions": ["AB", "AB"]}, "regions have 2 rows on a board of 3"),
        ({"n": 2, "regions": ["AB", "ABC"]}, "row 1 of the regions (0-based) has 3 squares, not 2"),
        ({"n": 2, "regions": ["AA", "AA"]}, "there are 1 regions on a board that needs 2"),
        ({"n": 2, "regions": ["AB", "CA"]}, "there are 3 regions on a board that needs 2"),
        ({"n": 1, "regions": [[[]]]}, "the labels of the regions must be strings or numbers"),
        ({"n": 0, "regions": ["A"]}, "regions have 1 rows on a board of 0"),
    ],
)
def test_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstance) as caught:
        Instance(**arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numpy_numbers_and_arrays_are_as_good() -> None:
    regions = np.array([[5, 5], [7, 7]])
    with_numpy = Instance(np.int64(2), "modular", np.array([[0, 1]], np.uint8), np.array([[1, 1]]), regions)
    plain = Instance(2, Diagonals.MODULAR, [(0, 1)], [(1, 1)], ["AA", "BB"])
    assert with_numpy == plain
    assert with_numpy.digest() == plain.digest()
    assert type(with_numpy.n) is int
    assert {type(part) for square in (*with_numpy.fixed, *with_numpy.blocked) for part in square} == {int}


def test_contradictions_are_instances() -> None:
    assert Instance(4, fixed=[(0, 0), (0, 1), (1, 1)]).fixed == ((0, 0), (0, 1), (1, 1))
    assert len(Instance(2, blocked=[(0, 0), (0, 1), (1, 0), (1, 1)]).blocked) == 4


def rewritten(instance: Instance, data: st.DataObject) -> Instance:
    """The same instance written otherwise: squares in any order and repeated, regions with other labels."""
    fixed = data.draw(st.permutations([*instance.fixed, *instance.fixed]))
    blocked = data.draw(st.permutations(instance.blocked))
    labels = data.draw(st.permutations("ABCDEFG"))
    regions = instance.regions
    if regions is not None:
        regions = [[labels[number] for number in row] for row in regions]  # type: ignore[assignment]
    return Instance(instance.n, str(instance.diagonals), map(list, fixed), iter(blocked), regions)


@given(brute_force.instances(), st.data())
def test_equal_instances_have_one_form(instance: Instance, data: st.DataObject) -> None:
    other = rewritten(instance, data)
    assert other == instance
    assert hash(other) == hash(instance)
    assert other.canonical_json() == instance.canonical_json()
    assert other.digest() == instance.digest()
    assert str(other) == str(instance)


@given(brute_force.instances(), brute_force.instances())
def test_the_digest_tells_instances_apart(one: Instance, other: Instance) -> None:
    assert (one.digest() == other.digest()) == (one == other)


@given(brute_force.instances())
def test_normal_form(instance: Instance) -> None:
    for squares in (instance.fixed, instance.blocked):
        assert list(squares) == sorted(set(squares))
    if instance.regions is not None:
        labels = [number for row in instance.regions for number in row]
        assert list(dict.fromkeys(labels)) == list(range(instance.n))


@given(brute_force.instances())
def test_copies_are_equal(instance: Instance) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(instance, protocol)) == instance
    for twin in (copy.copy(instance), copy.deepcopy(instance), dataclasses.replace(instance)):
        assert twin == instance
        assert hash(twin) == hash(instance)
    fields = instance.to_dict()
    assert (fields.pop("format"), fields.pop("version")) == ("nqueens_models.instance", 1)
    assert Instance(**fields) == instance


def test_canonical_text_and_digest_by_hand() -> None:
    instance = Instance(3, "adjacent", [(2, 1)], [(1, 1), (0, 0)], ["XXY", "XYY", "ZZZ"])
    text = (
        '{"blocked":[[0,0],[1,1]],"diagonals":"adjacent","fixed":[[2,1]],"format":"nqueens_models.instance","n":3,'
        '"regions":[[0,0,1],[0,1,1],[2,2,2]],"version":1}'
    )
    assert instance.canonical_json() == text
    assert instance.digest() == hashlib.sha256(text.encode()).hexdigest()
    plain = (
        '{"blocked":[],"diagonals":"full","fixed":[],"format":"nqueens_models.instance","n":8,'
        '"regions":null,"version":1}'
    )
    assert Instance(8).canonical_json() == plain


def test_an_instance_cannot_be_changed() -> None:
    instance = Instance(4)
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance.n = 5  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        instance.colour = "red"  # type: ignore[attr-defined]
    assert not hasattr(instance, "__dict__")


@given(brute_force.instances(max_n=5), st.data())
def test_a_cube_is_an_instance_with_more_queens(instance: Instance, data: st.DataObject) -> None:
    open_squares = sorted({(r, c) for r in range(instance.n) for c in range(instance.n)} - set(instance.blocked))
    more = data.draw(st.lists(st.sampled_from(open_squares), max_size=2)) if open_squares else []
    cube = instance.with_fixed(more)
    assert set(cube.fixed) == set(instance.fixed) | set(more)
    assert dataclasses.replace(cube, fixed=instance.fixed) == instance
    wanted = [p for p in brute_force.solutions(instance) if all(p[row] == column for row, column in more)]
    assert brute_force.solutions(cube) == wanted


@given(brute_force.instances())
def test_unblocked(instance: Instance) -> None:
    free = instance.unblocked()
    assert free.dtype == np.bool_
    n = instance.n
    assert free.tolist() == [[(r, c) not in instance.blocked for c in range(n)] for r in range(n)]


@pytest.mark.parametrize(
    ("instance", "text", "plain"),
    [
        (Instance(8), "n=8", True),
        (Instance(0), "n=0", True),
        (Instance(8, "modular"), "n=8, modular diagonals", False),
        (Instance(8, fixed=[(0, 0)]), "n=8, 1 fixed", False),
        (Instance(8, blocked=[(0, 0), (1, 1)]), "n=8, 2 blocked", False),
        (Instance(2, "adjacent", [(0, 0)], [(1, 1)], ["AA", "BB"]),
         "n=2, adjacent diagonals, regions, 1 fixed, 1 blocked", False),
    ],
)  # fmt: skip
def test_what_it_says_of_itself(instance: Instance, text: str, plain: bool) -> None:
    assert str(instance) == text
    assert instance.is_plain is plain
