"""A record of a v3 stream: in the form in which v3 takes records, so that what is read can be produced again.

{"topic_name": "t", "partition_id": 0, "offset": 7, "timestamp": "2021-02-05T19:14:42.000Z",
 "headers": [{"name": "a", "value": "YmFzZTY0"}], "key": null, "value": {"type": "JSON", "data": {"a": 1}}}
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from riacho.rest_proxy.consumers.records import header_list, timestamp_ms
from riacho.rest_proxy.embedded.decoders import Decoders
from riacho.rest_proxy.embedded.format import Format
from riacho.web.errors import ApiError

_encode = msgspec.json.Encoder().encode


class Data(msgspec.Struct):
    type: str
    data: msgspec.Raw


class ConsumedRecord(msgspec.Struct):
    """`key` and `value` are absent where the record cannot be read: then it has an error_code and a message."""

    topic_name: str
    partition_id: int
    offset: int
    timestamp: str | None
    headers: list[dict[str, str | None]]
    key: Data | msgspec.UnsetType | None = msgspec.UNSET
    value: Data | msgspec.UnsetType | None = msgspec.UNSET
    error_code: int | msgspec.UnsetType = msgspec.UNSET
    message: str | msgspec.UnsetType = msgspec.UNSET


async def record_texts(decoders: Decoders, format: Format | None, records: Sequence[Any]) -> list[bytes]:
    return [_encode(await _record(decoders, format, record)) for record in records]


async def _record(decoders: Decoders, format: Format | None, record: Any) -> ConsumedRecord:
    shown = ConsumedRecord(record.topic(), record.partition(), record.offset(), _timestamp(record), header_list(record))
    try:
        shown.key = await _data(decoders, format, record.key())
        shown.value = await _data(decoders, format, record.value())
    except ApiError as error:
        shown.key = shown.value = msgspec.UNSET
        shown.error_code, shown.message = error.error_code, error.message
    return shown


async def _data(decoders: Decoders, format: Format | None, payload: bytes | None) -> Data | None:
    if payload is None:
        return None
    if format is not None:
        return Data(format.name, msgspec.Raw((await decoders.decode(format, [payload]))[0]))
    try:
        return Data("JSON", msgspec.Raw((await decoders.decode(Format.JSON, [payload]))[0]))
    except ApiError:
        fitting = Format.STRING if _is_text(payload) else Format.BINARY
        return Data(fitting.name, msgspec.Raw((await decoders.decode(fitting, [payload]))[0]))


def _is_text(payload: bytes) -> bool:
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return False
    return text.isprintable() or all(character.isprintable() or character.isspace() for character in text)


def _timestamp(record: Any) -> str | None:
    found = timestamp_ms(record)
    if found is None:
        return None
    try:
        return datetime.fromtimestamp(found / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        # Kafka takes any number.
        return None
