"""Payloads as test cases write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.json_source import NumberText, read_exact
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.record_comparison import same, same_delimited
from riacho.pipelines.sql.formats.record_json import RecordJson, Window

COLUMNS = (("ID", "BIGINT"), ("NAME", "STRING"), ("PRICE", "DECIMAL(6, 2)"), ("TAGS", "ARRAY<STRING>"))


def spec(name: str, *columns: tuple[str, str], is_key: bool = False, **more: Any) -> CodecSpec:
    subject = "t-key" if is_key else "t-value"
    return CodecSpec(name, is_key, columns, subject=subject, **more)


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO", "PROTOBUF", "PROTOBUF_NOSR"])
def test_objects_by_the_columns_schema(name: str) -> None:
    registry = MemoryRegistry()
    records = RecordJson(spec(name, *COLUMNS), registry)
    given = read_exact(b'{"id": 5, "Name": "x", "price": 1.50, "tags": ["a"], "other": 1}')
    payload = records.payload(given)
    row = open_codec(spec(name, *COLUMNS), registry).decode(payload)
    expected = {"ID": 5, "NAME": "x", "PRICE": "1.50", "TAGS": ["a"]}
    assert row == expected
    shown, window = records.value(open_codec(spec(name, *COLUMNS), registry).encode(row))
    assert window is None
    assert same(read_exact(b'{"ID": 5, "NAME": "x", "PRICE": 1.50, "TAGS": ["a"]}'), shown)


def test_an_explicit_schema_of_the_topic_goes_before_the_columns() -> None:
    registry = MemoryRegistry()
    schema = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "id", "type": "int"},
            {"name": "kind", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
            {"name": "counts", "type": {"type": "map", "values": "long"}},
            {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}},
            {"name": "choice", "type": ["null", "string", "int"]},
        ],
    }
    found = registry.register("t-value", "AVRO", json.dumps(schema))
    records = RecordJson(spec("AVRO", ("ID", "BIGINT"), ("KIND", "STRING")), registry)
    value = {"ID": 5, "kind": "B", "counts": {"x": 1}, "price": 1.5, "choice": {"int": 3}}
    payload = records.payload(value)
    assert payload is not None
    assert payload[:5] == found.prefix
    assert found.codec.decode(payload[5:]) == {
        "id": 5,
        "kind": "B",
        "counts": {"x": 1},
        "price": "\x00\x96",
        "choice": {"int": 3},
    }
    shown, _ = records.value(payload)
    assert shown == {"id": 5, "kind": "B", "counts": {"x": 1}, "price": "1.50", "choice": {"string": None, "int": 3}}
    with pytest.raises(CodecError):
        records.payload({"id": "x", "kind": "B"})
    with pytest.raises(CodecError):
        records.payload({"kind": "B"})


def test_a_protobuf_schema_of_the_topic() -> None:
    registry = MemoryRegistry()
    registry.register("t-value", "PROTOBUF", 'syntax = "proto3"; message M { int32 a = 1; string b = 2; }')
    records = RecordJson(spec("PROTOBUF", ("A", "INTEGER"), ("B", "STRING")), registry)
    assert records.payload({"A": 5}) == b"\0\0\0\0\1\0\x08\x05"
    assert records.value(b"\0\0\0\0\1\0\x08\x05") == ({"a": 5, "b": ""}, None)


@pytest.mark.parametrize("nullable", ["OPTIONAL", "WRAPPER"])
def test_protobuf_with_nulls(nullable: str) -> None:
    properties = {"nullableRepresentation": nullable}
    one = spec("PROTOBUF", ("A", "INTEGER"), ("B", "STRING"), ("C", "BIGINT"), properties=properties)
    records = RecordJson(one, MemoryRegistry())
    value = {"A": 5, "B": None, "C": 0}
    assert records.value(records.payload(value)) == (value, None)


def test_a_message_of_several() -> None:
    registry = MemoryRegistry()
    text = 'syntax = "proto3"; message M { int32 a = 1; } message N { string b = 1; }'
    registry.register("t-value", "PROTOBUF", text)
    records = RecordJson(spec("PROTOBUF", ("B", "STRING"), properties={"fullSchemaName": "N"}), registry)
    payload = records.payload({"B": "x"})
    assert payload == b"\0\0\0\0\1\2\2\x0a\1x"
    assert records.value(payload) == ({"b": "x"}, None)


@pytest.mark.parametrize(
    ("kind", "value", "payload"),
    [("STRING", "x", b"x"), ("BIGINT", 5, b"\0" * 7 + b"\5"), ("INTEGER", 5, b"\0\0\0\5"), ("BYTES", "AQI=", b"\1\2")],
)
def test_kafka_by_the_type(kind: str, value: Any, payload: bytes) -> None:
    one = spec("KAFKA", ("K", kind), is_key=True)
    assert RecordJson(one).payload(value) == payload
    assert RecordJson(one).value(payload) == (value, None)


def test_delimited_is_a_string() -> None:
    one = spec("DELIMITED", ("A", "INTEGER"), ("B", "STRING"))
    records = RecordJson(one)
    assert records.payload("1,x") == b"1,x"
    assert records.payload(5) == b"5"
    assert records.value(b"1,x") == ("1,x", None)


def test_bare_values() -> None:
    assert RecordJson(spec("JSON", ("K", "STRING"), is_key=True)).payload("x") == b'"x"'
    assert RecordJson(spec("JSON", ("K", "DOUBLE"), is_key=True)).payload(NumberText("1.10")) == b"1.10"
    avro = RecordJson(spec("AVRO", ("K", "INTEGER"), is_key=True), MemoryRegistry())
    assert avro.payload(5) == b"\0\0\0\0\1\x0a"
    assert avro.value(b"\0\0\0\0\1\x0a") == (5, None)
    protobuf = RecordJson(spec("PROTOBUF_NOSR", ("K", "INTEGER"), is_key=True))
    assert protobuf.payload(5) == b"\x08\x05"
    assert protobuf.value(b"\x08\x05") == (5, None)


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO", "PROTOBUF", "PROTOBUF_NOSR", "KAFKA", "DELIMITED", "NONE"])
def test_null_is_null(name: str) -> None:
    one = spec(name, ("A", "STRING"))
    records = RecordJson(one, MemoryRegistry())
    assert records.payload(None) is None
    assert records.value(None) == (None, None)
    assert RecordJson(spec("NONE")).payload("x") is None


def test_windows_stand_beside_keys() -> None:
    session = spec("KAFKA", ("K", "STRING"), is_key=True, window="SESSION")
    payload = RecordJson(session).payload("a", Window(5, 7))
    assert open_codec(session).decode(payload) == {"K": "a", "WINDOWSTART": 5, "WINDOWEND": 7}
    assert RecordJson(session).value(payload) == ("a", Window(5, 7))
    tumbling = spec("KAFKA", ("K", "STRING"), is_key=True, window="TUMBLING", window_size_ms=10)
    payload = RecordJson(tumbling).payload("a", Window(5, 15))
    assert RecordJson(tumbling).value(payload) == ("a", Window(5, 15))
    with pytest.raises(CodecError):
        RecordJson(tumbling).payload("a")
    with pytest.raises(CodecError):
        RecordJson(tumbling).value(b"a")


def test_without_a_registry_the_formats_that_need_one_say_so() -> None:
    for name in ("AVRO", "JSON_SR", "PROTOBUF"):
        with pytest.raises(CodecError, match="needs a schema registry"):
            RecordJson(spec(name, ("A", "STRING"))).payload({"A": "x"})


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, None),
        (1, 1),
        (1, NumberText("1.0")),
        (NumberText("1.50"), NumberText("1.5")),
        (1.5, NumberText("1.5")),
        (1.0, 1),
        (0.1, 0.1000000001),
        (NumberText("2.2250738585072014E-308"), 2.2250738585072014e-308),
        ("1.50", NumberText("1.5")),
        ("x", "x"),
        (True, True),
        ([1, None], [1, None]),
        ({"a": 1}, {"A": 1}),
        ({"A": {"b": [1.0]}}, {"A": {"B": [1]}}),
        (NumberText("0.10000000000000001"), NumberText("0.1")),
    ],
)
def test_what_is_the_same(expected: Any, actual: Any) -> None:
    assert same(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, 0),
        (0, None),
        (1, 2),
        (1, True),
        (True, 1),
        ("1", 1),
        (1, "1"),
        ("x", NumberText("1")),
        (1.5, 1.6),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ({"A": 1}, {"A": 1, "B": None}),
        ({"A": 1, "B": None}, {"A": 1}),
        ({"A": 1}, [1]),
        ([1], {"A": 1}),
        (NumberText("12345678901234567890.1"), NumberText("12345678901234567890.2")),
    ],
)
def test_what_is_not_the_same(expected: Any, actual: Any) -> None:
    assert not same(expected, actual)


def test_delimited_records_are_compared_by_their_fields() -> None:
    assert same_delimited("-1,a", '"-1",a')
    assert same_delimited("a|b", "a|b", "|")
    assert same_delimited(None, None)
    assert not same_delimited("1,a", "1,b")
    assert not same_delimited("1", None)
    assert not same_delimited('"x', "x")
