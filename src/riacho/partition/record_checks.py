"""What a leader demands of the records inside a batch, and what it costs to look.

Every record is walked over before it is stored (`wire/record_walk.py`), so nothing gets into a log that a reader would
stumble over for as long as the log is kept. Compressed records have to be unpacked for that. What a client may demand
of us is bounded: by the topic's message size, of which the records may unpack to so many times as much, and by what
may be done between two turns of the event loop. A batch that needs more of the loop is a `TakesLongError`: whoever
called calls again from a thread, where it may take long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.refused_records import InvalidRecordsError, TakesLongError, invalid
from riacho.wire.batch import CODEC_MASK, HEADER_SIZE_BYTES, TIMESTAMP_TYPE_BIT, BatchHeader
from riacho.wire.compression import Codec, decompress
from riacho.wire.lz4_frame import NotPlainError, PlainFrame
from riacho.wire.record_walk import DELTA_MAX, DELTA_MIN, RECORD_SIZE_BYTES_MIN, RecordWalk
from riacho.wire.record_windows import WINDOW_SIZE_BYTES, Slices
from riacho.wire.records import DECOMPRESSED_SIZE_BYTES_MAX, NO_TIMESTAMP

if TYPE_CHECKING:
    from riacho.partition.validation import TopicRules

# Text compresses to a hundredth at best; a Java producer that is refused for this makes two batches of the one.
UNPACKED_TO_MESSAGE_SIZE_MAX = 64
UNPACKED_SIZE_BYTES_FLOOR = 16 << 20
# How many offenders of a batch are named, and among how many records, the first offender's and those after it.
RECORD_ERRORS_MAX = 1000
RECORDS_FLOOR = 1 << 16
_EXAMINED_MAX = 10_000
# Of the event loop: a millisecond, or with records that nobody compiled the walk for, some.
LOOP_UNPACKED_SIZE_BYTES_MAX = 256 * 1024
LOOP_PACKED_SIZE_BYTES_MAX = 128 * 1024
LOOP_RECORDS_MAX = 16_384
# Of a plain LZ4 frame, which is gone through block by block: batches of a megabyte are usual, and a thread for each
# would cost more than it does.
LOOP_BLOCKS_SIZE_BYTES_MAX = 2 * 1024 * 1024
_LZ4 = int(Codec.LZ4)
# Others get their turn in between, also where the walk is compiled and never lets go of the interpreter by itself.
_STEP_RECORDS = 16_384
_TIMESTAMP_MAX = (1 << 63) - 1

# Timestamps from, to, and what says that there is none, all relative to the batch's first; whether there must be keys.
Bounds = tuple[int, int, int, bool]


def unpacked(
    records: memoryview, header: BatchHeader, size_bytes_max: int = DECOMPRESSED_SIZE_BYTES_MAX, *, may_take_long: bool
) -> bytes:
    """The bytes of the records, if they can be as many as the header says."""
    section, codec = records[HEADER_SIZE_BYTES:], header.compression
    _check_count(header.record_count, size_bytes_max if codec else len(section), may_take_long)
    return _decompressed_at_once(codec, section, size_bytes_max, may_take_long) if codec else bytes(section)


def _decompressed_at_once(codec: int, section: memoryview, size_bytes_max: int, may_take_long: bool) -> bytes:
    if may_take_long:
        return _decompressed(codec, section, size_bytes_max)
    if len(section) > LOOP_PACKED_SIZE_BYTES_MAX:
        raise TakesLongError
    try:
        return _decompressed(codec, section, min(size_bytes_max, LOOP_UNPACKED_SIZE_BYTES_MAX))
    except KafkaError as error:
        if error.code is ErrorCode.MESSAGE_TOO_LARGE and size_bytes_max > LOOP_UNPACKED_SIZE_BYTES_MAX:
            raise TakesLongError from None
        raise


def _check_count(count: int, size_bytes_max: int, may_take_long: bool) -> None:
    if count * RECORD_SIZE_BYTES_MIN > size_bytes_max:
        raise invalid(f"{count} records in at most {size_bytes_max} bytes")
    if count > LOOP_RECORDS_MAX and not may_take_long:
        raise TakesLongError


def unpacked_size_bytes_max(message_size_bytes_max: int) -> int:
    """What the records of a batch may unpack to."""
    wanted = max(UNPACKED_TO_MESSAGE_SIZE_MAX * message_size_bytes_max, UNPACKED_SIZE_BYTES_FLOOR)
    return min(wanted, DECOMPRESSED_SIZE_BYTES_MAX)


def records_max(message_size_bytes_max: int) -> int:
    """How many records a batch may hold: they are taken out all at once when it is compacted."""
    return max(message_size_bytes_max, RECORDS_FLOOR)


def _decompressed(codec: int, section: memoryview, size_bytes_max: int) -> bytes:
    try:
        return decompress(codec, section, size_bytes_max)
    except KafkaError as error:
        # The CRC was right, so a client gains nothing by sending this again.
        raise invalid(error.detail) if error.code is ErrorCode.CORRUPT_MESSAGE else error from None


def check_records(
    records: memoryview,
    header: BatchHeader,
    rules: TopicRules,
    now_ms: int,
    *,
    may_take_long: bool,
    blocks_size_bytes_max: int = LOOP_BLOCKS_SIZE_BYTES_MAX,
) -> int:
    """The largest timestamp among the records, which are what the header says and what the topic takes.

    `blocks_size_bytes_max`: what of a plain LZ4 frame may be unpacked where that may not take long.
    """
    base_timestamp = header.base_timestamp
    earliest, latest = DELTA_MIN, DELTA_MAX
    is_refused = False
    if header.attributes & TIMESTAMP_TYPE_BIT:
        is_refused = rules.appends_time or not _is_timely(header.max_timestamp, rules, now_ms)
    elif not rules.appends_time:
        earliest = max(now_ms - rules.timestamp_before_max_ms - base_timestamp, DELTA_MIN)
        latest = min(now_ms + rules.timestamp_after_max_ms, _TIMESTAMP_MAX) - base_timestamp
    bounds = (
        min(earliest, DELTA_MAX),
        max(min(latest, DELTA_MAX), DELTA_MIN),
        min(NO_TIMESTAMP - base_timestamp, DELTA_MAX),
        rules.compacted,
    )
    size_bytes_max = rules.unpacked_size_bytes_max
    try:
        walk = _walked(records, header, bounds, size_bytes_max, may_take_long, blocks_size_bytes_max)
    except IndexError:
        raise invalid("a record ends in the middle of a number") from None
    except ValueError as error:
        raise invalid(str(error)) from None
    suspect = 0 if is_refused else walk.suspect
    if suspect >= 0:
        data = unpacked(records, header, size_bytes_max, may_take_long=may_take_long)
        raise _refused(data, suspect, header, rules, now_ms)
    return max(base_timestamp + walk.timestamp_delta_max, NO_TIMESTAMP)


def _walked(
    records: memoryview,
    header: BatchHeader,
    bounds: Bounds,
    size_bytes_max: int,
    may_take_long: bool,
    blocks_size_bytes_max: int,
) -> RecordWalk:
    """What a walk over all records saw."""
    section, count, codec = records[HEADER_SIZE_BYTES:], header.record_count, header.attributes & CODEC_MASK
    if not codec:
        _check_count(count, len(section), may_take_long)
        if len(section) > WINDOW_SIZE_BYTES:
            return _walked_in(Slices(section), count, bounds)
        data = bytes(section)
    else:
        _check_count(count, size_bytes_max, may_take_long)
        if codec == _LZ4:
            blocks_max = size_bytes_max if may_take_long else min(size_bytes_max, blocks_size_bytes_max)
            try:
                return _walked_in(PlainFrame(section, blocks_max), count, bounds)
            except NotPlainError:
                pass
        data = _decompressed_at_once(codec, section, size_bytes_max, may_take_long)
    walk = _walk(data, count, bounds, True)
    while not walk.step(_STEP_RECORDS):
        pass
    return walk


def _walked_in(windows: Slices | PlainFrame, count: int, bounds: Bounds) -> RecordWalk:
    walk = _walk(windows.after(0), count, bounds, windows.is_last)
    while not walk.step(_STEP_RECORDS):
        if walk.is_short:
            data = windows.after(walk.kept_size_bytes, walk.size_bytes_min)
            walk.go_on_in(data, windows.is_last)
    return walk


def _walk(data: bytes, count: int, bounds: Bounds, is_last: bool) -> RecordWalk:
    return RecordWalk(data, count, bounds[0], bounds[1], bounds[2], bounds[3], is_last)


def _is_timely(timestamp: int, rules: TopicRules, now_ms: int) -> bool:
    return (
        timestamp != NO_TIMESTAMP
        and now_ms - timestamp <= rules.timestamp_before_max_ms
        and timestamp <= min(now_ms + rules.timestamp_after_max_ms, _TIMESTAMP_MAX)
    )


def _refused(data: bytes, first: int, header: BatchHeader, rules: TopicRules, now_ms: int) -> InvalidRecordsError:
    """The first suspect and its like, as many as may be named."""
    is_stamped = header.attributes & TIMESTAMP_TYPE_BIT != 0
    errors: list[tuple[int, str]] = []
    code = ErrorCode.INVALID_RECORD
    walk = RecordWalk(data, header.record_count)
    walk.step(first)
    for index in range(first, min(header.record_count, first + _EXAMINED_MAX)):
        walk.step(1)
        timestamp = header.max_timestamp if is_stamped else header.base_timestamp + walk.timestamp_delta
        if walk.offset_delta != index:
            errors.append((index, f"offset delta {walk.offset_delta} is not {index}"))
        elif rules.compacted and not walk.has_key:
            errors.append((index, "a compacted topic takes no record without a key"))
        elif is_stamped and (rules.appends_time or timestamp == NO_TIMESTAMP):
            errors.append((index, "a producer may not set the timestamp type to LogAppendTime"))
            code = ErrorCode.INVALID_TIMESTAMP
        elif not rules.appends_time and timestamp != NO_TIMESTAMP and not _is_timely(timestamp, rules, now_ms):
            before, after = rules.timestamp_before_max_ms, rules.timestamp_after_max_ms
            errors.append((index, f"timestamp {timestamp} is not within [{now_ms - before}, {now_ms + after}]"))
            code = ErrorCode.INVALID_TIMESTAMP
        if len(errors) >= RECORD_ERRORS_MAX:
            break
    return InvalidRecordsError(code, errors)
