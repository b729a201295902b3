"""What a call gives its handler: segments, query parameters, bodies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.web.call import Call
from riacho.web.errors import ApiError


def call(query: str = "", **segments: str) -> Call:
    scope = {"type": "http", "headers": [], "query_string": query.encode(), "path_params": segments}
    return Call(scope, _no_body, _no_send)


async def _no_body() -> Any:
    return {"type": "http.request", "body": b"[1]", "more_body": False}


async def _no_send(message: Any) -> None:
    raise AssertionError("nothing is sent")


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("TRUE", True), ("True", True), ("false", False), ("", False), ("1", False), ("yes", False)],
)
def test_flags_are_read_as_java_reads_them(text: str, value: bool):
    assert call(f"deleted={text}").flag("deleted", default=not value) is value


def test_what_is_not_given_has_its_default():
    assert call().flag("deleted", default=True) is True
    assert call().integer("limit", 7) == 7
    assert call("limit=").integer("limit", 7) == 7
    assert call().text("format") is None
    assert call().text("format", "serialized") == "serialized"
    assert call().texts("key") == []


def test_numbers_are_read():
    assert call("limit=-1").integer("limit", 7) == -1
    assert call("limit=%2B12").integer("limit", 7) == 12
    assert call(partition="2147483647").number("partition") == 2**31 - 1
    assert call(id="2147483648").number("id", bits=63) == 2**31


@pytest.mark.parametrize("text", ["x", "1.5", "1_000", " 1", "٣", "9223372036854775808", "9" * 5000, "0x10"])
def test_what_is_no_number_is_not_found(text: str):
    for read in (lambda: call(f"limit={text}").integer("limit", 0), lambda: call(partition=text).number("partition")):
        with pytest.raises(ApiError) as caught:
            read()
        assert (caught.value.status, caught.value.message) == (404, "HTTP 404 Not Found")


def test_a_parameter_may_be_repeated():
    assert call("key=a&key=b%26").texts("key") == ["a", "b&"]


def test_the_body_may_be_asked_for_again():
    async def scenario() -> None:
        one = call()
        assert await one.body() == b"[1]"
        assert await one.read(list[int]) == [1]

    asyncio.run(scenario())


def test_nobody_is_the_principal_where_nobody_was_asked():
    assert call().principal is None
    assert call().roles == frozenset()
