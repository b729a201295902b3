"""Rows of any columns come back as they were, through every format that can hold them."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.record_comparison import same
from riacho.pipelines.sql.formats.record_json import RecordJson
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns
from riacho.pipelines.sql.formats.schema_registration import register_schema
from riacho.pipelines.sql.formats.supported import FORMATS
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Field,
    Map,
    SqlType,
    Struct,
)

NAMES = st.sampled_from(["A", "B", "C", "KEY", "VALUE", "ID", "X1", "lower", "FROM"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
PRIMITIVES = (BOOLEAN, INTEGER, BIGINT, DOUBLE, STRING, BYTES, TIME, DATE, TIMESTAMP)


@st.composite
def decimals(draw: st.DrawFn) -> Decimal:
    precision = draw(st.integers(1, 38))
    return Decimal(precision, draw(st.integers(0, precision)))


def scalars() -> st.SearchStrategy[SqlType]:
    return st.sampled_from(PRIMITIVES) | decimals()


def structs(inner: st.SearchStrategy[SqlType]) -> st.SearchStrategy[SqlType]:
    fields = st.lists(NAMES, min_size=1, max_size=3, unique_by=str.upper)
    return fields.flatmap(
        lambda names: st.tuples(*(inner for _ in names)).map(
            lambda kinds: Struct(tuple(Field(name, kind) for name, kind in zip(names, kinds, strict=True)))
        )
    )


def any_types(*, nested_arrays: bool) -> st.SearchStrategy[SqlType]:
    def wider(inner: st.SearchStrategy[SqlType]) -> st.SearchStrategy[SqlType]:
        items = inner if nested_arrays else inner.filter(lambda kind: not isinstance(kind, Array | Map))
        return items.map(Array) | inner.map(lambda kind: Map(STRING, kind)) | structs(inner)

    return st.recursive(scalars(), wider, max_leaves=5)


def values(kind: SqlType, *, nulls: bool) -> st.SearchStrategy[Any]:
    found = _values(kind, nulls=nulls)
    return st.none() | found if nulls else found


def _values(kind: SqlType, *, nulls: bool) -> st.SearchStrategy[Any]:
    match kind:
        case Decimal(precision, scale):
            numbers = st.integers(-(10**precision) + 1, 10**precision - 1)
            return numbers.map(lambda number: _decimal(number, scale))
        case Array(item):
            return st.lists(values(item, nulls=nulls), max_size=3)
        case Map(_, item):
            return st.dictionaries(TEXTS, values(item, nulls=nulls), max_size=3)
        case Struct(fields):
            return st.fixed_dictionaries({field.name: values(field.type, nulls=nulls) for field in fields})
        case _:
            return _PRIMITIVE_VALUES[kind]


def _decimal(number: int, scale: int) -> str:
    digits = str(abs(number)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{text}" if number < 0 else text


_PRIMITIVE_VALUES: dict[SqlType, st.SearchStrategy[Any]] = {
    BOOLEAN: st.booleans(),
    INTEGER: st.integers(-(2**31), 2**31 - 1),
    BIGINT: st.integers(-(2**63), 2**63 - 1),
    DOUBLE: st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["NaN", "Infinity", "-Infinity"]),
    STRING: TEXTS,
    BYTES: st.binary(max_size=5).map(lambda raw: base64.b64encode(raw).decode()),
    TIME: st.integers(0, 86_399_999),
    DATE: st.integers(-700_000, 2_900_000),
    TIMESTAMP: st.integers(-(2**50), 2**53),
}


@st.composite
def rows(draw: st.DrawFn, types: st.SearchStrategy[SqlType], *, nulls: bool = True) -> tuple[list[Field], Any]:
    names = draw(st.lists(NAMES, min_size=2, max_size=4, unique_by=str.upper))
    columns = [Field(name, draw(types)) for name in names]
    return columns, {column.name: draw(values(column.type, nulls=nulls)) for column in columns}


def returned(name: str, columns: list[Field], row: Any, **more: Any) -> Any:
    pairs = tuple((column.name, str(column.type)) for column in columns)
    codec = open_codec(CodecSpec(name, False, pairs, subject="t-value", **more), MemoryRegistry())
    payload = codec.encode(row)
    assert isinstance(payload, bytes)
    return codec.decode(payload)


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_formats_with_nulls(name: str, data: st.DataObject) -> None:
    columns, row = data.draw(rows(any_types(nested_arrays=True)))
    assert returned(name, columns, row) == row


@pytest.mark.parametrize("name", ["PROTOBUF", "PROTOBUF_NOSR"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_formats_without_nulls(name: str, data: st.DataObject) -> None:
    columns, row = data.draw(rows(any_types(nested_arrays=False), nulls=False))
    assert returned(name, columns, row) == row


@settings(max_examples=40, deadline=None)
@given(rows(scalars().filter(lambda kind: kind not in (STRING, BYTES)) | st.just(STRING)))
def test_delimited(given_row: tuple[list[Field], Any]) -> None:
    """An empty text is null there."""
    columns, row = given_row
    expected = {name: None if value == "" else value for name, value in row.items()}
    if any(value is not None for value in expected.values()):
        assert returned("DELIMITED", columns, row) == expected


@pytest.mark.parametrize("kind", [INTEGER, BIGINT, DOUBLE, STRING, BYTES])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_kafka(kind: SqlType, data: st.DataObject) -> None:
    row = {"K": data.draw(values(kind, nulls=False))}
    assert returned("KAFKA", [Field("K", kind)], row) == row


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO"])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_single_columns_that_are_bare(name: str, data: st.DataObject) -> None:
    kind = data.draw(any_types(nested_arrays=True))
    row = {"C": data.draw(values(kind, nulls=False))}
    assert returned(name, [Field("C", kind)], row, wrap=False) == row


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO"])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_a_test_case_writes_is_what_it_is_shown(name: str, data: st.DataObject) -> None:
    columns, row = data.draw(rows(any_types(nested_arrays=True)))
    pairs = tuple((column.name, str(column.type)) for column in columns)
    spec, registry = CodecSpec(name, False, pairs, subject="t-value"), MemoryRegistry()
    payload = open_codec(spec, registry).encode(row)
    records = RecordJson(spec, registry)
    shown, _ = records.value(payload)
    again = records.payload(shown)
    assert open_codec(spec, registry).decode(again) == row
    assert same(shown, records.value(again)[0])


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.infers])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_columns_are_inferred_from_what_they_were_registered_as(name: str, data: st.DataObject) -> None:
    columns, _ = data.draw(rows(any_types(nested_arrays=False)))
    registry = MemoryRegistry()
    register_schema(registry, "t", name, columns, False, None, {})
    upper = [Field(column.name.upper(), _upper(column.type)) for column in columns]
    assert list(infer_columns(registry, SchemaQuestion("t", name, False)).columns) == upper


def _upper(kind: SqlType) -> SqlType:
    match kind:
        case Array(item):
            return Array(_upper(item))
        case Map(key, value):
            return Map(key, _upper(value))
        case Struct(fields):
            return Struct(tuple(Field(field.name.upper(), _upper(field.type)) for field in fields))
        case _:
            return kind


@pytest.mark.parametrize("name", ["JSON", "JSON_SR", "AVRO", "PROTOBUF", "PROTOBUF_NOSR", "DELIMITED"])
@settings(max_examples=40, deadline=None)
@given(noise=st.binary(max_size=40))
def test_noise_is_read_or_refused_in_a_sentence(name: str, noise: bytes) -> None:
    registry = MemoryRegistry()
    pairs = (("A", "STRING"), ("B", "ARRAY<DECIMAL(6, 2)>"), ("M", "MAP<STRING, STRUCT<`X` DOUBLE>>"))
    if name == "DELIMITED":
        pairs = (("A", "STRING"), ("B", "DECIMAL(6, 2)"), ("M", "DOUBLE"))
    codec = open_codec(CodecSpec(name, False, pairs, subject="t-value"), registry)
    codec.encode({})
    for payload in (noise, b"\0\0\0\0\1" + noise, b"\0\0\0\0\1\0" + noise):
        with contextlib.suppress(CodecError):
            codec.decode(payload)
