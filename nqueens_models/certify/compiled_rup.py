"""The same check as in `refutation`, compiled: for proofs of many thousands of steps.

Literals are numbered so that arrays can be indexed by them: variable v is 2v, its negation 2v + 1. The clauses lie
in one array one after the other. Clause c watches its first and its second literal from the slots 2c and 2c + 1;
the slots that watch the same literal form a linked list. Importing this module imports Numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nqueens_models.certify.refutation import DELETE, Fault, Literals, Proof
from nqueens_models.engines.bitmask.compiled import kernel
from nqueens_models.watch import Watch, unwatched

TRUE, FALSE = 1, -1  # 0: open
GOES_ON, REFUTED, NOT_THERE, NOT_IMPLIED = range(4)
CHUNK = 4096  # steps between two looks at Ctrl-C and the clock
NEXT, OTHER = 0, 1
DELETED = 0  # no literal has this number
CLAUSES, STORED, TRAIL, PROPAGATED, STAMP, POSITION, CONTRADICTION = range(7)


class State(NamedTuple):
    """Everything a check knows, in arrays.

    Indexed by literals: `value`, `first` (the first slot that watches it, -1: none), `seen` (the STAMP of the last
    clause read that has it). By clauses: `start` and `size` (where in `store` its literals are), `bucket_next`
    (the next clause with the same remainder of its hash; `bucket` holds the first). By slots: `slots`, with the
    NEXT slot that watches the same literal, and an OTHER literal of the clause, DELETED when the clause is. The
    literals that are true, in order: `trail`. Single numbers, indexed by CLAUSES to CONTRADICTION: `numbers`.
    """

    value: NDArray[np.int8]
    first: NDArray[np.int32]
    seen: NDArray[np.int32]
    store: NDArray[np.int32]
    start: NDArray[np.int32]
    size: NDArray[np.int32]
    slots: NDArray[np.int32]
    bucket: NDArray[np.int32]
    bucket_next: NDArray[np.int32]
    trail: NDArray[np.int32]
    numbers: NDArray[np.int32]


def check_refutation(
    variables: int, clauses: Literals, proof: Proof, name: str = "proof", watch: Watch = unwatched
) -> int:
    """Do as `refutation.check_refutation` does, given the clauses in one array."""
    state = _state(variables, clauses, proof.literals)
    _load(state, clauses)
    verdict, step = GOES_ON, 0
    while verdict == GOES_ON and step < len(proof.lines):
        watch()
        verdict, step = _advance(state, proof.literals, step, min(step + CHUNK, len(proof.lines)))
    if verdict == GOES_ON and not state.numbers[CONTRADICTION]:
        raise proof.rejection(Fault.UNFINISHED, name)
    if verdict in FAULTS:
        raise proof.rejection(FAULTS[verdict], name, step)
    return int(step)


FAULTS = {NOT_THERE: Fault.NOT_THERE, NOT_IMPLIED: Fault.NOT_IMPLIED}


def _state(variables: int, clauses: Literals, proof: Literals) -> State:
    number = int(np.count_nonzero(clauses == 0) + np.count_nonzero(proof == 0))
    literals = 2 * variables + 2
    buckets = 1 << max(4, number.bit_length())
    return State(
        value=np.zeros(literals, dtype=np.int8),
        first=np.full(literals, -1, dtype=np.int32),
        seen=np.zeros(literals, dtype=np.int32),
        store=np.empty(len(clauses) + len(proof), dtype=np.int32),
        start=np.empty(number, dtype=np.int32),
        size=np.empty(number, dtype=np.int32),
        slots=np.empty((2 * number, 2), dtype=np.int32),
        bucket=np.full(buckets, -1, dtype=np.int32),
        bucket_next=np.empty(number, dtype=np.int32),
        trail=np.empty(literals, dtype=np.int32),
        numbers=np.zeros(7, dtype=np.int32),
    )


@kernel
def _load(s: State, clauses: Literals) -> None:
    """Add the clauses of the formula."""
    position = 0
    while position < len(clauses):
        end = _read(s, clauses, position)
        _add(s)
        position = end + 1


@kernel
def _advance(s: State, proof: Literals, step: int, end: int) -> tuple[int, int]:
    """Check the steps from `step` up to `end`; return a verdict and the number of the step it is about."""
    for number in range(step, end):
        if s.numbers[CONTRADICTION]:
            return REFUTED, number
        position = s.numbers[POSITION]
        deletion = proof[position] == DELETE
        s.numbers[POSITION] = _read(s, proof, position + deletion) + 1
        if deletion:
            if not _forget(s):
                return NOT_THERE, number
        elif _follows(s):
            _add(s)
        else:
            return NOT_IMPLIED, number
    return GOES_ON, end


@kernel
def _read(s: State, literals: Literals, position: int) -> int:
    """Write a clause, each literal once, behind those in store, and mark its literals; return where it ends."""
    s.numbers[STAMP] += 1
    clause, at = s.numbers[CLAUSES], s.numbers[STORED]
    s.start[clause] = at
    while literals[position] != 0:
        literal = 2 * abs(literals[position]) + (literals[position] < 0)
        if s.seen[literal] != s.numbers[STAMP]:
            s.seen[literal] = s.numbers[STAMP]
            s.store[at] = literal
            at += 1
        position += 1
    s.size[clause] = at - s.start[clause]
    return position


@kernel
def _bucket(s: State, clause: int) -> int:
    """Return the place of a clause in the hash table: the same whatever the order of its literals."""
    mixed = np.uint64(0)
    for at in range(s.start[clause], s.start[clause] + s.size[clause]):
        word = np.uint64(s.store[at]) * np.uint64(0x9E3779B97F4A7C15)
        mixed += word ^ (word >> np.uint64(29))
    return int((mixed ^ (mixed >> np.uint64(32))) & np.uint64(len(s.bucket) - 1))


@kernel
def _add(s: State) -> None:
    """Keep the clause that was read, and make true everything that follows from it by unit propagation."""
    clause = s.numbers[CLAUSES]
    start, size = s.start[clause], s.size[clause]
    s.numbers[CLAUSES] += 1
    s.numbers[STORED] += size
    place = _bucket(s, clause)
    s.bucket_next[clause], s.bucket[place] = s.bucket[place], clause
    open_ones = 0  # those that are not false go first: they are watched
    for at in range(start, start + size):
        literal = s.store[at]
        if s.value[literal] != FALSE:
            s.store[at], s.store[start + open_ones] = s.store[start + open_ones], literal
            open_ones += 1
    if size > 1:
        for which in range(2):
            slot, literal = 2 * clause + which, s.store[start + which]
            s.slots[slot, OTHER] = s.store[start + 1 - which]
            s.slots[slot, NEXT], s.first[literal] = s.first[literal], slot
    if open_ones == 0:
        s.numbers[CONTRADICTION] = 1
    elif open_ones == 1:
        _make_true(s, s.store[start])
        if _propagate(s):
            s.numbers[CONTRADICTION] = 1


@kernel
def _forget(s: State) -> bool:
    """Delete a clause with the literals of the one that was read; return whether there was one."""
    read = s.numbers[CLAUSES]
    place = _bucket(s, read)
    before, clause = -1, s.bucket[place]
    while clause >= 0:
        if s.size[clause] == s.size[read] and _all_seen(s, clause):
            if before < 0:
                s.bucket[place] = s.bucket_next[clause]
            else:
                s.bucket_next[before] = s.bucket_next[clause]
            s.slots[2 * clause, OTHER] = s.slots[2 * clause + 1, OTHER] = DELETED
            return True
        before, clause = clause, s.bucket_next[clause]
    return False


@kernel
def _all_seen(s: State, clause: int) -> bool:
    for at in range(s.start[clause], s.start[clause] + s.size[clause]):
        if s.seen[s.store[at]] != s.numbers[STAMP]:
            return False
    return True


@kernel
def _follows(s: State) -> bool:
    """Whether the negation of the clause that was read runs into a contradiction."""
    clause, before = s.numbers[CLAUSES], s.numbers[TRAIL]
    found = False
    for at in range(s.start[clause], s.start[clause] + s.size[clause]):
        if not _make_true(s, s.store[at] ^ 1):
            found = True
            break
    found = found or _propagate(s)
    for at in range(before, s.numbers[TRAIL]):
        s.value[s.trail[at]] = s.value[s.trail[at] ^ 1] = 0
    s.numbers[TRAIL] = s.numbers[PROPAGATED] = before
    return found


@kernel
def _make_true(s: State, literal: int) -> bool:
    """Make a literal true; return whether it was not false."""
    if s.value[literal] == 0:
        s.value[literal], s.value[literal ^ 1] = TRUE, FALSE
        s.trail[s.numbers[TRAIL]] = literal
        s.numbers[TRAIL] += 1
    return bool(s.value[literal] == TRUE)


@kernel
def _propagate(s: State) -> bool:
    """Make true what the clauses force; return whether one of them became false."""
    value, slots, trail = s.value, s.slots, s.trail
    done, end = s.numbers[PROPAGATED], s.numbers[TRAIL]
    while done < end:
        false = trail[done] ^ 1
        done += 1
        slot, s.first[false] = s.first[false], -1
        while slot >= 0:
            following, other = slots[slot, NEXT], slots[slot, OTHER]
            if other == DELETED:
                slot = following
                continue
            literal = false
            if value[other] != TRUE:
                literal = _watchable(s, slot, false)
                other = slots[slot, OTHER]
            slots[slot, NEXT], s.first[literal] = s.first[literal], slot
            if literal == false and value[other] != TRUE:
                if value[other] == FALSE:
                    _watch_rest(s, following, false)
                    s.numbers[TRAIL] = end
                    return True
                value[other], value[other ^ 1] = TRUE, FALSE
                trail[end] = other
                end += 1
            slot = following
    s.numbers[PROPAGATED] = s.numbers[TRAIL] = end
    return False


@kernel
def _watchable(s: State, slot: int, false: int) -> int:
    """Return the literal that a slot watches from now on: `false` again, if all but the other are false."""
    clause, which = slot >> 1, slot & 1
    start = s.start[clause]
    other = s.slots[slot, OTHER] = s.store[start + 1 - which]
    if s.value[other] == TRUE:
        return false
    for at in range(start + 2, start + s.size[clause]):
        literal = s.store[at]
        if s.value[literal] != FALSE:
            s.store[start + which], s.store[at] = literal, false
            return int(literal)
    return false


@kernel
def _watch_rest(s: State, slot: int, literal: int) -> None:
    """Leave a slot and those after it where they were."""
    while slot >= 0:
        following = s.slots[slot, NEXT]
        s.slots[slot, NEXT], s.first[literal] = s.first[literal], slot
        slot = following
