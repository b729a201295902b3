"""Index files and producer snapshots, for kafka-dump-log.

Open index files are as large as they may become, so zeroes follow the last entry: reading stops there. An offset index
entry must point at the batch that ends in its offset; a time index entry at a batch with that timestamp.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator

from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, read_header
from riacho.wire.codec import decode
from riacho.wire.messages.producer_snapshot import ProducerSnapshot
from riacho.wire.primitives import WireError

_OFFSET_ENTRY = struct.Struct(">ii")
_TIME_ENTRY = struct.Struct(">qi")
_ABORTED = struct.Struct(">hqqqq")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _entries(data: bytes, entry: struct.Struct) -> Iterator[tuple[int, ...]]:
    """Entries up to the zeroes at the end; a time index without entries shows one of zeroes, as Kafka's tool does."""
    for index in range(len(data) // entry.size):
        values = entry.unpack_from(data, index * entry.size)
        if values[0] == 0 if entry is _OFFSET_ENTRY else index > 0 and values[1] == 0:
            return
        yield values


def _log_of(path: str) -> bytes:
    log = os.path.splitext(path)[0] + ".log"
    try:
        return _read(log)
    except FileNotFoundError:
        raise ToolError(f"{log} is missing, so the index cannot be checked against it.") from None


def _is_sane(path: str, data: bytes, entry: struct.Struct) -> bool:
    if len(data) % entry.size:
        print(f"{path} is corrupt: {len(data)} bytes is no multiple of {entry.size}.", file=sys.stderr)
        return False
    print(f"{path} passed sanity check.")
    return True


def dump_offset_index(path: str, base_offset: int, arguments: Arguments) -> int:
    data = _read(path)
    if arguments.has("index-sanity-check"):
        return 0 if _is_sane(path, data, _OFFSET_ENTRY) else 1
    log = _log_of(path)
    mismatches = []
    for relative, position in _entries(data, _OFFSET_ENTRY):
        offset = base_offset + relative
        header = _header_at(log, position)
        if header is None:
            if relative or position:
                mismatches.append((offset, -1))
        elif header.last_offset != offset and (relative or position):
            mismatches.append((offset, header.last_offset))
        if not arguments.has("verify-index-only"):
            print(f"offset: {offset} position: {position}")
    for index, (wanted, found) in enumerate(mismatches):
        if index == 0:
            print(f"Mismatches in :{os.path.abspath(path)}", file=sys.stderr)
        print(f"  Index offset: {wanted}, log offset: {found}", file=sys.stderr)
    return 1 if mismatches else 0


def _header_at(log: bytes, position: int) -> BatchHeader | None:
    return read_header(log, position) if 0 <= position <= len(log) - HEADER_SIZE_BYTES else None


def dump_time_index(path: str, base_offset: int, arguments: Arguments) -> int:
    data = _read(path)
    if arguments.has("index-sanity-check"):
        return 0 if _is_sane(path, data, _TIME_ENTRY) else 1
    batches = list(_batches(_log_of(path)))
    problems: list[str] = []
    previous = -1
    for timestamp, relative in _entries(data, _TIME_ENTRY):
        offset = base_offset + relative
        if timestamp or relative:
            highest = max((b.max_timestamp for b in batches if b.base_offset <= offset), default=-1)
            if highest != timestamp:
                problems.append(f"  Index timestamp: {timestamp}, log timestamp: {highest}")
            if timestamp < previous:
                problems.append(f"  Index timestamp: {timestamp}, Previously indexed timestamp: {previous}")
        previous = timestamp
        if not arguments.has("verify-index-only"):
            print(f"timestamp: {timestamp} offset: {offset}")
    if problems:
        print(f"Found timestamp mismatch in :{os.path.abspath(path)}", *problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


def _batches(log: bytes) -> Iterator[BatchHeader]:
    position = 0
    while (header := _header_at(log, position)) is not None:
        if header.size_bytes < HEADER_SIZE_BYTES or position + header.size_bytes > len(log):
            return
        yield header
        position += header.size_bytes


def dump_transaction_index(path: str) -> int:
    data = _read(path)
    for position in range(0, len(data) - _ABORTED.size + 1, _ABORTED.size):
        version, producer_id, first, last, stable = _ABORTED.unpack_from(data, position)
        print(
            f"version: {version} producerId: {producer_id} firstOffset: {first} lastOffset: {last} "
            f"lastStableOffset: {stable}"
        )
    return 0


def dump_producer_snapshot(path: str) -> int:
    data = _read(path)
    version = int.from_bytes(data[:2], "big")
    low, high = ProducerSnapshot.VERSIONS
    if not low <= version <= high:
        raise ToolError(f"{path} has version {version}, and only versions {low} to {high} are known.")
    try:
        snapshot = decode(ProducerSnapshot, version, data, 2)
    except WireError as error:
        raise ToolError(f"{path} is corrupt: {error}") from None
    for entry in snapshot.producer_entries:
        first = entry.current_txn_first_offset
        open_since = f"OptionalLong[{first}]" if first >= 0 else "OptionalLong.empty"
        line = (
            f"producerId: {entry.producer_id} producerEpoch: {entry.epoch} coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {open_since} lastTimestamp: {entry.timestamp} "
        )
        if entry.last_offset >= 0:
            first_sequence = (entry.last_sequence - entry.offset_delta) & 0x7FFFFFFF
            line += (
                f"firstSequence: {first_sequence} lastSequence: {entry.last_sequence} lastOffset: {entry.last_offset} "
                f"offsetDelta: {entry.offset_delta} timestamp: {entry.timestamp}"
            )
        print(line)
    return 0
