"""Framing, headers, versions and metadata as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

import pytest

from conformance.confluent import create_topic
from conformance.raw import KEYS, ClosedByBroker, RawConnection, batch
from conformance.running_broker import RunningBroker
from conformance.test_old_versions import versions
from riacho.wire import codec
from riacho.wire.apis import APIS
from riacho.wire.messages.api_versions_response import ApiVersionsResponse

FRAME_SIZE_BYTES_MAX = 104_857_600


@pytest.fixture
def connection(broker: RunningBroker) -> Iterator[RawConnection]:
    with RawConnection(broker.address) as made:
        yield made


def header(key: int, version: int, correlation_id: int = 7, client_id: bytes | None = b"raw") -> bytes:
    size = -1 if client_id is None else len(client_id)
    return struct.pack(">hhih", key, version, correlation_id, size) + (client_id or b"")


def test_a_null_client_id_in_both_header_versions(broker: RunningBroker) -> None:
    with RawConnection(broker.address, client_id=None) as connection:
        for version in (8, 9):
            assert connection.ask("Metadata", version, topics=[]).brokers


def test_unknown_tagged_fields_are_skipped_in_header_and_body(connection: RawConnection) -> None:
    tags = b"\x02\x64\x03abc\x65\x00"  # two fields, 100 with three bytes, 101 with none
    # Metadata v9: null topics are compact 0, here an empty list (1), three booleans, then the tags.
    connection.send_frame(header(3, 9) + tags + b"\x01\x00\x00\x00" + tags)
    assert connection.receive("Metadata", 9, 7).topics == []


@pytest.mark.parametrize("version", [5, 99, 32767])
def test_an_unknown_version_of_api_versions_is_answered_in_v0(connection: RawConnection, version: int) -> None:
    connection.send_frame(header(18, version) + b"\x00" + b"\xff\xff never parsed")
    frame = connection.receive_frame()
    assert struct.unpack_from(">i", frame) == (7,)
    answer = codec.decode(ApiVersionsResponse, 0, frame, 4)
    assert answer.error_code == 35  # UNSUPPORTED_VERSION (KIP-511)
    assert [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys] == [(18, 0, 4)]
    assert connection.ask("ApiVersions", 3, client_software_name="raw", client_software_version="1").error_code == 0


@pytest.mark.parametrize(
    ("name", "version"), [("", "1.0"), ("raw", ""), ("bad name", "1"), ("-raw", "1"), ("raw", "1\n")]
)
def test_illegal_client_software_is_refused(connection: RawConnection, name: str, version: str) -> None:
    answer = connection.ask("ApiVersions", 3, client_software_name=name, client_software_version=version)
    assert answer.error_code == 42  # INVALID_REQUEST (KIP-511)


def test_features_in_old_and_new_api_versions(connection: RawConnection) -> None:
    client = {"client_software_name": "raw", "client_software_version": "1.0"}
    old, new = (connection.ask("ApiVersions", version, **client) for version in (3, 4))
    assert all(feature.min_version >= 1 for feature in old.supported_features)  # KAFKA-17011: v3 cannot carry a zero
    assert "metadata.version" in {feature.name for feature in new.supported_features}
    finalized = {feature.name: feature.max_version_level for feature in new.finalized_features}
    assert finalized.get("metadata.version", 0) >= 1
    assert all(level >= 1 for level in finalized.values())
    assert new.finalized_features_epoch >= 0


def test_produce_is_advertised_from_zero_and_metadata_too(connection: RawConnection) -> None:
    ranges = {api.api_key: (api.min_version, api.max_version) for api in connection.ask("ApiVersions", 2).api_keys}
    assert ranges[KEYS["Produce"]] == (0, 13)  # KAFKA-18659, though 0-2 are refused
    assert ranges[KEYS["Metadata"]] == (0, 13)
    for param in versions("Fetch", "ListOffsets", "OffsetCommit", "OffsetFetch", "JoinGroup", "CreateTopics"):
        name, version = param.values
        first, last = ranges[KEYS[str(name)]]
        assert first <= version <= last, name


def test_only_broker_apis_are_advertised(connection: RawConnection) -> None:
    advertised = {api.api_key for api in connection.ask("ApiVersions", 0).api_keys}
    assert advertised <= {api.key for api in APIS.values() if "broker" in api.listeners}


@pytest.mark.parametrize(
    ("key", "version"),
    [(999, 0), (-1, 0), (3, 99), (3, -1), (1, 3), (0, 14), (52, 0), (4, 0)],
    ids=["unknown-key", "negative-key", "too-new", "negative-version", "too-old", "produce-14", "vote", "removed"],
)
def test_what_is_not_supported_ends_the_connection(connection: RawConnection, key: int, version: int) -> None:
    connection.send_frame(header(key, version) + bytes(20))
    assert connection.is_closed()


@pytest.mark.parametrize("version", [0, 1, 2])
def test_old_produce_is_refused(connection: RawConnection, version: int) -> None:
    connection.send_frame(header(0, version) + struct.pack(">hii", 1, 1_000, 0))
    assert connection.is_closed()


def test_api_versions_may_be_asked_again(connection: RawConnection) -> None:
    first, second = (connection.ask("ApiVersions", 0) for _ in range(2))
    assert [api.api_key for api in first.api_keys] == [api.api_key for api in second.api_keys]


def test_metadata_null_and_empty_topics(broker: RunningBroker, connection: RawConnection, name: str) -> None:
    create_topic(broker.bootstrap, name)
    everything = {topic.name for topic in connection.ask("Metadata", 1, topics=None).topics}
    assert name in everything
    assert connection.ask("Metadata", 1, topics=[]).topics == []
    assert {topic.name for topic in connection.ask("Metadata", 0, topics=[]).topics} >= {name}
    assert {topic.name for topic in connection.ask("Metadata", 12, topics=None).topics} >= {name}
    assert connection.ask("Metadata", 12, topics=[]).topics == []


def test_metadata_of_unknown_names_and_ids(connection: RawConnection, name: str) -> None:
    unknown = {"topics": [{"name": name}], "allow_auto_topic_creation": False}
    [by_name] = connection.ask("Metadata", 12, **unknown).topics
    assert (by_name.error_code, by_name.name, by_name.partitions) == (3, name, [])
    [by_id] = connection.ask("Metadata", 12, topics=[{"topic_id": b"\x01" * 16, "name": None}]).topics
    assert (by_id.error_code, by_id.name) == (100, None)  # UNKNOWN_TOPIC_ID
    [illegal] = connection.ask("Metadata", 12, topics=[{"name": "no good"}]).topics
    assert illegal.error_code == 17


def test_authorized_operations_only_when_asked(broker: RunningBroker, connection: RawConnection, name: str) -> None:
    create_topic(broker.bootstrap, name)
    quiet = connection.ask("Metadata", 9, topics=[{"name": name}])
    assert quiet.topics[0].topic_authorized_operations == -(2**31)
    assert quiet.cluster_authorized_operations == -(2**31)
    asked = {"include_topic_authorized_operations": True, "include_cluster_authorized_operations": True}
    told = connection.ask("Metadata", 9, topics=[{"name": name}], **asked)
    assert told.topics[0].topic_authorized_operations == 0b110111111000
    assert told.cluster_authorized_operations > 0


def test_answers_come_in_the_order_of_the_requests(broker: RunningBroker, connection: RawConnection, name: str) -> None:
    """A fetch that is parked holds back the answers to what was pipelined behind it."""
    create_topic(broker.bootstrap, name)
    partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1_000}
    topics = [{"topic": name, "partitions": [partition]}]
    started = time.monotonic()
    parked = connection.send(
        "Fetch", 11, max_wait_ms=700, min_bytes=1, max_bytes=1_000, session_epoch=-1, topics=topics
    )
    behind = [connection.send("Metadata", 9, topics=[]) for _ in range(3)]
    assert connection.receive("Fetch", 11, parked).error_code == 0
    assert time.monotonic() - started >= 0.6
    for correlation_id in behind:
        connection.receive("Metadata", 9, correlation_id)


@pytest.mark.parametrize("size", [-1, -(2**31), 2**31 - 1, FRAME_SIZE_BYTES_MAX + 1])
def test_a_bad_frame_size_ends_the_connection(connection: RawConnection, size: int) -> None:
    connection.socket.sendall(struct.pack(">i", size))
    assert connection.is_closed()


@pytest.mark.parametrize("frame", [b"", b"\x00", header(3, 9)[:6], header(18, 0)[:9] + b"\x7f\xff"], ids=len)
def test_a_frame_too_short_for_its_header_ends_the_connection(connection: RawConnection, frame: bytes) -> None:
    connection.send_frame(frame)
    assert connection.is_closed()


@pytest.mark.parametrize("body", [b"", b"\xff\xff\xff\xff\x0f", b"\x05\x01\x02"], ids=["empty", "giant-array", "cut"])
def test_a_body_that_does_not_decode_ends_the_connection(connection: RawConnection, body: bytes) -> None:
    connection.send_frame(header(3, 9) + b"\x00" + body)
    assert connection.is_closed()


def test_acks_zero_has_no_answer(broker: RunningBroker, connection: RawConnection, name: str) -> None:
    create_topic(broker.bootstrap, name)
    partition = {"index": 0, "records": batch(b"unanswered")}
    for _ in range(3):
        connection.send(
            "Produce", 9, acks=0, timeout_ms=1_000, topic_data=[{"name": name, "partition_data": [partition]}]
        )
    assert connection.ask("Metadata", 9, topics=[{"name": name}]).topics[0].name == name
    offsets = [{"name": name, "partitions": [{"partition_index": 0, "timestamp": -1}]}]
    assert connection.ask("ListOffsets", 5, replica_id=-1, topics=offsets).topics[0].partitions[0].offset == 3


def test_a_failed_acks_zero_ends_the_connection(connection: RawConnection, name: str) -> None:
    partition = {"index": 0, "records": batch(b"nowhere")}
    connection.send("Produce", 9, acks=0, timeout_ms=1_000, topic_data=[{"name": name, "partition_data": [partition]}])
    assert connection.is_closed()


def test_the_connection_survives_an_error_in_an_answer(connection: RawConnection, name: str) -> None:
    partition = {"index": 0, "records": batch(b"nowhere")}
    topic = {"name": name, "partition_data": [partition]}
    answer = connection.ask("Produce", 9, acks=1, timeout_ms=1_000, topic_data=[topic])
    assert answer.responses[0].partition_responses[0].error_code == 3
    try:
        connection.ask("ApiVersions", 0)
    except ClosedByBroker:
        pytest.fail("the connection ended after an error of one partition")
