"""Protobuf schemas of any shape: one text, one meaning; what is neither schema nor data is refused as agreed on.

The schemas come out of a seed, which a failure names: `Generator(seed)`.
"""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import replace
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.schemas.parsed import DataError, SchemaError, SchemaSource
from riacho.schemas.protobuf.elements import Message
from riacho.schemas.protobuf.printer import print_file
from riacho.schemas.protobuf.schema import ProtobufSchema, parse
from unit.schemas.protobuf.generated import Generator

quick = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
SEEDS = st.integers(0, 2**32)


def parsed(text: str) -> ProtobufSchema:
    return parse(SchemaSource(text))


def parsed_or_none(text: str) -> ProtobufSchema | None:
    try:
        return parsed(text)
    except SchemaError:
        return None


@given(SEEDS)
@quick
def test_the_text_is_its_own_text(seed: int) -> None:
    text = Generator(seed).text()
    text.encode()
    schema = parsed(text)
    assert schema.text == parsed(schema.text).text == text


@given(SEEDS)
@quick
def test_the_normal_form_is_its_own_and_reads_the_same_data(seed: int) -> None:
    schema = parsed(Generator(seed).text())
    normal = schema.normalized()
    assert parsed(normal.text).normalized().text == normal.text
    assert schema.differences(normal) == normal.differences(schema) == []


def _shuffled(message: Message, random: Random) -> Message:
    return replace(
        message,
        fields=tuple(random.sample(message.fields, len(message.fields))),
        oneofs=tuple(
            replace(each, fields=tuple(random.sample(each.fields, len(each.fields)))) for each in message.oneofs
        ),
        messages=tuple(_shuffled(nested, random) for nested in message.messages),
    )


@given(SEEDS)
@quick
def test_the_order_of_fields_does_not_matter_to_the_normal_form(seed: int) -> None:
    generator = Generator(seed)
    file = generator.file()
    other = replace(file, messages=tuple(_shuffled(message, generator.random) for message in file.messages))
    assert parsed(print_file(other)).normalized().text == parsed(print_file(file)).normalized().text


@given(SEEDS)
@quick
def test_a_descriptor_is_the_same_schema(seed: int) -> None:
    schema = parsed(Generator(seed).text())
    again = parsed(schema.formatted("serialized"))
    assert again.differences(schema) == schema.differences(again) == []
    assert again.formatted("serialized") == schema.formatted("serialized")
    assert again.name == schema.name == "p.M0"


@given(SEEDS)
@quick
def test_payloads_round_trip(seed: int) -> None:
    generator = Generator(seed)
    # Of proto2, a message that requires one of its own kind has no value at all.
    generator.syntax = "proto3"
    schema = parsed(generator.text())
    file = schema.file.element
    for message in file.messages:
        codec = schema.codec(message.name)
        payload = codec.encode(generator.value(file, message))
        decoded = codec.decode(payload)
        assert codec.encode(decoded) == payload


@given(SEEDS, st.binary(max_size=40))
@quick
def test_any_bytes_are_read_or_refused(seed: int, payload: bytes) -> None:
    codec = parsed(Generator(seed).text()).codec()
    for start in (b"", b"\x00", b"\x02\x00"):
        with suppress(DataError):
            codec.decode(start + payload)


EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.text("{}[]()<>;=,.\"'/*-+ 019azMé\n", max_size=3)), max_size=4)


@given(SEEDS, EDITS)
@quick
def test_any_text_is_read_or_refused(seed: int, edits: list[tuple[int, str]]) -> None:
    text = Generator(seed).text()
    for place, inserted in edits:
        place %= len(text) + 1
        text = text[:place] + inserted + text[place + len(inserted) :]
    schema = parsed_or_none(text)
    if schema is not None:
        assert parsed(schema.text).text == schema.text
        assert schema.differences(schema.normalized()) == []


@given(SEEDS, st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4))
@quick
def test_any_descriptor_is_read_or_refused(seed: int, edits: list[tuple[int, int]]) -> None:
    data = bytearray(base64.b64decode(parsed(Generator(seed).text()).formatted("serialized")))
    for place, byte in edits:
        data[place % len(data)] = byte
    schema = parsed_or_none(base64.b64encode(bytes(data)).decode())
    if schema is not None:
        assert parsed(schema.text).text == schema.text


@given(st.text(max_size=60))
@quick
def test_rubbish_is_refused_in_one_line(text: str) -> None:
    reason = ""
    try:
        parsed(text)
    except SchemaError as error:
        reason = str(error)
    assert "\n" not in reason
    reason.encode()
