"""DELIMITED: CSV records by position, in ksqlDB's dialect."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec
from riacho.pipelines.sql.formats.csv_record import read_record, write_record
from riacho.pipelines.sql.formats.delimited_codec import delimiter_of


def codec(*columns: tuple[str, str], delimiter: str = ",", is_key: bool = False) -> Codec:
    return open_codec(CodecSpec("DELIMITED", is_key, columns, properties={"delimiter": delimiter}))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a,b", ["a", "b"]),
        ("a,,", ["a", "", ""]),
        (",", ["", ""]),
        ('"a,b",c', ["a,b", "c"]),
        ('"a""b",c', ['a"b', "c"]),
        ('a"b,c', ['a"b', "c"]),
        ('"a" ,b', ["a", "b"]),
        ('"a\nb",c', ["a\nb", "c"]),
        ("a,b\nc,d", ["a", "b"]),
        ("\n\r\na,b\r\n", ["a", "b"]),
        ('"",b', ["", "b"]),
    ],
)
def test_records_are_read(text: str, fields: list[str]) -> None:
    assert read_record(text, ",") == fields


@pytest.mark.parametrize("text", ["", "\n", '"a', '"a"b,c'])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        read_record(text, ",")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (["a", "b"], "a,b"),
        (["a", None, ""], "a,,"),
        ([None, "b"], ",b"),
        (["", "b"], '"",b'),
        (["-1", "-2"], '"-1",-2'),
        (["a,b", 'c"d'], '"a,b","c""d"'),
        (["a", " b", "c "], 'a," b","c "'),
        (["a\nb"], '"a\nb"'),
        (["a", "#x"], 'a,"#x"'),
    ],
)
def test_records_are_written(fields: list[str | None], text: str) -> None:
    assert write_record(fields, ",") == text
    assert read_record(text, ",") == [field or "" for field in fields]


@pytest.mark.parametrize(
    ("kind", "text", "value", "written"),
    [
        ("BOOLEAN", "TRUE", True, "true"),
        ("BOOLEAN", "nonsense", False, "false"),
        ("INTEGER", "10", 10, "10"),
        ("BIGINT", "-5", -5, "-5"),
        ("DOUBLE", "1e10", 1e10, "1.0E10"),
        ("DOUBLE", "NaN", "NaN", "NaN"),
        ("DECIMAL(6, 2)", "1.5", "1.50", "1.50"),
        ("STRING", "x y", "x y", "x y"),
        ("BYTES", "AQID", "AQID", "AQID"),
        ("TIME", "1000", 1000, "1000"),
        ("DATE", "18000", 18000, "18000"),
        ("TIMESTAMP", "1600000000000", 1_600_000_000_000, "1600000000000"),
        ("STRING", "", None, ""),
        ("INTEGER", "", None, ""),
    ],
)
def test_fields_are_columns(kind: str, text: str, value: Any, written: str) -> None:
    both = codec(("A", "STRING"), ("B", kind))
    assert both.decode(f"a,{text}".encode()) == {"A": "a", "B": value}
    assert both.encode({"A": "a", "B": value}) == f"a,{written}".encode()


@pytest.mark.parametrize(
    ("kind", "text"),
    [("INTEGER", "x"), ("INTEGER", " 1"), ("BIGINT", "1.0"), ("DOUBLE", "x"), ("DECIMAL(2, 1)", "100"),
     ("BYTES", "!"), ("TIME", "-1"), ("DATE", "x"), ("TIMESTAMP", "2020-01-01")],
)  # fmt: skip
def test_bad_fields_are_refused(kind: str, text: str) -> None:
    with pytest.raises(CodecError, match="column B"):
        codec(("A", "STRING"), ("B", kind)).decode(f"a,{text}".encode())


def test_the_count_of_fields_has_to_be_that_of_columns() -> None:
    with pytest.raises(CodecError, match=r"Column count mismatch on deserialization. expected: 2, got: 3"):
        codec(("A", "STRING"), ("B", "STRING")).decode(b"a,b,c")


@pytest.mark.parametrize(("told", "letter"), [("SPACE", " "), ("TAB", "\t"), ("|", "|"), (";", ";"), ("x", "x")])
def test_delimiters(told: str, letter: str) -> None:
    spaced = codec(("A", "STRING"), ("B", "INTEGER"), delimiter=told)
    payload = f"a{letter}1".encode()
    assert spaced.decode(payload) == {"A": "a", "B": 1}
    assert spaced.encode({"A": "a", "B": 1}) == payload


@pytest.mark.parametrize("told", ["", " ", "ab"])
def test_what_is_no_delimiter_is_refused(told: str) -> None:
    with pytest.raises(KsqlError, match=r"[Dd]elimiter"):
        delimiter_of({"delimiter": told})


def test_null_rows_and_keys() -> None:
    value, key = codec(("A", "STRING")), codec(("A", "STRING"), is_key=True)
    assert value.decode(None) is None
    assert value.encode(None) is None
    assert value.encode({"A": None}) == b""
    assert key.encode({"A": None}) is None
    assert key.encode({"A": "x"}) == b"x"
