"""What coordinators need of the partition that holds their records: append, wait for the commit, read it all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from riacho.base.coordination import NO_PRODUCER_ID
from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import read_header
from riacho.wire.records import Record, build_batch

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition

_READ_SIZE_BYTES = 1 << 20


def append(
    hosted: HostedPartition,
    records: list[tuple[bytes, bytes | None]],
    now_ms: int,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = -1,
) -> int:
    """One batch, as a producer with acks=all would; its last offset."""
    hosted.check_leader()
    hosted.check_enough_replicas()
    batch = build_batch(
        [Record(offset_delta=at, timestamp_delta=0, key=key, value=value) for at, (key, value) in enumerate(records)],
        base_timestamp=now_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        transactional=producer_id != NO_PRODUCER_ID,
    )
    appended = hosted.log.append(batch, read_header(batch), hosted.leader_epoch, now_ms)
    hosted.advance()
    return appended.last_offset


class _Commit:
    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[ErrorCode] = asyncio.get_running_loop().create_future()

    def settle(self, code: ErrorCode) -> None:
        if not self.future.done():
            self.future.set_result(code)


async def committed(hosted: HostedPartition, offset: int) -> None:
    if hosted.log.high_watermark > offset:
        return
    hosted.check_leader()
    waiter = _Commit()
    hosted.await_commit(offset, waiter)
    try:
        code = await waiter.future
    finally:
        hosted.forget_commit(waiter)
    if code:
        raise KafkaError(code, f"{hosted.topic}-{hosted.index} did not commit offset {offset}")


def read_all(hosted: HostedPartition) -> Iterator[bytes]:
    """Up to the log end of the start; a leader that is one no more stops with a KafkaError."""
    hosted.check_leader()
    log, leader_epoch = hosted.log, hosted.leader_epoch
    offset, end_offset = log.log_start_offset, log.log_end_offset
    while offset < end_offset:
        found = log.read(offset, _READ_SIZE_BYTES, end_offset=end_offset, at_least_one=True)
        if found is None:
            return
        data = found.read()
        whole, offset = _whole_batches(data, offset)
        yield data[:whole]
        hosted.check_leader(leader_epoch)


def _whole_batches(data: bytes, offset: int) -> tuple[int, int]:
    """(size of the whole batches, the offset after them)."""
    position = 0
    while len(data) - position >= 61:
        header = read_header(data, position)
        if position + header.size_bytes > len(data):
            break
        position += header.size_bytes
        offset = header.next_offset
    return position, offset
