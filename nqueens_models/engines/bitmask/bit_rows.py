"""Rows of bits: what Numba cannot say about them, as LLVM vectors, on any processor.

A row is one line of a C-contiguous uint64 array whose last axis has length LANES. Bit i of its word `lane` belongs
to word number LANES i + lane of a block of ROW_BITS words. LLVM turns the generic vectors into what the processor
has: AVX2 or AVX-512 registers, pairs of NEON or SSE registers. Rows of 512 bits pay where AVX-512 counts their
bits (a tenth of the whole time), and cost a little elsewhere. Loads assume the alignment of a uint64 and no more;
`aligned_rows` starts each row at a multiple of its size because that is faster.
"""

# ruff: noqa: ARG001 - Numba hands every intrinsic the same arguments

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from nqueens_models.engines.bitmask.compiled import kernel, processor

Words = NDArray[np.uint64]

LANES = 8 if "+avx512vpopcntdq" in processor()[2] else 4  # uint64 in a row
ROW_BITS = 64 * LANES
CHUNKS = 4  #     tables that `count_common` looks up
FIELD_BITS = 16  # of a word, for each chunk
CACHE_LINE = 64

_I32, _I64 = ir.IntType(32), ir.IntType(64)
_ROW = ir.VectorType(_I64, LANES)


def aligned_rows(*shape: int) -> Words:
    """Return zeroed rows, shape (*shape, LANES), that begin on a cache line."""
    size = LANES * int(np.prod(shape)) * 8
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + size].view(np.uint64).reshape(*shape, LANES)


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing: Any, bits: Any) -> Any:
    """Return the number of bits of an integer that are 1, as an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def is_empty(typing: Any, rows: Any, k: Any) -> Any:
    """Return whether rows[k] has no bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(
            _load(builder, _row(context, builder, signature, arguments, 0)), ir.IntType(ROW_BITS)
        )
        return builder.icmp_unsigned("==", bits, ir.Constant(bits.type, 0))

    return types.boolean(rows, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def exclude(typing: Any, target: Any, t: Any, source: Any, s: Any, excluded: Any, e: Any) -> Any:
    """Set target[t] = source[s] & ~excluded[e]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, kept, dropped = (_row(context, builder, signature, arguments, k) for k in (0, 2, 4))
        row = builder.and_(_load(builder, kept), builder.not_(_load(builder, dropped)))
        _store(builder, row, into)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, excluded, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def exchange(typing: Any, rows: Any, p: Any, same: Any, q: Any, mask: Any, shift: Any) -> Any:
    """Exchange the bits of rows[p] outside `mask` with those of rows[q] within it, `shift` places lower."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        upper, lower = (_row(context, builder, signature, arguments, k) for k in (0, 2))
        x, y = _load(builder, upper), _load(builder, lower)
        within, places = (_splat(builder, scalar) for scalar in arguments[4:])
        outside = builder.not_(within)
        _store(builder, builder.or_(builder.and_(x, within), builder.shl(builder.and_(y, within), places)), upper)
        _store(
            builder, builder.or_(builder.and_(y, outside), builder.lshr(builder.and_(x, outside), places)), lower
        )
        return context.get_dummy_value()

    return types.void(rows, types.int64, rows, types.int64, types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_common(typing: Any, first: Any, f: Any, tables: Any, words: Any, start: Any, stop: Any) -> Any:
    """Return the sum over words[start:stop] of the bits common to first[f] and one row of each table.

    Field c of a word, 16 bits wide, is LANES times the number of the row to take from tables[c].
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = _load(builder, _row(context, builder, signature, arguments, 0))
        bases = [_table(context, builder, signature, arguments, c) for c in range(CHUNKS)]
        data = _array(context, builder, signature, arguments, 3).data
        total = cgutils.alloca_once_value(builder, ir.Constant(_ROW, None))
        with cgutils.for_range_slice(builder, arguments[4], arguments[5], ir.Constant(_I64, 1)) as (index, _):
            common = _and_of_rows(builder, row, bases, builder.load(builder.gep(data, [index])))
            builder.store(builder.add(builder.load(total), _popcounts(builder, common)), total)
        return _sum_of_lanes(builder, builder.load(total))

    return types.int64(first, types.int64, tables, words, types.int64, types.int64), generate


def _array(context: Any, builder: Any, signature: Any, arguments: Any, k: int) -> Any:
    return context.make_array(signature.args[k])(context, builder, arguments[k])


def _row(context: Any, builder: Any, signature: Any, arguments: Any, k: int) -> Any:
    """Return the address of the row that arguments k and k + 1 name: an array and a row number."""
    rows = builder.bitcast(_array(context, builder, signature, arguments, k).data, _ROW.as_pointer())
    return builder.gep(rows, [arguments[k + 1]])


def _table(context: Any, builder: Any, signature: Any, arguments: Any, chunk: int) -> Any:
    """Return the address of table number `chunk` of argument 2."""
    tables = _array(context, builder, signature, arguments, 2)
    bytes_apart = builder.extract_value(tables.strides, 0)
    words_apart = builder.lshr(bytes_apart, ir.Constant(_I64, 3))
    return builder.gep(tables.data, [builder.mul(words_apart, ir.Constant(_I64, chunk))])


def _and_of_rows(builder: Any, row: Any, bases: Sequence[Any], word: Any) -> Any:
    for c, base in enumerate(bases):
        field = builder.lshr(word, ir.Constant(_I64, FIELD_BITS * c))
        offset = builder.and_(field, ir.Constant(_I64, (1 << FIELD_BITS) - 1))
        address = builder.bitcast(builder.gep(base, [offset]), _ROW.as_pointer())
        row = builder.and_(row, _load(builder, address))
    return row


def _popcounts(builder: Any, row: Any) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_ROW, [_ROW]), f"llvm.ctpop.v{LANES}i64"
    )
    return builder.call(function, [row])


def _sum_of_lanes(builder: Any, row: Any) -> Any:
    first, *others = (builder.extract_element(row, ir.Constant(_I32, lane)) for lane in range(LANES))
    for other in others:
        first = builder.add(first, other)
    return first


def _splat(builder: Any, scalar: Any) -> Any:
    undefined = ir.Constant(_ROW, ir.Undefined)
    single = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _load(builder: Any, address: Any) -> Any:
    return builder.load(address, align=8)


def _store(builder: Any, row: Any, address: Any) -> None:
    builder.store(row, address, align=8)


@kernel
def transpose(rows: Words) -> None:
    """Transpose 64 rows in place: bit b of word [i, lane] becomes bit i of word [b, lane].

    Halves, quarters, ... of LANES matrices of 64 x 64 bits change places: Warren, Hacker's Delight, section 7-3.
    """
    distance = 32
    mask = np.uint64(0xFFFFFFFF)
    while distance:
        for p in range(64):
            if not p & distance:
                exchange(rows, p, rows, p + distance, mask, np.uint64(distance))
        distance >>= 1
        mask ^= mask << np.uint64(distance)


@kernel
def fill_subset_rows(rows: Words, bits: Words, first: int, width: int) -> None:
    """Set rows[v] for v < 2**width: the words of a block that have none of the bits of v, moved up by `first`.

    `bits` is a transposed block: bits[b] tells which words have bit b. rows[0] must be all ones.
    """
    for b in range(width):
        half = 1 << b
        for v in range(half):
            exclude(rows, half + v, rows, v, bits, first + b)
