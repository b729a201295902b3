"""Formats without a schema, both ways."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from riacho.rest_proxy.embedded.decoders import Decoders
from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.json_text import compact
from riacho.rest_proxy.embedded.plain import PLAIN
from riacho.web.errors import ApiError


def encoded(format: Format, text: bytes) -> bytes | None:
    return PLAIN[format](msgspec.Raw(text))


def decoded(format: Format, *payloads: bytes | None) -> list[bytes]:
    return asyncio.run(Decoders(None).decode(format, payloads))


@pytest.mark.parametrize("format", PLAIN)
def test_null_is_no_bytes_and_no_bytes_are_null(format: Format) -> None:
    assert encoded(format, b"null") is None
    assert decoded(format, None) == [b"null"]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (b'{"a":1.0e5,"b":"x y"}', b'{"a":1.0e5,"b":"x y"}'),
        (b'{ "a" : [ 1 , 2 ] }', b'{"a":[1,2]}'),
        (b'"tab\\t and \\u0041"', b'"tab\\t and \\u0041"'),
        (b"12345678901234567890123", b"12345678901234567890123"),
        (b'[\n  "two  spaces"\n]', b'["two  spaces"]'),
        (b"true", b"true"),
    ],
)
def test_json_keeps_its_tokens_and_loses_the_space_between_them(sent: bytes, stored: bytes) -> None:
    assert encoded(Format.JSON, sent) == stored
    assert compact(stored) == stored


def test_binary_is_base64_both_ways() -> None:
    payload = bytes(range(256))
    (text,) = decoded(Format.BINARY, payload)
    assert encoded(Format.BINARY, text) == payload
    assert encoded(Format.BINARY, b'""') == b""


@pytest.mark.parametrize("text", [b'"!!"', b'"YQ"', b'"YQ==YQ=="', b'"Y Q=="', b"1", b"{}", b'["YQ=="]'])
def test_what_is_no_base64_is_refused(text: bytes) -> None:
    with pytest.raises(ApiError) as refused:
        encoded(Format.BINARY, text)
    assert (refused.value.status, refused.value.error_code) == (422, 42206)


def test_strings_are_utf_8() -> None:
    assert encoded(Format.STRING, '"ação \\u00e9"'.encode()) == "ação é".encode()
    assert [json.loads(text) for text in decoded(Format.STRING, "ação".encode(), b'"\xff')] == ["ação", '"\ufffd']


@pytest.mark.parametrize("text", [b"1", b"{}", b"true"])
def test_a_string_must_be_a_string(text: bytes) -> None:
    with pytest.raises(ApiError, match="must be a string"):
        encoded(Format.STRING, text)


def test_json_is_shown_as_it_is_stored() -> None:
    assert decoded(Format.JSON, b'{"a": 1}', b"2") == [b'{"a": 1}', b"2"]


@pytest.mark.parametrize("payload", [b"", b"{", b"nul", b'"\xff"', b"[" * 100_000, b"1 2"])
def test_what_is_no_json_is_told(payload: bytes) -> None:
    with pytest.raises(ApiError) as refused:
        decoded(Format.JSON, b"1", payload)
    assert (refused.value.status, refused.value.error_code) == (408, 40801)


def test_the_names_of_formats() -> None:
    assert Format("jsonschema").schema_type == "JSON"
    assert Format.JSON.schema_type is None
    assert Format.AVRO.media_type == "application/vnd.kafka.avro.v2+json"
