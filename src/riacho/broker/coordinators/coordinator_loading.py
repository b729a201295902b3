"""A coordinator's shard out of its partition's log, in steps: a long log must not stall the loop."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from typing import Generic, TypeVar

from riacho.base.coordination import NO_PRODUCER_ID, CoordinatorShard, coordinator_error
from riacho.base.errors import KafkaError
from riacho.broker.coordinators.loaded_shard import CoordinatorLog
from riacho.wire.batch import BatchHeader, Buffer, iterate_headers
from riacho.wire.primitives import WireError
from riacho.wire.records import iterate_records

S = TypeVar("S", bound=CoordinatorShard)

_logger = logging.getLogger("riacho.coordinators")
_RECORDS_PER_STEP = 500
# The key of a control record: its version and type.
_CONTROL_KEY = struct.Struct(">hh")
_ABORT = 0
_COMMIT = 1


class ShardLoading(Generic[S]):
    """A shard that is on its way. Deletions that come meanwhile are kept and applied when it is loaded."""

    def __init__(self, log: CoordinatorLog, topic: str, partition: int, shard: S) -> None:
        self.partition = partition
        self.shard = shard
        self.deleted_topics: dict[str, None] = {}
        self._steps = _steps(log, topic, partition, shard)

    def advance(self, steps: int) -> bool:
        """Whether the whole log is applied. KafkaError, in words of a coordinator, when it cannot be."""
        try:
            for _ in range(steps):
                next(self._steps)
        except StopIteration:
            return True
        except KafkaError as error:
            raise KafkaError(coordinator_error(error.code), error.detail) from error
        return False


def _steps(log: CoordinatorLog, topic: str, partition: int, shard: CoordinatorShard) -> Iterator[None]:
    """Apply the whole log; a record that cannot be read is left out, as one of a newer version would be."""
    count = 0
    for chunk in log.read_all(topic, partition):
        for position, header in iterate_headers(chunk):
            _apply_batch(shard, chunk, position, header, topic, partition)
            count += header.record_count
            if count >= _RECORDS_PER_STEP:
                count = 0
                yield


def _apply_batch(
    shard: CoordinatorShard, chunk: Buffer, position: int, header: BatchHeader, topic: str, partition: int
) -> None:
    producer_id = header.producer_id if header.is_transactional else NO_PRODUCER_ID
    for record in iterate_records(chunk, position):
        if record.key is None:
            continue
        if header.is_control:
            _apply_marker(shard, record.key, header.producer_id)
            continue
        try:
            shard.apply(record.key, record.value, producer_id)
        except (WireError, struct.error) as error:
            offset = header.base_offset + record.offset_delta
            _logger.warning(
                "coordinator record unreadable partition=%s-%d offset=%d error=%s",
                topic,
                partition,
                offset,
                error,
            )


def _apply_marker(shard: CoordinatorShard, key: bytes, producer_id: int) -> None:
    if len(key) >= _CONTROL_KEY.size:
        kind = _CONTROL_KEY.unpack_from(key)[1]
        if kind in (_ABORT, _COMMIT):
            shard.end_transaction(producer_id, committed=kind == _COMMIT)
