"""Which batches of an answer are to be seen: no control batches, and for read_committed none of an aborted transaction.

The broker names the aborted transactions of the range that it sends, each by its producer and first offset; its records
end at the abort marker of that producer (KIP-98).
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Sequence

from riacho.pipelines.source.record_columns import Placed
from riacho.wire.batch import Buffer
from riacho.wire.messages.fetch_response import AbortedTransaction
from riacho.wire.records import iterate_records

_MARKER = struct.Struct(">hh")
_ABORT = 0


def readable(buffer: Buffer, batches: Sequence[Placed], aborted: Sequence[AbortedTransaction] | None) -> list[Placed]:
    """`aborted` is None where records of open and aborted transactions are seen too."""
    if aborted is None:
        return [b for b in batches if not b.header.is_control and b.header.record_count]
    waiting = [(transaction.first_offset, transaction.producer_id) for transaction in aborted]
    heapq.heapify(waiting)
    producers: set[int] = set()
    seen: list[Placed] = []
    for batch in batches:
        header = batch.header
        while waiting and waiting[0][0] <= header.last_offset:
            producers.add(heapq.heappop(waiting)[1])
        if header.is_control:
            if header.producer_id in producers and _is_abort(buffer, batch):
                producers.discard(header.producer_id)
        elif header.record_count and not (header.is_transactional and header.producer_id in producers):
            seen.append(batch)
    return seen


def _is_abort(buffer: Buffer, batch: Placed) -> bool:
    for record in iterate_records(buffer, batch.position):
        if record.key is not None and len(record.key) >= _MARKER.size:
            return bool(_MARKER.unpack_from(record.key)[1] == _ABORT)
    return False
