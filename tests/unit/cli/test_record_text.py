"""Records as JSON lines and in formats."""

from __future__ import annotations

import json

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.cli.record_text import BadRecord, NewRecord, TextRecord, compile_format, from_json_line, to_json_line
from riacho.cli.views.record_lines import full_line, line_form

RECORD = TextRecord("orders", 2, 42, 1_700_000_000_000, b"ana", b"coffee", (("source", b"web"), ("none", None)))
_DATA = st.none() | st.binary(max_size=20)


@settings(max_examples=60)
@given(key=_DATA, value=_DATA, headers=st.lists(st.tuples(st.text(max_size=5), _DATA), max_size=3))
def test_a_record_comes_back_from_json_byte_for_byte(
    key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]]
) -> None:
    line = to_json_line(TextRecord("t", 1, 7, 99, key, value, headers))
    assert "\n" not in line
    assert from_json_line(line) == NewRecord(value, key, tuple(headers), 1, 99)


def test_bytes_that_are_not_utf8_stand_under_a_name_that_says_so() -> None:
    fields = json.loads(to_json_line(RECORD._replace(value=b"\xff\xfe")))
    assert fields["value_base64"] == "//4="
    assert "value" not in fields


def test_a_value_may_be_any_json() -> None:
    assert from_json_line('{"value": {"n": [1, 2]}}').value == b'{"n": [1, 2]}'
    assert from_json_line('{"value": null, "key": "k"}') == NewRecord(None, b"k")
    assert from_json_line('{"value": "x", "headers": {"a": "1"}}').headers == (("a", b"1"),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", 'an object with a "value"'),
        ('{"key": "k"}', 'an object with a "value"'),
        ('{"value_base64": "!"}', "not base64"),
        ('{"value": "x", "headers": 3}', "headers are"),
        ('{"value": "x", "partition": -1}', "partition is not a whole number"),
        ('{"value": "x", "timestamp": true}', "timestamp is not a whole number"),
    ],
)
def test_a_line_that_is_no_record_says_why(line: str, reason: str) -> None:
    with pytest.raises(BadRecord, match=reason):
        from_json_line(line)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"%t[%p]@%o %k=%v\n", b"orders[2]@42 ana=coffee\n"),
        ("%s %K %S %T", b"coffee 3 6 1700000000000"),
        ("%h 100%%", b"source=web,none= 100%"),
        (r"a\tb\\n", b"a\tb\\n"),
        ("", b""),
    ],
)
def test_formats(text: str, shown: bytes) -> None:
    assert compile_format(text)(RECORD) == shown


def test_a_null_is_empty_with_the_size_minus_one() -> None:
    assert compile_format("%k|%K|%v|%S")(RECORD._replace(key=None, value=None)) == b"|-1||-1"


@pytest.mark.parametrize("text", ["%x", "%", "%v %"])
def test_a_letter_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="means nothing"):
        compile_format(text)
    with pytest.raises(click.ClickException):
        line_form("format", text, is_coloured=False)


def test_a_full_line_is_one_line_that_no_terminal_obeys() -> None:
    line = full_line(RECORD._replace(value=b"a\nb\x1b[31m\xff", key=None))
    assert line.startswith("orders[2]@42")
    assert r"a\nb\x1b[31m" in line
    assert "source=web none=-" in line


@pytest.mark.parametrize(("shape", "ending"), [("raw", b"coffee\n"), ("table", b"none=-\n"), ("json", b"]}\n")])
def test_each_shape_writes_a_line(shape: str, ending: bytes) -> None:
    line = line_form(shape, None, is_coloured=False)(RECORD)
    assert line.endswith(ending)
    assert line.count(b"\n") == 1
