"""Reading without loading."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import polars
import pytest

import nqueens_models as nq
from nqueens_models.errors import FormatError, InvalidInput
from nqueens_models.shards import list_in_shards, open_shards


def test_a_sequence_of_solutions(eight: Path) -> None:
    expected = list(nq.solve(8).solutions or ())
    shards = open_shards(eight)
    assert (len(shards), shards.shape, str(shards.dtype)) == (92, (92, 8), "uint8")
    assert [shards[i] for i in range(92)] == expected == list(shards)
    assert shards[-1] == expected[-1]
    assert shards[90:].tolist() == [list(row) for row in expected[90:]]
    assert shards[5:5].shape == (0, 8)
    assert all(row in shards for row in expected)
    assert not any(row in shards for row in [(0, 1, 2, 3, 4, 5, 6, 7), (9,) * 8, (0,) * 8, (0, 1), "no"])
    assert repr(shards).startswith("<Shards of 92 placements of 8 queens")
    assert shards.fingerprint == nq.SolutionSet(8, expected).fingerprint
    with pytest.raises(IndexError):
        shards[92]


def test_arrays_are_mapped(eight: Path) -> None:
    arrays = list(open_shards(eight).arrays)
    assert all(isinstance(array, np.memmap) for array in arrays)
    assert np.concatenate(arrays).tolist() == np.concatenate(list(open_shards(eight).blocks())).tolist()
    with pytest.raises(InvalidInput, match="parquet"):
        open_shards(eight).scan()


def test_parquet_is_a_lazy_table(tmp_path: Path) -> None:
    list_in_shards(tmp_path / "all", 8, files="parquet")
    shards = open_shards(tmp_path / "all")
    table = shards.scan()
    assert isinstance(table, polars.LazyFrame)
    assert table.collect_schema() == {f"row_{row}": polars.UInt8 for row in range(8)}
    corners = table.filter(polars.col("row_0") == 0).collect()
    assert corners.rows() == [row for row in nq.solve(8).solutions or () if row[0] == 0]
    assert table.collect().rows() == list(shards)
    assert shards[91] == (7, 3, 0, 2, 5, 1, 6, 4)
    assert np.concatenate(list(shards.arrays)).shape == (92, 8)
    assert polars.scan_parquet(tmp_path / "all" / "*.parquet").collect().rows() == list(shards)
    query = f"SELECT row_0, count(*) FROM '{tmp_path}/all/*.parquet' GROUP BY 1 ORDER BY 1"
    assert duckdb.execute(query).fetchall() == [(0, 4), (1, 8), (2, 16), (3, 18), (4, 18), (5, 16), (6, 8), (7, 4)]


def test_what_is_no_folder_of_shards(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_shards(tmp_path)
    (tmp_path / "manifest.jsonl").write_text('{"line":"summary","count":1,"fingerprint":""}\n')
    with pytest.raises(FormatError, match="no place"):
        open_shards(tmp_path)
