"""Schemas that Spark types become, and back: Avro, Protobuf, JSON Schema, Connect; and the names of subjects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from riacho.base.config import ConfigError
from riacho.pipelines.formats.avro_schemas import avro_schema
from riacho.pipelines.formats.avro_types import spark_field
from riacho.pipelines.formats.column_types import FormatError, field_of, merged, named
from riacho.pipelines.formats.connect_schemas import connect_schema
from riacho.pipelines.formats.connect_schemas import spark_field as connect_field
from riacho.pipelines.formats.converters import CONVERTERS, converter
from riacho.pipelines.formats.json_schemas import ConnectSchemas, json_schema
from riacho.pipelines.formats.protobuf_schemas import protobuf_schema
from riacho.pipelines.formats.subjects import STRATEGIES, strategy_of, subject_of
from riacho.schemas.avro.schema import parse
from riacho.schemas.parsed import SchemaSource
from riacho.schemas.protobuf.schema import parse as parse_protobuf

KIND = StructType(
    [
        field_of("id", LongType(), optional=False),
        field_of("when", TimestampType(), optional=True),
        field_of("day", DateType(), optional=True),
        field_of("amount", DecimalType(10, 2), optional=True),
        field_of("tags", ArrayType(StringType()), optional=True),
        field_of("counts", MapType(StringType(), IntegerType()), optional=True),
        field_of("inner", StructType([field_of("x", IntegerType(), optional=True)]), True, named("com.example.Inner")),
        field_of("time", IntegerType(), True, named("org.apache.kafka.connect.data.Time", 1)),
    ]
)
NAME = named("com.example.Order", 3)


def test_avro_there_and_back() -> None:
    text = avro_schema(KIND, NAME)
    told = json.loads(text)
    assert (told["namespace"], told["name"], told["connect.version"]) == ("com.example", "Order", 3)
    assert told["fields"][0] == {"name": "id", "type": "long"}
    assert told["fields"][4] == {
        "name": "tags",
        "type": ["null", {"type": "array", "items": ["null", "string"]}],
        "default": None,
    }
    assert told["fields"][7]["type"][1]["logicalType"] == "time-millis"
    again = spark_field("", parse(SchemaSource(text)).root)
    assert again.dataType == KIND
    assert again.metadata == {**NAME, "connect.required": True}


def test_structs_without_names_are_numbered() -> None:
    inner = StructType([StructField("x", IntegerType())])
    text = avro_schema(StructType([StructField("a", inner), StructField("b", inner)]), {})
    names = [text.count(f'"name":"{name}"') for name in ("ConnectDefault", "ConnectDefault2", "ConnectDefault3")]
    assert names == [1, 1, 1]
    assert spark_field("", parse(SchemaSource(text)).root)


def test_connect_and_json_schema_there_and_back() -> None:
    schema = connect_schema(KIND, False, NAME)
    assert connect_field(schema).dataType == KIND
    through = ConnectSchemas(json.dumps(json_schema(schema)), {}).root()
    assert connect_field(through).dataType == KIND


def test_protobuf_text() -> None:
    text = protobuf_schema(StructType(KIND.fields[:7]), NAME)
    parsed = parse_protobuf(SchemaSource(text))
    assert parsed.name == "com.example.Order"
    assert "  int64 id = 1;" in text
    assert "map<string, int32> counts = 6;" in text
    with pytest.raises(FormatError, match="only structs have"):
        protobuf_schema(StringType(), {})


@pytest.mark.parametrize("write", [avro_schema, lambda kind, metadata: connect_schema(kind, True, metadata)])
def test_a_type_without_a_form_is_told(write: Any) -> None:
    with pytest.raises(FormatError, match="A column of type interval day to second has no"):
        write(DayTimeIntervalType(), {})


def test_merging() -> None:
    one: DataType = StructType([StructField("a", IntegerType()), StructField("b", IntegerType())])
    two: DataType = StructType([StructField("b", IntegerType()), StructField("c", StringType())])
    assert merged(one, two).simpleString() == "struct<a:int,b:int,c:string>"
    with pytest.raises(FormatError, match="struct<a:int,b:int> and int cannot be one column"):
        merged(one, IntegerType())


def test_subjects() -> None:
    assert [subject_of(strategy, "t", "n.R", False) for strategy in STRATEGIES] == ["t-value", "n.R", "t-n.R"]
    assert subject_of(STRATEGIES[1], "t", None, True) == "t-key"
    assert strategy_of("io.confluent.kafka.serializers.subject.TopicRecordNameStrategy") == "TopicRecordNameStrategy"
    assert strategy_of("Other") is None


def test_converters_by_name() -> None:
    assert CONVERTERS["JsonConverter"] is CONVERTERS["org.apache.kafka.connect.json.JsonConverter"]
    with pytest.raises(ConfigError, match=r"Class x\.Y could not be found"):
        converter("x.Y", {}, is_key=True)
    with pytest.raises(ConfigError, match=r'Missing required configuration "schema\.registry\.url"'):
        converter("AvroConverter", {}, is_key=True)
    with pytest.raises(ConfigError, match=r"Invalid value ODD for configuration decimal\.format"):
        converter("JsonConverter", {"decimal.format": "ODD"}, is_key=True)
