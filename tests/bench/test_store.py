"""What was appended is there, whatever happened to the writer."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_models.bench.plan import make_case
from nqueens_models.bench.records import VERSION, Line, MeasuredRun, schema
from nqueens_models.bench.store import Store, read
from nqueens_models.errors import FormatError, InvalidInput
from nqueens_models.instance import Instance
from tests.bench import records

PLAN = records.plan(
    [make_case(Instance(8)), make_case(Instance(6, blocked=[(0, 1)]))], ["bitmask", "sat"], repeat=2
)
SESSION = records.session(PLAN)
RUNS = [records.run(trial, samples=((0.1, 5), (1.0, 92)), statistics={"nodes": 7}) for trial in PLAN.trials()]


def written(path: Path) -> Path:
    with Store(path) as store:
        store.append(SESSION)
        for run in RUNS:
            store.append(run)
    return path


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    archive = read([written(tmp_path / "runs.jsonl")])
    assert archive.sessions == {SESSION.id: SESSION}
    assert archive.runs == RUNS
    assert not archive.torn
    assert archive.case(RUNS[0]).board() in (Instance(8), Instance(6, blocked=[(0, 1)]))


def test_every_line_is_on_the_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Store(path) as store:
        store.append(SESSION)
        store.append(RUNS[0])
        assert read([path]).runs == RUNS[:1]


@settings(deadline=None)  # the disk may be busy
@given(st.integers(min_value=1))
def test_a_torn_end_costs_its_own_line_only(cut: int) -> None:
    """Wherever the writer was killed: all whole lines are read, and the next session repairs the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "runs.jsonl")
        whole = path.read_bytes()
        start = whole.index(b"\n") + 1  # the session is whole
        kept = whole[: start + cut % (len(whole) - start)]
        path.write_bytes(kept)
        complete = kept.count(b"\n") - 1
        before = read([path]).runs
        assert before in (RUNS[:complete], RUNS[: complete + 1])  # the last may lack its line end only
        with Store(path) as store:
            store.append(RUNS[-1])
        after = path.read_bytes()
        assert after.endswith(b"\n")
        assert [line.trial for line in _runs(after)] == [run.trial for run in [*before, RUNS[-1]]]


def _runs(data: bytes) -> list[MeasuredRun]:
    lines = [msgspec.json.decode(line, type=Line) for line in data.splitlines()]
    return [line for line in lines if isinstance(line, MeasuredRun)]


def test_a_torn_end_is_mentioned(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    archive = read([path])
    assert archive.torn == [path]
    assert archive.runs == RUNS[:-1]


def test_a_file_read_twice_counts_once(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.jsonl")
    assert read([path, path]).runs == RUNS


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"nonsense\n", "line 2: this is no line of a file of runs"),
        (b"{}\n", "line 2: this is no line"),
        (b'{"type":"run"}\n', "line 2: this is no line"),
        (b"\xff\xfe\n", "line 2: this is no line"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = written(tmp_path / "runs.jsonl")
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n" + line + rest)
    with pytest.raises(FormatError, match=message):
        read([path])


def test_runs_without_their_session_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.jsonl")
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
    with pytest.raises(FormatError, match="line 1: the session or the case of this run is missing"):
        read([path])


def test_a_version_from_the_future_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    facts = msgspec.to_builtins(SESSION) | {"version": VERSION + 1}
    for line in (facts, {"type": "session", "version": VERSION + 1, "shape": "unknown"}):
        path.write_text(json.dumps(line) + "\n")
        with pytest.raises(FormatError, match=f"version {VERSION + 1} of the format is newer"):
            read([path])


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path = written(tmp_path / "runs.jsonl")
    with Store(path), pytest.raises(InvalidInput, match="another comparison"), Store(path):
        pass


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read([tmp_path / "none.jsonl"])
    with pytest.raises(InvalidInput, match="cannot be written"), Store(tmp_path / "no" / "folder.jsonl"):
        pass


def test_the_schema_names_both_kinds_of_lines() -> None:
    kinds = {option["$ref"].rpartition("/")[2] for option in schema()["anyOf"]}
    assert kinds == {"Session", "MeasuredRun"}
    written_down = Path(__file__).parents[2] / "docs" / "runs.schema.json"
    assert json.loads(written_down.read_text()) == json.loads(json.dumps(schema()))


def test_an_identity_depends_on_everything_that_is_asked_and_on_nothing_else() -> None:
    trials = list(PLAN.trials())
    assert len({trial.identity for trial in trials}) == len(trials) == 8
    assert len({trial.cell for trial in trials}) == 4
    trial = trials[0]
    renamed = msgspec.structs.replace(trial, case=msgspec.structs.replace(trial.case, name="x", group="y"))
    longer = msgspec.structs.replace(
        trial, allowance=msgspec.structs.replace(trial.allowance, seconds=trial.allowance.seconds + 1)
    )
    first = msgspec.structs.replace(trial, case=msgspec.structs.replace(trial.case, solutions=1))
    assert renamed.identity == trial.identity
    assert len({trial.identity, longer.identity, first.identity}) == 3
