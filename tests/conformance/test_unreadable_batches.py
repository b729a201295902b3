"""Batches whose header and CRC are right and whose records are not: never stored, by either way of a produce request.

Apache Kafka refuses the same ones, seen beside it, but for two kinds over which its own consumers stumble: uncompressed
records out of their places, and compressed ones whose length is not that of their fields. Where a mistake trips an
exception that it does not expect, it says UNKNOWN_SERVER_ERROR; here it is INVALID_RECORD throughout, which tells a
client as well not to send it again.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import cramjam
import pytest

from conformance.confluent import create_topic
from conformance.raw import RawConnection, batch, wait_until_served
from conformance.running_broker import RunningBroker
from conformance.test_raw_produce_fetch import Topic
from riacho.base.errors import ErrorCode
from riacho.wire.batch import HEADER_SIZE_BYTES, seal
from riacho.wire.compression import Codec, compress
from support.unreadable_batches import COUNT_AT, GOOD, MALFORMED, MAX_TIMESTAMP_AT, crafted, record

MISSTATED_LENGTHS = ("a length past the batch", "a length below the fields", "a negative length")
PACKED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


@pytest.fixture
def topic(broker: RunningBroker, name: str) -> Iterator[Topic]:
    create_topic(broker.bootstrap, name, partitions=2)
    with RawConnection(broker.address) as connection:
        wait_until_served(connection, name, 2)
        yield Topic(connection, name)


def assert_refused(broker: RunningBroker, topic: Topic, made: bytes, stored: int = 0) -> Any:
    answer = topic.produce(made)
    allowed = {ErrorCode.INVALID_RECORD}
    if broker.kind != "riacho":
        allowed.add(ErrorCode.UNKNOWN_SERVER_ERROR)
    assert answer.error_code in allowed
    assert topic.offset(-1)[0] == stored
    return answer


def test_records_that_are_none_are_refused(broker: RunningBroker, topic: Topic) -> None:
    for why, made in MALFORMED.items():
        assert assert_refused(broker, topic, made).record_errors == [], why


def test_so_they_are_after_others_like_them_that_were_taken(broker: RunningBroker, topic: Topic) -> None:
    """By then the connection's requests take the fast path."""
    stored = 0
    for made in MALFORMED.values():
        for _ in range(2):
            assert topic.produce(batch(b"good")).base_offset == stored
            stored += 1
        assert_refused(broker, topic, made, stored)


@pytest.mark.parametrize("codec", PACKED)
def test_packed_records_that_are_none_are_refused(broker: RunningBroker, topic: Topic, codec: Codec) -> None:
    for why, made in MALFORMED.items():
        if broker.kind != "riacho" and why in MISSTATED_LENGTHS:
            continue
        count = struct.unpack_from(">i", made, COUNT_AT)[0]
        assert_refused(broker, topic, crafted(compress(codec, made[HEADER_SIZE_BYTES:]), count, codec))


@pytest.mark.parametrize("codec", PACKED)
def test_records_that_cannot_be_unpacked_are_refused(broker: RunningBroker, topic: Topic, codec: Codec) -> None:
    assert_refused(broker, topic, crafted(GOOD, 3, codec))
    assert_refused(broker, topic, crafted(compress(codec, GOOD * 100)[:-9], 300, codec))
    assert_refused(broker, topic, crafted(b"", 3, codec))


@pytest.mark.parametrize("codec", Codec)
def test_records_out_of_their_places(broker: RunningBroker, topic: Topic, codec: Codec) -> None:
    made = crafted(compress(codec, record(0) + record(2) + record(1)), 3, codec)
    if broker.kind == "riacho":
        errors = assert_refused(broker, topic, made).record_errors
        assert [error.batch_index for error in errors] == [1, 2]
    elif codec is not Codec.NONE:
        assert_refused(broker, topic, made)


def test_no_records_at_all(broker: RunningBroker, topic: Topic) -> None:
    assert assert_refused(broker, topic, crafted(b"", 0)).error_code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", Codec)
def test_the_largest_timestamp_is_that_of_the_records(topic: Topic, codec: Codec) -> None:
    made = batch(b"a", b"b", b"c", base_timestamp=5_000, codec=codec)
    for said in (4_000, 9_999, -1):
        struct.pack_into(">q", made, MAX_TIMESTAMP_AT, said)
        seal(made)
        offset = topic.produce(made).base_offset
        assert struct.unpack_from(">q", topic.fetch(offset).records, MAX_TIMESTAMP_AT)[0] == 5_002


def test_a_bomb_is_refused(broker: RunningBroker, topic: Topic) -> None:
    """Six kilobytes that unpack to a hundred megabytes."""
    assert topic.produce(batch(b"good")).base_offset == 0
    answer = topic.produce(crafted(bytes(cramjam.zstd.compress(bytes(100 << 20))), 3, Codec.ZSTD))
    assert answer.error_code in (ErrorCode.INVALID_RECORD, ErrorCode.MESSAGE_TOO_LARGE)
    assert topic.produce(batch(b"good")).base_offset == 1
