"""Batches that a leader has placed, as a follower takes them: offsets and epochs stay.

A fetch brings runs of batches; each is proven first (checksum, order of offsets), then what is sound is written in one
go and indexed batch by batch. A batch that is not sound ends the run: what came before it is kept, and the error says
what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.offset_index import OFFSET_INDEX_ENTRY_SIZE_BYTES
from riacho.log.segment import RELATIVE_OFFSET_MAX
from riacho.log.time_index import TIME_INDEX_ENTRY_SIZE_BYTES
from riacho.wire.batch import CRC_START, HEADER_SIZE_BYTES, BatchHeader, Buffer, crc32c, iterate_headers

if TYPE_CHECKING:
    from riacho.log.log import Log
    from riacho.log.segment import Segment

_MAGIC = 2

# Where a batch stands in the run, and its header.
PlacedBatch = tuple[int, BatchHeader]


def append_placed(log: Log, data: Buffer, now_ms: int = 0) -> int:
    """Take whole batches from the log end on, a partial one at the end left out; how many bytes were taken."""
    view = memoryview(data)
    log_start_offset = log.log_start_offset
    if log_start_offset == log.log_end_offset and len(view) >= HEADER_SIZE_BYTES:
        _start_at_first_batch(log, view, now_ms)
    batches, flaw = prove(view, log.log_end_offset)
    if batches:
        _write(log, view, batches, now_ms)
        log.move_log_start(log_start_offset)
    if flaw is not None:
        raise flaw
    return batches[-1][0] + batches[-1][1].size_bytes if batches else 0


def prove(view: memoryview, log_end_offset: int) -> tuple[list[PlacedBatch], KafkaError | None]:
    """The batches that follow one another from the log end, whole and valid, and what is wrong with the next one."""
    batches: list[PlacedBatch] = []
    try:
        for position, header in iterate_headers(view):
            if header.magic != _MAGIC or header.last_offset_delta < 0:
                return batches, _corrupt(header, "is of no known form")
            if header.base_offset < log_end_offset:
                return batches, KafkaError(
                    ErrorCode.OFFSET_OUT_OF_RANGE, f"batch at {header.base_offset}, the log ends at {log_end_offset}"
                )
            if crc32c(view[position + CRC_START : position + 12 + header.batch_length]) != header.crc:
                return batches, _corrupt(header, "fails its checksum")
            batches.append((position, header))
            log_end_offset = header.base_offset + header.last_offset_delta + 1
    except KafkaError as error:
        return batches, error
    return batches, None


def _corrupt(header: BatchHeader, why: str) -> KafkaError:
    return KafkaError(ErrorCode.CORRUPT_MESSAGE, f"batch at {header.base_offset} {why}")


def _start_at_first_batch(log: Log, view: memoryview, now_ms: int) -> None:
    """A leader's log may start in the middle of a batch (DeleteRecords); an empty log then takes the whole batch, and
    starts in its middle too."""
    for _, header in iterate_headers(view):
        if header.base_offset < log.log_end_offset <= header.last_offset:
            log.truncate_fully_and_start_at(header.base_offset, now_ms)
        return


def _write(log: Log, view: memoryview, batches: list[PlacedBatch], now_ms: int) -> None:
    segment = log.segments.active
    if len(batches) == 1 or not _fits(segment, log, batches, now_ms):
        for position, header in batches:
            batch = view[position : position + header.size_bytes]
            log.write(batch, header, header.base_offset, header.partition_leader_epoch, now_ms or header.max_timestamp)
        return
    last_position, last_header = batches[-1]
    whole = view[batches[0][0] : last_position + last_header.size_bytes]
    try:
        segment.append_run(whole, batches, log.config.index_interval_bytes)
    except OSError as error:
        raise log.failed("append to", error) from error
    epochs = log.epochs
    for position, header in batches:
        log.log_end_offset = header.base_offset + header.last_offset_delta + 1
        if header.partition_leader_epoch != epochs.latest_epoch:
            epochs.assign(header.partition_leader_epoch, header.base_offset)
        if header.producer_id >= 0:
            log.apply_producer(view[position : position + header.size_bytes], header, header.base_offset, segment)
    if log.log_end_offset - log.recovery_point >= log.config.flush_messages:
        log.flush(now_ms)


def _fits(segment: Segment, log: Log, batches: list[PlacedBatch], now_ms: int) -> bool:
    """Whether no batch of the run would start a new segment. May say no where it is close: each is looked at then."""
    config, count = log.config, len(batches)
    last_position, last = batches[-1]
    size_bytes = last_position + last.size_bytes - batches[0][0]
    if segment.size_bytes + size_bytes > config.segment_size_bytes_max:
        return False
    if last.last_offset - segment.base_offset > RELATIVE_OFFSET_MAX:
        return False
    if len(segment.offset_index) + count >= config.index_size_bytes_max // OFFSET_INDEX_ENTRY_SIZE_BYTES:
        return False
    if len(segment.time_index) + count >= config.index_size_bytes_max // TIME_INDEX_ENTRY_SIZE_BYTES - 1:
        return False
    times = [header.max_timestamp for _, header in batches]
    since = segment.first_timestamp if segment.size_bytes else times[0]
    if since < 0 or min(times) < 0:
        return not segment.size_bytes or now_ms - segment.created_ms <= config.roll_ms - segment.roll_jitter_ms
    return max(times) - since <= config.roll_ms - segment.roll_jitter_ms
