"""The option `--cluster`: whose workers solve the cubes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from nqueens_models.cli.messages import say
from nqueens_models.cli.options import SEARCH
from nqueens_models.cubes import CubeSearch, make_search
from nqueens_models.engines.base import Engine
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Instance

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", rich_help_panel=SEARCH,
        help="Let a Dask cluster search: [b]tcp://SCHEDULER:8786[/b], or [b]local:W[/b] for W processes here.",
    ),
]  # fmt: skip


@contextmanager
def searcher_on(
    cluster: str | None,
    engine: Engine,
    instance: Instance,
    search: str | None,
    symmetry: bool,
    workers: int,
    quiet: bool = False,
) -> Iterator[Engine]:
    """Give the engine that searches as the options say, in this process and its workers, or on a cluster."""
    if cluster is None:
        yield make_search(engine, instance, search, symmetry, workers)
        return
    if search == "plain" or workers > 1:
        raise InvalidInput("--cluster solves cubes with the workers that it has: leave --workers and plain out")
    from nqueens_models.cluster import connected

    searcher = make_search(engine, instance, search or "cubes", symmetry)
    with connected(cluster, engine.requires) as executor:
        if not quiet:
            say(f"cluster: {executor.cores} threads of {cluster}; dashboard {executor.dashboard}")
        assert isinstance(searcher, CubeSearch)
        yield dataclasses.replace(searcher, executor=executor, workers=executor.cores)
