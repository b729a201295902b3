"""Format properties by ksqlDB's names, in whatever case they are written: `fullSchemaName`, `full_schema_name`."""

from __future__ import annotations

from collections.abc import Mapping

FULL_SCHEMA_NAME = "fullSchemaName"
NULLABLE_REPRESENTATION = "nullableRepresentation"
DELIMITER = "delimiter"

AVRO_NAMESPACE = "io.confluent.ksql.avro_schemas"
AVRO_DEFAULT_NAME = f"{AVRO_NAMESPACE}.KsqlDataSourceSchema"


def property_of(properties: Mapping[str, str], name: str) -> str | None:
    if not properties:
        return None
    plain = _plain(name)
    return next((value for key, value in properties.items() if _plain(key) == plain), None)


def wraps_nullables(properties: Mapping[str, str]) -> bool:
    """Whether Protobuf's wrapper messages are scalars that may be null."""
    return (property_of(properties, NULLABLE_REPRESENTATION) or "").upper() == "WRAPPER"


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
