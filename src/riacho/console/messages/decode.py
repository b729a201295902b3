"""What the bytes of a key or a value are, found out by looking at them, or as the caller says.

By itself (`auto`), in this order: the registry's wire format (a zero byte and a schema's id, or a header that names
the schema), JSON objects and arrays, text, MessagePack maps and arrays, and hex for the rest. Numbers as Kafka's
serializers write them, UUIDs and the like look like anything else, so they are read only when asked for.

Nothing here fails: what cannot be read as asked is shown as hex, with the reason. Nor does it take long or much: a
value of JSON can be two bytes and takes a hundred in memory, so what has too many of them is shown and not looked into.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

import msgspec

from riacho.console.messages.decoded import NOT_JSON, NULL, Decoded, json_tree
from riacho.schemas.parsed import Codec, DataError

AUTO = "auto"
_KINDS = {"AVRO": "avro", "PROTOBUF": "protobuf", "JSON": "json_schema"}
_ID_BYTES, _GUID_BYTES = 5, 17
_BY_ID, _BY_GUID = 0, 1
_HEADERS = {True: "__key_schema_id", False: "__value_schema_id"}
_REASON_LENGTH_MAX = 300
_OPENING = (b"{", b"[")
_JSON_SPACE = b" \t\r\n"
# Control characters that text has not: a sign of something else.
_UNPRINTABLE = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
# More than these take seconds and hundreds of megabytes. In binary formats a value may be a byte.
VALUES_MAX = 250_000
PACKED_BYTES_MAX = 512 * 1024
FRAMED_BYTES_MAX = 2 * 1024 * 1024
_TOO_MANY = f"It may be JSON, and has more than {VALUES_MAX:,} values."
_TOO_DEEP = "It may be JSON, and is nested too deeply to be looked into."
_decode_json = msgspec.json.Decoder().decode
_decode_msgpack = msgspec.msgpack.Decoder().decode

Headers = Sequence[tuple[str, bytes | None]]


class SchemaUnknown(Exception):
    """The registry does not know a schema, or cannot be asked; one sentence."""


class Schemas(Protocol):
    """What is asked of a schema registry here. SchemaUnknown from both; may block."""

    def by_id(self, schema_id: int) -> tuple[str, Codec]:
        """The kind of the schema (AVRO, JSON, PROTOBUF) and its codec."""

    def id_of(self, guid: str) -> int: ...


class Decoder:
    """`schemas` is None where the cluster has no registry."""

    def __init__(self, schemas: Schemas | None) -> None:
        self._schemas = schemas

    def decode(self, raw: bytes | None, format: str = AUTO, *, is_key: bool = False, headers: Headers = ()) -> Decoded:
        """`format` is one of FORMATS."""
        if raw is None:
            return NULL
        if format == AUTO:
            return self._looked_at(raw, is_key, headers)
        if format in _REGISTRY_FORMATS:
            return self._framed(raw, is_key, headers) or _hex(
                raw, "It does not begin with a magic byte and a schema id."
            )
        return _READERS[format](raw)

    def _looked_at(self, raw: bytes, is_key: bool, headers: Headers) -> Decoded:
        reason = None
        if raw[:1] == b"\0" or headers:
            framed = self._framed(raw, is_key, headers)
            if framed is not None and framed.reason is None:
                return framed
            reason = None if framed is None else framed.reason
        read = _json_of(raw) if raw.lstrip(_JSON_SPACE)[:1] in _OPENING else None
        if isinstance(read, Decoded):
            return read
        text = _text_of(raw)
        if text is not None:
            return Decoded("text", text, reason=read)
        if reason is None and (raw[0] >= 0x80 and (packed := _packed(raw)) is not None):
            return packed
        return _hex(raw, reason)

    def _framed(self, raw: bytes, is_key: bool, headers: Headers) -> Decoded | None:
        """In the registry's wire format; None where it is not in that."""
        prefix = next((value for name, value in reversed(headers) if name == _HEADERS[is_key]), None)
        payload = raw
        if prefix is None:
            if len(raw) < _ID_BYTES or raw[0] != 0:
                return None
            prefix, payload = raw[:_ID_BYTES], raw[_ID_BYTES:]
        if self._schemas is None:
            return _hex(raw, "It may have a schema, and the cluster has no schema registry here.")
        try:
            schema_id, rest = self._schema_id(prefix, self._schemas)
            kind, codec = self._schemas.by_id(schema_id)
        except SchemaUnknown as error:
            return _hex(raw, str(error))
        if len(payload) > FRAMED_BYTES_MAX or (kind == "JSON" and _values_at_most(payload) > VALUES_MAX):
            return _hex(raw, f"It has schema {schema_id}, and is too large to be read by it.")
        try:
            tree = codec.decode(rest + payload)
        except (DataError, RecursionError, MemoryError) as error:
            return _hex(raw, f"It is not what schema {schema_id} says: {_shortened(str(error))}")
        try:
            return Decoded(_KINDS.get(kind, kind.lower()), tree=json_tree(tree), schema_id=schema_id)
        except NOT_JSON as error:
            return _hex(raw, f"What schema {schema_id} makes of it has no JSON form: {_shortened(str(error))}")

    def _schema_id(self, prefix: bytes, schemas: Schemas) -> tuple[int, bytes]:
        """And what of the prefix belongs to the payload: a Protobuf message's place in its file."""
        if len(prefix) >= _ID_BYTES and prefix[0] == _BY_ID:
            return int.from_bytes(prefix[1:_ID_BYTES], "big"), prefix[_ID_BYTES:]
        if len(prefix) < _GUID_BYTES or prefix[0] != _BY_GUID:
            raise SchemaUnknown("The header that names its schema has neither an id nor a GUID.")
        return schemas.id_of(str(UUID(bytes=prefix[1:_GUID_BYTES]))), prefix[_GUID_BYTES:]


def header_text(raw: bytes | None) -> str | None:
    """A header's value: text where it is some, else hex."""
    if raw is None:
        return None
    text = _text_of(raw)
    return raw.hex() if text is None else text


def _text_of(raw: bytes) -> str | None:
    if len(raw.translate(None, _UNPRINTABLE)) < len(raw):
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _json_of(raw: bytes) -> Decoded | str | None:
    """Why not, where it may be JSON all the same."""
    if _values_at_most(raw) > VALUES_MAX:
        return _TOO_MANY
    try:
        return Decoded("json", tree=_decode_json(raw), raw=raw)
    except RecursionError:
        return _TOO_DEEP
    except NOT_JSON:
        return None


def _values_at_most(raw: bytes) -> int:
    """Of JSON: each begins the document, or stands behind one of these."""
    if len(raw) <= VALUES_MAX:
        return len(raw)
    return 1 + raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _packed(raw: bytes) -> Decoded | None:
    """MessagePack's maps and arrays; anything shorter is as likely something else."""
    if len(raw) > PACKED_BYTES_MAX:
        return None
    try:
        value = _decode_msgpack(raw)
        if not isinstance(value, dict | list):
            return None
        return Decoded("msgpack", tree=json_tree(value))
    except NOT_JSON:
        return None


def _hex(raw: bytes, reason: str | None = None) -> Decoded:
    return Decoded("hex", raw=raw, reason=reason)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    line = line if len(line) <= _REASON_LENGTH_MAX else line[: _REASON_LENGTH_MAX - 3] + "..."
    return line if line.endswith(".") else f"{line}."


# --- formats that are asked for by name


def _json(raw: bytes) -> Decoded:
    read = _json_of(raw)
    if isinstance(read, Decoded):
        return read
    text, reason = _text_of(raw), read or "It is not JSON."
    return _hex(raw, reason) if text is None else Decoded("text", text, reason=reason)


def _text(raw: bytes) -> Decoded:
    return Decoded("text", raw.decode("utf-8", "replace"))


def _msgpack(raw: bytes) -> Decoded:
    if len(raw) > PACKED_BYTES_MAX:
        return _hex(raw, f"It has more than {PACKED_BYTES_MAX // 1024} KiB, and is not unpacked.")
    try:
        return Decoded("msgpack", tree=json_tree(_decode_msgpack(raw)))
    except NOT_JSON:
        return _hex(raw, "It is not MessagePack with a JSON form.")


def _uuid(raw: bytes) -> Decoded:
    if len(raw) == 16:
        return Decoded("uuid", str(UUID(bytes=raw)))
    try:
        return Decoded("uuid", str(UUID(raw.decode("ascii"))))
    except ValueError:
        return _hex(raw, "It is no UUID.")


def _base64(raw: bytes) -> Decoded:
    return Decoded("base64", binascii.b2a_base64(raw, newline=False).decode())


def _number(name: str, form: str) -> Callable[[bytes], Decoded]:
    packing = struct.Struct(form)

    def read(raw: bytes) -> Decoded:
        if len(raw) != packing.size:
            return _hex(raw, f"It has {len(raw)} bytes, and {name} has {packing.size}.")
        number = packing.unpack(raw)[0]
        return Decoded(name, repr(number), tree=number)

    return read


# Kafka's serializers: big endian.
_READERS: Mapping[str, Callable[[bytes], Decoded]] = {
    "json": _json,
    "text": _text,
    "msgpack": _msgpack,
    "uuid": _uuid,
    "base64": _base64,
    "hex": _hex,
    "short": _number("short", ">h"),
    "integer": _number("integer", ">i"),
    "long": _number("long", ">q"),
    "float": _number("float", ">f"),
    "double": _number("double", ">d"),
}
_REGISTRY_FORMATS = ("avro", "protobuf", "json_schema")
FORMATS: tuple[str, ...] = (AUTO, *_READERS, *_REGISTRY_FORMATS)
# What shows printable text as it is, and so do searches in bytes find it.
SHOWS_TEXT = frozenset({AUTO, "json", "text"})
