"""Metadata snapshots (KIP-630): an image as the batches of a file, between a header and a footer.

The file's name carries the offset at which it ends (exclusive) and the epoch of the last record in it. The batches
are numbered from 0, not by the offsets of the log. A file without its footer was never finished and is not a
snapshot.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord, decode_record, encode_record
from riacho.wire.batch import crc_is_valid, read_header
from riacho.wire.codec import encode
from riacho.wire.messages.snapshot_footer_record import SnapshotFooterRecord
from riacho.wire.messages.snapshot_header_record import SnapshotHeaderRecord
from riacho.wire.records import Record, build_batch, header_of_whole_batch, iterate_records
from riacho.wire.schema import Message

_HEADER = 3
_FOOTER = 4
_CONTROL_KEY = struct.Struct(">hh")
_RECORDS_PER_BATCH = 1000
_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint")


def snapshot_name(end_offset: int, epoch: int) -> str:
    return f"{end_offset:020d}-{epoch:010d}.checkpoint"


def parse_snapshot_name(name: str) -> tuple[int, int] | None:
    """(end offset, epoch), or None for another file."""
    found = _NAME.fullmatch(name)
    return None if found is None else (int(found[1]), int(found[2]))


def build_snapshot(
    image: MetadataImage,
    epoch: int,
    last_timestamp_ms: int,
    now_ms: int,
    controls: Sequence[tuple[int, Message]] = (),
) -> Iterator[bytearray]:
    """`controls`: (type, value) of what the quorum keeps in every snapshot, its version and voters (KIP-853)."""
    header = SnapshotHeaderRecord(version=0, last_contained_log_timestamp=last_timestamp_ms)
    yield _controls([(_HEADER, header), *controls], 0, epoch, now_ms)
    base_offset = 1 + len(controls)
    records = image.to_records()
    while chunk := list(islice(records, _RECORDS_PER_BATCH)):
        yield record_batch(chunk, base_offset, epoch, now_ms)
        base_offset += len(chunk)
    yield _controls([(_FOOTER, SnapshotFooterRecord(version=0))], base_offset, epoch, now_ms)


def read_snapshot(data: bytes) -> list[MetadataRecord]:
    """The records of a whole snapshot; CORRUPT_MESSAGE for one that is damaged or unfinished."""
    records: list[MetadataRecord] = []
    position, is_finished = 0, False
    while position < len(data):
        header = header_of_whole_batch(data, position)
        if not crc_is_valid(data, position, header):
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"snapshot batch at byte {position} fails its checksum")
        if header.is_control:
            is_finished = any(control_type(record) == _FOOTER for record in iterate_records(data, position))
        else:
            records += [decode_record(record.value or b"") for record in iterate_records(data, position)]
        position += header.size_bytes
    if not is_finished:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, "snapshot has no footer")
    return records


def record_batch(records: Iterable[MetadataRecord], base_offset: int, epoch: int, now_ms: int) -> bytearray:
    entries = [Record(delta, 0, None, encode_record(record)) for delta, record in enumerate(records)]
    return build_batch(entries, base_offset=base_offset, leader_epoch=epoch, base_timestamp=now_ms)


def records_of(batch: bytes | memoryview, position: int = 0) -> list[MetadataRecord]:
    """The metadata records of a batch of the log; a control batch has none."""
    if read_header(batch, position).is_control:
        return []
    return [decode_record(record.value or b"") for record in iterate_records(batch, position)]


def control_type(record: Record) -> int | None:
    return None if record.key is None or len(record.key) < 4 else _CONTROL_KEY.unpack_from(record.key)[1]


def _controls(entries: Sequence[tuple[int, Message]], base_offset: int, epoch: int, now_ms: int) -> bytearray:
    records = [
        Record(delta, 0, _CONTROL_KEY.pack(0, kind), bytes(encode(message, 0)))
        for delta, (kind, message) in enumerate(entries)
    ]
    return build_batch(records, base_offset=base_offset, leader_epoch=epoch, base_timestamp=now_ms, control=True)
