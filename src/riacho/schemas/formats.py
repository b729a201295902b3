"""The kinds of schema, and the parser of each. A kind's libraries are loaded when its first schema is parsed."""

from __future__ import annotations

from importlib import import_module

from riacho.schemas.parsed import ParsedSchema, SchemaError, SchemaSource

# In the order in which the registry lists them.
FORMATS = {
    "JSON": "riacho.schemas.json_schema.schema",
    "PROTOBUF": "riacho.schemas.protobuf.schema",
    "AVRO": "riacho.schemas.avro.schema",
}


def parse(schema_type: str, source: SchemaSource) -> ParsedSchema:
    """SchemaError when the text is not a schema of that kind, or names what is not among its references."""
    module = FORMATS.get(schema_type.upper())
    if module is None:
        raise SchemaError(f"Invalid schema type {schema_type}")
    parsed: ParsedSchema = import_module(module).parse(source)
    return parsed
