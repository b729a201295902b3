"""What a consumer group leaves in the offsets topic: the same records, in Kafka's bytes, on either broker (KIP-848)."""

from __future__ import annotations

import struct
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from conformance.confluent import create_topic
from conformance.consumer_member import ConsumerMember, settle
from conformance.running_broker import RunningBroker
from riacho.groups.consumer import records as consumer_records
from riacho.groups.consumer.records import parse
from riacho.groups.metadata_hash import TopicHashes
from riacho.groups.topics_view import FixedTopics
from riacho.wire.codec import encode

OFFSETS = "__consumer_offsets"


def records_of(broker: RunningBroker, group: str) -> list[tuple[int, Any, Any, bytes, bytes | None]]:
    """(type, key, value, key bytes, value bytes) of the group, in order."""
    reader = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "reader", "enable.partition.eof": True})
    partitions = list(reader.list_topics(OFFSETS, 10).topics[OFFSETS].partitions)
    reader.assign([TopicPartition(OFFSETS, index, OFFSET_BEGINNING) for index in partitions])
    ended: set[int] = set()
    found = []
    while len(ended) < len(partitions):
        message = reader.poll(10)
        assert message is not None
        if message.error() is not None:
            partition = message.partition()
            assert partition is not None
            ended.add(partition)
            continue
        key, value = message.key(), message.value()
        assert isinstance(key, bytes)
        assert value is None or isinstance(value, bytes)
        (record_type,) = struct.unpack_from(">h", key)
        if record_type in consumer_records.RECORD_TYPES:
            parsed_key, parsed = parse(record_type, key, value)
            if parsed_key.group_id == group:
                found.append((record_type, parsed_key, parsed, key, value))
    reader.close()
    return found


def test_the_records_of_a_group(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, 3)
    member = ConsumerMember(broker, name, [name], instance_id="i", rack_id="r")
    member.join(server_assignor="range")
    settle(member, partitions=3)
    (topic_id,) = member.owned
    member.leave(-1)
    member.close()
    records = records_of(broker, name)
    for record_type, key, value, key_bytes, value_bytes in records:
        assert struct.pack(">h", record_type) + bytes(encode(key, 0)) == key_bytes
        assert value_bytes is None or b"\0\0" + bytes(encode(value, 0)) == value_bytes
    by_type: dict[int, list[Any]] = {}
    for record_type, _, value, _, _ in records:
        by_type.setdefault(record_type, []).append(value)
    joined = by_type[consumer_records.MEMBER][0]
    assert (joined.instance_id, joined.rack_id, joined.client_id, joined.client_host) == ("i", "r", "raw", "/127.0.0.1")
    assert (joined.subscribed_topic_names, joined.subscribed_topic_regex) == ([name], "")
    assert (joined.rebalance_timeout_ms, joined.server_assignor, joined.classic_member_metadata) == (
        10_000,
        "range",
        None,
    )
    # The last epoch but the one of leaving was of a group that subscribes to the topic.
    topics = FixedTopics({name: (topic_id, 3)})
    stored = [(value.epoch, value.metadata_hash) for value in by_type[consumer_records.GROUP]]
    assert stored[-2] == (member.epoch, TopicHashes().of_group([name], topics))
    assert stored[-1] == (member.epoch + 1, 0)
    target = by_type[consumer_records.TARGET_MEMBER][-2].topic_partitions
    assert [(topic.topic_id, sorted(topic.partitions)) for topic in target] == [(topic_id, [0, 1, 2])]
    metadata = by_type[consumer_records.TARGET_METADATA][-1]
    assert metadata.assignment_epoch == member.epoch
    assert metadata.assignment_timestamp > 1_600_000_000_000
    current = by_type[consumer_records.CURRENT_ASSIGNMENT][-2]
    assert (current.member_epoch, current.state) == (member.epoch, 0)
    (assigned,) = current.assigned_partitions
    assert (assigned.topic_id, sorted(assigned.partitions)) == (topic_id, [0, 1, 2])
    assert assigned.assignment_epochs == [member.epoch] * 3
    # Leaving takes the assignments away first, then the member, then tells of another epoch.
    assert [(record_type, value is None) for record_type, _, value, _, _ in records[-4:]] == [
        (consumer_records.CURRENT_ASSIGNMENT, True),
        (consumer_records.TARGET_MEMBER, True),
        (consumer_records.MEMBER, True),
        (consumer_records.GROUP, False),
    ]


def test_the_records_of_a_deleted_group(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, 1)
    member = ConsumerMember(broker, name, [name])
    member.join()
    settle(member, partitions=1)
    member.leave(-1)
    assert member.connection.ask("DeleteGroups", 2, groups_names=[name]).results[0].error_code == 0
    member.close()
    records = records_of(broker, name)
    assert [(record_type, value is None) for record_type, _, value, _, _ in records[-3:]] == [
        (consumer_records.TARGET_METADATA, True),
        (consumer_records.PARTITION_METADATA, True),
        (consumer_records.GROUP, True),
    ]
