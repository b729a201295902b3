"""ProducerSnapshot (data), v1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import Field, Message, WireStruct


class ProducerEntry(WireStruct):
    producer_id: int = 0
    epoch: int = 0
    last_sequence: int = 0
    last_offset: int = 0
    offset_delta: int = 0
    timestamp: int = 0
    coordinator_epoch: int = 0
    current_txn_first_offset: int = 0

    FIELDS = (
        Field("producer_id", "int64", (1, 1)),
        Field("epoch", "int16", (1, 1)),
        Field("last_sequence", "int32", (1, 1)),
        Field("last_offset", "int64", (1, 1)),
        Field("offset_delta", "int32", (1, 1)),
        Field("timestamp", "int64", (1, 1)),
        Field("coordinator_epoch", "int32", (1, 1)),
        Field("current_txn_first_offset", "int64", (1, 1)),
    )


class ProducerSnapshot(Message):
    crc: int = 0
    producer_entries: list[ProducerEntry] = []

    FIELDS = (
        Field("crc", "uint32", (1, 1)),
        Field("producer_entries", ProducerEntry, (1, 1), array=True),
    )
    NAME = "ProducerSnapshot"
    VERSIONS = (1, 1)
