"""What a log knows of a producer's last batches, and filling that window again after a restart.

A snapshot holds a producer's last batch only, yet a client may repeat any of its last five after a clean restart whose
answers it missed. Its other batches are looked up in the log once, when a batch is about to be refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.log.markers import read_marker
from riacho.log.scan import scan_headers
from riacho.partition.producers import BATCHES_KEPT, ProducerBatch
from riacho.wire.batch import BatchHeader, Buffer

if TYPE_CHECKING:
    from riacho.log.log import Log

# How much of the log's end is searched: what a client has in flight was written shortly before the restart.
_SEARCH_SIZE_BYTES = 4 << 20


def check_producer(log: Log, batch: Buffer, header: BatchHeader) -> ProducerBatch | None:
    """The batch that this one repeats; KafkaError when its producer may not send it now."""
    producers = log.producer_state.producers
    if header.is_control:
        marker = read_marker(batch)
        if marker is not None:
            producers.check_marker(header.producer_id, marker.coordinator_epoch)
    try:
        return producers.check(header)
    except KafkaError:
        if not refill_window(log, header.producer_id):
            raise
        return producers.check(header)


def refill_window(log: Log, producer_id: int) -> bool:
    """Whether there was anything to look up."""
    producer = log.producer_state.producers.get(producer_id)
    if producer is None or not producer.window_is_partial:
        return False
    producer.window_is_partial = False
    first_known = producer.batches[0].first_offset if producer.batches else log.log_end_offset
    found: list[ProducerBatch] = []
    left = _SEARCH_SIZE_BYTES
    for segment in reversed(list(log.segments)):
        if left <= 0 or len(found) + len(producer.batches) >= BATCHES_KEPT:
            break
        start = segment.offset_index.position_before(segment.size_bytes - left)
        here = [
            ProducerBatch(header.last_sequence, header.last_offset, header.last_offset_delta, header.max_timestamp)
            for _, header in scan_headers(segment.open_file().fd, start, segment.size_bytes, segment.files)
            if header.producer_id == producer_id
            and header.producer_epoch == producer.epoch
            and not header.is_control
            and header.last_offset < first_known
        ]
        found = here + found
        left -= segment.size_bytes
    producer.batches = (found + producer.batches)[-BATCHES_KEPT:]
    return True
