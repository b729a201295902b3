"""The policy LOGICAL: a schema must be one of tables in Flink and Iceberg, and so must each change of it.

It asks more than the comparison of schemas by themselves does, never less. The rules are those of Confluent's registry.
"""

from __future__ import annotations

from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.json_schema.schema import JsonSchema
from riacho.schemas.logical.comparison import TooComplexError
from riacho.schemas.logical.finding import Finding, Mode, Rule, finding_texts
from riacho.schemas.logical.flink import FlinkComparison
from riacho.schemas.logical.from_avro import from_avro
from riacho.schemas.logical.from_json_schema import from_json_schema
from riacho.schemas.logical.from_protobuf import from_protobuf
from riacho.schemas.logical.iceberg import IcebergComparison
from riacho.schemas.logical.types import LogicalSchema, UnrepresentableError
from riacho.schemas.logical.validity import invalidities, nesting_within
from riacho.schemas.parsed import ParsedSchema
from riacho.schemas.protobuf.schema import ProtobufSchema


def logical_schema(schema: ParsedSchema) -> LogicalSchema:
    """UnrepresentableError where it says what no column can be."""
    if isinstance(schema, AvroSchema):
        return from_avro(schema)
    if isinstance(schema, JsonSchema):
        return from_json_schema(schema)
    assert isinstance(schema, ProtobufSchema), schema.schema_type
    return from_protobuf(schema)


def validity_differences(schema: ParsedSchema) -> list[str]:
    """Why it can be no table; empty where it can."""
    try:
        return finding_texts(invalidities(logical_schema(schema)))
    except UnrepresentableError as error:
        return finding_texts(Finding(mode, Rule.UNREPRESENTABLE_TYPE, "", str(error)) for mode in Mode)


def logical_differences(reader: ParsedSchema, writer: ParsedSchema) -> list[str]:
    """Why a table of the reader's schema cannot take what was written with the writer's. Nothing is compared with a
    schema that can be no table: that the new one is not is reported once, and an old one shall not stand in the way."""
    try:
        written, read = logical_schema(writer), logical_schema(reader)
        nesting_within(written)
        nesting_within(read)
    except UnrepresentableError:
        return []
    try:
        return finding_texts([*FlinkComparison(written, read).findings(), *IcebergComparison(written, read).findings()])
    except (TooComplexError, RecursionError):
        return finding_texts(Finding(mode, Rule.UNSUPPORTED_TYPE_CHANGE, "", "too much to compare") for mode in Mode)
