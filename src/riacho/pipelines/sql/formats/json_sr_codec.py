"""JSON_SR: JSON behind a schema id. Reading asks for no schema: what the text says goes, as with JSON."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.framing import PREFIX_BYTES, prefix_of
from riacho.pipelines.sql.formats.json_codec import JsonCodec
from riacho.pipelines.sql.formats.sink_schema import SinkSchema
from riacho.pipelines.sql.types import Field

NO_MAGIC = (
    "Got unexpected JSON serialization format that did not start with the magic byte. If this stream was not "
    "serialized using the JsonSchemaConverter, then make sure the stream is declared with JSON format (not JSON_SR)."
)


class JsonSrCodec:
    def __init__(self, columns: Sequence[Field], wrap: bool, sink_schema: SinkSchema) -> None:
        self._inner = JsonCodec(columns, wrap)
        self._sink_schema = sink_schema
        self._prefix = b""

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        if len(payload) < PREFIX_BYTES or payload[0] != 0:
            raise CodecError(NO_MAGIC)
        return self._inner.decode(payload[PREFIX_BYTES:])

    def encode(self, row: Row | None) -> bytes | None:
        written = self._inner.encode(row)
        if written is None:
            return None
        if not self._prefix:
            self._prefix = prefix_of(self._sink_schema()[0])
        return self._prefix + written
