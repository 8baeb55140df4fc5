"""Models that are text: their examples, and what every solver of them must be told."""

from __future__ import annotations

import doctest

import pytest

from nqueens_models.instance import Diagonals, Instance
from nqueens_models.models import asp, flatzinc, minizinc


@pytest.mark.parametrize("module", [asp, minizinc, flatzinc], ids=lambda module: module.__name__)
def test_examples(module: object) -> None:
    failed, tried = doctest.testmod(module)  # type: ignore[arg-type]  # a module
    assert failed == 0
    assert tried == 1


@pytest.mark.parametrize("diagonals", Diagonals)
def test_flatzinc_forbids_each_attacking_step_once(diagonals: Diagonals) -> None:
    """Two queens of n = 4, one or more rows apart: the steps that verify.py would refuse."""
    text = flatzinc.queens_flatzinc(Instance(4, diagonals))
    lines = [line for line in text.splitlines() if "int_lin_ne" in line and "[q1, q3]" in line]
    steps = {int(line.split(", ")[-1].removesuffix(");")) for line in lines}
    assert steps == {"full": {2, -2}, "modular": {2, -2}, "adjacent": set()}[diagonals]
    assert len(lines) == {"full": 2, "modular": 2, "adjacent": 0}[diagonals]
