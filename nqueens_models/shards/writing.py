"""Listing into a folder, by one worker or several, from the beginning or where another run was stopped."""

from __future__ import annotations

import hashlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from nqueens_models.cubes.pool import WorkerPool
from nqueens_models.cubes.sharing import ATTEMPTS, POLL_SECONDS, prepare
from nqueens_models.engines.base import Engine, Limits, Termination
from nqueens_models.engines.recorder import Observer, Recorder, SearchStopped, conduct, observed
from nqueens_models.engines.registry import full_spec, make_engine
from nqueens_models.errors import EngineError, FormatError, InvalidInput, InvalidSetting
from nqueens_models.instance import Instance
from nqueens_models.shards.files import digest_of, read_blocks, require, sync_folder
from nqueens_models.shards.manifest import NAME, Appender, Entry, Heading, Manifest, Summary
from nqueens_models.shards.portion import Portion, Target, list_portion, unobserved
from nqueens_models.shards.sharding import Sharding, sharding_of
from nqueens_models.solutions import columns_text

Finished = tuple[Termination, list[Entry]]

OURS = re.compile(r"\.?shard-\d+\.(npy|parquet)(\.\d+\.part)?")


@dataclass(frozen=True)
class Listing:
    """What there is in a folder at the end of a run: `fingerprint` only if all of it.

    `finished` of `shards` are there, with `count` solutions; `resumed` of them were there before.
    """

    folder: Path
    instance: Instance
    termination: Termination
    shards: int
    finished: int
    resumed: int
    count: int
    fingerprint: str | None
    seconds: float


def list_in_shards(
    folder: Path | str,
    instance: Instance | int,
    engine: str | Engine = "bitmask",
    *,
    files: str = "npy",
    search: str | None = None,
    symmetry: bool = True,
    workers: int = 1,
    seconds: float | None = None,
    observer: Observer | None = None,
    restart: bool = False,
) -> Listing:
    """List every solution into `folder`, which is made, or belongs to an unfinished run of the same listing.

    `files` is `npy` or `parquet`. With `symmetry`, of two shards that are mirror images one is searched. `search`
    is that of each shard; W `workers` are W processes. `observer` is told the number of solutions and the fraction
    of the shards. `restart` throws away what an earlier listing left in the folder. Time limit and Ctrl-C end it
    with what is finished; the same call goes on with the rest. Raises InvalidInput for a folder that holds
    anything else, OSError when the disk is full, and what `execute` raises.
    """
    board = instance if isinstance(instance, Instance) else Instance(instance)
    require(files, board.n)
    if workers < 1:
        raise InvalidSetting(f"there must be 1 worker or more, not {workers}")
    limits, searcher = Limits(seconds=seconds), make_engine(engine)
    deadline = None if limits.seconds is None else time.time() + limits.seconds
    started = time.perf_counter()
    with _opened(Path(folder), restart) as (appender, before):
        heading = _heading(board, searcher, search, symmetry, files)
        if before is None:
            sharding = sharding_of(board)
            before = msgspec.structs.replace(heading, rows=sharding.rows, shards=len(sharding))
            appender.append(before)
        else:
            _refuse_another(Path(folder), before, heading)
            sharding = _sharding(Path(folder), board, before)
        work = _Work(Path(folder), appender, sharding, before, observer)

        def portion(targets: Sequence[Target]) -> Portion:
            return Portion(sharding.cube(targets[0].shard), targets, searcher, search, symmetry, deadline)

        left = Limits(seconds=None if deadline is None else max(deadline - time.time(), 1e-6))
        with observed(unobserved):
            outcome = conduct(lambda recorder: work.run(recorder, portion, workers), board, limits=left)
        return work.listing(outcome.termination, time.perf_counter() - started)


def _heading(instance: Instance, engine: Engine, search: str | None, symmetry: bool, files: str) -> Heading:
    """Return what a listing is; its sharding is filled in later."""
    from nqueens_models import __version__

    return Heading(
        instance=instance.to_dict(),
        engine=full_spec(engine),
        search=search or "auto",
        files="npy" if files == "npy" else "parquet",
        rows=(),
        shards=0,
        package=__version__,
        symmetry=symmetry,
    )


def _refuse_another(folder: Path, before: Heading, wanted: Heading) -> None:
    """Raise InvalidInput if a folder belongs to another listing."""
    for name in ("instance", "engine", "search", "symmetry", "files"):
        one, other = getattr(before, name), getattr(wanted, name)
        if one != other:
            is_instance = name == "instance"
            one, other = (before.of_instance(), wanted.of_instance()) if is_instance else (one, other)
            words = f"{one}, not {other}" if str(one) != str(other) else f"{one} with other squares"
            raise InvalidInput(f"{folder} belongs to a listing with another {name}: {words}")


def _sharding(folder: Path, instance: Instance, heading: Heading) -> Sharding:
    """Return the sharding that a listing was begun with; raise FormatError if there is no such."""
    fixed = {row for row, _ in instance.fixed}
    rows = tuple(row for row in range(instance.n) if row not in fixed)[: len(heading.rows)]
    sharding = Sharding(instance, rows)
    if rows != heading.rows or len(sharding) != heading.shards:
        raise FormatError(f"{folder / NAME}: the instance has no such division into shards")
    return sharding


@contextmanager
def _opened(folder: Path, restart: bool) -> Iterator[tuple[Appender, Heading | None]]:
    """Give the manifest of a folder, locked, and what it lists if it is not new."""
    path = folder / NAME
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder")
    if not folder.parent.is_dir():
        raise InvalidInput(f"there is no folder {folder.parent}")
    folder.mkdir(exist_ok=True)
    if not path.is_file():
        _refuse_others(folder)
    with Appender(path) as appender:
        if appender.is_empty():
            _refuse_others(folder)
        if restart:
            _remove(folder, everything=True)
            appender.clear()
        _remove(folder)
        try:
            yield appender, None if appender.is_empty() else Manifest(path).heading
        finally:
            _remove(folder)


def _refuse_others(folder: Path) -> None:
    """Raise InvalidInput if a folder whose manifest has no line holds anything but that manifest."""
    other = next((path for path in folder.iterdir() if path.name != NAME or not path.is_file()), None)
    if other is not None:
        raise InvalidInput(f"{folder} holds files that are not of a listing, such as {other.name}")


def _remove(folder: Path, everything: bool = False) -> None:
    """Remove what unfinished work left, or all shards: nothing that has another kind of name."""
    for path in folder.iterdir():
        if OURS.fullmatch(path.name) and (everything or path.name.endswith(".part")):
            with suppress(OSError):
                path.unlink()


class _Work:
    """The shards of a folder: those that are finished, and the fingerprint of the first of them.

    Futures and pools have locks that Ctrl-C might leave taken (`cubes.sharing`): it waits while they are used.
    """

    def __init__(
        self, folder: Path, appender: Appender, sharding: Sharding, heading: Heading, observer: Observer | None
    ) -> None:
        self._folder = folder
        self._appender = appender
        self._sharding = sharding
        self._heading = heading
        self._observer = observer
        self._entries: dict[int, Entry] = {}
        self._summary: Summary | None = None
        self._count = self._resumed = 0
        self._digest = hashlib.sha256()
        self._hashed = 0  # shards that are in the digest

    def _is_whole(self, entry: Entry) -> bool:
        """Whether the file of a shard is what its entry says: else it is made anew."""
        path, expected = self._folder / self._heading.file(entry.shard), self._sharding.prefixes[entry.shard]
        if (entry.file, entry.prefix) != (path.name, expected):
            return False
        try:
            return path.stat().st_size == entry.bytes and digest_of(path) == entry.sha256
        except OSError:
            return False

    def open_portions(self) -> Iterator[Sequence[Target]]:
        """Yield the shards that are still to be searched, as they are searched together."""
        for portion in self._sharding.portions(self._heading.symmetry):
            if any(shard not in self._entries for shard in portion):
                yield [self._target(shard) for shard in portion]

    def _target(self, shard: int) -> Target:
        return Target(shard, self._sharding.prefixes[shard], self._folder / self._heading.file(shard))

    def run(self, recorder: Recorder, portion: Callable[[Sequence[Target]], Portion], workers: int) -> None:
        """Go on where another run was stopped, and write the summary when all is there; raise SearchStopped."""
        self._resume(recorder)
        portions = [portion(targets) for targets in self.open_portions()]
        if workers == 1 or len(portions) < 2:
            self._serve(recorder, portions)
        else:
            self._share(recorder, portions, workers)
        if self._summary is None:
            self._conclude(recorder)

    def _resume(self, recorder: Recorder) -> None:
        """Take the shards that are finished, which are read for it."""
        manifest = Manifest(self._folder / NAME)
        for entry in manifest.entries.values():
            recorder.check_time()
            if self._is_whole(entry):
                self._note(entry)
                self._resumed += 1
        if len(self._entries) == len(self._sharding):
            self._summary = manifest.summary

    def _serve(self, recorder: Recorder, portions: Sequence[Portion]) -> None:
        for portion in portions:
            recorder.check_time()
            self._take(recorder, *list_portion(portion))

    def _share(self, recorder: Recorder, portions: Sequence[Portion], workers: int) -> None:
        """Have the portions listed by processes, which are gone when this returns or raises."""
        with recorder.uninterrupted():
            pool = WorkerPool(min(workers, len(portions)), prepare, portions[0].engine)
            try:
                with recorder.interruptible():
                    self._hand_out(recorder, pool, deque((portion, 1) for portion in portions), workers)
            finally:
                pool.shutdown()

    def _hand_out(
        self, recorder: Recorder, pool: WorkerPool, waiting: deque[tuple[Portion, int]], workers: int
    ) -> None:
        """Keep the workers busy; a portion whose worker dies is given to another, ATTEMPTS times in all."""
        running: dict[Future[Finished], tuple[Portion, int]] = {}
        while waiting or running:
            with recorder.uninterrupted():
                while waiting and len(running) <= workers:
                    portion, attempt = waiting.popleft()
                    running[pool.submit(list_portion, portion)] = portion, attempt
                done = wait(running, POLL_SECONDS, FIRST_COMPLETED).done
            for future in done:
                portion, attempt = running.pop(future)
                try:
                    with recorder.uninterrupted():
                        finished = future.result()
                except BrokenExecutor as error:
                    if attempt == ATTEMPTS:
                        raise EngineError(self._lost(error, portion)) from error
                    waiting.appendleft((portion, attempt + 1))
                    continue
                self._take(recorder, *finished)
            if waiting or running:
                recorder.check_time()

    def _lost(self, error: BrokenExecutor, portion: Portion) -> str:
        shards = " and ".join(target.path.name for target in portion.targets)
        return f"{self._heading.engine}: {error}, {ATTEMPTS} times on {shards}; the same command goes on"

    def _take(self, recorder: Recorder, termination: Termination, entries: Sequence[Entry]) -> None:
        """Note shards that are finished; raise SearchStopped if they are not."""
        if termination is not Termination.EXHAUSTED:
            raise SearchStopped(termination)
        sync_folder(self._folder)
        for entry in entries:
            with recorder.uninterrupted():
                self._appender.append(entry)
                self._note(entry)
        self._hash_on(recorder)
        if self._observer is not None:
            self._observer(self._count, len(self._entries) / len(self._sharding))

    def _note(self, entry: Entry) -> None:
        before = self._entries.get(entry.shard)
        self._count += entry.count - (0 if before is None else before.count)
        self._entries[entry.shard] = entry

    def _hash_on(self, recorder: Recorder) -> None:
        """Go on with the fingerprint as far as shards follow each other; if all are there, whatever the time."""
        while self._hashed in self._entries:
            entry = self._entries[self._hashed]
            for block in read_blocks(self._folder / entry.file, self._sharding.instance.n):
                if len(self._entries) < len(self._sharding):
                    recorder.check_time()
                for piece in columns_text(block):
                    self._digest.update(piece)
            self._hashed += 1

    def _conclude(self, recorder: Recorder) -> None:
        self._hash_on(recorder)
        summary = Summary(self._count, self._digest.hexdigest())
        with recorder.uninterrupted():
            self._appender.append(summary)
            self._summary = summary

    def listing(self, termination: Termination, seconds: float) -> Listing:
        """Return what there is."""
        return Listing(
            folder=self._folder,
            instance=self._sharding.instance,
            termination=termination,
            shards=len(self._sharding),
            finished=len(self._entries),
            resumed=self._resumed,
            count=self._count,
            fingerprint=None if self._summary is None else self._summary.fingerprint,
            seconds=seconds,
        )
