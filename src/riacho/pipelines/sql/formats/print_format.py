"""PRINT: a topic's records as lines, and which formats its keys and values may have, by trying each of them.

A format that cannot read one of the records is out; lines are written in the first that is left. A key may have a
window behind it, so each format is tried with a session's, with a time window's and without.
"""

from __future__ import annotations

import datetime
import json
import struct
from collections.abc import Callable, Iterable
from typing import NamedTuple

from google.protobuf import text_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.framing import PREFIX_BYTES, schema_id_of
from riacho.pipelines.sql.formats.java_numbers import double_text
from riacho.pipelines.sql.formats.json_source import read_exact
from riacho.pipelines.sql.formats.protobuf_codec import message_at
from riacho.pipelines.sql.formats.record_json import spec_reader
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.json_schema.schema import JsonSchema
from riacho.schemas.parsed import DataError, ParsedSchema, SchemaError
from riacho.schemas.protobuf.codec import decode_indexes
from riacho.schemas.protobuf.schema import ProtobufSchema

NO_DATA = "¯\\_(ツ)_/¯ - no data processed"
_UNRECOGNISED = "UNRECOGNISED_BYTES"
_REPLACEMENT = "\ufffd"
_UNREADABLE = (
    CodecError,
    DataError,
    SchemaError,
    RegistryRefusal,
    RegistryError,
    DecodeError,
    ValueError,
    struct.error,
)

Show = Callable[[bytes], str]


class PrintedRecord(NamedTuple):
    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    partition: int


class TopicPrinter:
    def __init__(self, registry: RegistryAccess | None = None) -> None:
        self._keys = _Guess(registry, windowed=True)
        self._values = _Guess(registry, windowed=False)

    def lines(self, records: Iterable[PrintedRecord]) -> list[str]:
        """Written again where the format they were written in turns out not to be theirs."""
        kept = list(records)
        before = self.key_formats[:1], self.value_formats[:1]
        written = [self._line(record) for record in kept]
        if before[0][0] in self.key_formats and before[1][0] in self.value_formats:
            return written
        return [self._line(record) for record in kept]

    @property
    def key_formats(self) -> list[str]:
        return self._keys.names

    @property
    def value_formats(self) -> list[str]:
        return self._values.names

    def heads(self) -> list[str]:
        """What stands above the lines."""
        return [f"Key format: {' or '.join(self.key_formats)}", f"Value format: {' or '.join(self.value_formats)}"]

    def _line(self, record: PrintedRecord) -> str:
        return (
            f"rowtime: {_row_time(record.timestamp_ms)}, key: {self._keys.show(record.key)}, "
            f"value: {self._values.show(record.value)}, partition: {record.partition}"
        )


def _row_time(timestamp_ms: int) -> str:
    if timestamp_ms == -1:
        return "N/A"
    seconds, millis = divmod(timestamp_ms, 1_000)
    try:
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return str(timestamp_ms)
    return f"{moment:%Y/%m/%d %H:%M:%S}.{millis:03d} Z"


class _Guess:
    """The formats that can read all that was shown so far, the first of them first."""

    def __init__(self, registry: RegistryAccess | None, windowed: bool) -> None:
        plain = _plain_formats(_Schemas(registry))
        self._left: list[tuple[str, Show]] = []
        for name, show in plain:
            if windowed and name != _UNRECOGNISED:
                self._left += [(f"{kind}({name})", _WINDOWS[kind](show)) for kind in _WINDOWS]
            self._left.append((name, show))
        self._is_new = True

    @property
    def names(self) -> list[str]:
        if self._is_new:
            return [NO_DATA]
        return [name for name, _ in self._left if name != _UNRECOGNISED]

    def show(self, payload: bytes | None) -> str:
        if payload is None:
            return "<null>"
        self._is_new = False
        shown: str | None = None
        left: list[tuple[str, Show]] = []
        for name, show in self._left:
            try:
                text = show(payload)
            except _UNREADABLE:
                continue
            left.append((name, show))
            shown = text if shown is None else shown
        self._left = left
        return "<Failed to deserialize>" if shown is None else shown


class _Schemas:
    """Payloads behind a schema id, by the kind of schema that the id says."""

    def __init__(self, registry: RegistryAccess | None) -> None:
        self._registry = registry

    def avro(self, payload: bytes) -> str:
        parsed = self._parsed(payload)
        if not isinstance(parsed, AvroSchema):
            raise CodecError("no Avro")
        return json.dumps(spec_reader(parsed, ())(payload[PREFIX_BYTES:]), ensure_ascii=False)

    def protobuf(self, payload: bytes) -> str:
        parsed = self._parsed(payload)
        if not isinstance(parsed, ProtobufSchema):
            raise CodecError("no Protobuf")
        indexes, start = decode_indexes(payload[PREFIX_BYTES:])
        message = message_at(parsed, indexes).FromString(payload[PREFIX_BYTES + start :])
        text: str = text_format.MessageToString(message, as_one_line=True)
        return text

    def json(self, payload: bytes) -> str:
        if not isinstance(self._parsed(payload), JsonSchema):
            raise CodecError("no JSON")
        return _json(payload[PREFIX_BYTES:])

    def _parsed(self, payload: bytes) -> ParsedSchema:
        if self._registry is None:
            raise CodecError("There is no schema registry")
        return self._registry.by_id(schema_id_of(payload))


def _plain_formats(schemas: _Schemas) -> list[tuple[str, Show]]:
    return [
        ("AVRO", schemas.avro),
        ("PROTOBUF", schemas.protobuf),
        ("JSON", _json),
        ("JSON_SR", schemas.json),
        ("KAFKA_INT", lambda payload: str(struct.unpack(">i", payload)[0])),
        ("KAFKA_BIGINT", lambda payload: str(struct.unpack(">q", payload)[0])),
        ("KAFKA_DOUBLE", lambda payload: double_text(struct.unpack(">d", payload)[0])),
        ("KAFKA_STRING", _text),
        (_UNRECOGNISED, _escaped),
    ]


def _text(payload: bytes) -> str:
    text = payload.decode("utf-8", "replace")
    if not text or _REPLACEMENT in text:
        raise CodecError("no text")
    return text


def _json(payload: bytes) -> str:
    text = _text(payload)
    read_exact(payload)
    return text


def _escaped(payload: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02X}" for byte in payload)


def _session(show: Show) -> Show:
    def shown(payload: bytes) -> str:
        end, start = struct.unpack(">qq", payload[-16:])
        if not 0 <= start <= end:
            raise CodecError("no session")
        return f"[{show(payload[:-16])}@{start}/{end}]"

    return shown


def _time_window(show: Show) -> Show:
    def shown(payload: bytes) -> str:
        (start,) = struct.unpack(">q", payload[-8:])
        if start < 0:
            raise CodecError("no window")
        return f"[{show(payload[:-8])}@{start}/-]"

    return shown


_WINDOWS: dict[str, Callable[[Show], Show]] = {"SESSION": _session, "HOPPING": _time_window, "TUMBLING": _time_window}
