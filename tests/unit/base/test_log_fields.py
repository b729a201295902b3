"""What others chose, on its way into a line of a log and out of it again."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riacho.base.log_fields import TEXT_MAX, field_value, fields, quoted, words


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("app-1", "app-1"),
        ("", "-"),
        ("my app", '"my app"'),
        ("User:CN=ann", '"User:CN=ann"'),
        ('a" agent=x', '"a\\" agent=x"'),
        ("a\nb\x1b[31m", '"a\\nb\\u001b[31m"'),
        ("x" * 1_000, "x" * TEXT_MAX),
    ],
)
def test_a_value_in_a_line(text: str, line: str) -> None:
    assert field_value(text) == line


@given(st.text(), st.text())
def test_what_is_quoted_is_read_as_it_was(one: str, other: str) -> None:
    line = f"word {quoted(one)} client_id={quoted(one)} principal={quoted(other)} end=1"
    assert line.isprintable()
    assert fields(line) == {"client_id": one, "principal": other, "end": "1"}
    assert words(line, 2) == ["word", one]


def test_of_names_that_come_twice_the_first_counts() -> None:
    assert fields("denied api=Produce needs=x api=Fetch") == {"api": "Produce", "needs": "x"}


def test_what_stands_in_quotes_has_no_fields() -> None:
    assert fields('10.0.0.9 "x api=DeleteTopics agent=forged/1" api=Fetch') == {"api": "Fetch"}


def test_a_line_that_nobody_here_wrote() -> None:
    assert fields('a="half b=1') == {"b": "1"}
    assert fields("a=") == {}
    assert words("", 3) == []


def test_a_hostile_line_is_read_in_time() -> None:
    started = time.process_time()
    for line in ('a="' * 40_000, 'a="\\' * 40_000, '"' * 100_000, "\\" * 100_000, 'a="' + '\\"' * 50_000):
        fields(line)
        words(line, 100_000)
    assert time.process_time() - started < 2
