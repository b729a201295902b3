"""No bytes make a decoder fail but by WireError, nor take memory that the input does not account for."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.wire.codec import decode, decoder, encode, is_flexible
from riacho.wire.encode_source import compile_encoder
from riacho.wire.header import decode_request_header
from riacho.wire.messages.consumer_group_member_metadata_value import ConsumerGroupMemberMetadataValue
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.primitives import WireError
from riacho.wire.schema import Field, Message, WireStruct
from support.wire_messages import RandomMessages, message_classes, message_versions, versions_of

GIANT_LENGTHS = (
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff",
)


def attempt(decode_at: Callable[[Any, int], tuple[Any, int]], data: Any) -> bool:
    """True if it decodes. Anything but a WireError escapes and fails the test."""
    try:
        _, end = decode_at(data, 0)
    except WireError:
        return False
    assert 0 <= end <= len(data)
    return True


@pytest.mark.parametrize("cls", message_classes(), ids=lambda cls: cls.NAME)
def test_a_message_cut_short_is_refused_at_every_byte(cls: type[Message]) -> None:
    for version in {cls.VERSIONS[0], cls.VERSIONS[1], *versions_of(cls)[::4]}:
        written = bytes(encode(RandomMessages((cls.NAME, version), 2).message(cls, version), version))
        for size in range(min(len(written), 600)):
            assert not attempt(decoder(cls, version), bytearray(written[:size])), f"v{version}, {size} bytes"


def test_flipped_bits_and_giant_lengths() -> None:
    rng = random.Random(20)
    for cls, version in message_versions():
        written = bytes(encode(RandomMessages((cls.NAME, version), 2).message(cls, version), version))
        for _ in range(12 if written else 0):
            data = bytearray(written)
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            attempt(decoder(cls, version), data)
            place = rng.randrange(len(written))
            length = rng.choice(GIANT_LENGTHS)
            attempt(decoder(cls, version), written[:place] + length + written[place + len(length) :])


def test_random_bytes() -> None:
    rng = random.Random(21)
    for cls, version in message_versions():
        for size in (0, 1, 3, 9, 40, 200):
            attempt(decoder(cls, version), rng.randbytes(size))
            attempt(decoder(cls, version), bytes(rng.choices((0, 0, 1, 2, 255), k=size)))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(message_versions()), st.binary(max_size=120))
def test_any_bytes(message_version: tuple[type[Message], int], data: bytes) -> None:
    attempt(decoder(*message_version), data)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_request_header(data: bytes) -> None:
    try:
        header = decode_request_header(data)
    except WireError:
        return
    assert 10 <= header.body_position <= len(data)


def test_memory_follows_the_input_and_not_the_lengths_that_it_claims() -> None:
    claims = [length + bytes(60) for length in GIANT_LENGTHS] + [bytes(n) + b"\x7f\xff\xff\xff" for n in range(12)]
    for cls, version in message_versions():
        decoder(cls, version)
    tracemalloc.start()
    for cls, version in message_versions():
        for data in claims:
            attempt(decoder(cls, version), data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def with_unknown_tags(message: Message, version: int, tags: bytes) -> bytes:
    """The message with a section of unknown tags in place of its last, empty one."""
    written = encode(message, version)
    assert written[-1] == 0
    return bytes(written[:-1]) + tags


UNKNOWN = (
    b"\x01\x63\x03abc",
    b"\x02\x63\x00\x64\x01z",
    b"\x02\x64\x01z\x63\x00",
    b"\x02\x63\x01a\x63\x01b",
    b"\x01\xff\xff\xff\xff\x07\x80\x01" + bytes(128),
)


@pytest.mark.parametrize("tags", UNKNOWN)
def test_unknown_tagged_fields_are_skipped(tags: bytes) -> None:
    # The one message that says by a tagged field that something is not there has no empty list of them.
    flexible = [
        (cls, version)
        for cls, version in message_versions()
        if is_flexible(cls, version) and cls is not ConsumerGroupMemberMetadataValue
    ]
    assert len(flexible) > 300
    for cls, version in flexible:
        message = cls()
        data = with_unknown_tags(message, version, tags)
        assert decoder(cls, version)(data, 0) == (message, len(data))
        for size in range(len(data) - len(tags), len(data)):
            assert not attempt(decoder(cls, version), data[:size])


def from_the_future(cls: type[Any], version: int, base: type[Any] = WireStruct) -> type[Any]:
    """The same struct, as this version has it, with two tagged fields more at every level."""
    fields = [
        f if isinstance(f.type, str) else f._replace(type=from_the_future(f.type, version))
        for f in cls.FIELDS
        if f.is_in(version)
    ]
    fields.append(Field("novelty", "string", tag=90))
    fields.append(Field("sequel", "int32", array=True, tag=300))
    names = [(f.name, Any, None) for f in fields]
    return msgspec.defstruct(cls.__name__, names, bases=(base,), namespace={"FIELDS": tuple(fields)})


def as_future(value: Any, cls: type[Any]) -> Any:
    if not isinstance(value, WireStruct):
        return value
    converted = {f.name: as_future_field(value, f) for f in cls.FIELDS[:-2]}
    return cls(**converted, novelty="x" * 200, sequel=[7, 8])


def as_future_field(owner: Any, field: Field) -> Any:
    value = getattr(owner, field.name)
    if isinstance(field.type, str) or value is None:
        return value
    return [as_future(v, field.type) for v in value] if field.array else as_future(value, field.type)


def test_fields_of_a_later_kafka_are_skipped_at_every_level() -> None:
    for cls, version in message_versions():
        if not is_flexible(cls, version):
            continue
        message = RandomMessages((cls.NAME, version, "future"), 2).message(cls, version)
        later = from_the_future(cls, version, Message)
        out = bytearray()
        compile_encoder(later, version, True)(as_future(message, later), out, None)
        assert len(out) >= len(encode(message, version)) + 200
        assert decoder(cls, version)(out, 0) == (message, len(out)), f"{cls.NAME} v{version}"


def test_a_known_tag_twice_takes_the_last() -> None:
    written = with_unknown_tags(FetchRequest(), 12, b"\x02\x00\x02\x02a\x00\x02\x02b")
    assert decode(FetchRequest, 12, written).cluster_id == "b"


def test_a_known_tag_with_a_wrong_size_is_refused() -> None:
    for size in (0, 1, 3, 4):
        data = with_unknown_tags(FetchRequest(), 12, bytes((1, 0, size)) + b"\x02a" + bytes(10))
        with pytest.raises(WireError):
            decode(FetchRequest, 12, data)
