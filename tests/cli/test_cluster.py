"""`--cluster`: the messages here, what a cluster does in tests/test_cluster.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Result, process

pytest.importorskip("distributed")


def test_solve_on_a_cluster_lists_the_same() -> None:
    here = process("solve", 7)
    there = process("solve", 7, "--engine", "sat", "--cluster", "local:1")
    assert (there.status, there.out) == (0, here.out)
    assert there.err.splitlines()[0].startswith("cluster: 1 thread of local:1; dashboard http://")
    assert "40 solutions, complete" in there.err


def test_count_on_a_cluster_under_a_ledger_goes_on(tmp_path: Path) -> None:
    ledger = tmp_path / "q9.sqlite"
    command = ("count", 11, "--engine", "cpsat", "--cluster", "local:2", "--ledger", ledger, "--json")
    first = process(*command, "--timeout", "0.4", "--quiet")
    assert json.loads(first.out)["units"]["done"] < 26
    assert first.status == 3
    again = json.loads(process(*command).out)
    assert (again["count"], again["complete"], again["units"]["of"]) == (2680, True, 26)


def test_count_on_a_cluster_without_a_ledger(nqueens: Callable[..., Result]) -> None:
    result = nqueens("count", 8, "--cluster", "local:1", "--diagonals", "modular")
    assert (result.status, result.out) == (0, "0\n")  # n is even: OEIS A007705
    assert "complete" in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "local"], "a cluster is tcp://HOST:PORT or local:WORKERS, not 'local'"),
        (["--cluster", "local:2", "--search", "plain"], "leave --search plain out"),
        (["--cluster", "local:2", "--workers", "2"], "leave --workers out"),
    ],
)
def test_bad_options(nqueens: Callable[..., Result], options: list[str], message: str) -> None:
    result = nqueens("solve", 8, *options)
    assert result.status == 2
    assert message in result.one_line_error()


@pytest.mark.parametrize(
    ("option", "value"), [("--fundamental", ()), ("--limit", (3,)), ("--workers", (2,)), ("--shard", ("1/2",))]
)
def test_what_a_count_on_a_cluster_cannot_do(
    nqueens: Callable[..., Result], option: str, value: tuple[object, ...]
) -> None:
    result = nqueens("count", 8, "--cluster", "local:1", option, *value)
    assert result.status == 2
    assert "--cluster" in result.one_line_error() or "--ledger" in result.one_line_error()
