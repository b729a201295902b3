"""The end of a transaction as it stands in a partition: a control batch of one record.

Key: version int16, type int16 (0 abort, 1 commit). Value: version int16, coordinator epoch int32. Control batches with
another type (those of the metadata log) end no transaction.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import Buffer
from riacho.wire.records import Record, build_batch, iterate_records

_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1


class Marker(NamedTuple):
    aborted: bool
    coordinator_epoch: int


def read_marker(batch: Buffer) -> Marker | None:
    """What a control batch says; None when it is not the end of a transaction."""
    record = next(iter(iterate_records(batch)), None)
    if record is None or record.key is None or len(record.key) < _KEY.size:
        # Compaction leaves an empty control batch where a marker has served its time.
        return None
    _, kind = _KEY.unpack_from(record.key)
    if kind not in (_ABORT, _COMMIT):
        return None
    if record.value is None or len(record.value) < _VALUE.size:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, "a transaction marker without a coordinator epoch")
    return Marker(kind == _ABORT, _VALUE.unpack_from(record.value)[1])


def build_marker(
    producer_id: int, producer_epoch: int, *, aborted: bool, coordinator_epoch: int, timestamp_ms: int
) -> bytearray:
    record = Record(0, 0, _KEY.pack(0, _ABORT if aborted else _COMMIT), _VALUE.pack(0, coordinator_epoch))
    return build_batch(
        [record],
        base_timestamp=timestamp_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transactional=True,
        control=True,
    )
