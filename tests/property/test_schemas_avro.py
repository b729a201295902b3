"""Any Avro schema and any of its values: the bytes are those of fastavro, and Apache's own package reads them.

Also that whatever comes, as a text, as a value or as a payload, is taken or refused in the way that is agreed on.
"""

from __future__ import annotations

import io
import json
from contextlib import suppress
from typing import Any, NamedTuple

import avro.io
import avro.schema
import fastavro
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.schemas.avro.schema import AvroSchema, parse
from riacho.schemas.parsed import DataError, Json, SchemaError, SchemaSource

quick = settings(
    derandomize=True,
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Example(NamedTuple):
    """A schema, and one value of it in the JSON form and in the form that Avro's Python packages take."""

    schema: Json
    value: Json
    native: object


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
doubles = st.floats(allow_nan=False, allow_infinity=False)
floats = st.floats(allow_nan=False, allow_infinity=False, width=32)


def _plain(schema: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Example]:
    return values.map(lambda value: Example(schema, value, value))


primitives = st.one_of(
    _plain("null", st.none()),
    _plain("boolean", st.booleans()),
    _plain("int", st.integers(-(2**31), 2**31 - 1)),
    _plain("long", st.integers(-(2**63), 2**63 - 1)),
    _plain("float", floats),
    _plain("double", doubles),
    _plain("string", texts),
    st.binary(max_size=6).map(lambda raw: Example("bytes", raw.decode("latin-1"), raw)),
)


def _label(schema: Json) -> str:
    return schema if isinstance(schema, str) else str(schema.get("name", schema["type"]))  # type: ignore[attr-defined]


class _Names:
    """Each named type a name of its own, in one namespace or another."""

    def __init__(self) -> None:
        self._used = 0

    def new(self) -> str:
        self._used += 1
        return f"{('a', 'b.c')[self._used % 2]}.N{self._used}"


def _example(draw: st.DrawFn, names: _Names, depth: int, branches: bool = True) -> Example:
    kinds = ["primitive", "fixed", "enum", "array", "map", "record", "record"] + ["union"] * (2 if branches else 0)
    kind = draw(st.sampled_from(kinds)) if depth else "primitive"
    match kind:
        case "fixed":
            raw = draw(st.binary(max_size=4))
            schema: Json = {"type": "fixed", "name": names.new(), "size": len(raw)}
            return Example(schema, raw.decode("latin-1"), raw)
        case "enum":
            symbol = draw(st.sampled_from("ABC"))
            return Example({"type": "enum", "name": names.new(), "symbols": ["A", "B", "C"]}, symbol, symbol)
        case "array":
            inner, count = _example(draw, names, depth - 1), draw(st.integers(0, 3))
            return Example({"type": "array", "items": inner.schema}, [inner.value] * count, [inner.native] * count)
        case "map":
            inner, keys = _example(draw, names, depth - 1), draw(st.lists(texts, max_size=2, unique=True))
            schema = {"type": "map", "values": inner.schema}
            return Example(schema, dict.fromkeys(keys, inner.value), dict.fromkeys(keys, inner.native))
        case "record":
            fields = [_example(draw, names, depth - 1) for _ in range(draw(st.integers(0, 4)))]
            listed = [{"name": f"f{at}", "type": field.schema} for at, field in enumerate(fields)]
            schema = {"type": "record", "name": names.new(), "fields": listed}
            value = {f"f{at}": field.value for at, field in enumerate(fields)}
            return Example(schema, value, {f"f{at}": field.native for at, field in enumerate(fields)})
        case "union":
            some = [_example(draw, names, depth - 1, branches=False) for _ in range(draw(st.integers(1, 4)))]
            by_label = {_label(each.schema): each for each in some}
            label = draw(st.sampled_from(sorted(by_label)))
            schema, chosen = [each.schema for each in by_label.values()], by_label[label]
            return Example(schema, None if label == "null" else {label: chosen.value}, (label, chosen.native))
        case _:
            return draw(primitives)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    return _example(draw, _Names(), depth=3)


def _parsed(schema: Json) -> AvroSchema:
    return parse(SchemaSource(json.dumps(schema)))


@quick
@given(examples())
def test_the_bytes_are_those_of_fastavro(example: Example) -> None:
    codec = _parsed(example.schema).codec()
    payload = codec.encode(example.value)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, example.schema, example.native)  # type: ignore[arg-type]
    assert payload == out.getvalue()
    assert codec.decode(payload) == example.value


def _without_labels(native: object) -> object:
    if isinstance(native, tuple):
        return _without_labels(native[1])
    if isinstance(native, dict):
        return {key: _without_labels(item) for key, item in native.items()}
    return [_without_labels(item) for item in native] if isinstance(native, list) else native


@quick
@given(examples())
def test_the_package_of_apache_reads_the_bytes(example: Example) -> None:
    schema = _parsed(example.schema)
    decoder = avro.io.BinaryDecoder(io.BytesIO(schema.codec().encode(example.value)))
    assert avro.io.DatumReader(avro.schema.parse(schema.text)).read(decoder) == _without_labels(example.native)


@quick
@given(examples())
def test_text_is_stable_and_every_schema_reads_itself(example: Example) -> None:
    schema = _parsed(example.schema)
    again, normal = parse(SchemaSource(schema.text)), schema.normalized()
    assert again.text == schema.text
    assert normal.normalized().text == normal.text
    for reader, writer in ((schema, again), (schema, normal), (normal, schema)):
        assert reader.differences(writer) == []
    payload = schema.codec().encode(example.value)
    assert normal.codec().encode(example.value) == payload
    assert again.codec().decode(payload) == example.value


@quick
@given(examples(), st.binary(max_size=60))
def test_any_payload_is_read_or_refused(example: Example, payload: bytes) -> None:
    with suppress(DataError):
        json.dumps(_parsed(example.schema).codec().decode(payload), allow_nan=False)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@quick
@given(examples(), json_values)
def test_any_value_is_written_and_read_back_or_refused(example: Example, value: Json) -> None:
    codec = _parsed(example.schema).codec()
    try:
        payload = codec.encode(value)
    except DataError as error:
        str(error).encode()
    else:
        assert codec.encode(codec.decode(payload)) == payload


ATTRIBUTES = "type name namespace fields symbols size items values default aliases logicalType precision order doc"
TYPES = "record error enum fixed array map union int string null double bytes A n.A decimal uuid"
words = st.sampled_from([*ATTRIBUTES.split(), *TYPES.split(), ""])
schema_like = st.recursive(
    words | st.none() | st.integers(-2, 20) | st.booleans() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=6),
    max_leaves=14,
)


@settings(quick, max_examples=200)
@given(schema_like.map(json.dumps) | st.text(max_size=30))
def test_any_text_is_a_schema_or_refused(text: str) -> None:
    try:
        schema = parse(SchemaSource(text))
    except SchemaError as error:
        str(error).encode()
    else:
        assert parse(SchemaSource(schema.normalized().text)).name == schema.name
        schema.text.encode()
