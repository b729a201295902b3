"""Which batches of a fetch are to be seen: no markers, and for read_committed none of an aborted transaction.

The broker names the aborted transactions of what it sends, each by its producer and first offset; their records end at
the abort marker of that producer (KIP-98).
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from riacho.base.errors import KafkaError
from riacho.wire.batch import BatchHeader, Buffer, iterate_headers
from riacho.wire.messages.fetch_response import AbortedTransaction
from riacho.wire.records import iterate_records

_MAGIC = 2
_MARKER = struct.Struct(">hh")
_ABORT = 0


@dataclass(slots=True)
class Batches:
    """`seen` are (position, header). `next_offset` follows the last whole batch; None where there is none."""

    seen: list[tuple[int, BatchHeader]]
    control: int = 0
    aborted: int = 0
    old: int = 0
    next_offset: int | None = None


def visible(buffer: Buffer, aborted: Sequence[AbortedTransaction] | None) -> Batches:
    """`aborted` is None where records of open and aborted transactions are seen too. KafkaError for broken lengths."""
    waiting = [(each.first_offset, each.producer_id) for each in aborted or ()]
    heapq.heapify(waiting)
    producers: set[int] = set()
    found = Batches([])
    for position, header in iterate_headers(buffer):
        found.next_offset = header.next_offset
        while waiting and waiting[0][0] <= header.last_offset:
            producers.add(heapq.heappop(waiting)[1])
        if header.magic != _MAGIC:
            found.old += 1
        elif header.is_control:
            found.control += header.record_count
            if header.producer_id in producers and _is_abort(buffer, position):
                producers.discard(header.producer_id)
        elif header.is_transactional and header.producer_id in producers:
            found.aborted += header.record_count
        elif header.record_count:
            found.seen.append((position, header))
    return found


def _is_abort(buffer: Buffer, position: int) -> bool:
    try:
        for record in iterate_records(buffer, position):
            if record.key is not None and len(record.key) >= _MARKER.size:
                return bool(_MARKER.unpack_from(record.key)[1] == _ABORT)
    except KafkaError:
        return False
    return False
