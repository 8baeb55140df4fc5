"""Rows of 256 bits against NumPy and Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nqueens_models.engines.bitmask import bit_rows
from nqueens_models.engines.bitmask.compiled import kernel


@kernel
def count_common_of(first: Any, f: int, tables: Any, words: Any, start: int, stop: int) -> int:
    return int(bit_rows.count_common(first, f, tables, words, start, stop))


@kernel
def popcount_of(bits: int) -> int:
    return int(bit_rows.popcount(bits))


def random_rows(seed: int, *shape: int) -> bit_rows.Words:
    rows = bit_rows.aligned_rows(*shape)
    rows[:] = np.random.default_rng(seed).integers(0, 1 << 64, rows.shape, np.uint64)
    return rows


def unaligned(rows: bit_rows.Words) -> bit_rows.Words:
    """Return a copy that begins 8 bytes after a cache line."""
    memory = bit_rows.aligned_rows(rows.size // bit_rows.LANES + 1).reshape(-1)[1 : rows.size + 1]
    memory[:] = rows.reshape(-1)
    return memory.reshape(rows.shape)


@pytest.mark.parametrize("copy", [np.copy, unaligned])
def test_transpose_agrees_with_numpy(copy: Any) -> None:
    rows = copy(random_rows(1, 64))
    bits = np.unpackbits(
        rows.view(np.uint8).reshape(64, bit_rows.LANES, 8), axis=2, bitorder="little"
    )  # [i, lane, b]
    expected = (
        np.packbits(bits.transpose(2, 1, 0), axis=2, bitorder="little")
        .reshape(64, 8 * bit_rows.LANES)
        .view(np.uint64)
    )
    bit_rows.transpose(rows)
    assert (rows == expected).all()


def test_subset_rows_tell_the_words_without_the_bits() -> None:
    words = np.random.default_rng(2).integers(0, 1 << 64, bit_rows.ROW_BITS, np.uint64)
    block = words.copy().reshape(64, bit_rows.LANES)
    bit_rows.transpose(block)
    rows = bit_rows.aligned_rows(32)
    rows[0] = ~np.uint64(0)
    bit_rows.fill_subset_rows(rows, block, 7, 5)
    for value in range(32):
        free = ((words >> np.uint64(7)) & np.uint64(value) == 0).reshape(64, bit_rows.LANES)
        expected = [sum(int(free[i, lane]) << i for i in range(64)) for lane in range(bit_rows.LANES)]
        assert rows[value].tolist() == expected


@pytest.mark.parametrize("copy", [np.copy, unaligned])
def test_common_bits_agree_with_integers(copy: Any) -> None:
    first, tables = copy(random_rows(3, 5)), copy(random_rows(4, 4, 32))
    chosen = np.random.default_rng(5).integers(0, 32, (40, 4))
    words = (chosen.astype(np.uint64) * np.uint64(bit_rows.LANES)) << (
        np.uint64(16) * np.arange(4, dtype=np.uint64)
    )
    fields = np.bitwise_or.reduce(words, axis=1)
    common = [int(np.bitwise_count(first[2] & np.bitwise_and.reduce(tables[range(4), k])).sum()) for k in chosen]
    assert count_common_of(first, 2, tables, fields, 3, 40) == sum(common[3:])
    assert count_common_of(first, 2, tables, fields, 7, 7) == 0


@pytest.mark.parametrize("bits", [0, 1, 0b1011, (1 << 63) - 1, -1])
def test_popcount(bits: int) -> None:
    assert popcount_of(bits) == (bits & ((1 << 64) - 1)).bit_count()


def test_aligned_rows_begin_on_a_cache_line() -> None:
    for rows in range(1, 9):
        assert bit_rows.aligned_rows(rows, 3).ctypes.data % bit_rows.CACHE_LINE == 0
        assert bit_rows.aligned_rows(rows, 3).shape == (rows, 3, bit_rows.LANES)
