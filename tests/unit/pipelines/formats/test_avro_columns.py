"""Avro columns against fastavro, row by row: every type, both ways, poison, and resolution to a newer schema."""

from __future__ import annotations

import io
import json
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest

from riacho.pipelines.formats.avro_reading import read
from riacho.pipelines.formats.avro_resolving import resolve
from riacho.pipelines.formats.avro_writing import AvroWriter
from riacho.pipelines.formats.byte_cursor import Cursor
from riacho.pipelines.formats.column_types import FormatError
from riacho.schemas.avro.schema import parse
from riacho.schemas.avro.types import AvroType
from riacho.schemas.parsed import SchemaSource

COUNT = 40
_INNER = {
    "type": "record",
    "name": "Inner",
    "fields": [
        {"name": "x", "type": "int"},
        {
            "name": "ys",
            "type": {
                "type": "array",
                "items": {"type": "record", "name": "Y", "fields": [{"name": "q", "type": "string"}]},
            },
        },
    ],
}
_DECIMAL = {"logicalType": "decimal", "precision": 9, "scale": 2}
SCHEMA = {
    "type": "record",
    "name": "All",
    "fields": [
        {"name": "i", "type": "int"},
        {"name": "l", "type": ["null", "long"]},
        {"name": "f", "type": "float"},
        {"name": "d", "type": ["double", "null"]},
        {"name": "b", "type": "boolean"},
        {"name": "s", "type": ["null", "string"]},
        {"name": "by", "type": "bytes"},
        {"name": "da", "type": {"type": "int", "logicalType": "date"}},
        {"name": "ts", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "us", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "dec", "type": {"type": "bytes", **_DECIMAL}},
        {"name": "df", "type": {"type": "fixed", "name": "DF", "size": 6, **_DECIMAL}},
        {"name": "e", "type": ["null", {"type": "enum", "name": "E", "symbols": ["A", "B"]}]},
        {"name": "a", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "m", "type": ["null", {"type": "map", "values": "int"}]},
        {"name": "n", "type": ["null", _INNER]},
        {"name": "u", "type": ["null", "string", "long", "Inner"]},
    ],
}


def _row(k: int) -> dict[str, Any]:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    amount = Decimal(k * (-1) ** k * 7).scaleb(-2)
    return {
        "i": -k,
        "l": None if k % 3 == 0 else k * 10**9,
        "f": k / 2,
        "d": None if k % 2 else k / 3,
        "b": k % 2 == 0,
        "s": None if k % 4 == 0 else "é" * (k % 7),
        "by": b"x" * k,
        "da": date(2020, 1, 1) + timedelta(k),
        "ts": start + timedelta(milliseconds=k),
        "us": None if k % 5 else start + timedelta(microseconds=k),
        "dec": amount,
        "df": amount,
        "e": [None, "A", "B"][k % 3],
        "a": [None if j % 2 else str(j) for j in range(k % 5)],
        "m": None if k % 3 == 1 else {str(j): j for j in range(k % 4)},
        "n": None if k % 2 else {"x": k, "ys": [{"q": str(j)} for j in range(k % 3)]},
        "u": [None, "text", k, {"x": 1, "ys": []}][k % 4],
    }


def _type(schema: object) -> AvroType:
    return parse(SchemaSource(json.dumps(schema), is_new=False)).root


def _written(schema: Any, rows: list[dict[str, Any]]) -> list[bytes]:
    parsed = fastavro.parse_schema(schema)
    found = []
    for row in rows:
        buffer = io.BytesIO()
        fastavro.schemaless_writer(buffer, parsed, row)
        found.append(buffer.getvalue())
    return found


def _read(schema: object, payloads: list[bytes]) -> tuple[pa.Array, list[bool]]:
    cursor = Cursor.of(pa.array(payloads, pa.binary()))
    return read(_type(schema), cursor), cursor.bad.tolist()


def test_every_type_is_read_as_fastavro_writes_it() -> None:
    rows = [_row(k) for k in range(COUNT)]
    values, bad = _read(SCHEMA, _written(SCHEMA, rows))
    assert not any(bad)
    for found, row in zip(values.to_pylist(maps_as_pydicts="strict"), rows, strict=True):
        union, wanted = found.pop("u"), row.pop("u")
        assert found == row
        assert (union is None) if wanted is None else [each for each in union.values() if each is not None] == [wanted]


def test_every_type_is_written_as_fastavro_writes_it() -> None:
    payloads = _written(SCHEMA, [_row(k) for k in range(COUNT)])
    values, _ = _read(SCHEMA, payloads)
    writer = AvroWriter(COUNT)
    assert writer.write(_type(SCHEMA), values, np.arange(COUNT)).to_pylist() == payloads
    assert not writer.bad.any()


def test_poison_is_told_and_the_rest_is_read_as_ever() -> None:
    payloads = _written(SCHEMA, [_row(k) for k in range(COUNT)])
    whole, _ = _read(SCHEMA, payloads)
    cut = [payload[: len(payload) // 2] if k % 7 == 3 else payload for k, payload in enumerate(payloads)]
    values, bad = _read(SCHEMA, cut)
    assert [k for k in range(COUNT) if bad[k]] == [k for k in range(COUNT) if k % 7 == 3]
    assert [values[k].as_py() for k in range(COUNT) if not bad[k]] == [
        whole[k].as_py() for k in range(COUNT) if not bad[k]
    ]


def test_no_bytes_whatever_end_the_batch() -> None:
    chance = random.Random(7)
    payloads = [chance.randbytes(chance.randrange(60)) for _ in range(3000)]
    good = _written(SCHEMA, [_row(1)])
    values, bad = _read(SCHEMA, [*payloads, *good])
    assert not bad[-1]
    assert values[-1].as_py()["i"] == -1


def _record(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": list(fields)}


@pytest.mark.parametrize(
    ("writer", "reader", "value", "wanted"),
    [
        ({"name": "a", "type": "int"}, {"name": "a", "type": "long"}, 1, 1),
        ({"name": "a", "type": "long"}, {"name": "a", "type": "double"}, 3, 3.0),
        ({"name": "a", "type": "string"}, {"name": "a", "type": ["null", "string"]}, "x", "x"),
        ({"name": "a", "type": ["null", "int"]}, {"name": "a", "type": "int"}, 5, 5),
        ({"name": "a", "type": "int"}, {"name": "b", "type": "int", "aliases": ["a"]}, 5, 5),
        ({"name": "a", "type": "int"}, {"name": "b", "type": "string", "default": "d"}, 5, "d"),
        ({"name": "a", "type": "int"}, {"name": "b", "type": ["null", "int"], "default": None}, 5, None),
        (
            {"name": "a", "type": "int"},
            {"name": "b", "type": {"type": "array", "items": "int"}, "default": [1]},
            5,
            [1],
        ),
        (
            {"name": "a", "type": {"type": "array", "items": "int"}},
            {"name": "a", "type": {"type": "array", "items": "long"}},
            [1, 2],
            [1, 2],
        ),
        (
            {"name": "a", "type": {"type": "map", "values": "int"}},
            {"name": "a", "type": {"type": "map", "values": "double"}},
            {"k": 1},
            [("k", 1.0)],
        ),
        ({"name": "a", "type": "int"}, {"name": "a", "type": ["null", "int", "string"]}, 5, {"int": 5, "string": None}),
    ],
)
def test_rows_of_an_older_schema_are_resolved(writer: Any, reader: Any, value: Any, wanted: Any) -> None:
    old, new = _record(writer), _record(reader)
    values, _ = _read(old, _written(old, [{writer["name"]: value}] * 2))
    resolved = resolve(values, _type(old), _type(new))
    assert resolved.to_pylist() == [{reader["name"]: wanted}] * 2


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        ({"name": "a", "type": "string"}, "int cannot be read as string"),
        ({"name": "b", "type": "int"}, "The field b of R was not written and has no default"),
    ],
)
def test_schemas_that_cannot_be_joined_are_told(reader: Any, message: str) -> None:
    old = _record({"name": "a", "type": "int"})
    values, _ = _read(old, _written(old, [{"a": 1}]))
    with pytest.raises(FormatError, match=message):
        resolve(values, _type(old), _type(_record(reader)))


def test_a_type_inside_itself_has_no_column() -> None:
    node = {"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
    with pytest.raises(FormatError, match="The Avro type Node contains itself, which no column can"):
        _read(node, [b"\0"])


def test_a_missing_value_that_is_required_fails_its_row() -> None:
    writer = AvroWriter(3)
    values = pa.array([{"a": 1}, {"a": None}, {"a": 3}])
    written = writer.write(_type(_record({"name": "a", "type": "long"})), values, np.arange(3))
    assert writer.bad.tolist() == [False, True, False]
    assert [written[0].as_py(), written[2].as_py()] == [b"\2", b"\6"]
