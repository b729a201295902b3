"""Keys and values of cases as payloads of a topic, and back.

JSON is what stands in the case, byte for byte; DELIMITED and strings of KAFKA are its text. All others go through the
codec of the topic's columns, which come from the schema that the case gave for the topic, else from its source.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol

import msgspec

from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import columns_of, open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.formats.supported import is_wrapped
from riacho.pipelines.sql.testing.payload_values import case_value, row_value
from riacho.pipelines.sql.types import STRING, Struct

_decoder = msgspec.json.Decoder(float_hook=Decimal)
_encoder = msgspec.json.Encoder(decimal_format="number")


class PayloadForm(Protocol):
    def payload(self, value: Any) -> bytes | None:
        """CodecError."""

    def value(self, payload: bytes | None) -> Any:
        """CodecError."""


class JsonForm:
    """`is_lenient`: a text is a text, for topics of which nothing is known."""

    def __init__(self, is_lenient: bool = False) -> None:
        self._is_lenient = is_lenient

    def payload(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if self._is_lenient and isinstance(value, str):
            return value.encode()
        return _encoder.encode(value)

    def value(self, payload: bytes | None) -> Any:
        if payload is None:
            return None
        try:
            return _decoder.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            if self._is_lenient:
                return payload.decode("utf-8", "replace")
            raise CodecError("A payload that was written is not JSON") from None


class TextForm:
    def payload(self, value: Any) -> bytes | None:
        if value is None:
            return None
        return value.encode() if isinstance(value, str) else _encoder.encode(value)

    def value(self, payload: bytes | None) -> Any:
        return None if payload is None else payload.decode("utf-8", "replace")


class CodecForm:
    def __init__(self, spec: CodecSpec, registry: RegistryAccess) -> None:
        columns = columns_of(spec)
        self._codec = open_codec(spec, registry)
        self._type = Struct(tuple(columns))
        is_record = is_wrapped(spec.format, len(columns), spec.is_key, spec.wrap)
        self._single = None if is_record or not columns else columns[0]

    def payload(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            if self._single is not None:
                return self._codec.encode({self._single.name: row_value(value, self._single.type)})
            return self._codec.encode(row_value(value, self._type))
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise CodecError(f"{value!r} is no value of {self._type}: {error}") from None

    def value(self, payload: bytes | None) -> Any:
        row = self._codec.decode(payload)
        if row is None:
            return None
        if self._single is not None:
            return case_value(row[self._single.name], self._single.type)
        return case_value(row, self._type)


def open_form(spec: CodecSpec | None, registry: RegistryAccess) -> PayloadForm:
    """`spec` is None where nobody said what the topic holds."""
    if spec is None:
        return JsonForm(is_lenient=True)
    match spec.format.upper():
        case "JSON":
            return JsonForm()
        case "DELIMITED":
            return TextForm()
        case "KAFKA" if spec.columns and columns_of(spec)[0].type == STRING:
            return TextForm()
        case _:
            return CodecForm(spec, registry)
