"""Made-up records as KSQL's columns, and as the bytes that its formats make of them."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from riacho.base.config import ConfigError
from riacho.cli.datagen.arguments import Arguments, DatagenError
from riacho.pipelines.connectors.datagen.quickstarts import QUICKSTARTS
from riacho.pipelines.connectors.datagen.schema import Recipe, record_at, record_recipe
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.avro_inference import avro_sql_type
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.inferred_names import as_written
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.formats.schema_registration import subject_of
from riacho.pipelines.sql.formats.supported import check_columns
from riacho.pipelines.sql.types import Array, Field, Map, SqlType, Struct
from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.formats import parse
from riacho.schemas.parsed import SchemaError, SchemaSource

_EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class MadeRow:
    """`shown` is the value as a person reads it."""

    key: bytes | None
    value: bytes | None
    shown_key: Any
    shown: dict[str, Any]


class MadeRows:
    """`registry` are the client settings of one, for formats with schemas; `access` one that a test has at hand."""

    def __init__(
        self, arguments: Arguments, registry: Mapping[str, str], seed: str, access: RegistryAccess | None = None
    ) -> None:
        """DatagenError where the schema cannot be used, or a format cannot hold its columns."""
        text, usual_key = _schema(arguments)
        self._recipe, names = _recipe(text)
        self._key = arguments.key or usual_key
        if self._key not in names:
            raise DatagenError(f"The schema has no field {self._key}; it has {', '.join(names)}.")
        self._seed = seed
        self._threads = arguments.threads
        self._kind = _kind(text)
        columns = self._kind.fields
        keys = tuple(column for column in columns if column.name == self._key)
        self._key_codec = _codec(arguments, keys, True, registry, access)
        self._value_codec = _codec(arguments, columns, False, registry, access)

    def __call__(self, iterations: int) -> Iterator[MadeRow]:
        """So many of each thread, in turn; without end where it is negative. DatagenError."""
        index = 0
        while iterations < 0 or index < iterations:
            for thread in range(self._threads):
                yield self._made(record_at(self._recipe, self._seed, thread, index))
            index += 1

    def _made(self, record: dict[str, Any]) -> MadeRow:
        row: dict[str, Any] = _plain(record, self._kind)
        key = row[self._key]
        try:
            return MadeRow(self._key_codec.encode({self._key: key}), self._value_codec.encode(row), key, row)
        except CodecError as error:
            raise DatagenError(f"A record cannot be written: {error}.") from None


def _schema(arguments: Arguments) -> tuple[str, str]:
    """Its text, and the field that is the key where nobody says otherwise."""
    if arguments.quickstart is not None:
        key, schema = QUICKSTARTS[arguments.quickstart]
        return json.dumps(schema), key
    assert arguments.schema is not None, "one of the two is given"
    try:
        return arguments.schema.read_text(encoding="utf-8"), ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise DatagenError(f"{arguments.schema} cannot be read: {reason}.") from None


def _recipe(text: str) -> tuple[Recipe, list[str]]:
    try:
        return record_recipe(text)
    except ConfigError as error:
        raise DatagenError(f"The schema cannot be used: {error}.") from None


def _kind(text: str) -> Struct:
    try:
        parsed = parse("AVRO", SchemaSource(text))
    except SchemaError as error:
        raise DatagenError(f"The schema cannot be used: {error}.") from None
    assert isinstance(parsed, AvroSchema)
    kind = avro_sql_type(parsed.root, as_written)
    assert isinstance(kind, Struct), "it is a record"
    return kind


def _codec(
    arguments: Arguments,
    columns: tuple[Field, ...],
    is_key: bool,
    registry: Mapping[str, str],
    access: RegistryAccess | None,
) -> Codec:
    name = arguments.key_format if is_key else arguments.format
    delimiter = arguments.key_delimiter if is_key else arguments.value_delimiter
    try:
        check_columns(name, columns, is_key)
        spec = CodecSpec(
            format=name,
            is_key=is_key,
            columns=tuple((column.name, str(column.type)) for column in columns),
            properties={} if delimiter is None else {"delimiter": delimiter},
            registry=registry,
            subject=subject_of(arguments.topic, is_key),
        )
        return open_codec(spec, access)
    except KsqlError as error:
        raise DatagenError(error.message.rpartition("reason: ")[2].rstrip(".") + ".") from None
    except CodecError as error:
        raise DatagenError(f"{error}.") from None


def _plain(value: Any, kind: SqlType) -> Any:
    """As rows have it (`row_json.py`); maps come as Arrow takes them, in pairs."""
    match kind:
        case _ if value is None:
            return None
        case Struct(fields):
            return {field.name: _plain(value[field.name], field.type) for field in fields}
        case Array(item):
            return [_plain(each, item) for each in value]
        case Map(_, item):
            return {name: _plain(each, item) for name, each in value}
    match value:
        case dt.datetime():
            return (value - _EPOCH) // _MILLISECOND
        case dt.date():
            return (value - _EPOCH.date()).days
        case Decimal():
            return f"{value:f}"
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return value
