"""Rows of one stream or table that come as JSON objects: read as its columns, written to its topic."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.catalogue.sources import Column, DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.server.inserting import Inserter
from riacho.pipelines.sql.syntax.statements import Kind

Record = tuple[bytes | None, bytes | None]


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

    async def begun(self, lines: Sequence[bytes]) -> list[asyncio.Future[None]]:
        """Of each line a future that ends when the brokers have the row, or with KsqlError. In their order."""
        loop = asyncio.get_running_loop()
        begun: list[asyncio.Future[None]] = []
        for record in await asyncio.to_thread(lambda: [self._record(line) for line in lines]):
            try:
                if isinstance(record, KsqlError):
                    raise record
                begun.append(self._inserter.begun(self._source.topic, *record, None))
            except KsqlError as error:
                refused: asyncio.Future[None] = loop.create_future()
                refused.set_exception(error)
                begun.append(refused)
        return begun

    def _record(self, line: bytes) -> Record | KsqlError:
        """What the line is in the topic; it may ask the registry."""
        try:
            key = self._keys.decode(line) if self._source.schema.key else None
            value = self._values.decode(line)
            if value is None:
                return KsqlError("Invalid JSON in inserts stream: a row is an object.")
            if key is not None and all(each is None for each in key.values()):
                key = None
            if key is None and self._source.kind is Kind.TABLE:
                return KsqlError(f"Failed to insert values into '{self._source.name}'. A row of a table needs its key.")
            return self._key.encode(key), self._value.encode(value)
        except (CodecError, RegistryRefusal, RegistryError) as error:
            return KsqlError(f"Failed to insert values into '{self._source.name}'. {error}")
        except (ValueError, RecursionError) as error:
            return KsqlError(f"Invalid JSON in inserts stream: {error}")


def _json_codec(columns: tuple[Column, ...]) -> Codec:
    listed = tuple((column.name, str(column.type)) for column in columns)
    return open_codec(CodecSpec("JSON", False, listed, wrap=True), None)
