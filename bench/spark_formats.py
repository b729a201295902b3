"""Formats in Spark: columns of records decoded and encoded, by our functions and by what others do it with.

Records have eight fields: numbers, texts, one that may be missing, a time. They are cached before the clock starts, so
that a run is the conversion and the way to Python and back. The peers are fastavro and Google's Protobuf runtime in
`mapInArrow`, and for JSON Spark's own functions in the JVM, which know of no registry.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as f

from bench.spark_plan import PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Wanted = dict[str, Any]
_PREFIX_BYTES = 5
_AVRO = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "customer", "type": "string"},
            {"name": "amount", "type": "double"},
            {"name": "quantity", "type": "int"},
            {"name": "paid", "type": "boolean"},
            {"name": "note", "type": ["null", "string"], "default": None},
            {"name": "placed", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "country", "type": "string"},
        ],
    }
)
_PROTOBUF = """syntax = "proto3";
import "google/protobuf/timestamp.proto";
message Order {
  int64 id = 1;
  string customer = 2;
  double amount = 3;
  int32 quantity = 4;
  bool paid = 5;
  optional string note = 6;
  google.protobuf.Timestamp placed = 7;
  string country = 8;
}
"""
_JSON = json.dumps(
    {
        "type": "object",
        "title": "Order",
        "properties": {
            "id": {"type": "integer", "connect.type": "int64"},
            "customer": {"type": "string"},
            "amount": {"type": "number"},
            "quantity": {"type": "integer", "connect.type": "int32"},
            "paid": {"type": "boolean"},
            "note": {"oneOf": [{"type": "null"}, {"type": "string"}]},
            "placed": {
                "type": "integer",
                "title": "org.apache.kafka.connect.data.Timestamp",
                "connect.version": 1,
                "connect.type": "int64",
            },
            "country": {"type": "string"},
        },
    }
)
_SCHEMAS = {"Avro": _AVRO, "Protobuf": _PROTOBUF, "JSON Schema": _JSON}


def format_decode(spark: SparkSession, wanted: Wanted) -> dict[str, float]:
    rows = _orders(spark, wanted)
    written = _cached(wanted, "bytes " + wanted["what"], lambda: rows.select(_ours(wanted, "to")))
    if wanted["format"] == "riacho":
        return _timed(written.select(_ours(wanted, "from")), wanted)
    return _timed(_DECODERS[wanted["what"]](written, rows.schema), wanted)


def format_encode(spark: SparkSession, wanted: Wanted) -> dict[str, float]:
    rows = _orders(spark, wanted)
    if wanted["format"] == "riacho":
        return _timed(rows.select(_ours(wanted, "to")), wanted)
    return _timed(_ENCODERS[wanted["what"]](rows), wanted)


_frames: dict[str, DataFrame] = {}


def _cached(wanted: Wanted, name: str, make: Any) -> DataFrame:
    """In memory, and filled; the session lives no longer than the bench."""
    if name not in _frames:
        _frames[name] = make().cache()
        if _frames[name].count() != wanted["rows"]:
            raise RuntimeError(f"{name} has other rows than were made")
    return _frames[name]


def _orders(spark: SparkSession, wanted: Wanted) -> DataFrame:
    number = f.col("id")
    fields = {
        "id": number,
        "customer": f.concat(f.lit("customer-"), (number % 5000).cast("string")),
        "amount": number * 0.37,
        "quantity": (number % 50).cast("int"),
        "paid": number % 2 == 0,
        "note": f.when(number % 3 == 0, f.concat(f.lit("note "), number.cast("string"))),
        "placed": f.timestamp_millis(f.lit(1_700_000_000_000) + number),
        "country": f.lit("PT"),
    }
    order = f.struct(*(column.alias(name) for name, column in fields.items()))
    return _cached(wanted, "orders", lambda: spark.range(0, wanted["rows"], 1, PARTITIONS).select(order.alias("value")))


def _ours(wanted: Wanted, way: str) -> Any:
    from riacho.pipelines.formats import functions

    what = wanted["what"]
    convert = getattr(functions, f"{way}_{what.lower().replace(' ', '_')}")
    schema = {"schema": _SCHEMAS[what]} if way == "to" else {}
    return convert("value", registry=wanted["registry"], subject=f"{what} orders", **schema).alias("value")


def _timed(frame: DataFrame, wanted: Wanted) -> dict[str, float]:
    started = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return {"rows": wanted["rows"], "seconds": time.perf_counter() - started}


# --- what others do it with; a payload stands behind the id of its schema


def _avro_decoded(written: DataFrame, schema: StructType) -> DataFrame:
    def decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import fastavro

        parsed = fastavro.parse_schema(json.loads(_AVRO))
        for batch in batches:
            values = [
                fastavro.schemaless_reader(io.BytesIO(value[_PREFIX_BYTES:]), parsed)
                for value in batch.column(0).to_pylist()
            ]
            yield pa.RecordBatch.from_pylist([{"value": value} for value in values], _arrow(schema))

    return written.mapInArrow(decode, schema)


def _avro_encoded(rows: DataFrame) -> DataFrame:
    def encode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import fastavro

        parsed = fastavro.parse_schema(json.loads(_AVRO))
        for batch in batches:
            written = []
            for value in batch.column(0).to_pylist():
                out = io.BytesIO(bytes(_PREFIX_BYTES))
                out.seek(_PREFIX_BYTES)
                fastavro.schemaless_writer(out, parsed, value)
                written.append(out.getvalue())
            yield pa.RecordBatch.from_arrays([pa.array(written, pa.binary())], ["value"])

    return rows.mapInArrow(encode, "value binary")


def _protobuf_decoded(written: DataFrame, schema: StructType) -> DataFrame:
    def decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        order = _protobuf_class()
        names = [field.name for field in order.DESCRIPTOR.fields if field.name not in ("note", "placed")]
        for batch in batches:
            values = []
            for value in batch.column(0).to_pylist():
                message = order.FromString(value[_PREFIX_BYTES + 1 :])
                row = {name: getattr(message, name) for name in names}
                row["note"] = message.note if message.HasField("note") else None
                row["placed"] = message.placed.ToMicroseconds()
                values.append({"value": row})
            yield pa.RecordBatch.from_pylist(values, _arrow(schema))

    return written.mapInArrow(decode, schema)


def _protobuf_encoded(rows: DataFrame) -> DataFrame:
    def encode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        order, prefix = _protobuf_class(), bytes(_PREFIX_BYTES + 1)
        for batch in batches:
            written = []
            for value in batch.column(0).to_pylist():
                placed = value.pop("placed")
                message = order(**value)
                message.placed.FromDatetime(placed)
                written.append(prefix + message.SerializeToString())
            yield pa.RecordBatch.from_arrays([pa.array(written, pa.binary())], ["value"])

    return rows.mapInArrow(encode, "value binary")


def _protobuf_class() -> Any:
    from google.protobuf import message_factory  # type: ignore[import-untyped]

    from riacho.schemas.parsed import SchemaSource
    from riacho.schemas.protobuf.schema import parse

    pool = parse(SchemaSource(_PROTOBUF)).pool.pool
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("Order"))


def _arrow(schema: StructType) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(schema, timezone="UTC")


def _json_decoded(written: DataFrame, schema: StructType) -> DataFrame:
    text = f.substring("value", _PREFIX_BYTES + 1, 0x7FFFFFFF).cast("string")
    fields = ", ".join(
        f"{field.name} {'bigint' if field.name == 'placed' else field.dataType.simpleString()}"
        for field in schema["value"].dataType
    )
    # In two steps: in one, Spark would parse the text once for each field.
    read = written.select(f.from_json(text, fields).alias("read"))
    return read.select(f.col("read").withField("placed", f.timestamp_millis("read.placed")).alias("value"))


def _json_encoded(rows: DataFrame) -> DataFrame:
    value = f.col("value").withField("placed", f.unix_millis("value.placed"))
    return rows.select(f.concat(f.lit(bytes(_PREFIX_BYTES)), f.to_json(value).cast("binary")).alias("value"))


_DECODERS = {"Avro": _avro_decoded, "Protobuf": _protobuf_decoded, "JSON Schema": _json_decoded}
_ENCODERS = {"Avro": _avro_encoded, "Protobuf": _protobuf_encoded, "JSON Schema": _json_encoded}
