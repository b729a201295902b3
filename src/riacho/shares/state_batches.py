"""The stored states of a share-partition's records: ranges of offsets, sorted, never overlapping.

What is written later need not be newer, since writes of one share-partition may be repeated. So where two ranges
overlap, the one with more deliveries rules, and of the same number the one further on its way (AVAILABLE, ACKNOWLEDGED,
ARCHIVED). That order never turns back for a record, so the order of writes does not matter.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple


class StateBatch(NamedTuple):
    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int

    @property
    def rank(self) -> tuple[int, int]:
        return self.delivery_count, self.delivery_state


_first_offset = attrgetter("first_offset")
_last_offset = attrgetter("last_offset")


def combine(so_far: Iterable[StateBatch], new: Iterable[StateBatch], start_offset: int) -> list[StateBatch]:
    """`so_far` (sorted, apart) with `new` laid over it, and nothing left below `start_offset`."""
    batches = _from(so_far, start_offset)
    for batch in _from(new, start_offset):
        _lay(batches, batch)
    return batches


def _from(batches: Iterable[StateBatch], start_offset: int) -> list[StateBatch]:
    return [
        batch if batch.first_offset >= start_offset else batch._replace(first_offset=start_offset)
        for batch in batches
        if batch.last_offset >= start_offset and batch.first_offset <= batch.last_offset
    ]


def _lay(batches: list[StateBatch], new: StateBatch) -> None:
    start = bisect_left(batches, new.first_offset, key=_last_offset)
    end = bisect_right(batches, new.last_offset, key=_first_offset)
    pieces: list[StateBatch] = []
    cursor = new.first_offset
    for old in batches[start:end]:
        if old.first_offset < new.first_offset:
            pieces.append(old._replace(last_offset=new.first_offset - 1))
        if cursor < old.first_offset:
            pieces.append(new._replace(first_offset=cursor, last_offset=old.first_offset - 1))
        first, last = max(old.first_offset, new.first_offset), min(old.last_offset, new.last_offset)
        pieces.append((new if new.rank >= old.rank else old)._replace(first_offset=first, last_offset=last))
        if old.last_offset > new.last_offset:
            pieces.append(old._replace(first_offset=new.last_offset + 1))
        cursor = last + 1
    if cursor <= new.last_offset:
        pieces.append(new._replace(first_offset=cursor))
    # The neighbours may now be the same as what stands beside them.
    before, after = max(start - 1, 0), end + 1
    batches[before:after] = joined([*batches[before:start], *pieces, *batches[end:after]])


def joined(batches: Iterable[StateBatch]) -> list[StateBatch]:
    """Ranges that touch and are alike become one; `batches` are sorted and apart."""
    out: list[StateBatch] = []
    for batch in batches:
        if out and out[-1].last_offset + 1 == batch.first_offset and out[-1].rank == batch.rank:
            out[-1] = out[-1]._replace(last_offset=batch.last_offset)
        else:
            out.append(batch)
    return out
