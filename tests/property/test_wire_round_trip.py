"""Whatever a version can carry comes back equal, for every message: API, metadata, coordinator and storage alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.wire.codec import decode, decoder, encode
from riacho.wire.schema import Field, Message, WireStruct
from riacho.wire.source import default_of
from support.wire_messages import (
    INTEGER_BITS,
    RandomMessages,
    integer_range,
    message_classes,
    message_versions,
    structs_below,
    versions_of,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
FINITE = st.floats(allow_nan=False)


def singles(field: Field, version: int) -> st.SearchStrategy[Any]:
    if not isinstance(field.type, str):
        return structs(field.type, version)
    if field.type in INTEGER_BITS:
        return st.integers(*integer_range(field.type))
    simple = {"bool": st.booleans(), "float64": FINITE, "uuid": st.binary(min_size=16, max_size=16), "string": TEXT}
    return simple.get(field.type, st.binary(max_size=300))


def values(field: Field, version: int) -> st.SearchStrategy[Any]:
    found = singles(field, version)
    if field.array:
        found = st.lists(found, max_size=3)
    return st.none() | found if field.is_nullable_in(version) else found


def structs(cls: type[WireStruct], version: int) -> st.SearchStrategy[Any]:
    given_fields = {f.name: values(f, version) for f in cls.FIELDS if f.is_in(version)}
    optional = {f.name for f in cls.FIELDS if f.tag is not None}
    return st.fixed_dictionaries(
        {name: s for name, s in given_fields.items() if name not in optional},
        optional={name: s for name, s in given_fields.items() if name in optional},
    ).map(lambda chosen: cls(**chosen))


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_is_written_is_read(data: st.DataObject) -> None:
    cls, version = data.draw(st.sampled_from(message_versions()))
    message = data.draw(structs(cls, version))
    written = encode(message, version)
    assert decoder(cls, version)(written, 0) == (message, len(written))
    assert encode(decode(cls, version, bytes(written)), version) == written


@pytest.mark.parametrize("cls", message_classes(), ids=lambda cls: cls.NAME)
def test_every_version_round_trips(cls: type[Message]) -> None:
    for version in versions_of(cls):
        for seed in range(3):
            message = RandomMessages((cls.NAME, version, seed)).message(cls, version)
            written = encode(message, version)
            for buffer in (written, bytes(written), memoryview(written)):
                assert decoder(cls, version)(buffer, 0) == (message, len(written)), f"v{version}"


def test_position_and_rest_of_the_buffer_are_respected() -> None:
    for cls, version in message_versions():
        message = RandomMessages((cls.NAME, version)).message(cls, version)
        written = encode(message, version)
        assert decoder(cls, version)(b"before" + written + b"after", 6) == (message, 6 + len(written))


def test_large_messages_are_read_without_the_copy_of_small_ones() -> None:
    for cls, version in message_versions()[::5]:
        message = RandomMessages((cls.NAME, version), elements_max=12).message(cls, version)
        padding = bytes(5000)
        written = encode(message, version) + padding
        assert decode(cls, version, written) == message
        assert decode(cls, version, memoryview(written)) == message


def test_number_arrays_of_every_size() -> None:
    for cls, version in message_versions():
        fields = [f for f in cls.FIELDS if f.array and f.type == "int32" and f.is_in(version)]
        for field in fields:
            for count in (31, 32, 33, 500):
                message = cls(**{field.name: list(range(count))})
                assert getattr(decode(cls, version, encode(message, version)), field.name) == list(range(count))


def test_the_defaults_of_a_version_round_trip() -> None:
    for cls, version in message_versions():
        assert decode(cls, version, encode(cls(), version)) == cls()


def test_there_are_messages_of_every_kind() -> None:
    names = {cls.NAME for cls in message_classes()}
    assert {"FetchRequest", "TopicRecord", "OffsetCommitKey", "TransactionLogValue", "ProducerSnapshot"} <= names
    assert {"QuorumStateData", "ShareSnapshotValue", "LeaderChangeMessage", "EndTxnMarker", "RequestHeader"} <= names
    assert len(message_versions()) == 739


def test_tables_and_classes_agree() -> None:
    for cls in message_classes():
        for below in structs_below(cls):
            assert [f.name for f in below.FIELDS] == list(below.__struct_fields__)
            for field in below.FIELDS:
                assert getattr(below(), field.name) == default_of(field), f"{below.__name__}.{field.name}"
