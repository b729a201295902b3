"""What a leader demands of a batch that a client produced.

The 61-byte header, the CRC, and then the records, each of which is walked over (`record_checks.py`). A batch that is
fit goes on as the very buffer it came in; it is written anew only where the topic wants another codec.

Codes and their order are Kafka's. CORRUPT_MESSAGE makes a client send again, so only the framing and the CRC, which a
bad line can explain, get it; records that are malformed under a good CRC are INVALID_RECORD, which is final.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.record_checks import (
    LOOP_BLOCKS_SIZE_BYTES_MAX,
    LOOP_PACKED_SIZE_BYTES_MAX,
    check_records,
    records_max,
    unpacked,
    unpacked_size_bytes_max,
)
from riacho.partition.refused_records import TakesLongError, invalid
from riacho.wire.batch import (
    CODEC_MASK,
    CONTROL_BIT,
    CRC_START,
    HEADER_SIZE_BYTES,
    LOG_OVERHEAD_BYTES,
    TIMESTAMP_TYPE_BIT,
    TRANSACTIONAL_BIT,
    BatchHeader,
    Buffer,
    crc32c,
    read_header,
    seal,
)
from riacho.wire.compression import CODEC_NAMES, LEVEL_DEFAULT, LEVELS, Codec, compress
from riacho.wire.record_walk import RECORD_SIZE_BYTES_MIN

CREATE_TIME = "CreateTime"
LOG_APPEND_TIME = "LogAppendTime"
PRODUCER_COMPRESSION = "producer"

_MAGIC = 2
_ZSTD = int(Codec.ZSTD)
_ZSTD_VERSION_MIN = 7
_VERSION_NEWEST = 13
_TIMESTAMP_MAX = (1 << 63) - 1
_ATTRIBUTES = struct.Struct(">h")
_ATTRIBUTES_AT = CRC_START
_MAX_TIMESTAMP = struct.Struct(">q")
_MAX_TIMESTAMP_AT = 35
_LENGTH = struct.Struct(">i")
_LENGTH_AT = 8
_MAGIC_AT = 16
# Below this no batch of any format could be (Kafka's message format 0).
_LENGTH_MIN = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRules:
    """The configs of a topic that bear on what may be written to it; words and defaults are Kafka's."""

    message_size_bytes_max: int = 1_048_588
    segment_size_bytes_max: int = 1 << 30
    compacted: bool = False
    timestamp_type: str = CREATE_TIME
    timestamp_before_max_ms: int = _TIMESTAMP_MAX
    timestamp_after_max_ms: int = 3_600_000
    compression_type: str = PRODUCER_COMPRESSION
    compression_gzip_level: int = LEVEL_DEFAULT[Codec.GZIP]
    compression_lz4_level: int = LEVEL_DEFAULT[Codec.LZ4]
    compression_zstd_level: int = LEVEL_DEFAULT[Codec.ZSTD]
    # Derived, so that a batch is not made to pay for parsing words.
    codec: int | None = field(init=False)
    appends_time: bool = field(init=False)
    unpacked_size_bytes_max: int = field(init=False)
    records_max: int = field(init=False)

    def __post_init__(self) -> None:
        if self.timestamp_type not in (CREATE_TIME, LOG_APPEND_TIME):
            raise ValueError(f"message.timestamp.type {self.timestamp_type!r}")
        if self.compression_type != PRODUCER_COMPRESSION and self.compression_type not in CODEC_NAMES:
            raise ValueError(f"compression.type {self.compression_type!r}")
        for codec, levels in LEVELS.items():
            if self.level(codec) not in levels:
                raise ValueError(f"compression.{codec.name.lower()}.level {self.level(codec)}")
        codec_wanted = CODEC_NAMES.get(self.compression_type)
        object.__setattr__(self, "codec", None if codec_wanted is None else int(codec_wanted))
        object.__setattr__(self, "appends_time", self.timestamp_type == LOG_APPEND_TIME)
        unpacked_max = unpacked_size_bytes_max(self.message_size_bytes_max)
        object.__setattr__(self, "unpacked_size_bytes_max", unpacked_max)
        object.__setattr__(self, "records_max", records_max(self.message_size_bytes_max))

    def level(self, codec: Codec) -> int | None:
        match codec:
            case Codec.GZIP:
                return self.compression_gzip_level
            case Codec.LZ4:
                return self.compression_lz4_level
            case Codec.ZSTD:
                return self.compression_zstd_level
        return None


class ValidBatch:
    """A batch that may be appended: writable, with the header as it now stands in it.

    No NamedTuple: where this is compiled, one is still made by the interpreter.
    """

    __slots__ = ("buffer", "header")

    def __init__(self, buffer: bytearray | memoryview, header: BatchHeader) -> None:
        self.buffer = buffer
        self.header = header


def validate_produced(
    records: Buffer | None,
    rules: TopicRules,
    now_ms: int,
    produce_version: int = _VERSION_NEWEST,
    *,
    may_take_long: bool = False,
    blocks_size_bytes_max: int = LOOP_BLOCKS_SIZE_BYTES_MAX,
) -> ValidBatch:
    """The one batch in `records`, fit to append, or the KafkaError that a produce request gets for this partition.

    The buffer handed back is `records` itself where nothing had to change or changes fit in place. TakesLongError where
    the caller may not be held up for as long as it needs.
    """
    if records is None or len(records) < HEADER_SIZE_BYTES:
        raise _misframed(records)
    header = read_header(records)
    (
        base_offset,
        batch_length,
        _,
        magic,
        crc,
        attributes,
        last_offset_delta,
        _,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        record_count,
    ) = header
    size_bytes = batch_length + LOG_OVERHEAD_BYTES
    codec = attributes & CODEC_MASK
    if size_bytes != len(records) or magic != _MAGIC:
        raise _misframed(records)
    if codec >= _ZSTD and (codec > _ZSTD or produce_version < _ZSTD_VERSION_MIN):
        raise KafkaError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, f"codec {codec} in Produce v{produce_version}")
    if base_offset != 0:
        raise invalid(f"base offset {base_offset}, a producer's is 0")
    if size_bytes > rules.message_size_bytes_max:
        raise _too_large(size_bytes, rules)
    if not isinstance(records, memoryview):
        records = memoryview(records)
    if crc32c(records[CRC_START:]) != crc:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, "the batch does not match its CRC")
    if (
        record_count <= 0
        or last_offset_delta != record_count - 1
        or attributes & CONTROL_BIT
        or (base_sequence < 0 or producer_epoch < 0 if producer_id >= 0 else attributes & TRANSACTIONAL_BIT)
    ):
        raise _misstated(header)
    if record_count > rules.records_max and record_count * RECORD_SIZE_BYTES_MIN <= rules.unpacked_size_bytes_max:
        raise KafkaError(ErrorCode.MESSAGE_TOO_LARGE, f"{record_count} records, the topic takes {rules.records_max}")
    max_timestamp_found = check_records(
        records, header, rules, now_ms, may_take_long=may_take_long, blocks_size_bytes_max=blocks_size_bytes_max
    )
    buffer: bytearray | memoryview = bytearray(records) if records.readonly else records
    if not (
        rules.appends_time
        or attributes & TIMESTAMP_TYPE_BIT
        or (rules.codec is not None and rules.codec != codec)
        or max_timestamp != max_timestamp_found
        or size_bytes > rules.segment_size_bytes_max
    ):
        return ValidBatch(buffer, header)
    return _fit(buffer, header, rules, now_ms if rules.appends_time else max_timestamp_found, may_take_long)


def _misframed(records: Buffer | None) -> KafkaError:
    """What is wrong with something that is not exactly one v2 batch."""
    if records is None or len(records) <= _MAGIC_AT:
        return invalid("no record batch")
    batch_length, magic = _LENGTH.unpack_from(records, _LENGTH_AT)[0], records[_MAGIC_AT]
    if magic > _MAGIC or batch_length < _LENGTH_MIN:
        return KafkaError(ErrorCode.CORRUPT_MESSAGE, f"batch of length {batch_length} and magic {magic}")
    if magic != _MAGIC:
        return invalid(f"message format {magic}: only format 2 is taken")
    if batch_length < HEADER_SIZE_BYTES - LOG_OVERHEAD_BYTES:
        return KafkaError(ErrorCode.CORRUPT_MESSAGE, f"batch length {batch_length} is below the header's own")
    if batch_length + LOG_OVERHEAD_BYTES > len(records):
        return invalid("no whole record batch")
    return invalid("more than one record batch")


def _misstated(header: BatchHeader) -> KafkaError:
    """What is wrong with a header that no producer may send."""
    if header.record_count <= 0:
        return invalid(f"record count {header.record_count}")
    if header.last_offset_delta != header.record_count - 1:
        return invalid(f"record count {header.record_count} with last offset delta {header.last_offset_delta}")
    if header.is_control:
        return invalid("control batches are not for clients to write")
    if not header.has_producer:
        return invalid("a transactional batch without producer id")
    return invalid(
        f"producer id {header.producer_id} with epoch {header.producer_epoch} and sequence {header.base_sequence}"
    )


def _fit(
    buffer: bytearray | memoryview,
    header: BatchHeader,
    rules: TopicRules,
    max_timestamp: int,
    may_take_long: bool,
) -> ValidBatch:
    """Rewrite what the topic wants otherwise, or what the header said of its records and was not so."""
    codec = header.compression if rules.codec is None else rules.codec
    attributes = header.attributes & ~(CODEC_MASK | TIMESTAMP_TYPE_BIT) | codec
    if rules.appends_time:
        # The base stays, as Kafka leaves it: readers of such a batch take its max_timestamp for every record.
        attributes |= TIMESTAMP_TYPE_BIT
    elif header.timestamp_type:
        max_timestamp = header.max_timestamp
    if codec != header.compression:
        section = unpacked(memoryview(buffer), header, rules.unpacked_size_bytes_max, may_take_long=may_take_long)
        if len(section) > LOOP_PACKED_SIZE_BYTES_MAX and not may_take_long:
            raise TakesLongError
        buffer = _recompress(buffer, section, codec, rules)
    if len(buffer) > rules.message_size_bytes_max:
        raise _too_large(len(buffer), rules)
    if len(buffer) > rules.segment_size_bytes_max:
        raise KafkaError(ErrorCode.RECORD_LIST_TOO_LARGE, f"a batch of {len(buffer)} bytes fits no segment")
    if attributes == header.attributes and max_timestamp == header.max_timestamp:
        return ValidBatch(buffer, header)
    _ATTRIBUTES.pack_into(buffer, _ATTRIBUTES_AT, attributes)
    _MAX_TIMESTAMP.pack_into(buffer, _MAX_TIMESTAMP_AT, max_timestamp)
    seal(buffer)
    return ValidBatch(buffer, read_header(buffer))


def _recompress(buffer: bytearray | memoryview, section: bytes, codec: int, rules: TopicRules) -> bytearray:
    """The same header over the same records in another codec; attributes and CRC are the caller's to set."""
    batch = bytearray(buffer[:HEADER_SIZE_BYTES])
    batch += compress(codec, section, rules.level(Codec(codec)))
    _LENGTH.pack_into(batch, _LENGTH_AT, len(batch) - LOG_OVERHEAD_BYTES)
    return batch


def _too_large(size_bytes: int, rules: TopicRules) -> KafkaError:
    limit = rules.message_size_bytes_max
    return KafkaError(ErrorCode.MESSAGE_TOO_LARGE, f"a batch of {size_bytes} bytes, the topic takes {limit}")
