"""JSON: an object with a field a column, or the bare value of a single column where it is unwrapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.json_reading import needs_digits, reader, struct_reader
from riacho.pipelines.sql.formats.json_source import InexactError, read_exact, read_quick
from riacho.pipelines.sql.formats.json_writing import struct_writer, writer
from riacho.pipelines.sql.formats.misfit import Misfit
from riacho.pipelines.sql.types import Field

_encode = msgspec.json.Encoder().encode


class JsonCodec:
    def __init__(self, columns: Sequence[Field], wrap: bool) -> None:
        self._single = None if wrap else columns[0].name
        self._read = struct_reader(columns) if wrap else reader(columns[0].type)
        self._write = struct_writer(columns) if wrap else writer(columns[0].type)
        self._parse = read_exact if any(needs_digits(column.type) for column in columns) else read_quick

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        value = self._parse(payload)
        if value is not None:
            try:
                value = self._read(value)
            except InexactError:
                value = self._read_exactly(payload)
            except Misfit as wrong:
                raise wrong.error() from None
            except RecursionError:
                raise CodecError("The payload is nested too deeply") from None
        return value if self._single is None else {self._single: value}

    def _read_exactly(self, payload: bytes) -> Any:
        try:
            return self._read(read_exact(payload))
        except Misfit as wrong:
            raise wrong.error() from None

    def encode(self, row: Row | None) -> bytes | None:
        if row is None:
            return None
        value = row if self._single is None else row.get(self._single)
        if value is None:
            return None
        try:
            return _encode(value if self._write is None else self._write(value))
        except (TypeError, ValueError, AttributeError, RecursionError, msgspec.MsgspecError) as error:
            raise CodecError(f"The row has no JSON form: {error}") from None
