"""A record batch that is encoded, and where it goes: all that who ends an epoch needs, without Arrow and numpy."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from riacho.wire.batch import NO_SEQUENCE, read_header
from riacho.wire.records import build_batch, iterate_records


class TopicPartition(NamedTuple):
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Batch(NamedTuple):
    topic_partition: TopicPartition
    data: bytearray
    rows: int

    def halves(self) -> tuple[Batch, Batch]:
        """As two, with the sequence numbers that their records had: for a topic that finds it too large, as its
        max.message.bytes is below the batch size here."""
        header = read_header(self.data)
        records = list(iterate_records(self.data))
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
            halves.append(Batch(self.topic_partition, data, len(part)))
        return halves[0], halves[1]
