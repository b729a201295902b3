"""AVRO: written with ksqlDB's schema, read with the writer's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry


def codec(registry: MemoryRegistry, *columns: tuple[str, str], is_key: bool = False, **more: Any) -> Codec:
    return open_codec(CodecSpec("AVRO", is_key, columns, subject=f"t-{'key' if is_key else 'value'}", **more), registry)


def written(registry: MemoryRegistry, schema: Any, value: Any) -> bytes:
    found = registry.register("other", "AVRO", json.dumps(schema))
    return found.prefix + found.codec.encode(value)


def record(*fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": name, "type": kind} for name, kind in fields]}


def test_the_registered_schema_is_ksqldbs() -> None:
    registry = MemoryRegistry()
    codec(registry, ("A", "INTEGER"), ("S", "STRUCT<`X` MAP<STRING, BIGINT>>"), ("D", "DECIMAL(4, 2)")).encode({})
    found = registry.latest("t-value")
    assert found is not None
    assert json.loads(found.parsed.text) == {
        "type": "record",
        "name": "KsqlDataSourceSchema",
        "namespace": "io.confluent.ksql.avro_schemas",
        "fields": [
            {"name": "A", "type": ["null", "int"], "default": None},
            {
                "name": "S",
                "type": [
                    "null",
                    {
                        "type": "record",
                        "name": "KsqlDataSourceSchema_S",
                        "fields": [
                            {
                                "name": "X",
                                "type": [
                                    "null",
                                    {
                                        "type": "array",
                                        "items": {
                                            "type": "record",
                                            "name": "KsqlDataSourceSchema_S_X",
                                            "fields": [
                                                {"name": "key", "type": ["null", "string"], "default": None},
                                                {"name": "value", "type": ["null", "long"], "default": None},
                                            ],
                                            "connect.internal.type": "MapEntry",
                                        },
                                    },
                                ],
                                "default": None,
                            }
                        ],
                    },
                ],
                "default": None,
            },
            {
                "name": "D",
                "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}],
                "default": None,
            },
        ],
    }


def test_a_name_for_the_schema() -> None:
    registry = MemoryRegistry()
    codec(registry, ("A", "INTEGER"), properties={"fullSchemaName": "com.acme.Rows"}).encode({"A": 1})
    found = registry.latest("t-value")
    assert found is not None
    assert found.parsed.name == "com.acme.Rows"


def test_a_key_of_one_column_is_bare() -> None:
    registry = MemoryRegistry()
    key = codec(registry, ("K", "STRING"), is_key=True)
    assert key.encode({"K": "ab"}) == b"\0\0\0\0\1\4ab"
    assert registry.latest("t-key").parsed.text == '"string"'  # type: ignore[union-attr]
    assert key.decode(b"\0\0\0\0\1\4ab") == {"K": "ab"}
    assert key.encode({"K": None}) is None


@pytest.mark.parametrize(
    ("kind", "schema", "given", "value"),
    [
        ("INTEGER", "int", 5, 5),
        ("BIGINT", "int", 5, 5),
        ("BIGINT", "long", 2**40, 2**40),
        ("TIMESTAMP", {"type": "long", "logicalType": "timestamp-millis"}, 5, 5),
        ("BIGINT", {"type": "long", "logicalType": "timestamp-millis"}, 5, 5),
        ("DATE", {"type": "int", "logicalType": "date"}, 5, 5),
        ("DOUBLE", "float", 0.5, 0.5),
        ("DOUBLE", "double", "NaN", "NaN"),
        ("STRING", "int", 5, "5"),
        ("STRING", "boolean", True, "true"),
        ("STRING", "double", 1e10, "1.0E10"),
        ("STRING", "float", 0.1, "0.1"),
        ("STRING", {"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B", "B"),
        ("BYTES", "bytes", "\x01\x02", "AQI="),
        ("BYTES", {"type": "fixed", "name": "F", "size": 2}, "\x01\x02", "AQI="),
        ("DECIMAL(4, 2)", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, "\xff", "-0.01"),
        ("DECIMAL(6, 3)", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, "\x01", "0.010"),
        ("ARRAY<BIGINT>", {"type": "array", "items": "int"}, [1, 2], [1, 2]),
        ("MAP<STRING, BIGINT>", {"type": "map", "values": "int"}, {"a": 1}, {"a": 1}),
        ("STRUCT<`STRING` STRING, `INT` INTEGER>", ["null", "string", "int"], {"int": 5}, {"STRING": None, "INT": 5}),
        ("STRUCT<`STRING` STRING, `INT` INTEGER>", ["null", "string", "int"], None, None),
        ("STRING", ["string", "null"], {"string": "x"}, "x"),
        ("STRING", ["string", "null"], None, None),
    ],
)
def test_the_writers_types_are_taken_for_the_columns(kind: str, schema: Any, given: Any, value: Any) -> None:
    registry = MemoryRegistry()
    whole = record(("other", "string"), ("c", schema), ("last", "long"))
    payload = written(registry, whole, {"other": "o", "c": given, "last": 1})
    row = codec(registry, ("LAST", "BIGINT"), ("C", kind), ("MISSING", "STRING")).decode(payload)
    assert row == {"LAST": 1, "C": value, "MISSING": None}


@pytest.mark.parametrize(
    ("kind", "schema", "given", "reason"),
    [
        ("INTEGER", "long", 5, "Cannot deserialize type int64 as type int32 for path: ->C"),
        ("BOOLEAN", "string", "x", "Cannot deserialize type string as type boolean for path: ->C"),
        ("STRING", "bytes", "x", "Cannot deserialize type bytes as type string for path: ->C"),
        ("ARRAY<INTEGER>", {"type": "array", "items": "string"}, [], "for path: ->C->ARRAY"),
        ("DECIMAL(2, 1)", "bytes", "", "Cannot deserialize type bytes as type bytes for path: ->C"),
        ("MAP<STRING, INTEGER>", {"type": "array", "items": "string"}, [], "type array as type map for path: ->C"),
        ("INTEGER", ["int", "string"], {"int": 1}, "Cannot deserialize type struct as type int32 for path: ->C"),
    ],
)
def test_types_that_do_not_fit_are_told_by_the_schema(kind: str, schema: Any, given: Any, reason: str) -> None:
    registry = MemoryRegistry()
    payload = written(registry, record(("c", schema)), {"c": given})
    both = codec(registry, ("C", kind), ("D", "STRING"))
    for _ in range(2):
        with pytest.raises(CodecError) as caught:
            both.decode(payload)
        assert reason in str(caught.value)


def test_names_are_found_by_their_case_first() -> None:
    registry = MemoryRegistry()
    payload = written(registry, record(("a", "int"), ("b", "int")), {"a": 1, "b": 2})
    assert codec(registry, ("A", "INTEGER"), ("b", "INTEGER"), ("B", "INTEGER")).decode(payload) == {
        "A": 1,
        "b": 2,
        "B": None,
    }


@pytest.mark.parametrize(
    "payload", [b"", b"\0\0\0", b"\1\0\0\0\1x", b"{}", b"\0\0\0\0\1", b"\0\0\0\0\1\4", b"\0\0\0\0\x09\2"]
)
def test_bad_payloads_are_refused(payload: bytes) -> None:
    registry = MemoryRegistry()
    both = codec(registry, ("A", "STRING"), ("B", "STRING"))
    both.encode({})
    with pytest.raises(CodecError):
        both.decode(payload)


def test_another_kind_of_schema_is_told() -> None:
    registry = MemoryRegistry()
    found = registry.register("t-value", "JSON", '{"type":"object"}')
    with pytest.raises(CodecError, match="is JSON, not AVRO"):
        codec(registry, ("A", "STRING"), ("B", "STRING")).decode(found.prefix + b"{}")


def test_a_schema_that_is_named_is_written_with_its_defaults() -> None:
    registry = MemoryRegistry()
    schema = record(("a", ["null", "long"]), ("extra", ["null", "string"]))
    schema["fields"].append({"name": "filled", "type": "int", "default": 7})
    schema["fields"].append({"name": "b", "type": "string", "default": "none"})
    found = registry.register("x", "AVRO", json.dumps(schema))
    both = codec(registry, ("A", "BIGINT"), ("B", "STRING"), schema_id=found.id)
    payload = both.encode({"A": 1, "B": None})
    assert payload is not None
    assert found.codec.decode(payload[5:]) == {"a": {"long": 1}, "extra": None, "filled": 7, "b": "none"}
    assert both.decode(payload) == {"A": 1, "B": "none"}


def test_a_named_schema_without_a_place_for_a_column_is_refused() -> None:
    registry = MemoryRegistry()
    found = registry.register("x", "AVRO", json.dumps(record(("a", "string"), ("b", "int"))))
    with pytest.raises(CodecError, match="Cannot serialize type int32 as type string"):
        codec(registry, ("A", "INTEGER"), ("B", "INTEGER"), schema_id=found.id).encode({"A": 1, "B": 1})
    with pytest.raises(CodecError, match="requires the field b"):
        codec(registry, ("A", "STRING"), ("C", "INTEGER"), schema_id=found.id).encode({"A": "x"})
    with pytest.raises(CodecError, match="does not allow null"):
        codec(registry, ("A", "STRING"), ("B", "INTEGER"), schema_id=found.id).encode({"A": "x"})


def test_without_a_registry_there_is_no_codec() -> None:
    with pytest.raises(CodecError, match="needs a schema registry"):
        open_codec(CodecSpec("AVRO", False, (("A", "STRING"),)))


def test_a_recursive_schema_is_read_as_far_as_columns_go() -> None:
    registry = MemoryRegistry()
    schema = record(("id", "int"), ("next", ["null", "R"]))
    payload = written(registry, schema, {"id": 1, "next": {"R": {"id": 2, "next": None}}})
    assert codec(registry, ("ID", "INTEGER"), ("X", "STRING")).decode(payload) == {"ID": 1, "X": None}
    assert codec(registry, ("ID", "INTEGER"), ("NEXT", "STRUCT<`ID` BIGINT>")).decode(payload) == {
        "ID": 1,
        "NEXT": {"ID": 2},
    }
