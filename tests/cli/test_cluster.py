"""`--cluster`: the messages here, what a cluster does in tests/test_cluster.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Result, process

pytest.importorskip("distributed")


def test_solve_on_a_cluster_lists_the_same() -> None:
    here = process("solve", 7)
    there = process("solve", 7, "--engine", "sat", "--cluster", "local:1")
    assert (there.status, there.out) == (0, here.out)
    assert there.err.splitlines()[0].startswith("cluster: 1 threads of local:1; dashboard http://")
    assert "40 solutions, complete" in there.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "local"], "a cluster is tcp://HOST:PORT or local:WORKERS, not 'local'"),
        (["--cluster", "local:2", "--search", "plain"], "leave --workers and plain out"),
        (["--cluster", "local:2", "--workers", "2"], "leave --workers and plain out"),
    ],
)
def test_bad_options(nqueens: Callable[..., Result], options: list[str], message: str) -> None:
    result = nqueens("solve", 8, *options)
    assert result.status == 2
    assert message in result.one_line_error()
