"""KAFKA and NONE, and keys with windows."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from confluent_kafka.serialization import (
    DoubleDeserializer,
    DoubleSerializer,
    IntegerDeserializer,
    IntegerSerializer,
    StringDeserializer,
    StringSerializer,
)

from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import open_codec


def codec(kind: str, window: str | None = None, size_ms: int | None = None) -> Codec:
    return open_codec(CodecSpec("KAFKA", True, (("K", kind),), window=window, window_size_ms=size_ms))


@pytest.mark.parametrize(
    ("kind", "value", "payload"),
    [
        ("INTEGER", -2, b"\xff\xff\xff\xfe"),
        ("BIGINT", 1, b"\0\0\0\0\0\0\0\1"),
        ("DOUBLE", 1.5, struct.pack(">d", 1.5)),
        ("DOUBLE", "NaN", struct.pack(">d", float("nan"))),
        ("STRING", "ä", "ä".encode()),
        ("STRING", "", b""),
        ("BYTES", "AQI=", b"\1\2"),
    ],
)
def test_values_are_as_kafkas_serializers_write_them(kind: str, value: Any, payload: bytes) -> None:
    assert codec(kind).encode({"K": value}) == payload
    assert codec(kind).decode(payload) == {"K": value}


def test_the_clients_own_serializers_agree() -> None:
    assert codec("INTEGER").encode({"K": 7}) == IntegerSerializer()(7)
    assert codec("DOUBLE").encode({"K": 7.5}) == DoubleSerializer()(7.5)
    assert codec("STRING").encode({"K": "x"}) == StringSerializer()("x")
    assert IntegerDeserializer()(codec("INTEGER").encode({"K": 7})) == 7
    assert DoubleDeserializer()(codec("DOUBLE").encode({"K": 7.5})) == 7.5
    assert StringDeserializer()(codec("STRING").encode({"K": "x"})) == "x"


@pytest.mark.parametrize(("kind", "size"), [("INTEGER", 4), ("BIGINT", 8), ("DOUBLE", 8)])
def test_payloads_of_another_size_are_refused(kind: str, size: int) -> None:
    for payload in (b"", b"1", b"1" * (size + 1)):
        with pytest.raises(CodecError, match=f"is not {size}"):
            codec(kind).decode(payload)


def test_what_cannot_be_written_is_told() -> None:
    for kind, value in (("INTEGER", 2**40), ("INTEGER", "x"), ("BYTES", "!")):
        with pytest.raises(CodecError):
            codec(kind).encode({"K": value})


def test_null_is_null() -> None:
    assert codec("INTEGER").decode(None) is None
    assert codec("INTEGER").encode(None) is None
    assert codec("INTEGER").encode({"K": None}) is None


def test_without_columns_everything_is_null() -> None:
    for name in ("KAFKA", "NONE"):
        nothing = open_codec(CodecSpec(name, True, ()))
        assert nothing.decode(b"x") is None
        assert nothing.encode({}) is None


def test_time_windows_have_their_start_behind_the_key() -> None:
    windowed = codec("STRING", "TUMBLING", 1_000)
    payload = windowed.encode({"K": "a", "WINDOWSTART": 5, "WINDOWEND": 1_005})
    assert payload == b"a" + (5).to_bytes(8, "big")
    assert windowed.decode(payload) == {"K": "a", "WINDOWSTART": 5, "WINDOWEND": 1_005}
    assert codec("STRING", "HOPPING").decode(payload) == {"K": "a", "WINDOWSTART": 5, "WINDOWEND": 2**63 - 1}


def test_sessions_have_their_end_and_start_behind_the_key() -> None:
    windowed = codec("BIGINT", "SESSION")
    row = {"K": 1, "WINDOWSTART": 5, "WINDOWEND": 7}
    payload = windowed.encode(row)
    assert payload == (1).to_bytes(8, "big") + (7).to_bytes(8, "big") + (5).to_bytes(8, "big")
    assert windowed.decode(payload) == row


@pytest.mark.parametrize("window", ["TUMBLING", "SESSION"])
def test_windowed_keys_without_a_window_are_refused(window: str) -> None:
    windowed = codec("STRING", window, 1)
    assert windowed.decode(None) is None
    assert windowed.encode(None) is None
    with pytest.raises(CodecError, match="too short"):
        windowed.decode(b"1234567")
    with pytest.raises(CodecError, match="WINDOWSTART"):
        windowed.encode({"K": "a"})


def test_an_unknown_format_is_told() -> None:
    with pytest.raises(CodecError, match="Unknown format: XML"):
        open_codec(CodecSpec("xml", True, ()))
