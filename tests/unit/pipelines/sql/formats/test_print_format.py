"""What PRINT shows of a topic, and which formats it finds in it."""

from __future__ import annotations

import json
import struct

from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.print_format import NO_DATA, PrintedRecord, TopicPrinter

TIME = 1_577_836_800_123


def test_nothing_is_known_before_the_first_record() -> None:
    printer = TopicPrinter()
    assert printer.heads() == [f"Key format: {NO_DATA}", f"Value format: {NO_DATA}"]
    assert printer.lines([PrintedRecord(None, None, TIME, 0)]) == [
        "rowtime: 2020/01/01 00:00:00.123 Z, key: <null>, value: <null>, partition: 0"
    ]
    assert printer.key_formats == [NO_DATA]


def test_json_values_and_bigint_keys() -> None:
    printer = TopicPrinter()
    lines = printer.lines([PrintedRecord(struct.pack(">q", 7), b'{"a": 10}', TIME, 2)])
    assert lines == ['rowtime: 2020/01/01 00:00:00.123 Z, key: 7, value: {"a": 10}, partition: 2']
    assert printer.value_formats == ["JSON", "KAFKA_STRING"]
    assert printer.heads()[1] == "Value format: JSON or KAFKA_STRING"
    assert printer.key_formats[0] == "KAFKA_BIGINT"


def test_a_format_that_fails_once_is_out_and_lines_are_written_anew() -> None:
    printer = TopicPrinter()
    records = [PrintedRecord(b"1", b"1", -1, 0), PrintedRecord(b"k", b"plain", -1, 0)]
    lines = printer.lines(records)
    assert lines[1] == "rowtime: N/A, key: k, value: plain, partition: 0"
    assert printer.value_formats == ["KAFKA_STRING"]


def test_windowed_keys() -> None:
    printer = TopicPrinter()
    key = b"abc" + struct.pack(">qq", 7, 5)
    (line,) = printer.lines([PrintedRecord(key, b"x", TIME, 0)])
    assert "key: [abc@5/7]" in line
    assert printer.key_formats[0] == "SESSION(KAFKA_STRING)"
    tumbling = TopicPrinter()
    (line,) = tumbling.lines([PrintedRecord(b"abc" + struct.pack(">q", 5), b"x", TIME, 0)])
    assert "key: [abc@5/-]" in line
    assert tumbling.key_formats == ["HOPPING(KAFKA_STRING)", "TUMBLING(KAFKA_STRING)", "KAFKA_STRING"]


def test_bytes_of_no_format_are_shown_as_such() -> None:
    printer = TopicPrinter()
    (line,) = printer.lines([PrintedRecord(None, b"\xffa\x00", TIME, 0)])
    assert "value: \\xFFa\\x00" in line
    assert printer.value_formats == []


def test_registered_schemas() -> None:
    registry = MemoryRegistry()
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["null", "int"]}]}
    avro = registry.register("a", "AVRO", json.dumps(schema))
    proto = registry.register("p", "PROTOBUF", 'syntax = "proto3"; message M { int32 a = 1; string b = 2; }')
    schema_json = registry.register("j", "JSON", '{"type":"object"}')
    cases = [
        (avro.prefix + avro.codec.encode({"a": {"int": 5}}), "AVRO", '{"a": 5}'),
        (proto.prefix + proto.codec.encode({"a": 5, "b": "x"}), "PROTOBUF", 'a: 5 b: "x"'),
        (schema_json.prefix + b'{"a":5}', "JSON_SR", '{"a":5}'),
    ]
    for payload, name, shown in cases:
        printer = TopicPrinter(registry)
        (line,) = printer.lines([PrintedRecord(None, payload, TIME, 0)])
        assert f"value: {shown}," in line
        assert printer.value_formats[0] == name


def test_times_that_no_calendar_has_are_numbers() -> None:
    (line,) = TopicPrinter().lines([PrintedRecord(None, None, 10**18, 0)])
    assert line.startswith(f"rowtime: {10**18},")
