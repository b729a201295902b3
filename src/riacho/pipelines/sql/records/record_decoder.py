"""From a topic's record to the row of a source: key and value decoded, window bounds and time taken out."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.steps import Decode
from riacho.pipelines.sql.records.record_time import RecordTime, RecordTimeError
from riacho.pipelines.sql.syntax.statements import Kind

WINDOW_START, WINDOW_END = "WINDOWSTART", "WINDOWEND"
_encode = msgspec.json.encode


class DecodedRecord(NamedTuple):
    """`key` and `value` are row JSON; see `plan/steps.py`, after Decode."""

    key: str | None
    value: str | None
    timestamp_ms: int
    window_start: int | None = None
    window_end: int | None = None


class RecordDecoder:
    def __init__(self, decode: Decode, registry: RegistryAccess | None) -> None:
        self._decode = decode
        self._key = open_codec(decode.key, registry)
        self._value = open_codec(decode.value, registry)
        self._is_windowed = decode.key.window is not None
        self._is_table = decode.kind == Kind.TABLE.value
        self._time = RecordTime.of(decode.timestamp, decode.timestamp_type, decode.timestamp_format)

    def decode(self, key: bytes | None, value: bytes | None, timestamp_ms: int) -> DecodedRecord:
        """CodecError, in a sentence, for a record that has to be left out; KsqlError for one that ends the query."""
        key_row = self._key.decode(key)
        start = end = None
        if key_row is not None and self._is_windowed:
            start, end = key_row.pop(WINDOW_START), key_row.pop(WINDOW_END)
        if self._is_table and (key_row is None or list(key_row.values()) == [None]):
            raise CodecError("A record of a table has no key")
        value_row = self._value.decode(value)
        if self._time is not None:
            timestamp_ms = self._time_of(self._time, key_row, value_row, timestamp_ms)
        return DecodedRecord(_text(key_row), _text(value_row), timestamp_ms, start, end)

    def _time_of(self, time: RecordTime, key: Row | None, value: Row | None, otherwise_ms: int) -> int:
        try:
            return time.read(key, value, otherwise_ms)
        except RecordTimeError as error:
            if not self._decode.strict_time:
                raise
            sentence = f"Fatal user code error in TimestampExtractor callback for a record of {self._decode.topic}"
            raise KsqlError(f"{sentence}: {error}") from None


def _text(row: Row | None) -> str | None:
    return None if row is None else _encode(row).decode()
