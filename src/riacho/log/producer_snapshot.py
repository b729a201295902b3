"""`%020d.snapshot`: the producers of a log as they stood at an offset, so that a restart need not read the whole log.

Taken at every roll and at a clean close. The file is a version (int16, 1), a CRC32C of what follows it, and the
producers with their last batch only: the window of five fills again from the batches after the snapshot.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable

from riacho.base.ports import Files
from riacho.log.checkpoints import read_small_file, replace_file
from riacho.log.real_files import REAL_FILES
from riacho.partition.producers import Producer, ProducerBatch
from riacho.wire.batch import NO_SEQUENCE, crc32c

SNAPSHOT_SUFFIX = ".snapshot"
_VERSION = 1
_HEAD = struct.Struct(">hI")
_COUNT = struct.Struct(">i")
_ENTRY = struct.Struct(">qhiqiqiq")


class CorruptSnapshot(Exception):
    """A snapshot file that cannot be believed; an earlier one, or the log itself, tells more."""


def encode_snapshot(producers: Iterable[Producer]) -> bytes:
    entries = [_pack(producer) for producer in producers]
    body = _COUNT.pack(len(entries)) + b"".join(entries)
    return _HEAD.pack(_VERSION, crc32c(body)) + body


def decode_snapshot(data: bytes) -> list[Producer]:
    start = _HEAD.size + _COUNT.size
    if len(data) < start:
        raise CorruptSnapshot("shorter than its head")
    version, crc = _HEAD.unpack_from(data)
    if version != _VERSION:
        raise CorruptSnapshot(f"version {version}")
    if crc32c(data[_HEAD.size :]) != crc:
        raise CorruptSnapshot("the checksum differs")
    (count,) = _COUNT.unpack_from(data, _HEAD.size)
    if count < 0 or len(data) != start + count * _ENTRY.size:
        raise CorruptSnapshot(f"{count} entries do not fill {len(data)} bytes")
    return [_unpack(row) for row in _ENTRY.iter_unpack(data[start:])]


# Of a log without idempotent producers, as most of many are.
_EMPTY = encode_snapshot(())


def snapshot_path(directory: str, offset: int) -> str:
    return f"{directory}/{offset:020d}{SNAPSHOT_SUFFIX}"


def write_snapshot(
    directory: str, offset: int, producers: Iterable[Producer], *, sync: bool, files: Files = REAL_FILES
) -> None:
    replace_file(snapshot_path(directory, offset), encode_snapshot(producers), sync=sync, files=files)


def read_snapshot(directory: str, offset: int, files: Files = REAL_FILES) -> list[Producer]:
    data = read_small_file(snapshot_path(directory, offset), files)
    return [] if data == _EMPTY else decode_snapshot(data)


def remove_snapshot(directory: str, offset: int, files: Files = REAL_FILES) -> None:
    with contextlib.suppress(FileNotFoundError):
        files.unlink(snapshot_path(directory, offset))


def _pack(producer: Producer) -> bytes:
    last = producer.batches[-1] if producer.batches else ProducerBatch(NO_SEQUENCE, -1, 0, producer.last_timestamp)
    return _ENTRY.pack(
        producer.producer_id,
        producer.epoch,
        last.last_sequence,
        last.last_offset,
        last.offset_delta,
        producer.last_timestamp,
        producer.coordinator_epoch,
        producer.transaction_first_offset,
    )


def _unpack(row: tuple[int, ...]) -> Producer:
    producer_id, epoch, last_sequence, last_offset, offset_delta, timestamp, coordinator_epoch, first_offset = row
    producer = Producer(producer_id, epoch)
    producer.last_timestamp = timestamp
    producer.coordinator_epoch = coordinator_epoch
    producer.transaction_first_offset = first_offset
    producer.window_is_partial = True
    if last_offset >= 0:
        producer.batches.append(ProducerBatch(last_sequence, last_offset, offset_delta, timestamp))
    return producer
