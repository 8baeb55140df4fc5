"""Lists of half boards, and how many pairs of an east and a west half do not attack each other.

A half is a placement of its north and its south quadrant, as the OR of their words. Two lists are joined by
cutting the longer one in blocks of ROW_BITS words and streaming the other past each block: a transposed block says
in one row which of its words have a given bit, and so tables of rows say which of them clash with a given word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable
from numpy.typing import NDArray

from nqueens_models.engines.bitmask.bit_rows import (
    CHUNKS,
    FIELD_BITS,
    LANES,
    ROW_BITS,
    Words,
    aligned_rows,
    count_common,
    exclude,
    fill_subset_rows,
    is_empty,
    popcount,
    transpose,
)
from nqueens_models.engines.bitmask.compiled import kernel
from nqueens_models.engines.bitmask.quadrant_tables import Table

FULL = -1  #      the total of a list that did not fit
KEY_BITS = 8  #   adjacent bits by which both lists are sorted
KEYS = 1 << KEY_BITS
KEY_PLACE = 64 - KEY_BITS  # where a block's words have their key; the other bits are at the bottom
FILLER_BIT = KEY_PLACE - 1  # set in the words that fill up a block, and in no other

ANY_COLUMNS, MIRRORED_COLUMNS, CENTRE_COLUMN = range(3)
"""How the column set X of a north quadrant is compared with the bound of its row split:
not at all, by max(X, complement), or by the complement without the centre column, which must be in X."""
BELOW, AT, DROPPED = range(3)

ONE = np.uint64(1)
ALL = ~np.uint64(0)


class HalfList(NamedTuple):
    """The first `total` of `words`; the column sets of the first `below` of them are below the bound."""

    words: Words
    below: int
    total: int


class Scratch(NamedTuple):
    """The working memory of one thread; `make_scratch` says how large."""

    east: Words
    west: Words
    blocks: Words  #       shape (blocks, 64, LANES): the longer list in blocks, each to be transposed
    stream: Words  #       the shorter list, sorted by key, in fields
    starts: NDArray[np.int64]  # of the groups of the stream: words that have the key
    keys: NDArray[np.int64]
    key_rows: Words  #     shape (256, LANES)
    tables: Words  #       shape (4, 2**chunk bits, LANES)


def make_scratch(capacity: int, shared: int) -> Scratch:
    """Return working memory for lists of `capacity` words with `shared` bits or fewer."""
    lists = [np.empty(capacity, np.uint64) for _ in range(3)]
    groups = [np.empty(2 * KEYS + 1, np.int64) for _ in range(2)]
    blocks = aligned_rows(capacity // ROW_BITS + 3, 64)
    key_rows, tables = aligned_rows(KEYS), aligned_rows(CHUNKS, 1 << chunk_width(shared))
    tables[:, 0] = ALL
    return Scratch(lists[0], lists[1], blocks, lists[2], groups[0], groups[1], key_rows, tables)


# ---------------------------------------------------------------------------------------------- halves


@kernel
def list_half(
    north: Table, south: Table, north_rows: int, south_rows: int, rule: int, bound: int, words: Words
) -> HalfList:
    """List into `words` every half with these row sets whose columns are below the bound, then at it.

    The total is FULL if there may not be room for all.
    """
    every_column = (1 << north.width) - 1
    queens = popcount(north_rows)
    below = total = int64(0)
    for side in (BELOW, AT):
        below = total
        columns = (1 << queens) - 1
        while columns <= every_column:
            if side_of_bound(columns, every_column, rule, bound) == side:
                i = north_rows << north.width | columns
                j = south_rows << south.width | (every_column ^ columns)
                total = append_pairs(north, i, south, j, words, total)
                if total == FULL:
                    return HalfList(words, 0, FULL)
            columns = next_subset(columns, every_column)
    return HalfList(words, below, total)


@kernel
def side_of_bound(columns: int, every_column: int, rule: int, bound: int) -> int:
    """Return BELOW, AT or DROPPED for a column set of the north quadrant."""
    others = every_column ^ columns
    if rule == ANY_COLUMNS:
        return BELOW
    if rule == CENTRE_COLUMN and not columns & 1:
        return DROPPED
    value = max(columns, others) if rule == MIRRORED_COLUMNS else others >> 1
    return BELOW if value < bound else AT if value == bound else DROPPED


@kernel
def next_subset(bits: int, every_bit: int) -> int:
    """Return the next larger integer with as many bits (HAKMEM, item 175); above `every_bit` after the last."""
    if bits == 0:
        return every_bit + 1
    lowest = bits & -bits
    ripple = bits + lowest
    return int(ripple | (bits ^ ripple) >> (2 + popcount(lowest - 1)))


@kernel
def append_pairs(north: Table, i: int, south: Table, j: int, words: Words, total: int) -> int:
    """Append to words[:total] the OR of every pair with AND 0 of run i of the north and run j of the south.

    Return the new total, or FULL if there may not be room for all.
    """
    i_start, i_stop = uint64(north.starts[i]), uint64(north.starts[i + 1])
    j_start, j_stop = uint64(south.starts[j]), uint64(south.starts[j + 1])
    if uint64(total) + (i_stop - i_start) * (j_stop - j_start) > uint64(len(words)):
        return FULL
    end = uint64(total)
    for k in range(i_start, i_stop):
        one = north.words[k]
        for m in range(j_start, j_stop):  # branch-free: store each, keep it by moving on
            other = south.words[m]
            words[end] = one | other
            end += uint64(one & other == 0)
    return int(int64(end))


# ---------------------------------------------------------------------------------------------- join


@kernel
def count_disjoint_pairs(one: HalfList, other: HalfList, shared: int, scratch: Scratch) -> int:
    """Return the weighted number of pairs, a word of each list, whose `shared` lowest bits are disjoint.

    A pair weighs 2 if both words are below the bound, else 1.
    """
    if one.total == 0 or other.total == 0:
        return 0
    longer, shorter = (one, other) if one.total >= other.total else (other, one)
    clashes = clash_likelihoods(longer, shorter, shared, scratch.blocks[0])
    shift = likeliest_window(clashes, shared)
    blocks_below, blocks = sort_into_blocks(
        longer, shared, shift, keys_by_likelihood(clashes[shift : shift + KEY_BITS]), scratch
    )
    groups_below, groups = sort_into_groups(shorter, shared, shift, scratch)
    total = 0
    for block in range(blocks):
        tabulate(scratch.blocks[block], shared, scratch)
        below = count_with_groups(scratch, int64(0), groups_below)
        total += below + count_with_groups(scratch, groups_below, groups)
        if block < blocks_below:
            total += below
    return total


@kernel
def clash_likelihoods(longer: HalfList, shorter: HalfList, shared: int, block: Words) -> NDArray[np.float64]:
    """Return, for each shared bit, how likely two words both have it, judged by ROW_BITS words of each list."""
    clashes = np.ones(shared)
    for half in (longer, shorter):
        for k in range(ROW_BITS):
            block[k // LANES, k % LANES] = half.words[k * half.total // ROW_BITS]
        transpose(block)
        for bit in range(shared):
            ones = 0
            for lane in range(LANES):
                ones += popcount(block[bit, lane])
            clashes[bit] *= ones / ROW_BITS
    return clashes


@kernel
def likeliest_window(clashes: NDArray[np.float64], shared: int) -> int:
    """Return the lowest of the adjacent bits, as many as a key has, in which two words are likeliest to clash."""
    best, least = 0, 1.0
    for shift in range(shared - KEY_BITS + 1):
        no_clash = 1.0
        for bit in range(KEY_BITS):
            no_clash *= 1.0 - clashes[shift + bit]
        if no_clash < least:
            best, least = shift, no_clash
    return best


@kernel
def keys_by_likelihood(clashes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the keys in the order in which blocks take them: the bit likeliest to clash is most significant.

    So the words of a block are alike in the likeliest bits, and whole groups of the stream clash with all of them.
    """
    keys = np.zeros(KEYS, np.int64)
    for bit in range(KEY_BITS):
        rank = 0
        for other in range(KEY_BITS):
            rank += (clashes[other], other) < (clashes[bit], bit)
        for place in range(KEYS):
            keys[place] |= (place >> rank & 1) << bit
    return keys


@kernel
def sort_into_blocks(
    half: HalfList, shared: int, shift: int, keys: NDArray[np.int64], scratch: Scratch
) -> tuple[int, int]:
    """Sort a list by key into scratch.blocks; return how many blocks hold words below the bound, and all blocks.

    The key goes to the top 8 bits of a word, the other shared bits close up. Both parts of the list begin with a
    new block.
    """
    words = scratch.blocks.reshape(-1)
    below = fill_blocks(half.words[: half.below], shared, shift, keys, words)
    at = fill_blocks(half.words[half.below : half.total], shared, shift, keys, words[below * ROW_BITS :])
    return below, below + at


@kernel
def fill_blocks(half: Words, shared: int, shift: int, keys: NDArray[np.int64], words: Words) -> int:
    """Sort one part of a list into blocks of ROW_BITS words; return their number."""
    blocks = (len(half) + ROW_BITS - 1) // ROW_BITS
    ends = key_counts(half, shift)
    start = uint64(0)
    for key in keys:
        ends[key], start = start, start + ends[key]
    for word in half:
        key, rest = split(word, shared, shift)
        words[ends[key]] = rest | key << uint64(KEY_PLACE)
        ends[key] += ONE
    for k in range(len(half), blocks * ROW_BITS):
        words[k] = ALL
    return blocks


@kernel
def sort_into_groups(half: HalfList, shared: int, shift: int, scratch: Scratch) -> tuple[int, int]:
    """Sort a list by key into scratch.stream; return how many groups are below the bound, and all groups.

    A group is the words of one key, which they lose; group g is stream[starts[g]:starts[g + 1]].
    """
    scratch.starts[0] = 0
    below = fill_groups(half.words, int64(0), half.below, shared, shift, scratch, int64(0))
    return below, fill_groups(half.words, half.below, half.total, shared, shift, scratch, below)


@kernel
def fill_groups(
    words: Words, start: int, stop: int, shared: int, shift: int, scratch: Scratch, groups: int
) -> int:
    """Sort words[start:stop] into stream[start:stop], by key; return the new number of groups."""
    ends = key_counts(words[start:stop], shift)
    end = uint64(start)
    for key in range(KEYS):
        words_of_key = ends[key]
        ends[key] = end
        end += words_of_key
        if words_of_key:
            scratch.keys[groups] = key
            groups += 1
            scratch.starts[groups] = end
    width = chunk_width(shared)
    for word in words[start:stop]:
        word_key, rest = split(word, shared, shift)
        scratch.stream[ends[word_key]] = fields(rest, width)
        ends[word_key] += ONE
    return groups


@kernel
def key_counts(words: Words, shift: int) -> Words:
    """Return how many words have each key; counted in two arrays, so that equal neighbours need not wait."""
    counts = np.zeros(KEYS, np.uint64)
    for word in words:
        counts[word >> uint64(shift) & uint64(KEYS - 1)] += ONE
    return counts


@kernel
def split(word: np.uint64, shared: int, shift: int) -> tuple[np.uint64, np.uint64]:
    """Return the key of a word, and its other shared bits closed up."""
    low = (ONE << uint64(shift)) - ONE
    word &= (ONE << uint64(shared)) - ONE
    return word >> uint64(shift) & uint64(KEYS - 1), (word & low) | (word >> uint64(KEY_BITS) & ~low)


@register_jitable  # type: ignore[untyped-decorator]
def chunk_width(shared: int) -> int:
    """Return how many bits each of the chunks has that the bits outside the key are cut into."""
    return (shared - KEY_BITS + CHUNKS - 1) // CHUNKS


@kernel
def fields(rest: np.uint64, width: int) -> np.uint64:
    """Return the chunks of `width` bits of a word as the fields that `count_common` takes."""
    bits = uint64(width)
    chunk = (ONE << bits) - ONE
    low = (rest & chunk) | (rest >> bits & chunk) << uint64(FIELD_BITS)
    rest >>= bits + bits
    high = (rest & chunk) | (rest >> bits) << uint64(FIELD_BITS)
    result: np.uint64 = (low | high << uint64(2 * FIELD_BITS)) * uint64(LANES)
    return result


@kernel
def tabulate(block: Words, shared: int, scratch: Scratch) -> None:
    """Tabulate which words of a block have none of the bits of each key, and of each value of each chunk.

    Those that fill up the block are in no row of the keys.
    """
    transpose(block)
    width = chunk_width(shared)
    left = shared - KEY_BITS
    for c in range(CHUNKS):
        fill_subset_rows(scratch.tables[c], block, c * width, max(0, min(width, left - c * width)))
    exclude(scratch.key_rows, 0, scratch.tables[0], 0, block, FILLER_BIT)
    fill_subset_rows(scratch.key_rows, block, int64(KEY_PLACE), int64(KEY_BITS))


@kernel
def count_with_groups(scratch: Scratch, first: int, stop: int) -> int:
    """Return how many pairs, of a word of the tabulated block and one of these groups, have no bit in common."""
    total = 0
    for group in range(first, stop):
        key = scratch.keys[group]
        if not is_empty(scratch.key_rows, key):
            total += count_common(
                scratch.key_rows,
                key,
                scratch.tables,
                scratch.stream,
                scratch.starts[group],
                scratch.starts[group + 1],
            )
    return total
