"""From a result's row to a record: key and value encoded, a window's bounds put behind the key."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from riacho.pipelines.sql.formats.codec import Row
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.steps import Encode
from riacho.pipelines.sql.records.record_decoder import WINDOW_END, WINDOW_START
from riacho.pipelines.sql.records.record_time import RecordTime

_decode = msgspec.json.Decoder(dict).decode


class EncodedRecord(NamedTuple):
    key: bytes | None
    value: bytes | None
    timestamp_ms: int


class RecordEncoder:
    def __init__(self, encode: Encode, registry: RegistryAccess | None) -> None:
        self._key = open_codec(encode.key, registry)
        self._value = open_codec(encode.value, registry)
        self._is_windowed = encode.key.window is not None
        self._time = RecordTime.of(encode.timestamp, encode.timestamp_type, encode.timestamp_format)

    def encode(
        self,
        key: str | None,
        value: str | None,
        timestamp_ms: int,
        window_start: int | None = None,
        window_end: int | None = None,
    ) -> EncodedRecord:
        """`key` and `value` are row JSON. CodecError where they have no form in the sink's formats."""
        key_row = _row(key)
        if self._is_windowed and key_row is not None:
            key_row |= {WINDOW_START: window_start, WINDOW_END: window_end}
        value_row = _row(value)
        if self._time is not None:
            timestamp_ms = self._time.read(key_row, value_row, timestamp_ms)
        return EncodedRecord(self._key.encode(key_row), self._value.encode(value_row), timestamp_ms)


def _row(text: str | None) -> Row | None:
    return None if text is None else _decode(text)
