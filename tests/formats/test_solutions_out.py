"""Every format of `solve`: read back by the standard parsers of JSON, CSV and NumPy, and by hand."""

import csv
import io
import itertools
import json
from typing import Any

import numpy as np
import pytest

from nqueens_models.errors import InvalidSetting
from nqueens_models.formats.solutions_out import WRITERS, writer
from nqueens_models.instance import Instance
from nqueens_models.verify import is_solution

SUMMARY = {"termination": "time-limit", "complete": False, "count": 2, "engine": "bitmask"}


def all_solutions(n: int) -> np.ndarray[Any, Any]:
    found = [p for p in itertools.permutations(range(n)) if is_solution(Instance(n), p)]
    return np.array(found, dtype=np.uint8).reshape(len(found), n)


def written(name: str, n: int, *, base: int = 0, sizes: bool = False, encoding: str = "utf-8") -> bytes:
    """Write the solutions of n queens one at a time in the first half, then the rest at once."""
    stream = io.BytesIO()
    block = all_solutions(n)
    out = writer(name, Instance(n), stream, base=base, sizes=sizes, encoding=encoding)
    half = len(block) // 2
    for part in [*(block[i : i + 1] for i in range(half)), block[half:]]:
        out.write(part, np.arange(len(part)) + 1 if sizes else None)
    out.close(SUMMARY)
    return stream.getvalue()


@pytest.mark.parametrize("n", [0, 1, 2, 4, 6, 7])
@pytest.mark.parametrize("base", [0, 1])
def test_columns(n: int, base: int) -> None:
    lines = written("columns", n, base=base).decode().split("\n")
    assert lines.pop() == ""
    assert lines == [" ".join(str(c + base) for c in row) for row in all_solutions(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 4, 6, 7])
def test_board(n: int) -> None:
    text = written("board", n).decode()
    boards = ["".join("." * q + "Q" + "." * (n - 1 - q) + "\n" for q in p) for p in all_solutions(n)]
    assert text == "".join(board + "\n" for board in boards)


def test_unicode_board_falls_back_to_letters() -> None:
    assert written("unicode", 4).decode().split("\n")[:5] == ["· ♛ · ·", "· · · ♛", "♛ · · ·", "· · ♛ ·", ""]
    for encoding in ("ascii", "cp1252"):
        assert written("unicode", 4, encoding=encoding).split(b"\n")[:2] == [b". Q . .", b". . . Q"]
    assert written("unicode", 1).decode() == "♛\n\n"
    assert written("unicode", 0) == b"\n"


@pytest.mark.parametrize("n", [0, 1, 2, 4, 6, 7])
@pytest.mark.parametrize("base", [0, 1])
def test_json(n: int, base: int) -> None:
    document = json.loads(written("json", n, base=base))
    assert document["solutions"] == (all_solutions(n).astype(int) + base).tolist()
    assert document["base"] == base
    assert document["instance"] == Instance(n).to_dict()
    assert {key: document[key] for key in SUMMARY} == SUMMARY
    assert "orbit_sizes" not in document
    with_sizes = json.loads(written("json", n, base=base, sizes=True))
    assert len(with_sizes["orbit_sizes"]) == len(document["solutions"])


def test_json_without_summary() -> None:
    stream = io.BytesIO()
    writer("json", Instance(2), stream).close({})
    assert json.loads(stream.getvalue())["solutions"] == []


@pytest.mark.parametrize("n", [0, 1, 2, 4, 6])
@pytest.mark.parametrize("sizes", [False, True])
def test_json_lines(n: int, sizes: bool) -> None:
    heading, *lines, last = (json.loads(line) for line in written("jsonl", n, base=1, sizes=sizes).splitlines())
    assert heading["instance"]["n"] == n
    assert [line["columns"] for line in lines] == (all_solutions(n).astype(int) + 1).tolist()
    assert all(("orbit_size" in line) is sizes for line in lines)
    assert last == {"summary": SUMMARY}


@pytest.mark.parametrize("n", [1, 2, 4, 6])
@pytest.mark.parametrize("sizes", [False, True])
def test_csv(n: int, sizes: bool) -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", n, base=1, sizes=sizes).decode())))
    found = [[int(row[f"row_{r + 1}"]) for r in range(n)] for row in rows]
    assert found == (all_solutions(n).astype(int) + 1).tolist()
    assert all(("orbit_size" in row) is sizes for row in rows)


def test_csv_of_the_empty_board() -> None:
    assert written("csv", 0) == b"\n\n"
    assert written("csv", 0, sizes=True) == b"orbit_size\n1\n"


@pytest.mark.parametrize("n", [0, 1, 2, 4, 7])
@pytest.mark.parametrize("base", [0, 1])
def test_npy(n: int, base: int) -> None:
    array = np.load(io.BytesIO(written("npy", n, base=base)))
    assert array.shape == all_solutions(n).shape
    assert array.tolist() == (all_solutions(n).astype(int) + base).tolist()
    assert array.dtype == np.uint8


def test_npy_holds_the_last_column_of_a_board_of_256() -> None:
    stream = io.BytesIO()
    out = writer("npy", Instance(256), stream, base=1)
    out.write(np.arange(256, dtype=np.uint16)[None, :])
    out.close({})
    assert np.load(io.BytesIO(stream.getvalue()))[0].tolist() == list(range(1, 257))


def test_sizes_must_come_with_every_solution() -> None:
    out = writer("json", Instance(4), io.BytesIO(), sizes=True)
    with pytest.raises(ValueError, match="2 solutions need as many"):
        out.write(all_solutions(4), [8])


def test_unknown_names_and_bases_are_refused() -> None:
    with pytest.raises(InvalidSetting, match="columns, board"):
        writer("xml", Instance(4), io.BytesIO())
    with pytest.raises(InvalidSetting, match="from 0 or from 1"):
        writer("csv", Instance(4), io.BytesIO(), base=2)


def test_only_npy_is_binary() -> None:
    assert [name for name, kind in WRITERS.items() if kind.binary] == ["npy"]
