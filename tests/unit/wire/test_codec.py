"""The codec's own promises: versions, nulls, defaults, tags, splices, views, errors."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.wire.codec import decode, decoder, encode, encoder
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.messages.consumer_group_heartbeat_response import Assignment, ConsumerGroupHeartbeatResponse
from riacho.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ConsumerGroupMemberMetadataValue,
)
from riacho.wire.messages.fetch_request import FetchRequest, ReplicaState
from riacho.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, LeaderIdAndEpoch, PartitionData
from riacho.wire.messages.fetch_snapshot_response import FetchSnapshotResponse, PartitionSnapshot, TopicSnapshot
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.offset_commit_value import OffsetCommitValue
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.primitives import WireError


class Slice:
    def __init__(self, size: int) -> None:
        self.size = size


def produce(records: Any) -> ProduceRequest:
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(index=3, records=records)])
    return ProduceRequest(transactional_id=None, acks=-1, timeout_ms=1500, topic_data=[data])


def fetch(*records: Any) -> FetchResponse:
    partitions = [PartitionData(partition_index=i, records=r) for i, r in enumerate(records)]
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])


def test_old_encoding_byte_for_byte() -> None:
    expected = bytes.fromhex("ffff ffff 000005dc 00000001 0001 74 00000001 00000003 00000002 6162")
    assert encode(produce(b"ab"), 8) == expected


def test_flexible_encoding_byte_for_byte() -> None:
    expected = bytes.fromhex("00 ffff 000005dc 02 02 74 02 00000003 03 6162 00 00 00")
    assert encode(produce(b"ab"), 9) == expected


def test_metadata_record_byte_for_byte() -> None:
    assert encode(TopicRecord(name="foo", topic_id=bytes(range(16))), 0) == b"\x04foo" + bytes(range(16)) + b"\x00"


def test_tagged_fields_leave_in_the_order_of_their_tags() -> None:
    record = PartitionChangeRecord(partition_id=1, leader=2, isr=[2, 3])
    tags = bytes.fromhex("02 00 09 03 00000002 00000003 01 04 00000002")
    assert encode(record, 0) == bytes.fromhex("00000001") + bytes(16) + tags


def test_a_tag_at_its_default_is_not_written() -> None:
    assert encode(FetchRequest(replica_state=ReplicaState()), 15) == encode(FetchRequest(), 15)
    assert len(encode(FetchRequest(replica_state=ReplicaState(replica_id=1)), 15)) > len(encode(FetchRequest(), 15))


def test_an_empty_array_is_not_the_default_null() -> None:
    written = encode(PartitionChangeRecord(isr=[]), 0)
    assert written[-4:] == b"\x01\x00\x01\x01"
    assert decode(PartitionChangeRecord, 0, written).isr == []
    assert encode(PartitionChangeRecord(isr=None), 0)[-1:] == b"\x00"


def test_nullable_struct_has_a_presence_byte() -> None:
    absent = encode(ConsumerGroupHeartbeatResponse(), 0)
    present = encode(ConsumerGroupHeartbeatResponse(assignment=Assignment()), 0)
    assert absent[-2:] == b"\xff\x00"
    assert present[-4:] == b"\x01\x01\x00\x00"
    assert decode(ConsumerGroupHeartbeatResponse, 0, absent).assignment is None
    assert decode(ConsumerGroupHeartbeatResponse, 0, present).assignment == Assignment()


def test_nullable_struct_in_a_tag_has_a_presence_byte_too() -> None:
    value = ConsumerGroupMemberMetadataValue(classic_member_metadata=ClassicMemberMetadata(session_timeout_ms=5))
    written = encode(value, 0)
    assert written.endswith(b"\x01\x00\x07\x01\x00\x00\x00\x05\x01\x00")
    assert decode(ConsumerGroupMemberMetadataValue, 0, written) == value


def test_null_and_empty_arrays_differ() -> None:
    for version in (1, 9):
        assert decode(MetadataRequest, version, encode(MetadataRequest(topics=None), version)).topics is None
        assert decode(MetadataRequest, version, encode(MetadataRequest(topics=[]), version)).topics == []


def test_null_where_the_version_has_none_is_refused() -> None:
    with pytest.raises(WireError, match=r"MetadataRequest\.topics is null"):
        encode(MetadataRequest(topics=None), 0)
    with pytest.raises(WireError, match="null"):
        decode(MetadataRequest, 0, b"\xff\xff\xff\xff")
    with pytest.raises(WireError, match="null"):
        decode(HeartbeatRequest, 4, b"\x00" * 20)
    with pytest.raises(WireError, match="null"):
        encode(MetadataRequest(topics=[MetadataRequestTopic(name=None)]), 9)


def test_a_set_field_that_the_version_lacks_is_refused_unless_ignorable() -> None:
    with pytest.raises(WireError, match=r"HeartbeatRequest v0: HeartbeatRequest\.group_instance_id is set"):
        encode(HeartbeatRequest(group_instance_id="a"), 0)
    value = OffsetCommitValue(offset=5, leader_epoch=9)
    assert decode(OffsetCommitValue, 1, encode(value, 1)).leader_epoch == -1
    assert decode(OffsetCommitValue, 3, encode(value, 3)).leader_epoch == 9


def test_records_are_a_view_of_the_callers_buffer() -> None:
    for version in (8, 9):
        buffer = encode(produce(b"\x00" * 300), version)
        records = decode(ProduceRequest, version, buffer).topic_data[0].partition_data[0].records
        assert isinstance(records, memoryview)
        assert not records.readonly
        records[0] = 0x7F
        assert b"\x7f" in buffer
        with pytest.raises(BufferError):
            buffer.clear()


@pytest.mark.parametrize("size", [0, 1, 126, 127, 128, 16381, 16382, 16383, 16384, 70_000])
def test_records_of_every_length_prefix(size: int) -> None:
    for version in (8, 9):
        decoded = decode(ProduceRequest, version, encode(produce(b"r" * size), version))
        assert decoded.topic_data[0].partition_data[0].records == b"r" * size


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_records_of_any_buffer_are_written(kind: Any) -> None:
    assert encode(produce(kind(b"abc")), 9) == encode(produce(b"abc"), 9)


@pytest.mark.parametrize("version", [4, 11, 12, 17])
def test_splices_leave_their_place_and_their_size(version: int) -> None:
    message = fetch(Slice(5), b"in memory", Slice(70_000), None, Slice(0))
    if version > 12:
        message.responses[0].topic = ""
    out, splices = bytearray(b"header"), []
    encoder(FetchResponse, version)(message, out, splices)
    assert [splice.size for _, splice in splices] == [5, 70_000, 0]
    for position, splice in reversed(splices):
        out[position:position] = b"s" * splice.size
    decoded, end = decoder(FetchResponse, version)(out, 6)
    assert end == len(out)
    found = [p.records for p in decoded.responses[0].partitions]
    assert found == [b"s" * 5, b"in memory", b"s" * 70_000, None, b""]


def test_a_splice_needs_a_list() -> None:
    with pytest.raises(WireError, match="splices"):
        encode(fetch(Slice(5)), 12)


def test_non_nullable_records_must_be_given() -> None:
    topics = [TopicSnapshot(name="t", partitions=[PartitionSnapshot()])]
    with pytest.raises(WireError, match="unaligned_records is null"):
        encode(FetchSnapshotResponse(topics=topics), 0)


def test_defaults_are_fresh() -> None:
    first, second = FetchResponse(), FetchResponse()
    first.responses.append(FetchableTopicResponse())
    assert second.responses == []
    one, other = PartitionData(), PartitionData()
    one.current_leader.leader_id = 7
    assert other.current_leader == LeaderIdAndEpoch()
    # What the encoder holds as the default is not reached either.
    assert decode(FetchResponse, 12, encode(fetch(b""), 12)).responses[0].partitions[0].current_leader.leader_id == -1


def test_unknown_versions_are_refused() -> None:
    for version in (-1, 3, 19):
        with pytest.raises(WireError, match="versions 4 to 18"):
            decoder(FetchRequest, version)
        with pytest.raises(WireError, match="versions 4 to 18"):
            encoder(FetchRequest, version)


def test_functions_are_compiled_once() -> None:
    assert decoder(FetchRequest, 12) is decoder(FetchRequest, 12)
    assert encoder(FetchRequest, 12) is encoder(FetchRequest, 12)


@pytest.mark.parametrize(
    "message",
    [
        HeartbeatRequest(generation_id=2**31),
        HeartbeatRequest(group_id="x" * 32_768),
        HeartbeatRequest(group_id="\ud800"),
        HeartbeatRequest(group_id=5),  # type: ignore[arg-type]
        HeartbeatRequest(generation_id="a"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("version", [3, 4])
def test_values_that_do_not_fit_are_wire_errors(message: HeartbeatRequest, version: int) -> None:
    with pytest.raises(WireError, match=f"HeartbeatRequest v{version}"):
        encode(message, version)


@pytest.mark.parametrize("uuid", [b"", b"short", bytes(17)])
def test_a_uuid_of_another_size_is_refused(uuid: bytes) -> None:
    with pytest.raises(WireError, match="16 bytes"):
        encode(TopicRecord(name="foo", topic_id=uuid), 0)
    with pytest.raises(WireError, match="16 bytes"):
        encode(OffsetCommitValue(topic_id=uuid), 4)
    with pytest.raises(WireError, match="16 bytes"):
        encode(PartitionRecord(directories=[uuid]), 1)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_small_message_in_a_large_buffer_is_read_without_a_copy(kind: Any) -> None:
    message = HeartbeatRequest(group_id="g" * 50, member_id="m")
    buffer = kind(bytes(10_000_000) + encode(message, 4))
    position = 10_000_000
    decoder(HeartbeatRequest, 4)(buffer, position)
    tracemalloc.start()
    assert decoder(HeartbeatRequest, 4)(buffer, position) == (message, len(buffer))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_the_longest_string_fits() -> None:
    for version in (3, 4):
        message = HeartbeatRequest(group_id="x" * 32_767)
        assert decode(HeartbeatRequest, version, encode(message, version)) == message


def test_a_compact_string_beyond_kafkas_limit_is_refused() -> None:
    # 0x8000 + 1 as a varint, with all of its bytes there.
    with pytest.raises(WireError, match="32768"):
        decode(HeartbeatRequest, 4, b"\x81\x80\x02" + b"x" * 40_000)


def test_bad_utf8_is_a_wire_error() -> None:
    with pytest.raises(WireError, match="HeartbeatRequest v4"):
        decode(HeartbeatRequest, 4, b"\x02\xff" + bytes(20))


def test_counts_are_held_against_the_bytes_that_remain() -> None:
    with pytest.raises(WireError, match="ends before"):
        decode(MetadataRequest, 0, b"\x00\x00\x00\x09" + bytes(16))
    assert len(decode(MetadataRequest, 0, b"\x00\x00\x00\x08" + bytes(16)).topics or []) == 8


def test_any_negative_length_is_null() -> None:
    for length in (-1, -2, -(2**31)):
        assert decode(MetadataRequest, 1, length.to_bytes(4, "big", signed=True)).topics is None


def test_any_non_zero_byte_is_true() -> None:
    written = bytearray(encode(MetadataRequest(allow_auto_topic_creation=True), 4))
    written[-1] = 0x40
    assert decode(MetadataRequest, 4, written).allow_auto_topic_creation is True


def test_int_enums_are_integers() -> None:
    code = ErrorCode.UNSUPPORTED_VERSION
    assert encode(ApiVersionsResponse(error_code=code), 0) == encode(ApiVersionsResponse(error_code=35), 0)
