"""The schemas of a source's columns, and how they enter the registry: under the topic's subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.avro_text import avro_schema
from riacho.pipelines.sql.formats.json_schema_text import json_schema
from riacho.pipelines.sql.formats.protobuf_text import protobuf_schema
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_properties import (
    AVRO_DEFAULT_NAME,
    FULL_SCHEMA_NAME,
    NULLABLE_REPRESENTATION,
    property_of,
)
from riacho.pipelines.sql.formats.supported import Format, format_of, is_wrapped
from riacho.pipelines.sql.types import Field
from riacho.schemas.formats import parse
from riacho.schemas.parsed import SchemaError, SchemaSource
from riacho.schemas.registry_conversations import RegisteredSchema


def subject_of(topic: str, is_key: bool) -> str:
    return f"{topic}-{'key' if is_key else 'value'}"


def schema_text(
    name: str, columns: Sequence[Field], is_key: bool, wrap: bool | None, properties: Mapping[str, str]
) -> str:
    """The schema that these columns have in a format; KsqlError where it has none."""
    full_name = property_of(properties, FULL_SCHEMA_NAME)
    wrapped = is_wrapped(name, len(columns), is_key, wrap)
    match name.upper():
        case "AVRO":
            return avro_schema(columns, wrapped, (full_name or AVRO_DEFAULT_NAME).strip())
        case "JSON_SR":
            return json_schema(columns, wrapped, full_name)
        case "PROTOBUF" | "PROTOBUF_NOSR":
            return protobuf_schema(columns, full_name, property_of(properties, NULLABLE_REPRESENTATION))
        case _:
            raise AssertionError(f"{name} has no schemas")


def schema_fault(form: Format, columns: Sequence[Field], is_key: bool) -> str | None:
    """Why the columns have no schema in the format: a name that Avro does not allow, an array in an array."""
    try:
        text = schema_text(form.name, columns, is_key, None, {})
        parse("AVRO" if form.name == "AVRO" else "PROTOBUF", SchemaSource(text))
    except SchemaError as error:
        return f"Schema is not compatible with {'Avro' if form.name == 'AVRO' else 'Protobuf'}: {error}"
    except KsqlError as error:
        return error.message
    return None


def register_schema(
    registry: RegistryAccess,
    topic: str,
    name: str,
    columns: Sequence[Field],
    is_key: bool,
    wrap: bool | None,
    properties: Mapping[str, str],
    only_if_absent: bool = False,
) -> RegisteredSchema | None:
    """None where the format has no schemas, or there is nothing to describe. `only_if_absent`: CREATE without AS leaves
    a subject alone that is there already, since others write the topic."""
    form = format_of(name)
    if form.schema_type is None or not columns:
        return None
    subject = subject_of(topic, is_key)
    text = schema_text(name, columns, is_key, wrap, properties)
    try:
        if only_if_absent:
            found = registry.latest(subject)
            if found is not None:
                return found
        return registry.register(subject, form.schema_type, text)
    except (RegistryRefusal, RegistryError) as error:
        raise KsqlError(f"Could not register schema for topic: {error}") from None
