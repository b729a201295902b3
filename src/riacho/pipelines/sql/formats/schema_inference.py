"""Columns from registered schemas: of a topic's subject, or of the schema that a statement names by its id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.avro_inference import avro_sql_type
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.inferred_names import Naming, UnsupportedTypeError, as_written, upper_case
from riacho.pipelines.sql.formats.json_schema_inference import JsonTypes
from riacho.pipelines.sql.formats.protobuf_codec import message_at, message_indexes
from riacho.pipelines.sql.formats.protobuf_inference import ProtobufTypes
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_properties import FULL_SCHEMA_NAME, property_of, wraps_nullables
from riacho.pipelines.sql.formats.schema_registration import subject_of
from riacho.pipelines.sql.formats.supported import Format, format_of
from riacho.pipelines.sql.types import Field, SqlType, Struct
from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.json_schema.schema import JsonSchema
from riacho.schemas.parsed import ParsedSchema
from riacho.schemas.protobuf.schema import ProtobufSchema

_DOCS = "https://docs.confluent.io/current/schema-registry"


@dataclass(frozen=True, slots=True)
class SchemaQuestion:
    """`wrap` is WRAP_SINGLE_VALUE where a statement has it; `schema_id` is KEY_SCHEMA_ID or VALUE_SCHEMA_ID."""

    topic: str
    format: str
    is_key: bool
    wrap: bool | None = None
    properties: Mapping[str, str] | None = None
    schema_id: int | None = None


@dataclass(frozen=True, slots=True)
class InferredColumns:
    """`is_single`: the schema is one value, which is the only column, called ROWKEY or ROWVAL."""

    columns: tuple[Field, ...]
    is_single: bool
    schema_id: int


def infer_columns(registry: RegistryAccess, question: SchemaQuestion) -> InferredColumns:
    """KsqlError, in ksqlDB's sentences, where there is no schema, or none that has columns."""
    form = format_of(question.format)
    schema_id, parsed = _find(registry, question)
    if parsed.schema_type != form.schema_type:
        raise _other_format(question, form, parsed)
    naming = upper_case if question.schema_id is None else as_written
    is_single = form.unwraps and (question.is_key or question.wrap is False)
    try:
        kind = schema_sql_type(parsed, naming, question.properties or {})
        columns = _columns(kind, is_single, question)
    except (UnsupportedTypeError, CodecError, KsqlError) as error:
        raise _not_compatible(question, parsed, str(error)) from None
    if question.is_key and len(columns) > 1:
        raise KsqlError(
            f"The key schema for {_where(question)} contains multiple columns, which is not supported by ksqlDB at "
            f"this time.\nSchema:{parsed.text}"
        )
    return InferredColumns(columns, is_single, schema_id)


def schema_sql_type(parsed: ParsedSchema, naming: Naming, properties: Mapping[str, str]) -> SqlType:
    """UnsupportedTypeError where ksqlDB has none."""
    match parsed:
        case AvroSchema():
            return avro_sql_type(parsed.root, naming)
        case JsonSchema():
            return JsonTypes(parsed, naming).root()
        case ProtobufSchema():
            name = property_of(properties, FULL_SCHEMA_NAME)
            message = message_at(parsed, message_indexes(parsed, name))
            return ProtobufTypes(parsed, naming, wraps_nullables(properties)).message(message.DESCRIPTOR)
        case _:
            raise UnsupportedTypeError(f"Unsupported schema type {parsed.schema_type}")


def _columns(kind: SqlType, is_single: bool, question: SchemaQuestion) -> tuple[Field, ...]:
    if is_single:
        return (Field("ROWKEY" if question.is_key else "ROWVAL", kind),)
    if not isinstance(kind, Struct):
        raise KsqlError(
            "Schema returned from schema registry is anonymous type. To use this schema with ksqlDB, set "
            "'WRAP_SINGLE_VALUE=false' in the WITH clause properties."
        )
    if not kind.fields:
        raise KsqlError("Schema does not include any columns with types that ksqlDB supports.")
    return kind.fields


def _find(registry: RegistryAccess, question: SchemaQuestion) -> tuple[int, ParsedSchema]:
    try:
        if question.schema_id is not None:
            return question.schema_id, registry.by_id(question.schema_id)
        found = registry.latest(subject_of(question.topic, question.is_key))
    except RegistryRefusal:
        raise _not_found(question) from None
    except RegistryError as error:
        side = "key" if question.is_key else "value"
        raise KsqlError(
            f"Schema registry fetch for topic {side} request failed for {_where(question)}: {error}"
        ) from None
    if found is None:
        raise _not_found(question)
    return found.id, found.parsed


def _where(question: SchemaQuestion) -> str:
    place = f"topic: {question.topic}"
    return place if question.schema_id is None else f"{place}, schema id: {question.schema_id}"


def _not_found(question: SchemaQuestion) -> KsqlError:
    side = "keys" if question.is_key else "values"
    named = "" if question.schema_id is None else f"Schema Id: {question.schema_id}\n"
    return KsqlError(
        f"Schema for message {side} on topic '{question.topic}' does not exist in the Schema Registry.\n"
        f"Subject: {subject_of(question.topic, question.is_key)}\n{named}"
        "Possible causes include:\n"
        "- The topic itself does not exist\n\t-> Use SHOW TOPICS; to check\n"
        "- Messages on the topic are not serialized using a format Schema Registry supports\n"
        f"\t-> Use PRINT '{question.topic}' FROM BEGINNING; to verify\n"
        "- Messages on the topic have not been serialized using a Confluent Schema Registry supported serializer\n"
        f"\t-> See {_DOCS}/docs/serializer-formatter.html\n"
        "- The schema is registered on a different instance of the Schema Registry\n"
        f"\t-> Use the REST API to list available subjects\t{_DOCS}/docs/api.html#get--subjects\n"
        "- You do not have permissions to access the Schema Registry.\n"
        f"\t-> See {_DOCS}/docs/security.html"
    )


def _other_format(question: SchemaQuestion, form: Format, parsed: ParsedSchema) -> KsqlError:
    side, setting = ("Key", "KEY_FORMAT") if question.is_key else ("Value", "VALUE_FORMAT")
    return KsqlError(
        f"{side} schema is not in the expected format. You may want to set {setting} to '{parsed.schema_type}'.\n"
        f"{_where(question)}\n"
        f"expected format: {form.schema_type}\n"
        f"actual format from Schema Registry: {parsed.schema_type}"
    )


def _not_compatible(question: SchemaQuestion, parsed: ParsedSchema, reason: str) -> KsqlError:
    side = "key" if question.is_key else "value"
    return KsqlError(
        f"Unable to verify if the {side} schema for {_where(question)} is compatible with ksqlDB.\n"
        f"Reason: {reason}\n\nSchema:{parsed.text}"
    )
