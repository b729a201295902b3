"""Objects out of a stream, whatever pieces it comes in."""

from __future__ import annotations

import json
import random

import pytest

from riacho.rest_proxy.v3.json_stream import JsonStream

OBJECTS = [
    {},
    {"a": 'a quote " and a brace } and a backslash \\'},
    {"b": [1, {"c": "]"}, [[]]], "d": {"e": {"f": None}}},
    {"é": "\\\\", "\\": '"'},
    {"long": "y" * 300},
]


def in_pieces(text: bytes, sizes: random.Random) -> list[bytes]:
    pieces, at = [], 0
    while at < len(text):
        size = sizes.randint(1, sizes.choice((1, 3, 50)))
        pieces.append(text[at : at + size])
        at += size
    return pieces


@pytest.mark.parametrize("seed", range(40))
def test_every_object_comes_out_once_and_in_order(seed: int) -> None:
    rng = random.Random(seed)
    wanted = [rng.choice(OBJECTS) for _ in range(rng.randint(0, 8))]
    text = "".join(
        json.dumps(each, ensure_ascii=rng.random() < 0.5) + rng.choice(["", "\n", " \r\n\t"]) for each in wanted
    )
    stream = JsonStream(object_bytes_max=10_000)
    found = [each for piece in in_pieces(text.encode(), rng) for each in stream.feed(piece)]
    stream.finish()
    assert stream.error is None
    assert [json.loads(each) for each in found] == wanted


def test_objects_before_something_else_still_come_out() -> None:
    stream = JsonStream(object_bytes_max=100)
    assert stream.feed(b'{"a":1} nonsense') == [b'{"a":1}']
    assert "must be an object, not 'nonsense'" in str(stream.error)
    assert stream.feed(b'{"b":2}') == []


@pytest.mark.parametrize("text", [b"[{}]", b"1", b'"text"', b",{}", b"}", b"\xef\xbb\xbf{}"])
def test_what_is_no_object_is_an_error(text: bytes) -> None:
    stream = JsonStream(object_bytes_max=100)
    assert stream.feed(text) == []
    assert stream.error is not None


@pytest.mark.parametrize("text", [b"{", b'{"a":"', b'{"a":"\\', b'{"a":[{}', b'{"a":"x"'])
def test_an_end_in_the_middle_is_an_error(text: bytes) -> None:
    stream = JsonStream(object_bytes_max=100)
    assert stream.feed(text) == []
    assert stream.error is None
    stream.finish()
    assert "in the middle" in str(stream.error)


def test_an_object_may_not_be_larger_than_the_bound() -> None:
    stream = JsonStream(object_bytes_max=100)
    assert stream.feed(b'{"a":"' + b"x" * 60) == []
    assert stream.error is None
    assert stream.feed(b"x" * 60) == []
    assert "larger than 100 bytes" in str(stream.error)


def test_white_space_without_end_takes_no_memory() -> None:
    stream = JsonStream(object_bytes_max=100)
    for _ in range(1_000):
        assert stream.feed(b" \n" * 50) == []
    assert stream.error is None
    assert stream.feed(b"{}") == [b"{}"]


def test_closing_brackets_that_match_nothing_do_not_end_an_object_twice() -> None:
    stream = JsonStream(object_bytes_max=100)
    # Whether brackets match is for who reads the object; only their number counts here.
    assert stream.feed(b'{"a":]') == [b'{"a":]']
    assert stream.feed(b"}") == []
    assert stream.error is not None
