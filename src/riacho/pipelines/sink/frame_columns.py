"""The columns that a frame must have to be written.

As with the official connector: `value` (string or binary), and where wanted `key` (the same), `topic` (string),
`partition` (int), `headers` (array of structs of key and value), `timestamp`. Other columns are not looked at.
"""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DataType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from riacho.pipelines.records import HEADERS, KEY, PARTITION, TIMESTAMP, TOPIC, VALUE
from riacho.pipelines.sink.errors import SinkError

_TEXT = (StringType, BinaryType)


def check_schema(schema: StructType, topic: str | None) -> None:
    """SinkError where rows of this schema cannot be records."""
    types = {field.name: field.dataType for field in schema.fields}
    if VALUE not in types:
        raise SinkError(f"The frame has no column '{VALUE}', which holds what is to be written.")
    if topic is None and TOPIC not in types:
        raise SinkError(f"No topic is given: set the option '{TOPIC}' or give the frame a column '{TOPIC}'.")
    for name in (KEY, VALUE):
        _must_be(types, name, _TEXT, "string or binary: encode it, or cast it to string")
    _must_be(types, TOPIC, (StringType,), "string")
    _must_be(types, PARTITION, (IntegerType, ShortType, ByteType, LongType), "int")
    _must_be(types, TIMESTAMP, (TimestampType, TimestampNTZType), "timestamp")
    if HEADERS in types and not _is_headers(types[HEADERS]):
        raise SinkError(
            f"Column '{HEADERS}' is {types[HEADERS].simpleString()}, "
            "but must be array<struct<key:string,value:binary>>."
        )


def _must_be(types: dict[str, DataType], name: str, allowed: tuple[type[DataType], ...], words: str) -> None:
    if name in types and not isinstance(types[name], allowed):
        raise SinkError(f"Column '{name}' is {types[name].simpleString()}, but must be {words}.")


def _is_headers(data_type: DataType) -> bool:
    if not isinstance(data_type, ArrayType) or not isinstance(data_type.elementType, StructType):
        return False
    fields = {field.name: field.dataType for field in data_type.elementType.fields}
    return set(fields) == {"key", "value"} and all(isinstance(kind, _TEXT) for kind in fields.values())
