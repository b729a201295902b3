"""What our transforms make of cases: a plan for each, one job for many of them.

A plan costs little and a job much, so the rows of all cases are collected as one union. Spark compiles nothing for
it: for so few rows, code is made far more slowly than expressions are interpreted. What comes out has the form in which
the Java program beside this file tells what Apache's classes did.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from riacho.pipelines.config_def import ConfigError
from riacho.pipelines.records import ERROR_TYPE, HEADERS_TYPE
from riacho.pipelines.transforms.chain import Chain, chain
from spark.transforms.transform_case import Case

TIME = "org.apache.kafka.connect.data.Time"
_TYPES: Mapping[str, T.DataType] = {
    "int8": T.ByteType(),
    "int16": T.ShortType(),
    "int32": T.IntegerType(),
    "int64": T.LongType(),
    "float32": T.FloatType(),
    "float64": T.DoubleType(),
    "boolean": T.BooleanType(),
    "string": T.StringType(),
    "bytes": T.BinaryType(),
    "timestamp": T.TimestampType(),
    "date": T.DateType(),
    "time": T.IntegerType(),
    "decimal": T.DecimalType(20, 2),
}
_READERS = {
    "bytes": base64.b64decode,
    "timestamp": datetime.fromisoformat,
    "date": date.fromisoformat,
    "decimal": Decimal,
}
_CONNECT_TYPES = {"tinyint": "int8", "smallint": "int16", "int": "int32", "bigint": "int64", "float": "float32"} | {
    "double": "float64",
    "boolean": "boolean",
    "string": "string",
    "binary": "bytes",
    "timestamp": "int64",
    "date": "int32",
}
_JSON = {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSX"}
_INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


def answers(spark: SparkSession, cases: Sequence[Case]) -> dict[str, Any]:
    """By case: a list with one answer a row, or what is wrong with the config."""
    told: dict[str, Any] = {}
    plans: list[tuple[Case, DataFrame]] = []
    with _interpreted(spark):
        for given in cases:
            try:
                transforms = _chain(given)
            except ConfigError as error:
                told[given.name] = {"config_error": str(error).removeprefix("transforms.t: ")}
                continue
            told[given.name] = [{"dropped": True} for _ in given.rows]
            plans.append((given, transforms.apply(frame(spark, given))))
        _collect(plans, told)
    return told


@contextmanager
def _interpreted(spark: SparkSession) -> Iterator[None]:
    before = {name: spark.conf.get(name) for name in _INTERPRETED}
    try:
        for name, value in _INTERPRETED.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))


def _chain(given: Case) -> Chain:
    configs = {"transforms": "t", "transforms.t.type": given.type} | {
        f"transforms.t.{name}": value for name, value in given.config.items()
    }
    if given.predicate is not None:
        configs |= {"predicates": "p", "transforms.t.predicate": "p", "predicates.p.type": given.predicate["type"]}
        configs |= {f"predicates.p.{name}": value for name, value in given.predicate["config"].items()}
        configs["transforms.t.negate"] = str(given.predicate["negate"]).lower()
    return chain(configs)


def frame(spark: SparkSession, given: Case) -> DataFrame:
    """The case's rows as a record frame. What a dead letter would carry tells which row of which case it is."""
    metadata = {"connect.schemaless": True} if given.schemaless else metadata_of(given.schema)
    typed = T.StructField(given.part, _type(given.schema), True, metadata)
    text = T.StructField("value" if given.part == "key" else "key", T.StringType())
    key, value = (typed, text) if given.part == "key" else (text, typed)
    schema = T.StructType(
        [
            T.StructField("topic", T.StringType()),
            T.StructField("partition", T.IntegerType()),
            T.StructField("offset", T.LongType()),
            T.StructField("timestamp", T.TimestampType()),
            key,
            value,
            T.StructField("headers", HEADERS_TYPE, False),
            T.StructField("error", ERROR_TYPE),
            T.StructField("raw_key", T.BinaryType()),
            T.StructField("raw_value", T.BinaryType()),
        ]
    )
    rows = [
        {
            **each,
            "offset": None if given.of_source else 7,
            "timestamp": each["timestamp"] and datetime.fromisoformat(each["timestamp"]),
            given.part: _read(each["value"], given.schema),
            text.name: text.name[0],
            "headers": [{"key": name, "value": header.encode()} for name, header in each["headers"]],
            "raw_key": str(place).encode(),
            "raw_value": given.name.encode(),
        }
        for place, each in enumerate(given.rows)
    ]
    table = pa.Table.from_pylist(rows, to_arrow_schema(schema, timezone="UTC"))
    return spark.createDataFrame(table, schema)


def _type(schema: Any) -> T.DataType:
    if isinstance(schema, str):
        return _TYPES[schema]
    if "struct" in schema:
        return T.StructType(
            [T.StructField(name, _type(kind), True, metadata_of(kind)) for name, kind in schema["struct"]]
        )
    if "array" in schema:
        return T.ArrayType(_type(schema["array"]))
    return T.MapType(T.StringType(), _type(schema["map"]))


def metadata_of(schema: Any) -> dict[str, Any]:
    """What the metadata of a column or a field of this schema says."""
    if schema == "time":
        return {"connect.name": TIME, "connect.version": 1}
    named = schema if isinstance(schema, dict) else {}
    return {f"connect.{name}": named[name] for name in ("name", "version") if name in named}


def _read(value: Any, schema: Any) -> Any:
    """A value as cases write it, as Arrow takes it."""
    if value is None:
        return None
    if isinstance(schema, str):
        return _READERS[schema](value) if schema in _READERS else value
    if "struct" in schema:
        return {name: _read(value.get(name), kind) for name, kind in schema["struct"]}
    return list(value.items()) if "map" in schema else value


def _collect(plans: Sequence[tuple[Case, DataFrame]], told: dict[str, Any]) -> None:
    """Put in `told` what became of the rows."""
    columns = [
        F.col("raw_key").cast("string").alias("place"),
        F.col("raw_value").cast("string").alias("case"),
        F.col("topic"),
        F.to_json(F.struct("key", "value"), _JSON).alias("data"),
        F.transform("headers", lambda h: F.array(h["key"], h["value"].cast("string"))).alias("headers"),
        F.col("error"),
    ]
    by_name = {given.name: after for given, after in plans}
    whole = _union([after.select(*columns) for after in by_name.values()])
    for each in whole.coalesce(1).collect():
        name, place, error = each["case"], int(each["place"]), each["error"]
        if error is not None:
            kept = {"exception": error["exception"], "message": error["message"], "class_name": error["class_name"]}
            told[name][place] = {"error": kept}
            continue
        data = json.loads(each["data"], parse_int=str, parse_float=str)
        schemas = {f"{part}_schema": described(by_name[name].schema[part]) for part in ("key", "value")}
        told[name][place] = {"topic": each["topic"], "headers": each["headers"], **data, **schemas}


def _union(frames: list[DataFrame]) -> DataFrame:
    """By twos: Spark looks at the whole of a union whenever something is added to it."""
    while len(frames) > 1:
        pairs = [frames[at : at + 2] for at in range(0, len(frames), 2)]
        frames = [pair[0].unionAll(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return frames[0]


def described(given: T.StructField) -> dict[str, Any]:
    """A field of a frame as a Connect schema."""
    metadata = given.metadata or {}
    kind = given.dataType
    logical = {T.TimestampType: "Timestamp", T.DateType: "Date", T.DecimalType: "Decimal"}.get(type(kind))
    named = {"name": metadata.get("connect.name"), "version": metadata.get("connect.version")}
    if logical:
        named = {"name": f"org.apache.kafka.connect.data.{logical}", "version": 1}
    base = {T.StructType: "struct", T.ArrayType: "array", T.MapType: "map", T.DecimalType: "bytes"}.get(type(kind))
    answer = {"type": base or _CONNECT_TYPES.get(kind.simpleString(), kind.simpleString()), **named}
    if isinstance(kind, T.StructType):
        answer["fields"] = [[each.name, described(each)] for each in kind.fields]
    return answer
