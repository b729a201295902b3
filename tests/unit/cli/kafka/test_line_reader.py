from __future__ import annotations

import pytest

from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.line_reader import Line, LineReader

KEYED = {"parse.key": "true"}
FULL = {"parse.key": "true", "parse.headers": "true"}


def test_a_line_is_a_value() -> None:
    assert LineReader({}).read(b"a\tb", 1) == Line(None, b"a\tb", [])


def test_keys() -> None:
    assert LineReader(KEYED).read(b"k\tv\tw", 1) == Line(b"k", b"v\tw", [])
    assert LineReader({**KEYED, "key.separator": "::"}).read(b"k::v", 1) == Line(b"k", b"v", [])


def test_headers_come_first() -> None:
    line = LineReader(FULL).read(b"h1:v1,h2:v:2\tkey\tvalue", 1)
    assert line == Line(b"key", b"value", [("h1", b"v1"), ("h2", b"v:2")])


def test_headers_without_key() -> None:
    assert LineReader({"parse.headers": "true"}).read(b"h:v\tvalue", 1) == Line(None, b"value", [("h", b"v")])


def test_the_null_marker() -> None:
    reader = LineReader({**FULL, "null.marker": "NULL"})
    assert reader.read(b"NULL\tNULL\tNULL", 1) == Line(None, None, [])
    assert reader.read(b"h:NULL\tk\tv", 1) == Line(b"k", b"v", [("h", None)])


def test_a_missing_separator_tells_the_line() -> None:
    with pytest.raises(ToolError, match="No key separator found on line number 7: 'no key'"):
        LineReader(KEYED).read(b"no key", 7)
    with pytest.raises(ToolError, match="No headers delimiter found on line number 2"):
        LineReader(FULL).read(b"x", 2)
    with pytest.raises(ToolError, match="No header key separator found in pair 'bad' on line number 3"):
        LineReader(FULL).read(b"bad\tk\tv", 3)


def test_errors_can_be_ignored() -> None:
    assert LineReader({**KEYED, "ignore.error": "true"}).read(b"no key", 1) == Line(None, b"no key", [])


def test_empty_key_and_value_are_not_null() -> None:
    assert LineReader(KEYED).read(b"\t", 1) == Line(b"", b"", [])


@pytest.mark.parametrize(
    "properties",
    [
        {"headers.separator": "\t"},
        {"headers.key.separator": ","},
        {"null.marker": "\t"},
        {"key.separator": ""},
    ],
)
def test_separators_that_cannot_be_told_apart(properties: dict[str, str]) -> None:
    with pytest.raises(ToolError, match=r"may not be (equal|empty)"):
        LineReader(properties)
