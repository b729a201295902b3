"""JSON: ksqlDB's lenient reading, and writing that others read."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec


def codec(*columns: tuple[str, str], is_key: bool = False, wrap: bool | None = None) -> Codec:
    return open_codec(CodecSpec("JSON", is_key, columns, wrap))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("BOOLEAN", "true", True),
        ("INTEGER", "10", 10),
        ("INTEGER", '"10"', 10),
        ("INTEGER", "10.7", 10),
        ("INTEGER", "-10.7", -10),
        ("INTEGER", "3000000000", -1_294_967_296),
        ("BIGINT", '"-9223372036854775808"', -(2**63)),
        ("BIGINT", "1e3", 1000),
        ("BIGINT", "18446744073709551616", 0),
        ("DOUBLE", "10", 10.0),
        ("DOUBLE", '"10.5"', 10.5),
        ("DOUBLE", '"NaN"', "NaN"),
        ("DOUBLE", "1e400", "Infinity"),
        ("DOUBLE", "1" + "0" * 400, "Infinity"),
        ("STRING", '"x"', "x"),
        ("STRING", "10", "10"),
        ("STRING", "10.10", "10.10"),
        ("STRING", "1E5", "1E+5"),
        ("STRING", "true", "true"),
        ("STRING", '{"a": 1, "b": [1.50, null, "x"]}', '{"a":1,"b":[1.50,null,"x"]}'),
        ("STRING", '["a", 1.0, null, {"b": 2}]', '[a, 1.0, null, {"b":2}]'),
        ("DECIMAL(6, 2)", "10", "10.00"),
        ("DECIMAL(6, 2)", "10.1", "10.10"),
        ("DECIMAL(6, 2)", '"-10.100"', "-10.10"),
        ("DECIMAL(30, 10)", "12345678901234567890.1234567891", "12345678901234567890.1234567891"),
        ("BYTES", '"AQID"', "AQID"),
        ("TIME", "1000", 1000),
        ("TIME", '"1000"', 1000),
        ("DATE", "18000", 18000),
        ("TIMESTAMP", "1600000000000", 1600000000000),
        ("ARRAY<INTEGER>", '[1, "2", null]', [1, 2, None]),
        ("MAP<STRING, DOUBLE>", '{"a": 1, "B": null}', {"a": 1.0, "B": None}),
        ("STRUCT<`A` INTEGER, `b` STRING>", '{"a": 1, "b": 2, "c": 3}', {"A": 1, "b": "2"}),
        ("STRUCT<`A` INTEGER>", "{}", {"A": None}),
        ("ARRAY<STRUCT<`X` MAP<STRING, INTEGER>>>", '[{"x": {"k": 1}}]', [{"X": {"k": 1}}]),
    ],
)
def test_values_are_taken_for_their_columns(kind: str, text: str, value: Any) -> None:
    assert codec(("C", kind), ("D", "STRING")).decode(f'{{"C": {text}}}'.encode()) == {"C": value, "D": None}
    assert codec(("C", kind), wrap=False).decode(text.encode()) == {"C": value}


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("BOOLEAN", '"true"', "Can't convert type. sourceType: TextNode, requiredType: BOOLEAN, path: $.C"),
        ("INTEGER", '"x"', "Can't coerce string to type. targetType: INTEGER, path: $.C"),
        ("INTEGER", "true", "Can't convert type. sourceType: BooleanNode, requiredType: INTEGER, path: $.C"),
        ("BIGINT", "{}", "sourceType: ObjectNode, requiredType: BIGINT, path: $.C"),
        ("DOUBLE", "[]", "sourceType: ArrayNode, requiredType: DOUBLE, path: $.C"),
        ("DECIMAL(2, 1)", "100", "Numeric field overflow"),
        ("DECIMAL(2, 1)", "1.11", "without rounding"),
        ("DECIMAL(2, 1)", '"x"', "Can't coerce string to type. targetType: DECIMAL"),
        ("DECIMAL(2, 1)", "true", "requiredType: DECIMAL(2, 1)"),
        ("BYTES", '"!"', "Value is not a valid Base64 encoded string"),
        ("BYTES", "1", "requiredType: BYTES"),
        ("TIME", "86400001", "Time values must use number of milliseconds greater than 0 and less than 86400000."),
        ("ARRAY<INTEGER>", '[1, "x"]', "path: $.C[1]"),
        ("ARRAY<INTEGER>", "{}", "requiredType: ARRAY<INTEGER>"),
        ("MAP<STRING, INTEGER>", '{"k": true}', "path: $.C.k.value"),
        ("MAP<STRING, INTEGER>", "[]", "requiredType: MAP<STRING, INTEGER>"),
        ("STRUCT<`A` INTEGER>", '{"A": []}', "path: $.C.A"),
        ("STRUCT<`A` INTEGER>", "1", "requiredType: STRUCT<`A` INTEGER>"),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(kind: str, text: str, reason: str) -> None:
    with pytest.raises(CodecError) as caught:
        codec(("C", kind), ("D", "STRING")).decode(f'{{"C": {text}}}'.encode())
    assert reason in str(caught.value)


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"nope", b"NaN", b"[" * 5_000, b"\x00\x00\x00\x00\x01{}"])
def test_bad_payloads_are_refused(payload: bytes) -> None:
    for each in (codec(("C", "STRING"), ("D", "STRING")), codec(("C", "STRING"), wrap=False)):
        with pytest.raises(CodecError):
            each.decode(payload)


def test_a_deep_value_is_refused_or_read_but_never_breaks() -> None:
    deep = b'{"C": ' + b"[" * 900 + b"]" * 900 + b"}"
    with contextlib.suppress(CodecError):
        codec(("C", "STRING"), ("D", "INTEGER")).decode(deep)


def test_what_follows_the_first_value_is_left() -> None:
    assert codec(("C", "INTEGER"), wrap=False).decode(b" 10 20") == {"C": 10}


def test_the_exact_name_goes_before_the_upper_case_one() -> None:
    found = codec(("A", "INTEGER"), ("b", "INTEGER")).decode(b'{"a": 1, "A": 2, "B": 3, "b": 4}')
    assert found == {"A": 2, "b": 4}
    assert codec(("A", "INTEGER"), ("b", "INTEGER")).decode(b'{"a": 1, "B": 3}') == {"A": 1, "b": None}


def test_null_is_no_row_and_a_null_column_is_one() -> None:
    two, single = codec(("A", "INTEGER"), ("B", "INTEGER")), codec(("A", "INTEGER"), wrap=False)
    assert two.decode(None) is None
    assert two.decode(b"null") is None
    assert two.encode(None) is None
    assert two.encode({"A": None, "B": None}) == b'{"A":null,"B":null}'
    assert single.decode(b"null") == {"A": None}
    assert single.encode({"A": None}) is None


def test_single_columns_are_bare_in_keys_and_fields_in_values() -> None:
    assert codec(("A", "INTEGER"), is_key=True).encode({"A": 1}) == b"1"
    assert codec(("A", "INTEGER")).encode({"A": 1}) == b'{"A":1}'
    assert codec(("A", "INTEGER"), ("B", "STRING"), is_key=True).encode({"A": 1, "B": "x"}) == b'{"A":1,"B":"x"}'


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("DOUBLE", 1.0, "1.0"),
        ("DOUBLE", 1e10, "1.0E10"),
        ("DOUBLE", "NaN", '"NaN"'),
        ("DECIMAL(6, 2)", "10.50", "10.50"),
        ("STRING", 'ä"\n', '"ä\\"\\n"'),
        ("BYTES", "AQID", '"AQID"'),
        ("ARRAY<DECIMAL(4, 1)>", ["1.0", None], "[1.0,null]"),
        ("MAP<STRING, DOUBLE>", {"a": 2.0, "b": None}, '{"a":2.0,"b":null}'),
        ("STRUCT<`B` INTEGER, `A` DOUBLE>", {"A": 1.5, "B": 2}, '{"B":2,"A":1.5}'),
        ("STRUCT<`B` INTEGER, `A` STRING>", {"A": "x"}, '{"B":null,"A":"x"}'),
        ("ARRAY<STRUCT<`B` INTEGER, `A` STRING>>", [{"A": "x", "B": 1}, None], '[{"B":1,"A":"x"},null]'),
        ("MAP<STRING, STRUCT<`B` INTEGER, `A` STRING>>", {"k": {"A": "x"}}, '{"k":{"B":null,"A":"x"}}'),
        ("TIMESTAMP", 1_600_000_000_000, "1600000000000"),
        ("BOOLEAN", False, "false"),
    ],
)
def test_values_are_written_as_java_writes_them(kind: str, value: Any, text: str) -> None:
    assert codec(("C", kind), ("D", "STRING")).encode({"C": value}) == f'{{"C":{text},"D":null}}'.encode()
    assert codec(("C", kind), wrap=False).encode({"C": value}) == text.encode()
