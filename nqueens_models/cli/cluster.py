"""The option `--cluster`: whose workers solve the cubes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from nqueens_models.cli.messages import plural, say
from nqueens_models.cli.options import SEARCH
from nqueens_models.cubes import CubeSearch, make_search
from nqueens_models.engines.base import Engine
from nqueens_models.errors import InvalidInput
from nqueens_models.instance import Instance

if TYPE_CHECKING:
    from nqueens_models.cluster import ClusterExecutor

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
    refuse_workers(cluster, workers)
    if search == "plain":
        raise InvalidInput("--cluster shares out cubes: leave --search plain out")
    searcher = make_search(engine, instance, search or "cubes", symmetry)
    with cluster_for(engine, cluster, quiet) as executor:
        assert isinstance(searcher, CubeSearch)
        yield dataclasses.replace(searcher, executor=executor, workers=executor.cores)


def refuse_workers(cluster: str | None, workers: int) -> None:
    """Raise InvalidInput for workers of this process besides those of a cluster."""
    if cluster is not None and workers > 1:
        raise InvalidInput("--cluster has its own workers: leave --workers out")


@contextmanager
def cluster_for(engine: Engine, address: str, quiet: bool) -> Iterator[ClusterExecutor]:
    """Connect to a cluster whose workers have what the engine needs, and say where it can be watched."""
    from nqueens_models.cluster import connected

    with connected(address, engine.requires) as executor:
        if not quiet:
            say(f"cluster: {plural(executor.cores, 'thread')} of {address}; dashboard {executor.dashboard}")
        yield executor
