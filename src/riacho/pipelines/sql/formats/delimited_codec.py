"""DELIMITED: one CSV record, its fields by position. An empty field is null; times are numbers, bytes are base64."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.csv_record import read_record, write_record
from riacho.pipelines.sql.formats.java_numbers import (
    MILLIS_OF_DAY,
    double_text,
    fitted,
    parse_decimal,
    parse_double,
    parse_int,
    parse_long,
    plain_decimal,
    wrapped_int,
)
from riacho.pipelines.sql.formats.schema_properties import DELIMITER, property_of
from riacho.pipelines.sql.types import Base, Decimal, Field, Primitive, SqlType

_NAMED = {"SPACE": " ", "TAB": "\t"}


def delimiter_of(properties: Mapping[str, str]) -> str:
    """KsqlError for what is no delimiter."""
    given = property_of(properties, DELIMITER)
    if given is None:
        return ","
    if not given.strip():
        raise KsqlError(
            "Delimiter cannot be empty, if you meant to have a tab or space for delimiter, please use the special "
            "values 'TAB' or 'SPACE'\nExample valid value: ';'"
        )
    found = given if len(given) == 1 else _NAMED.get(given.upper())
    if found is None:
        raise KsqlError(
            f"Invalid delimiter value: '{given}'. Delimiter must be a single character or TAB,SPACE\n"
            "Example valid value: ';'"
        )
    return found


class DelimitedCodec:
    """A key of one column that is null is no key; a value would be the empty record."""

    def __init__(self, columns: Sequence[Field], delimiter: str, is_key: bool = False) -> None:
        self._delimiter = delimiter
        self._single_key = columns[0].name if is_key and len(columns) == 1 else None
        self._count = len(columns)
        self._readers = [(column.name, _reader(column.type)) for column in columns]
        self._writers = [(column.name, _writer(column.type)) for column in columns]

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        fields = read_record(payload.decode("utf-8", "replace"), self._delimiter)
        if len(fields) != self._count:
            raise CodecError(f"Column count mismatch on deserialization. expected: {self._count}, got: {len(fields)}")
        row: Row = {}
        name = ""
        try:
            for (name, read), text in zip(self._readers, fields, strict=True):
                row[name] = read(text) if text else None
        except (ValueError, ArithmeticError) as error:
            raise CodecError(f"The field of column {name} cannot be read: {error}") from None
        return row

    def encode(self, row: Row | None) -> bytes | None:
        if row is None or (self._single_key is not None and row.get(self._single_key) is None):
            return None
        fields: list[str | None] = []
        try:
            for name, write in self._writers:
                value = row.get(name)
                fields.append(None if value is None else write(value))
        except (ValueError, TypeError) as error:
            raise CodecError(f"The row cannot be written: {error}") from None
        return write_record(fields, self._delimiter).encode("utf-8", "replace")


def _reader(kind: SqlType) -> Callable[[str], Any]:
    if isinstance(kind, Decimal):
        precision, scale = kind.precision, kind.scale
        return lambda text: fitted(parse_decimal(text), precision, scale)
    assert isinstance(kind, Primitive)
    return _READERS[kind.base]


def _writer(kind: SqlType) -> Callable[[Any], str]:
    return _WRITERS.get(kind.base, str) if isinstance(kind, Primitive) else plain_decimal


def _read_double(text: str) -> Any:
    number = parse_double(text)
    return number if number - number == 0 else double_text(number)


def _read_time(text: str) -> int:
    number = parse_long(text)
    if not 0 <= number <= MILLIS_OF_DAY:
        raise ValueError(f"Time values must use number of milliseconds greater than 0 and less than {MILLIS_OF_DAY}.")
    return number


def _read_bytes(text: str) -> str:
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode()
    except binascii.Error:
        raise ValueError("Value is not a valid Base64 encoded string") from None


_READERS: dict[Base, Callable[[str], Any]] = {
    Base.BOOLEAN: lambda text: text.lower() == "true",
    Base.INTEGER: parse_int,
    Base.BIGINT: parse_long,
    Base.DOUBLE: _read_double,
    Base.STRING: str,
    Base.BYTES: _read_bytes,
    Base.TIME: _read_time,
    Base.DATE: lambda text: wrapped_int(parse_long(text)),
    Base.TIMESTAMP: parse_long,
}
_WRITERS: dict[Base, Callable[[Any], str]] = {
    Base.BOOLEAN: lambda value: "true" if value else "false",
    Base.DOUBLE: lambda value: value if isinstance(value, str) else double_text(value),
}
