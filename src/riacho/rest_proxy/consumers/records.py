"""Records as the answer of the v2 API shows them, straight to bytes.

    [{"topic":"t","key":null,"value":{"a":1},"partition":0,"offset":7}, ...]

Keys and values are JSON text by the time they come here and go in as they are. `include` adds what the original never
shows: `timestamp` in milliseconds, `headers` as in v3 (a list of name and base64 value).
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec

from riacho.rest_proxy.consumers.buffer import Batch, Run
from riacho.rest_proxy.embedded.decoders import Decoders
from riacho.rest_proxy.embedded.format import Format
from riacho.web.errors import ApiError

INCLUDABLE: Final = frozenset({"headers", "timestamp"})
# Between slices of this many the loop serves others.
_SLICE_RECORDS = 500
_TIMESTAMP_NOT_AVAILABLE = 0

_encode = msgspec.json.Encoder().encode
_topic_text = lru_cache(maxsize=1024)(_encode)


def include_of(texts: Sequence[str]) -> frozenset[str]:
    """`include=headers,timestamp`, or repeated."""
    wanted = frozenset(part.strip() for text in texts for part in text.split(",") if part.strip())
    unknown = wanted - INCLUDABLE
    if unknown:
        raise ApiError(422, 422, f"include may name headers and timestamp, not {min(unknown)}.")
    return wanted


async def json_texts(
    decoders: Decoders, format: Format, records: Sequence[Any]
) -> tuple[list[bytes], list[bytes], ApiError | None]:
    """The keys and values of the records at the front that can be read, and why the next one cannot."""
    keys: list[bytes] = []
    values: list[bytes] = []
    for start in range(0, len(records), _SLICE_RECORDS):
        if start:
            await asyncio.sleep(0)
        more_keys, more_values, error = await _slice_texts(decoders, format, records[start : start + _SLICE_RECORDS])
        keys += more_keys
        values += more_values
        if error is not None:
            return keys, values, error
    return keys, values, None


async def _slice_texts(
    decoders: Decoders, format: Format, records: Sequence[Any]
) -> tuple[list[bytes], list[bytes], ApiError | None]:
    try:
        return *(await _texts_of(decoders, format, records)), None
    except ApiError as error:
        if len(records) == 1:
            return [], [], error
    keys: list[bytes] = []
    values: list[bytes] = []
    for record in records:
        try:
            (key,), (value,) = await _texts_of(decoders, format, [record])
        except ApiError as error:
            return keys, values, error
        keys.append(key)
        values.append(value)
    return keys, values, None


async def _texts_of(decoders: Decoders, format: Format, records: Sequence[Any]) -> tuple[list[bytes], list[bytes]]:
    keys = [record.key() for record in records]
    values = [record.value() for record in records]
    key_texts = await decoders.decode(format, keys) if any(key is not None for key in keys) else [b"null"] * len(keys)
    return key_texts, await decoders.decode(format, values)


async def array_text(
    batch: Batch, runs: Sequence[Run], keys: Sequence[bytes], values: Sequence[bytes], include: frozenset[str]
) -> bytes:
    """Of the records in `runs`, which are those at the batch's front."""
    write = partial(_rows_with_more, include=include) if include else _rows
    pieces: list[bytes] = [b"["]
    for (topic, partition), start, end in runs:
        head = b',{"topic":' + _topic_text(topic) + b',"key":'
        tail = b',"partition":%d,"offset":' % partition
        for at in range(start, end, _SLICE_RECORDS):
            if at:
                await asyncio.sleep(0)
            to = min(at + _SLICE_RECORDS, end)
            pieces.append(write(batch.records[at:to], keys[at:to], values[at:to], head, tail))
    if runs:
        # The comma before the first record.
        pieces[1] = pieces[1][1:]
    pieces.append(b"]")
    return b"".join(pieces)


def _rows(records: Sequence[Any], keys: Sequence[bytes], values: Sequence[bytes], head: bytes, tail: bytes) -> bytes:
    """Filled in column by column: a format string for each record would cost three times as much."""
    count = len(records)
    offsets = str([record.offset() for record in records])[1:-1].encode().split(b", ")
    pieces: list[bytes] = [b"}"] * (7 * count)
    pieces[0::7] = [head] * count
    pieces[1::7] = keys
    pieces[2::7] = [b',"value":'] * count
    pieces[3::7] = values
    pieces[4::7] = [tail] * count
    pieces[5::7] = offsets
    return b"".join(pieces)


def _rows_with_more(
    records: Sequence[Any],
    keys: Sequence[bytes],
    values: Sequence[bytes],
    head: bytes,
    tail: bytes,
    include: frozenset[str],
) -> bytes:
    rows = []
    for record, key, value in zip(records, keys, values, strict=True):
        more = _timestamp(record) if "timestamp" in include else b""
        more += _headers(record) if "headers" in include else b""
        rows.append(b'%b%b,"value":%b%b%d%b}' % (head, key, value, tail, record.offset(), more))
    return b"".join(rows)


def timestamp_ms(record: Any) -> int | None:
    kind, timestamp = record.timestamp()
    return None if kind == _TIMESTAMP_NOT_AVAILABLE else timestamp


def header_list(record: Any) -> list[dict[str, str | None]]:
    return [
        {"name": name, "value": None if value is None else b64encode(value).decode()}
        for name, value in record.headers() or ()
    ]


def _timestamp(record: Any) -> bytes:
    return b',"timestamp":' + _encode(timestamp_ms(record))


def _headers(record: Any) -> bytes:
    return b',"headers":' + _encode(header_list(record))
