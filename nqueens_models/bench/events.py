"""What a worker tells its parent: one line of JSON each, behind a token that only the two know."""

from __future__ import annotations

import msgspec

from nqueens_models.bench.records import Phase, Status, Trial


class WorkOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What the parent asks of the worker, on its standard input.

    `spawned` is `time.monotonic()` when the process was made; `cores` are those it is to stay on, () for any.
    """

    trial: Trial
    cores: tuple[int, ...]
    token: str
    spawned: float


class Entered(msgspec.Struct, frozen=True, tag="entered"):
    """A phase begins; `seconds` are since the process was made."""

    phase: Phase
    seconds: float


class Warm(msgspec.Struct, frozen=True, tag="warm"):
    """Everything is loaded: how long the import statements took, and the rest of the warm-up."""

    imports: float
    warm_up: float


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the search is: seconds of building and solving, solutions so far."""

    seconds: float
    solutions: int


class Partial(msgspec.Struct, frozen=True, tag="partial"):
    """What is known of a search that may be killed: its statistics, the seconds of building if that is done."""

    build: float | None
    statistics: dict[str, int]


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The search returned, or raised: then `status` says so and `detail` what."""

    status: Status
    detail: str = ""
    build: float | None = None
    solve: float | None = None
    solutions: int = 0
    statistics: dict[str, int] = {}


class Checked(msgspec.Struct, frozen=True, tag="checked"):
    """What was visited, judged by the rules.

    `distinct` placements obey them, of which `fingerprint` is that of the set; `wrong` visits do not, the first is
    `witness`. `problem` says why nothing could be judged.
    """

    visited: int
    distinct: int = 0
    wrong: int = 0
    witness: tuple[int, ...] | None = None
    fingerprint: str = ""
    problem: str = ""


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The last event: the peak of the worker's own memory in bytes, 0 where the system does not say."""

    peak_memory: int


Event = Entered | Warm | Progress | Partial | Ended | Checked | Finished
