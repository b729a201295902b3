"""The TIMESTAMP property: the column that gives records their time."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.sources import LogicalSchema, Namespace, TimestampColumn
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import BIGINT, STRING, TIMESTAMP


def refuse_timestamp(timestamp: TimestampColumn | None, schema: LogicalSchema) -> None:
    if timestamp is None:
        return
    column = schema.find(timestamp.name)
    if column is None or column.namespace is Namespace.HEADERS:
        raise KsqlError(f"The TIMESTAMP column set in the WITH clause does not exist in the schema: '{timestamp.name}'")
    if column.type == STRING:
        if timestamp.format is None:
            raise KsqlError("A String timestamp field has been specified without also specifying the timestamp_format")
    elif column.type not in (BIGINT, TIMESTAMP):
        raise KsqlError(
            f"Timestamp column, `{timestamp.name}`, should be LONG(INT64), TIMESTAMP, or a String with a "
            "timestamp_format specified."
        )
    elif timestamp.format is not None:
        raise KsqlError(
            "'TIMESTAMP_FORMAT' set in the WITH clause can only be used when the timestamp column is of type STRING."
        )
