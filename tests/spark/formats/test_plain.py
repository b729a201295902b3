"""Converters of strings, bytes and numbers: what Kafka's serializers write, and what their deserializers refuse."""

from __future__ import annotations

import json
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.formats.converters import converter
from riacho.pipelines.records import KEY, VALUE
from spark.formats.record_frames import frame, outcome, typed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


NUMBERS: list[tuple[str, str, list[Any], list[bytes | None], str]] = [
    ("Short", "smallint", [5, None, -2], [b"\0\5", None, b"\xff\xfe"], "short: Size of data received is not 2"),
    ("Integer", "int", [5, None], [b"\0\0\0\5", None], "integer: Size of data received is not 4"),
    ("Long", "bigint", [-1], [b"\xff" * 8], "long: Size of data received is not 8"),
    ("Float", "float", [1.5], [b"\x3f\xc0\0\0"], "float: Size of data received is not 4"),
    ("Double", "double", [1.5], [b"\x3f\xf8" + bytes(6)], "double: Size of data received is not 8"),
    ("Boolean", "boolean", [True, False], [b"\1", b"\0"], "boolean: the bytes are neither 0 nor 1"),
]


def test_numbers(spark: SparkSession) -> None:
    """All in one job each way: what is read is compared as JSON, since the types differ."""
    encoded, decoded = [], []
    for name, kind, values, written, _ in NUMBERS:
        plain = converter(f"org.apache.kafka.connect.converters.{name}Converter", {}, is_key=False)
        encoded.append(plain.encode(typed(spark, kind, values), VALUE).select(VALUE, "error"))
        read = plain.decode(frame(spark, [*written, b"abc"]), VALUE)
        assert read.schema[VALUE].dataType.simpleString() == kind
        decoded.append(read.select(F.to_json(F.struct(VALUE)).alias(VALUE), "error"))
    payloads = [payload for _, _, _, written, _ in NUMBERS for payload in written]
    assert outcome(reduce(DataFrame.unionAll, encoded).coalesce(1)) == (payloads, [None] * len(payloads))
    texts, errors = outcome(reduce(DataFrame.unionAll, decoded).coalesce(1))
    assert [json.loads(text).get(VALUE) for text in texts] == [
        value for _, _, values, _, _ in NUMBERS for value in [*values, None]
    ]
    assert errors == [
        error
        for _, _, values, _, message in NUMBERS
        for error in [*[None] * len(values), f"Failed to deserialize {message}"]
    ]


def test_strings_and_bytes(spark: SparkSession) -> None:
    text = converter("org.apache.kafka.connect.storage.StringConverter", {}, is_key=False)
    assert outcome(text.decode(frame(spark, ["é".encode(), None, b"a\xff"]), VALUE))[0] == ["é", None, "a�"]
    batch = typed(spark, "struct<a:int>", [{"a": 1}, None]).withColumn(KEY, F.lit(7))
    keys = converter("StringConverter", {}, is_key=True)
    assert outcome(text.encode(batch, VALUE))[0] == [b'{"a":1}', None]
    assert [bytes(row[0]) for row in keys.encode(batch, KEY).select(KEY).collect()] == [b"7", b"7"]
    raw = converter("org.apache.kafka.connect.converters.ByteArrayConverter", {}, is_key=False)
    assert outcome(raw.encode(raw.decode(frame(spark, [b"\0\xff", None]), VALUE), VALUE))[0] == [b"\0\xff", None]
    values, errors = outcome(raw.encode(batch, VALUE))
    assert values == [None, None]
    assert errors == ["Invalid schema type for ByteArrayConverter: STRUCT<A:INT>", None]
