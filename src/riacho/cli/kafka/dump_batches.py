"""Batches and records of a log segment or a metadata snapshot, for kafka-dump-log."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable

from riacho.base.errors import KafkaError
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.text import record_json
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, crc_is_valid, read_header
from riacho.wire.codec import decode
from riacho.wire.primitives import WireError
from riacho.wire.records import Record, iterate_records

_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_TIMESTAMP_TYPES = ("CreateTime", "LogAppendTime")
_CONTROL_KEY = struct.Struct(">hh")
_MARKER = struct.Struct(">hi")
_ABORT, _COMMIT = 0, 1
# Control records of the metadata log (KIP-595, KIP-853), and how each is announced.
_CONTROL_MESSAGES = {
    2: ("leader_change_message", "LeaderChange: "),
    3: ("snapshot_header_record", "SnapshotHeader "),
    4: ("snapshot_footer_record", "SnapshotFooter "),
    5: ("kraft_version_record", "KRaftVersion "),
    6: ("voters_record", "KRaftVoters "),
}

# Key and payload as text; None leaves the part out.
Texts = Callable[[Record], tuple[str | None, str | None]]


def dump_batches(path: str, arguments: Arguments) -> int:
    print(_title(os.path.basename(path), path))
    decoder = _decoder(arguments)
    print_data = arguments.has("print-data-log") or _has_decoder(arguments)
    deep = arguments.has("deep-iteration") or print_data
    skip_metadata = arguments.has("skip-record-metadata")
    with open(path, "rb") as file:
        data = file.read(arguments.need_number("max-bytes"))
        whole = os.fstat(file.fileno()).st_size == len(data)
    position = 0
    while len(data) - position >= HEADER_SIZE_BYTES:
        header = read_header(data, position)
        if header.magic != 2 or header.size_bytes < HEADER_SIZE_BYTES or position + header.size_bytes > len(data):
            break
        valid = crc_is_valid(data, position, header)
        print(batch_line(header, position, valid))
        if deep:
            _dump_records(data, position, header, print_data, skip_metadata, decoder)
        position += header.size_bytes
    if whole and position < len(data) and any(data[position:]):
        print(f"Found {len(data) - position} invalid bytes at the end of {os.path.basename(path)}")
    return 0


def _title(name: str, path: str) -> str:
    stem, _, suffix = name.partition(".")
    if suffix == "log":
        if not stem.isdecimal():
            raise ToolError(f"{path} is not named by an offset, so it is no file of a log.")
        return f"Log starting offset: {int(stem)}"
    if stem == "bootstrap":
        return "KRaft bootstrap snapshot"
    offset, _, epoch = stem.partition("-")
    if not (offset.isdecimal() and epoch.isdecimal()):
        raise ToolError(f"{path} is not named by an offset and an epoch, so it is no snapshot.")
    return f"Snapshot end offset: {int(offset)}, epoch: {int(epoch)}"


def batch_line(header: BatchHeader, position: int, valid: bool) -> str:
    horizon = f"OptionalLong[{header.base_timestamp}]" if header.has_delete_horizon else "OptionalLong.empty"
    return (
        f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} count: {header.record_count}"
        f" baseSequence: {header.base_sequence} lastSequence: {header.last_sequence} producerId: {header.producer_id}"
        f" producerEpoch: {header.producer_epoch} partitionLeaderEpoch: {header.partition_leader_epoch}"
        f" isTransactional: {_bool(header.is_transactional)} isControl: {_bool(header.is_control)}"
        f" deleteHorizonMs: {horizon} position: {position}"
        f" {_TIMESTAMP_TYPES[header.timestamp_type]}: {header.max_timestamp} size: {header.size_bytes} magic: 2"
        f" compresscodec: {_CODECS[header.compression] if header.compression < 5 else header.compression}"
        f" crc: {header.crc} isvalid: {_bool(valid)}"
    )


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _dump_records(
    data: bytes, position: int, header: BatchHeader, print_data: bool, skip_metadata: bool, decoder: Texts
) -> None:
    if header.is_control and skip_metadata:
        print("\n" * (header.record_count - 1))
        return
    try:
        for record in iterate_records(data, position):
            line = "| " if skip_metadata else _record_prefix(header, record)
            if header.is_control:
                line += control_text(record)
            elif print_data:
                key, payload = decoder(record)
                line += f" key: {key}" if key is not None else ""
                line += f" payload: {payload}" if payload is not None else ""
                if skip_metadata:
                    line = "| " + line[2:].lstrip()
            print(line)
    except KafkaError as error:
        print(f"The batch at position {position} cannot be opened: {error.detail}", file=sys.stderr)


def _record_prefix(header: BatchHeader, record: Record) -> str:
    sequence = -1 if header.base_sequence < 0 else (header.base_sequence + record.offset_delta) & 0x7FFFFFFF
    timestamp = header.max_timestamp if header.timestamp_type else header.base_timestamp + record.timestamp_delta
    keys = ",".join(key for key, _ in record.headers)
    return (
        f"| offset: {header.base_offset + record.offset_delta} {_TIMESTAMP_TYPES[header.timestamp_type]}: {timestamp}"
        f" keySize: {_size(record.key)} valueSize: {_size(record.value)} sequence: {sequence} headerKeys: [{keys}]"
    )


def _size(data: bytes | None) -> int:
    return -1 if data is None else len(data)


def control_text(record: Record) -> str:
    key, value = bytes(record.key or b""), bytes(record.value or b"")
    if len(key) < _CONTROL_KEY.size:
        return " controlType: UNKNOWN"
    _, kind = _CONTROL_KEY.unpack_from(key)
    if kind in (_ABORT, _COMMIT) and len(value) >= _MARKER.size:
        _, epoch = _MARKER.unpack_from(value)
        return f" endTxnMarker: {'COMMIT' if kind == _COMMIT else 'ABORT'} coordinatorEpoch: {epoch}"
    known = _CONTROL_MESSAGES.get(kind)
    if known is None or len(value) < 2:
        return f" controlType: UNKNOWN({kind})"
    module, label = known
    # The message begins with its own version.
    message_class = record_json.message_class(module)
    version = min(int.from_bytes(value[:2], "big"), message_class.VERSIONS[1])
    try:
        shown = record_json.message_json(decode(message_class, version, value), version)
    except WireError as error:
        return f" {label}cannot be read: {error}"
    return f" {label}{record_json.compact(shown)}"


def _has_decoder(arguments: Arguments) -> bool:
    names = ("offsets-decoder", "transaction-log-decoder", "cluster-metadata-decoder", "share-group-state-decoder")
    return any(arguments.has(name) for name in (*names, "key-decoder-class", "value-decoder-class"))


def _decoder(arguments: Arguments) -> Texts:
    tables = {
        "offsets-decoder": record_json.GROUP_RECORDS,
        "transaction-log-decoder": record_json.TRANSACTION_RECORDS,
        "share-group-state-decoder": record_json.SHARE_RECORDS,
    }
    for name, table in tables.items():
        if arguments.has(name):
            return lambda record, table=table: record_json.coordinator_texts(table, record.key, record.value)  # type: ignore[misc]
    if arguments.has("cluster-metadata-decoder"):
        return lambda record: (None, None if record.value is None else record_json.metadata_text(record.value))
    if arguments.has("remote-log-metadata-decoder"):
        raise ToolError("There is no tiered storage here, so no remote log metadata to decode.")
    key, value = (_class_decoder(arguments.need(f"{part}-decoder-class")) for part in ("key", "value"))
    return lambda record: (
        None if record.key is None else key(record.key),
        None if record.value is None else value(record.value),
    )


def _class_decoder(class_name: str) -> Callable[[bytes], str]:
    match class_name.rpartition(".")[2]:
        case "StringDecoder":
            return lambda data: bytes(data).decode(errors="replace")
        case "IntegerDecoder" | "LongDecoder":
            return lambda data: str(int.from_bytes(data, "big", signed=True))
        case "DefaultDecoder":
            return lambda data: bytes(data).hex()
    raise ToolError(f"There is no decoder '{class_name}'.")
