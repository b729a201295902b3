"""Functions for users' own queries, batch and streaming: columns of registry-framed bytes to typed columns and back.

    from riacho.functions import from_avro, to_avro

    orders = stream.select(from_avro("value", registry="http://localhost:8081", subject="orders-value").alias("order"))

The type of the column is fixed when the query is made, by the latest schema of the subject or by `schema`; writers'
schemas are asked for by id in the workers, so records of versions to come are followed while the query runs. A record
that cannot be read fails the query; with `options={"mode": "PERMISSIVE"}` it is null instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType

from riacho.pipelines.formats.arrow_columns import one_column
from riacho.pipelines.formats.avro_codec import AvroDecoder, AvroEncoder, avro_root
from riacho.pipelines.formats.avro_types import spark_field
from riacho.pipelines.formats.json_schema_converter import any_version, column_of, framed_text
from riacho.pipelines.formats.protobuf_codec import (
    ProtobufDecoder,
    ProtobufEncoder,
    indexes_of,
    message_at,
    protobuf_schema_of,
)
from riacho.pipelines.formats.protobuf_types import message_type
from riacho.pipelines.formats.registry_client import registry_client
from riacho.pipelines.formats.registry_config import client_settings
from riacho.schemas.formats import parse
from riacho.schemas.parsed import ParsedSchema, SchemaSource
from riacho.schemas.registry_conversations import RegisteredSchema

_TOPIC = ""


def from_avro(
    column: Column | str,
    registry: str,
    subject: str | None = None,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Column:
    """Decode Avro bytes to a typed column.

    The type is that of `schema` (its JSON text), or of the subject's latest schema; each record is read by the schema
    that wrote it.
    """
    settings = _settings(registry, options)
    parsed = _to_read(settings, subject, "AVRO", schema)
    kind = spark_field("", avro_root(parsed)).dataType
    decoder = AvroDecoder(settings, kind, reader_text=parsed.formatted("resolved"))
    return _by_mode(one_column(decoder, _column(column), kind), options)


def to_avro(
    column: Column | str,
    registry: str,
    subject: str,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Column:
    """Encode a column as Avro bytes, by `schema`, which is registered under the subject, or by the subject's latest."""
    settings = _settings(registry, options)
    found = _to_write(settings, subject, "AVRO", schema)
    return _written(AvroEncoder(settings, {_TOPIC: found.id}), column, options)


def from_protobuf(
    column: Column | str,
    registry: str,
    subject: str | None = None,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
    message: str | None = None,
) -> Column:
    """Decode Protobuf bytes to a typed column.

    The type is that of a message in `schema` (its .proto text), or in the subject's latest schema: the first message,
    or the one that `message` names.
    """
    settings = _settings(registry, options)
    parsed = protobuf_schema_of(_to_read(settings, subject, "PROTOBUF", schema))
    indexes = (0,) if message is None else indexes_of(parsed, message)
    kind = message_type(message_at(parsed, indexes))
    return _by_mode(one_column(ProtobufDecoder(settings, kind), _column(column), kind), options)


def to_protobuf(
    column: Column | str,
    registry: str,
    subject: str,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
    message: str | None = None,
) -> Column:
    """Encode a column as Protobuf bytes, by `schema`, which is registered under the subject, or by its latest.

    The message is the schema's first one, or the one that `message` names.
    """
    settings = _settings(registry, options)
    found = _to_write(settings, subject, "PROTOBUF", schema)
    return _written(ProtobufEncoder(settings, {_TOPIC: found.id}, message), column, options)


def from_json_schema(
    column: Column | str,
    registry: str,
    subject: str | None = None,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Column:
    """Decode JSON bytes that a JSON Schema describes to a typed column.

    The type is that of `schema`, or of the subject's latest schema; fields that only other versions have are left out.
    """
    settings = _settings(registry, options)
    parsed = _to_read(settings, subject, "JSON", schema)
    return any_version(_column(column), column_of(parsed), _or_null if _is_permissive(options) else _or_raised)


def to_json_schema(
    column: Column | str,
    registry: str,
    subject: str,
    schema: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Column:
    """Encode a column as JSON bytes, by `schema`, which is registered under the subject, or by the subject's latest."""
    settings = _settings(registry, options)
    found = _to_write(settings, subject, "JSON", schema)
    prefix = F.lit(found.prefix)
    return _by_mode(framed_text(prefix, _column(column), column_of(found.parsed).dataType, numeric=False), options)


def _settings(registry: str, options: Mapping[str, str] | None) -> dict[str, str]:
    return client_settings({**(options or {}), "schema.registry.url": registry})


def _to_read(settings: Mapping[str, str], subject: str | None, schema_type: str, schema: str | None) -> ParsedSchema:
    if schema is not None:
        return parse(schema_type, SchemaSource(schema, is_new=False))
    if subject is None:
        raise ValueError("Either subject or schema has to be given")
    return registry_client(settings).latest(subject).parsed


def _column(column: Column | str) -> Column:
    return F.col(column) if isinstance(column, str) else column


def _to_write(settings: Mapping[str, str], subject: str, schema_type: str, schema: str | None) -> RegisteredSchema:
    client = registry_client(settings)
    return client.latest(subject) if schema is None else client.registered(subject, schema_type, schema)


def _written(
    encoder: Callable[[pa.Array, pa.Array], pa.Array], column: Column | str, options: Mapping[str, str] | None
) -> Column:
    return _by_mode(one_column(_OneSchema(encoder), _column(column), BinaryType()), options)


class _OneSchema:
    """An encoder for all rows alike, whatever their topic."""

    def __init__(self, encoder: Callable[[Any, Any], Any]) -> None:
        self._encoder = encoder

    def __call__(self, values: pa.Array) -> pa.Array:
        return self._encoder(values, pa.repeat(pa.scalar(_TOPIC, pa.string()), len(values)))


def _by_mode(result: Column, options: Mapping[str, str] | None) -> Column:
    """The value alone; the first error ends the query, unless it may pass as null."""
    return result["value"] if _is_permissive(options) else _or_raised(result["value"], result["error"])


def _is_permissive(options: Mapping[str, str] | None) -> bool:
    mode = ((options or {}).get("mode") or "FAILFAST").upper()
    if mode not in ("FAILFAST", "PERMISSIVE"):
        raise ValueError(f"mode is {mode}: it can be FAILFAST or PERMISSIVE")
    return mode == "PERMISSIVE"


def _or_null(value: Column, error: Column) -> Column:
    return F.when(error.isNull(), value)


def _or_raised(value: Column, error: Column) -> Column:
    return F.when(error.isNull(), value).otherwise(F.raise_error(error))
