"""Building batches for a log under test, and reading back what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riacho.log.config import LogConfig
from riacho.log.log import Appended, Log
from riacho.log.markers import build_marker
from riacho.wire.batch import BatchHeader, iterate_headers, read_header
from riacho.wire.records import Record, build_batch, iterate_records, record_timestamp

TOPIC_ID = bytes(range(16))


def make_batch(
    values: list[bytes], *, timestamp: int = 1_000, keys: list[bytes] | None = None, **fields: Any
) -> bytearray:
    records = [
        Record(offset_delta=i, timestamp_delta=0, key=None if keys is None else keys[i], value=value)
        for i, value in enumerate(values)
    ]
    return build_batch(records, base_timestamp=timestamp, **fields)


def open_log(
    directory: Path,
    *,
    clean: bool = False,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    now_ms: int = 1_000,
    **config: Any,
) -> Log:
    return Log.open(
        directory,
        LogConfig(**config),
        topic_id=TOPIC_ID,
        now_ms=now_ms,
        clean_shutdown=clean,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
    )


def append(log: Log, *values: bytes, epoch: int = 0, now_ms: int = 1_000, **fields: Any) -> Appended:
    batch = make_batch(list(values), **{"timestamp": now_ms, **fields})
    return log.append(batch, read_header(batch), epoch, now_ms)


def append_marker(log: Log, producer_id: int, *, aborted: bool, epoch: int = 0, coordinator_epoch: int = 0) -> Appended:
    batch = build_marker(producer_id, epoch, aborted=aborted, coordinator_epoch=coordinator_epoch, timestamp_ms=1_000)
    return log.append(batch, read_header(batch), 0, 1_000)


def read_batches(log: Log, offset: int | None = None, end_offset: int | None = None) -> list[tuple[BatchHeader, bytes]]:
    """Every batch from an offset on, fetched as a consumer does."""
    at = log.log_start_offset if offset is None else offset
    end = log.log_end_offset if end_offset is None else end_offset
    found = []
    while at < end:
        piece = log.read(at, 1 << 20, end_offset=end, at_least_one=True)
        if piece is None:
            break
        data = piece.read()
        for position, header in iterate_headers(data):
            found.append((header, bytes(data[position : position + header.size_bytes])))
            at = header.next_offset
    return found


def read_records(
    log: Log, offset: int | None = None, end_offset: int | None = None
) -> list[tuple[int, bytes | None, bytes | None]]:
    """(offset, key, value) of every data record."""
    return [
        (header.base_offset + record.offset_delta, record.key, record.value)
        for header, batch in read_batches(log, offset, end_offset)
        if not header.is_control
        for record in iterate_records(batch)
    ]


def read_times(log: Log) -> list[tuple[int, int]]:
    """(offset, timestamp) of every record."""
    return [
        (header.base_offset + record.offset_delta, record_timestamp(header, record))
        for header, batch in read_batches(log)
        for record in iterate_records(batch)
    ]
