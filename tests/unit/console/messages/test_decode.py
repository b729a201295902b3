"""What bytes are taken for."""

from __future__ import annotations

import struct
import time
import tracemalloc
from uuid import UUID

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from riacho.console.messages.decode import FORMATS, Decoder, SchemaUnknown, header_text
from riacho.console.messages.decoded import Decoded
from riacho.console.messages.encode import WRITTEN_FORMATS, EncodeError, Encoder
from riacho.schemas.formats import parse
from riacho.schemas.parsed import Codec, SchemaSource

AVRO = """{"type": "record", "name": "R", "fields": [
    {"name": "a", "type": "int"}, {"name": "b", "type": ["null", "string"]}]}"""
PROTOBUF = 'syntax = "proto3"; message A { int32 a = 1; } message B { string b = 1; }'
JSON_SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}}'


class Schemas:
    def __init__(self) -> None:
        self._codecs = {
            number: (kind, parse(kind, SchemaSource(text)).codec())
            for number, kind, text in ((1, "AVRO", AVRO), (2, "PROTOBUF", PROTOBUF), (3, "JSON", JSON_SCHEMA))
        }

    def by_id(self, schema_id: int) -> tuple[str, Codec]:
        if schema_id not in self._codecs:
            raise SchemaUnknown(f"No schema {schema_id}.")
        return self._codecs[schema_id]

    def id_of(self, guid: str) -> int:
        if guid != str(UUID(int=1)):
            raise SchemaUnknown("No such GUID.")
        return 1


DECODER = Decoder(Schemas())


def shown(found: Decoded) -> tuple[str, str | None]:
    return found.format, found.text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, ("null", None)),
        (b"", ("text", "")),
        (b"hello\n", ("text", "hello\n")),
        ("olá".encode(), ("text", "olá")),
        (b'{"a": 1.50}', ("json", '{"a": 1.50}')),
        (b" \n[1, 2]", ("json", " \n[1, 2]")),
        (b"{not json", ("text", "{not json")),
        (b"123", ("text", "123")),
        (b"\x01\x02", ("hex", "0102")),
        (b"\x00\x00\x00\x2a", ("hex", "0000002a")),
        (b"\xff\xfe", ("hex", "fffe")),
        (msgspec.msgpack.encode({"a": [1, "x", None]}), ("msgpack", '{"a":[1,"x",null]}')),
        (msgspec.msgpack.encode([1, b"ab"]), ("msgpack", '[1,"YWI="]')),
        (b"\xcd\x01\x02", ("hex", "cd0102")),
        (b"\x81\x91\x01\x02", ("hex", "81910102")),
        (b"\x91" * 5000, ("hex", "91" * 5000)),
    ],
)
def test_by_itself(raw: bytes | None, expected: tuple[str, str | None]) -> None:
    found = DECODER.decode(raw)
    assert shown(found) == expected
    assert found.reason is None


@pytest.mark.parametrize(
    ("raw", "format", "reason"),
    [
        (b"[" * 5_000 + b"]" * 5_000, "text", "It may be JSON, and is nested too deeply to be looked into."),
        (b"[" + b"{}," * 3_000_000 + b"1]", "text", "It may be JSON, and has more than 250,000 values."),
        (b"\xdd\x00\x40\x00\x00" + b"\x90" * (4 << 20), "hex", None),
        (b"\xdd\xff\xff\xff\xff", "hex", None),
        (b"\0\0\0\0\x01" + b"\x02" * (3 << 20), "hex", "It has schema 1, and is too large to be read by it."),
        (b"\0\0\0\0\x03[" + b"{}," * 500_000 + b"1]", "hex", "It has schema 3, and is too large to be read by it."),
        (b'{"a": "' + b"x" * 10_000_000 + b'"}', "json", None),
        (b"\xff\xfe" * 500_000, "hex", None),
    ],
)
def test_bombs_take_little_and_say_why(raw: bytes, format: str, reason: str | None) -> None:
    tracemalloc.start()
    began = time.thread_time()
    found = DECODER.decode(raw)
    text = found.text or ""
    took_s = time.thread_time() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.format, found.reason) == (format, reason)
    assert len(text) >= len(raw)
    assert peak < 4 * len(raw) + 1_000_000
    # Seconds where it is not bounded, with the interpreter's lock held.
    assert took_s < 1


def test_what_is_packed_too_large_is_not_unpacked_when_asked_for_either() -> None:
    found = DECODER.decode(b"\xdd\x00\x10\x00\x00" + b"\x90" * (1 << 20), "msgpack")
    assert (found.format, found.reason) == ("hex", "It has more than 512 KiB, and is not unpacked.")


def framed(schema_id: int, value: object) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big") + Schemas().by_id(schema_id)[1].encode(value)


def test_schemas_of_the_registry() -> None:
    avro = DECODER.decode(framed(1, {"a": 5, "b": {"string": "x"}}))
    assert (avro.format, avro.schema_id, avro.tree) == ("avro", 1, {"a": 5, "b": {"string": "x"}})
    assert shown(DECODER.decode(framed(2, {"a": 7}))) == ("protobuf", '{"a":7}')
    assert shown(DECODER.decode(framed(3, {"a": 7}))) == ("json_schema", '{"a":7}')
    assert DECODER.decode(framed(1, {"a": 5, "b": None}), "avro").format == "avro"


def test_schemas_that_a_header_names() -> None:
    payload = framed(1, {"a": 5, "b": None})[5:]
    by_guid = [("__value_schema_id", b"\x01" + UUID(int=1).bytes)]
    assert DECODER.decode(payload, headers=by_guid).schema_id == 1
    assert DECODER.decode(payload, headers=[("__value_schema_id", b"\0\0\0\0\x01")]).schema_id == 1
    assert DECODER.decode(b"text", headers=[("__key_schema_id", b"\0\0\0\0\x01")]).format == "text"
    broken = DECODER.decode(b"\xff", headers=[("__value_schema_id", b"x")])
    assert broken.reason == "The header that names its schema has neither an id nor a GUID."


@pytest.mark.parametrize(
    ("decoder", "raw", "reason"),
    [
        (DECODER, b"\0\0\0\0\x09\xff", "No schema 9."),
        (DECODER, b"\0\0\0\0\x01\xff", "It is not what schema 1 says: "),
        (DECODER, b"\0\0\0\0\x02\x0c\x0c\xff", "It is not what schema 2 says: "),
        (Decoder(None), b"\0\0\0\0\x01\xff", "the cluster has no schema registry"),
    ],
)
def test_what_a_schema_does_not_read_is_hex_with_the_reason(decoder: Decoder, raw: bytes, reason: str) -> None:
    found = decoder.decode(raw)
    assert shown(found) == ("hex", raw.hex())
    assert reason in (found.reason or "")
    assert (found.reason or "").endswith(".")


@pytest.mark.parametrize(
    ("format", "raw", "text"),
    [
        ("long", struct.pack(">q", -5), "-5"),
        ("integer", struct.pack(">i", 42), "42"),
        ("short", struct.pack(">h", 7), "7"),
        ("double", struct.pack(">d", 1.5), "1.5"),
        ("float", struct.pack(">f", 0.5), "0.5"),
        ("uuid", UUID(int=5).bytes, str(UUID(int=5))),
        ("uuid", str(UUID(int=5)).encode(), str(UUID(int=5))),
        ("base64", b"\xff\x00", "/wA="),
        ("hex", b"abc", "616263"),
        ("text", b"a\xffb", "a\ufffdb"),
        ("json", b'"x"', '"x"'),
        ("msgpack", b"\x05", "5"),
        ("msgpack", b"\xc0", "null"),
    ],
)
def test_as_asked(format: str, raw: bytes, text: str) -> None:
    assert shown(DECODER.decode(raw, format)) == (format, text)


@pytest.mark.parametrize("format", ["long", "integer", "short", "double", "float", "uuid", "avro", "msgpack", "json"])
def test_what_is_not_as_asked_is_told(format: str) -> None:
    found = DECODER.decode(b"\xc1\xff\xff", format)
    assert found.format == "hex"
    assert found.reason is not None
    assert DECODER.decode(b"plain", "json").format == "text"


def test_headers_are_text_or_hex() -> None:
    assert [header_text(raw) for raw in (None, b"", b"abc", b"\xff")] == [None, "", "abc", "ff"]


ANY = st.one_of(
    st.binary(max_size=200),
    st.binary(max_size=50).map(lambda rest: b"\0\0\0\0\x01" + rest),
    st.binary(max_size=50).map(lambda rest: b"\0\0\0\0\x02" + rest),
    st.binary(max_size=50).map(lambda rest: b"\0\0\0\0\x03" + rest),
    st.text(max_size=100).map(lambda text: b'{"a": ' + text.encode() + b"}"),
    st.recursive(st.one_of(st.none(), st.integers(-(2**63), 2**64 - 1), st.floats(), st.text(), st.binary()),
                 lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 9), inner),
                 max_leaves=10).map(msgspec.msgpack.encode),
)  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(ANY, st.sampled_from(FORMATS), st.booleans())
@example(b'{"a": 1e999}', "auto", False)
@example(b'{"a": "\\ud800"}', "auto", False)
@example(b"\xef\xbb\xbf{}", "json", False)
def test_nothing_fails(raw: bytes, format: str, is_key: bool) -> None:
    found = DECODER.decode(raw, format, is_key=is_key, headers=[("__value_schema_id", raw)])
    assert isinstance(found.text, str)
    msgspec.json.encode([found.text, found.reason, found.format, found.tree])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=100))
def test_what_was_decoded_can_be_written_again(raw: bytes) -> None:
    """Replay: base64 and hex bring back the bytes, whatever they are."""
    encoder = Encoder(None)
    for format in ("base64", "hex"):
        assert encoder.encode(DECODER.decode(raw, format).text, format, subject="s") == raw


@pytest.mark.parametrize(
    ("format", "text", "raw"),
    [
        ("text", "olá", "olá".encode()),
        ("json", '{"a": 1}', b'{"a": 1}'),
        ("msgpack", '{"a": 1}', b"\x81\xa1a\x01"),
        ("long", "-1", b"\xff" * 8),
        ("integer", "1", b"\0\0\0\x01"),
        ("short", "1", b"\0\x01"),
        ("double", "0.5", struct.pack(">d", 0.5)),
        ("uuid", str(UUID(int=1)), UUID(int=1).bytes),
        ("text", None, None),
    ],
)
def test_writing(format: str, text: str | None, raw: bytes | None) -> None:
    assert Encoder(None).encode(text, format, subject="s") == raw


@given(st.text(max_size=60), st.sampled_from(WRITTEN_FORMATS))
def test_any_text_is_written_or_refused_in_a_sentence(text: str, format: str) -> None:
    try:
        told: object = Encoder(None).encode(text, format, subject="s")
    except EncodeError as error:
        told = str(error)
    assert isinstance(told, bytes) or (isinstance(told, str) and told.endswith("."))
