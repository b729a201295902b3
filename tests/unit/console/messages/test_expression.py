"""The language of searches."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.console.messages.expression import DEPTH_MAX, LENGTH_MAX, ExpressionError, Requirement, parse_expression
from support.message_rows import row

VALUE = b"""{"amount": 150, "name": "Jo\\u00e3o", "paid": true, "items": [{"sku": "A1"}], "rest": null, "text": "12.5",
    "a-b": 1}"""


def holds(text: str, **given: Any) -> bool:
    return parse_expression(text).matches(row(**{"value": VALUE, "key": b"abc", **given}))


@pytest.mark.parametrize(
    "text",
    [
        'value.amount > 100 and key startswith "a"',
        "value.amount == 150 and value.amount >= 150 and value.amount <= 150 and not value.amount != 150",
        "value.amount == 150.0",
        'value.amount == "150"',
        "value.text < 13",
        'value.name == "João" or false',
        "value.name == 'Jo\\u00e3o'",
        "value.paid",
        "value.paid == true",
        'value.items[0].sku in ["A1", "B2"]',
        'value["items"][0]["sku"] endswith "1"',
        'value.name matches "^Jo.o$"',
        "value.rest == null and value.nothing.at.all == null and value.items[7] == null",
        'value contains "amount" and key contains "b"',
        'lower(value.items[0].sku) == "a1"',
        "size(value.items) == 1 and size(key) == 3",
        'header["x"] == "y" and header["none"] == null',
        "partition == 2 and offset == 7 and timestamp >= 1000 and size > 10",
        'timestamp < "2026-01-01" and timestamp > "1970-01-01T00:00:00Z"',
        "value.a-b == 1",
        "((value.amount > 1))",
        "not not (value.amount > 1)",
        '"b" in key',
        "150 == value.amount",
        "value.items == [] or value.amount in [1, 150]",
    ],
)
def test_what_holds(text: str) -> None:
    assert holds(text, headers=[("x", b"1"), ("x", b"y")], partition=2, offset=7)


@pytest.mark.parametrize(
    "text",
    [
        "value.amount > 1000",
        'value.amount > "abc"',
        "value.paid == 1",
        "value.amount == true",
        "value.name",
        "value.amount",
        'value.amount contains "1"',
        "value.rest < 1",
        "value.items > value.items",
        'value.amount matches "1"',
        "key.a == 1",
        'key == "ab"',
        "value == 5",
    ],
)
def test_what_does_not_hold(text: str) -> None:
    assert not holds(text)


def test_null_and_empty_keys_are_not_the_same() -> None:
    assert holds("key == null", key=None)
    assert not holds('key == ""', key=None)
    assert holds('key == ""', key=b"")
    assert not holds("key == null", key=b"")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 1),
        ("value.amount >", 15),
        ("value.amount > > 5", 16),
        ("(value.a == 1", 14),
        ("value.a == 1)", 13),
        ('value.a == "x', 12),
        ("value.a == 1 2", 14),
        ("nothing == 1", 1),
        ("__import__('os')", 1),
        ("value.a == 1 and", 17),
        ("value[x] == 1", 7),
        ("value. == 1", 8),
        ("header == 1", 1),
        ("offset.a == 1", 1),
        ('value.a matches "("', 17),
        ("value.a matches key", 17),
        ("[key] == 1", 2),
        ("value.a == ;", 12),
        ('timestamp > "yesterday"', 13),
        ("x" * (LENGTH_MAX + 1), LENGTH_MAX),
        ("(" * (DEPTH_MAX + 1) + "1", DEPTH_MAX + 1),
        ("not " * (DEPTH_MAX + 1) + "key", None),
        ("[" * (DEPTH_MAX + 2), DEPTH_MAX + 1),
        ("value.a == 1" + "0" * 50, 12),
        ('key == "\\ud800"', 8),
    ],
)
def test_a_refusal_says_where(text: str, position: int | None) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_expression(text)
    assert str(refused.value).endswith(f"at character {refused.value.position}.")
    assert "\n" not in str(refused.value)
    if position is not None:
        assert refused.value.position == position


def test_what_a_match_must_have() -> None:
    parsed = parse_expression('key == "abc" and value.a startswith "x" and not value.b == "z" and value.c contains "q"')
    assert parsed.requirements == (Requirement("key", "abc"), Requirement("value", "x", True))
    assert parse_expression('key == "abc" or key == "abd"').requirements == ()
    assert parse_expression('lower(key) == "abc"').requirements == ()
    assert parse_expression('key != "abc"').requirements == ()
    assert parse_expression('header["x"] == "abc"').requirements == ()


PIECES = st.sampled_from(
    ["value", ".a", "[0]", '["x"]', "key", "header", "(", ")", "[", "]", ",", "and ", "or ", "not ", "==", "<", " in ",
     " contains ", " matches ", '"x"', "'", '"', "\\", "1", "1e5", "-", "null", "true", "lower(", "size(", " ",
     "timestamp"]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_an_expression_or_a_refusal(text: str) -> None:
    position = 0
    parsed = None
    try:
        parsed = parse_expression(text)
    except ExpressionError as error:
        position = error.position
    if parsed is None:
        assert 1 <= position <= len(text) + 1
        return
    for value in (None, b"", b"x", VALUE, b"[1]", b"\xff\x00"):
        assert parsed.matches(row(value=value, key=value)) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "(" * LENGTH_MAX,
        "not " * (LENGTH_MAX // 4),
        '"' + "\\" * (LENGTH_MAX - 1),
        "'" + "a" * (LENGTH_MAX - 1),
        "1" * LENGTH_MAX,
        " " * LENGTH_MAX,
        "value" + ".a" * ((LENGTH_MAX - 5) // 2),
        "key == 1" + " and key == 1" * ((LENGTH_MAX - 8) // 13),
        "key in [" + "1," * ((LENGTH_MAX - 12) // 2) + "1]",
        'key matches "' + "(a*)*" * 700 + '"',
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.perf_counter()
    try:
        parsed = parse_expression(text)
        parsed.matches(row(value=VALUE, key=b"a" * 10_000))
    except ExpressionError:
        pass
    assert time.perf_counter() - began < 1.0
