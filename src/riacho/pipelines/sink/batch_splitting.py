"""A batch that a topic finds too large, as two: for topics whose max.message.bytes is below the batch size here."""

from __future__ import annotations

import msgspec

from riacho.pipelines.sink.encoded_batch import Batch
from riacho.wire.batch import NO_SEQUENCE, read_header
from riacho.wire.records import build_batch, iterate_records


def split(batch: Batch) -> tuple[Batch, Batch]:
    """The halves, with the sequence numbers that their records had."""
    header = read_header(batch.data)
    records = list(iterate_records(batch.data))
    middle = len(records) // 2
    halves = []
    for first, part in ((0, records[:middle]), (middle, records[middle:])):
        sequence = header.base_sequence
        if sequence != NO_SEQUENCE:
            sequence = (sequence + first) & 0x7FFFFFFF
        data = build_batch(
            [msgspec.structs.replace(record, offset_delta=record.offset_delta - first) for record in part],
            base_timestamp=header.base_timestamp,
            codec=header.compression,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
            base_sequence=sequence,
            transactional=header.is_transactional,
        )
        halves.append(Batch(batch.topic_partition, data, len(part)))
    return halves[0], halves[1]
