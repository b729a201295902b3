"""From what a person writes to the bytes of a record: the formats that `decode.py` reads, the other way round."""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable, Mapping
from uuid import UUID

import msgspec

from riacho.console.messages.decode import SchemaUnknown
from riacho.console.messages.registry import Registry
from riacho.schemas.parsed import DataError

_SHOWN_MAX = 300
_KINDS = {"avro": "AVRO", "protobuf": "PROTOBUF", "json_schema": "JSON"}


class EncodeError(ValueError):
    """A text that is not of its format, in one sentence."""


class Encoder:
    """`registry` is None where the cluster has none."""

    def __init__(self, registry: Registry | None) -> None:
        self._registry = registry

    def encode(self, text: str | None, format: str, *, subject: str, schema_id: int | None = None) -> bytes | None:
        """`subject`: whose latest schema is taken where a format has schemas and no id is given. EncodeError. May ask
        the registry."""
        if text is None:
            return None
        if format in _KINDS:
            return self._framed(text, format, subject, schema_id)
        try:
            return _WRITERS[format](text)
        except (ValueError, struct.error, OverflowError, RecursionError):
            raise EncodeError(f"It is not {_NAMES.get(format, format)}.") from None

    def _framed(self, text: str, format: str, subject: str, schema_id: int | None) -> bytes:
        if self._registry is None:
            raise EncodeError("The cluster has no schema registry here.")
        try:
            value = msgspec.json.decode(text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise EncodeError("It is not JSON, which a value with a schema is written in.") from None
        try:
            if schema_id is None:
                found = self._registry.latest(subject)
                kind, codec, schema_id = found.parsed.schema_type, found.codec, found.id
            else:
                kind, codec = self._registry.by_id(schema_id)
        except SchemaUnknown as error:
            raise EncodeError(str(error)) from None
        if kind != _KINDS[format]:
            raise EncodeError(f"Schema {schema_id} is of type {kind}, and not for {format}.")
        try:
            return b"\0" + schema_id.to_bytes(4, "big") + codec.encode(value)
        except (DataError, RecursionError) as error:
            reason = " ".join(str(error).split())[:_SHOWN_MAX].rstrip(".")
            raise EncodeError(f"It does not fit schema {schema_id}: {reason}.") from None


def _json(text: str) -> bytes:
    raw = text.encode()
    try:
        msgspec.json.decode(raw)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
    return raw


def _msgpack(text: str) -> bytes:
    try:
        return msgspec.msgpack.encode(msgspec.json.decode(text))
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _number(form: str, kind: type) -> Callable[[str], bytes]:
    return lambda text: struct.pack(form, kind(text))


_NAMES = {
    "json": "JSON",
    "msgpack": "JSON, which MessagePack is written in",
    "base64": "base64",
    "hex": "hexadecimal digits",
    "uuid": "a UUID",
    "short": "a whole number of 16 bits",
    "integer": "a whole number of 32 bits",
    "long": "a whole number of 64 bits",
    "float": "a number",
    "double": "a number",
    "text": "text in UTF-8",
}
_WRITERS: Mapping[str, Callable[[str], bytes]] = {
    "text": str.encode,
    "json": _json,
    "msgpack": _msgpack,
    "base64": lambda text: binascii.a2b_base64(text, strict_mode=True),
    "hex": bytes.fromhex,
    "uuid": lambda text: UUID(text).bytes,
    "short": _number(">h", int),
    "integer": _number(">i", int),
    "long": _number(">q", int),
    "float": _number(">f", float),
    "double": _number(">d", float),
}
WRITTEN_FORMATS: tuple[str, ...] = (*_WRITERS, *_KINDS)
