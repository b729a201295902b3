"""Rows of one stream or table that come as JSON objects: read as its columns, written to its topic."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.sources import Column, DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.server.inserting import Inserter


class StreamInserts:
    """A row has the names of columns in any case of letters, as JSON records have; what is missing is null."""

    def __init__(self, source: DataSource, inserter: Inserter, registry: RegistryAccess | None) -> None:
        if source.is_source:
            raise KsqlError(f"Cannot insert values into read-only {source.kind.value.lower()}: {source.name}")
        if source.window is not None or source.schema.headers:
            raise KsqlError(f"Cannot insert into {source.name}: it has a windowed key, or columns of headers.")
        self._source = source
        self._inserter = inserter
        self._keys = _json_codec(source.schema.key)
        self._values = _json_codec(source.schema.value)
        self._key = open_codec(key_codec(source, {}), registry)
        self._value = open_codec(value_codec(source, {}), registry)

    async def insert(self, line: bytes) -> None:
        """KsqlError where it is no row of the source, or the brokers do not take it."""
        try:
            key = self._keys.decode(line) if self._source.schema.key else None
            value = self._values.decode(line)
        except CodecError as error:
            raise KsqlError(f"Invalid JSON in inserts stream: {error}.") from None
        if value is None:
            raise KsqlError("Invalid JSON in inserts stream: a row is an object.")
        if key is not None and all(each is None for each in key.values()):
            key = None
        await self._inserter.insert(self._source.topic, (self._key, key), (self._value, value), None)


def _json_codec(columns: tuple[Column, ...]) -> Codec:
    listed = tuple((column.name, str(column.type)) for column in columns)
    return open_codec(CodecSpec("JSON", False, listed, wrap=True), None)
