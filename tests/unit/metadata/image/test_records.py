from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.records import RECORD_TYPES, decode_record, encode_record
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.schema import Message

ID = bytes(range(16))


def test_bytes_of_kafka_4_3() -> None:
    """Read off a metadata log that Apache Kafka 4.3.1 wrote."""
    assert encode_record(NoOpRecord()).hex() == "01140000"
    feature = FeatureLevelRecord(name="metadata.version", feature_level=30)
    assert encode_record(feature).hex() == "010c00116d657461646174612e76657273696f6e001e00"
    assert encode_record(TopicRecord(name="a", topic_id=ID)) == b"\x01\x02\x00\x02a" + ID + b"\x00"


@pytest.mark.parametrize(
    "record",
    [
        PartitionRecord(
            partition_id=3,
            topic_id=ID,
            replicas=[1, 2],
            isr=[1],
            leader=1,
            leader_epoch=4,
            partition_epoch=7,
            directories=[ID, ID],
            eligible_leader_replicas=[2],
        ),
        PartitionChangeRecord(partition_id=0, topic_id=ID, leader=2, isr=[2]),
        TopicRecord(name="é", topic_id=ID),
    ],
)
def test_what_goes_in_comes_out(record: Message) -> None:
    assert decode_record(encode_record(record)) == record
    assert decode_record(memoryview(encode_record(record))) == record


def test_every_record_type_has_a_number_of_its_own_and_a_default_that_round_trips() -> None:
    assert len(RECORD_TYPES) == 26
    for number, cls in RECORD_TYPES.items():
        record = cls()
        assert encode_record(record)[1] == number
        assert decode_record(encode_record(record)) == record


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (b"", ErrorCode.CORRUPT_MESSAGE),
        (b"\x01", ErrorCode.CORRUPT_MESSAGE),
        (b"\x02\x14\x00\x00", ErrorCode.CORRUPT_MESSAGE),
        (b"\x01\x7f\x00\x00", ErrorCode.UNSUPPORTED_VERSION),
        (b"\x01\x14\x09\x00", ErrorCode.CORRUPT_MESSAGE),
        (b"\xff\xff\xff\xff\xff\xff", ErrorCode.CORRUPT_MESSAGE),
        (b"\x01\x02\x00\x05ab", ErrorCode.CORRUPT_MESSAGE),
    ],
)
def test_what_cannot_be_read_is_refused_not_skipped(value: bytes, code: ErrorCode) -> None:
    with pytest.raises(KafkaError) as raised:
        decode_record(value)
    assert raised.value.code is code


def test_a_request_is_no_record() -> None:
    with pytest.raises(AssertionError):
        encode_record(MetadataRequest())
