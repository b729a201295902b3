"""LOGICAL on Avro: which changes tables of Flink and Iceberg take, by the answers of Confluent's checker."""

from __future__ import annotations

from typing import Any

import pytest

from unit.schemas.logical.rules import BOTH, avro, change

A = {"name": "a", "type": "int"}


def _logical(kind: str, name: str, **more: object) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def _decimal(precision: int, scale: int) -> dict[str, Any]:
    return _logical("bytes", "decimal", precision=precision, scale=scale)


def _short(length: int) -> dict[str, Any]:
    return {"type": "string", "flink.maxLength": length}


def _small(name: str) -> dict[str, Any]:
    return {"type": "int", "connect.type": name}


def _fixed(size: int) -> dict[str, Any]:
    return {"type": "fixed", "name": "F", "size": size}


def _enum(*symbols: str) -> dict[str, Any]:
    return {"type": "enum", "name": "E", "symbols": symbols}


def _map_of(key: object, value: object, **more: object) -> dict[str, Any]:
    entry = {"type": "record", "name": "MapEntry", "namespace": "io.confluent.connect.avro"}
    fields = [{"name": "key", "type": key}, {"name": "value", "type": value}]
    return {"type": "array", "items": {**entry, "fields": fields}, **more}


@pytest.mark.parametrize(
    ("added", "found"),
    [
        ({"type": "int"}, [f"{BOTH} REQUIRED_FIELD_ADDED b"]),
        ({"type": ["null", "int"], "default": None}, []),
        ({"type": ["int", "null"], "default": 0}, []),
        # Iceberg's format version 2 has no defaults, so only Flink takes them.
        ({"type": "int", "default": 7}, ["ICEBERG_V2 REQUIRED_FIELD_ADDED b"]),
        # Except those of lists and maps: there nothing is as good as an empty one.
        ({"type": {"type": "array", "items": "int"}, "default": []}, []),
        ({"type": {"type": "map", "values": "int"}, "default": {}}, []),
        ({"type": {"type": "array", "items": "int"}}, [f"{BOTH} REQUIRED_FIELD_ADDED b"]),
    ],
)
def test_a_field_is_added(added: dict[str, Any], found: list[str]) -> None:
    b = {"name": "b", **added}
    assert change(avro(A), avro(A, b)) == found
    inner = {"type": "record", "name": "Inner", "fields": [A]}
    nested = [each.replace(" b", " p.b") for each in found]
    assert change(avro(p=inner), avro(p={**inner, "fields": [A, b]})) == nested


def test_a_field_that_goes_takes_its_column_with_it_in_iceberg() -> None:
    assert change(avro(a="int", b="int"), avro(a="int")) == ["ICEBERG_V2 FIELD_DELETED b"]
    assert change(avro(a="int", b="int"), avro(b="int", a="int")) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("int", "int", ""),
        ("int", ["null", "int"], ""),
        (["null", "int"], "int", f"{BOTH} NULLABLE_TO_NON_NULLABLE"),
        ("int", "long", ""),
        ("long", "int", f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ("float", "double", ""),
        ("int", "double", "ICEBERG_V2 UNSUPPORTED_TYPE_CHANGE"),
        ("long", "double", f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ("int", "float", f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ("string", "bytes", f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ("long", _logical("long", "timestamp-millis"), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        # The unit of what is stored: Iceberg has microseconds for both.
        (
            _logical("long", "timestamp-millis"),
            _logical("long", "timestamp-micros"),
            "FLINK UNSUPPORTED_TYPE_CHANGE",
        ),
        (
            _logical("long", "timestamp-millis"),
            _logical("long", "local-timestamp-millis"),
            f"{BOTH} UNSUPPORTED_TYPE_CHANGE",
        ),
        (_logical("int", "time-millis"), _logical("int", "date"), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        (_decimal(10, 2), _decimal(12, 2), ""),
        (_decimal(12, 2), _decimal(10, 2), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        (_decimal(10, 2), _decimal(12, 3), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        ("int", _decimal(10, 0), "ICEBERG_V2 UNSUPPORTED_TYPE_CHANGE"),
        ("long", _decimal(18, 0), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        (_fixed(4), _fixed(8), f"{BOTH} UNSUPPORTED_TYPE_CHANGE"),
        (_fixed(4), "bytes", "ICEBERG_V2 UNSUPPORTED_TYPE_CHANGE"),
        (_short(9), _short(5), "FLINK UNSUPPORTED_TYPE_CHANGE"),
        (_short(5), _short(9), ""),
        (
            {"type": "string", "flink.maxLength": 5, "flink.minLength": 5},
            {"type": "string", "flink.maxLength": 9, "flink.minLength": 9},
            "FLINK UNSUPPORTED_TYPE_CHANGE",
        ),
        (_small("int8"), _small("int16"), ""),
        (_small("int16"), _small("int8"), "FLINK UNSUPPORTED_TYPE_CHANGE"),
        (_enum("A"), _enum("A", "B"), ""),
        (_enum("A", "B"), _enum("A"), "ICEBERG_V2 ENUM_DELETED"),
        (_enum("A", "B"), "string", ""),
        ("string", {"type": "array", "items": "string"}, f"{BOTH} TYPE_MISMATCH"),
        ({"type": "map", "values": "int"}, {"type": "array", "items": "int"}, f"{BOTH} TYPE_MISMATCH"),
    ],
)  # fmt: skip
def test_a_field_changes(old: object, new: object, found: str) -> None:
    assert change(avro(f=old), avro(f=new)) == ([f"{found} f"] if found else [])


def test_a_default_that_readers_relied_on_is_taken_away() -> None:
    with_default = avro({"name": "f", "type": "int", "default": 0})
    assert change(with_default, avro(f="int")) == ["FLINK NON_NULLABLE_DEFAULT_REMOVED f"]
    assert change(avro(f="int"), with_default) == []
    assert change(with_default, avro(f=["null", "int"])) == []


def test_what_lists_and_maps_hold() -> None:
    for old, new, path in (
        ({"type": "array", "items": ["null", "int"]}, {"type": "array", "items": "int"}, "f[]"),
        ({"type": "map", "values": ["null", "int"]}, {"type": "map", "values": "int"}, "f{}"),
    ):
        assert change(avro(f=old), avro(f=new)) == [f"FLINK NULLABLE_TO_NON_NULLABLE {path}"]
        assert change(avro(f=new), avro(f=old)) == []
    items = {"type": "array", "items": {"type": "record", "name": "I", "fields": [A]}}
    longer = {"type": "array", "items": {"type": "record", "name": "I", "fields": [A, {"name": "b", "type": "int"}]}}
    assert change(avro(f=items), avro(f=longer)) == [f"{BOTH} REQUIRED_FIELD_ADDED f[].b"]


def test_keys_of_maps_do_not_change_in_iceberg() -> None:
    ints, longs = _map_of("int", "string"), _map_of("long", "string")
    assert change(avro(f=ints), avro(f=longs)) == ["ICEBERG_V2 MAP_KEY_TYPE_MISMATCH f"]
    assert change(avro(f=longs), avro(f=ints)) == [
        "FLINK UNSUPPORTED_TYPE_CHANGE f{key}",
        "ICEBERG_V2 MAP_KEY_TYPE_MISMATCH f",
    ]
    assert change(avro(f=ints), avro(f=_map_of("int", "bytes"))) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE f{{}}"]


def test_a_multiset_is_a_map_in_iceberg_only() -> None:
    counted, plain = {"type": "map", "values": "int", "flink.type": "multiset"}, {"type": "map", "values": "int"}
    assert change(avro(f=counted), avro(f=plain)) == ["FLINK TYPE_MISMATCH f"]
    assert change(avro(f=counted), avro(f=counted)) == []


def test_a_union_is_a_struct_of_its_branches() -> None:
    assert change(avro(f=["string", "int"]), avro(f=["int", "string"])) == []
    assert change(avro(f=["string", "int"]), avro(f=["string", "int", "boolean"])) == []
    assert change(avro(f=["string", "int", "boolean"]), avro(f=["string", "int"])) == [
        "ICEBERG_V2 FIELD_DELETED f.boolean"
    ]
    assert change(avro(f=["string", "int"]), avro(f="string")) == [f"{BOTH} TYPE_MISMATCH f"]
    named = {"name": "f", "type": ["string", "int"], "confluent:union": [{"name": "text"}, {}]}
    assert change(avro(named), avro(f=["string", "int"])) == ["ICEBERG_V2 FIELD_DELETED f.text"]


def test_a_type_that_is_used_twice_is_told_of_once() -> None:
    inner = {"type": "record", "name": "I", "fields": [A, {"name": "b", "type": "int"}]}
    shorter = {**inner, "fields": [A]}
    assert change(avro(x=inner, y="I"), avro(x=shorter, y="I")) == ["ICEBERG_V2 FIELD_DELETED x.b"]


def test_a_recursive_type_is_compared_to_its_end() -> None:
    old = avro(a="int", next=["null", "R"])
    assert change(old, old) == []
    assert change(old, avro(a="string", next=["null", "R"])) == [f"{BOTH} UNSUPPORTED_TYPE_CHANGE a"]
