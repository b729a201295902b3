"""librdkafka's admin client: topics, partitions, configs, groups, offsets, records, cluster."""

from __future__ import annotations

import pytest
from confluent_kafka import ConsumerGroupState, KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka import ConsumerGroupTopicPartitions as GroupPartitions
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from conformance.confluent import TIMEOUT_S, admin, consumer, create_topic, produce, take
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually


def code_of(error: pytest.ExceptionInfo[KafkaException]) -> int:
    code: int = error.value.args[0].code()
    return code


def test_create_describe_and_delete_topics(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name, partitions=3, config={"retention.ms": "123456"})
    described = client.describe_topics(TopicCollection([name]))[name].result(TIMEOUT_S)
    assert described.name == name
    assert not described.is_internal
    assert [partition.id for partition in described.partitions] == [0, 1, 2]
    assert all(partition.leader.id == partition.replicas[0].id for partition in described.partitions)
    assert all(len(partition.isr) == 1 for partition in described.partitions)
    assert len(str(described.topic_id)) == 22
    client.delete_topics([name], operation_timeout=TIMEOUT_S)[name].result(TIMEOUT_S)
    eventually(lambda: name not in client.list_topics(timeout=TIMEOUT_S).topics)
    with pytest.raises(KafkaException) as gone:
        client.delete_topics([name])[name].result(TIMEOUT_S)
    assert code_of(gone) == KafkaError.UNKNOWN_TOPIC_OR_PART


@pytest.mark.parametrize(
    ("topic", "code"),
    [
        (NewTopic("bad name", num_partitions=1, replication_factor=1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic("..", num_partitions=1, replication_factor=1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic("x" * 250, num_partitions=1, replication_factor=1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic("no-partitions", num_partitions=0, replication_factor=1), KafkaError.INVALID_PARTITIONS),
        (NewTopic("many-replicas", num_partitions=1, replication_factor=3), KafkaError.INVALID_REPLICATION_FACTOR),
        (NewTopic("bad-config", num_partitions=1, config={"cleanup.policy": "burn"}), KafkaError.INVALID_CONFIG),
        (NewTopic("unknown-config", num_partitions=1, config={"no.such.key": "1"}), KafkaError.INVALID_CONFIG),
        (NewTopic("bad-number", num_partitions=1, config={"retention.ms": "soon"}), KafkaError.INVALID_CONFIG),
        (NewTopic("bad-broker", num_partitions=1, replica_assignment=[[99]]), KafkaError.INVALID_REPLICA_ASSIGNMENT),
    ],
    ids=lambda value: getattr(value, "topic", "")[:20] if isinstance(value, NewTopic) else "",
)
def test_bad_topics_are_refused(broker: RunningBroker, topic: NewTopic, code: int) -> None:
    client = admin(broker.bootstrap)
    with pytest.raises(KafkaException) as refused:
        client.create_topics([topic])[topic.topic].result(TIMEOUT_S)
    assert code_of(refused) == code


def test_a_topic_exists_once_and_validate_only_creates_nothing(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    client.create_topics([NewTopic(name, num_partitions=1)], validate_only=True)[name].result(TIMEOUT_S)
    assert name not in client.list_topics(timeout=TIMEOUT_S).topics
    create_topic(broker.bootstrap, name)
    with pytest.raises(KafkaException) as refused:
        client.create_topics([NewTopic(name, num_partitions=1)])[name].result(TIMEOUT_S)
    assert code_of(refused) == KafkaError.TOPIC_ALREADY_EXISTS


def test_partitions_grow_and_never_shrink(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name, partitions=2)
    client.create_partitions([NewPartitions(name, 5)])[name].result(TIMEOUT_S)
    eventually(lambda: len(client.list_topics(name, TIMEOUT_S).topics[name].partitions) == 5)
    for total in (5, 3):
        with pytest.raises(KafkaException) as refused:
            client.create_partitions([NewPartitions(name, total)])[name].result(TIMEOUT_S)
        assert code_of(refused) == KafkaError.INVALID_PARTITIONS


def test_topic_configs_are_described_set_and_deleted(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name, config={"retention.ms": "1000"})
    resource = ConfigResource(ResourceType.TOPIC, name)
    configs = client.describe_configs([resource])[resource].result(TIMEOUT_S)
    assert (configs["retention.ms"].value, configs["retention.ms"].source) == (
        "1000",
        ConfigSource.DYNAMIC_TOPIC_CONFIG.value,
    )
    assert configs["segment.bytes"].value == "1073741824"
    assert configs["segment.bytes"].source == ConfigSource.DEFAULT_CONFIG.value
    assert len(configs) >= 30

    def change(key: str, value: str | None, operation: AlterConfigOpType) -> None:
        entry = ConfigEntry(key, value, incremental_operation=operation)
        change = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
        client.incremental_alter_configs([change])[change].result(TIMEOUT_S)

    def value(key: str) -> str | None:
        found = client.describe_configs([resource])[resource].result(TIMEOUT_S)[key].value
        assert found is None or isinstance(found, str)
        return found

    change("retention.ms", "2000", AlterConfigOpType.SET)
    change("cleanup.policy", "compact", AlterConfigOpType.APPEND)
    eventually(lambda: value("retention.ms") == "2000")
    eventually(lambda: set((value("cleanup.policy") or "").split(",")) == {"delete", "compact"})
    change("cleanup.policy", "delete", AlterConfigOpType.SUBTRACT)
    eventually(lambda: value("cleanup.policy") == "compact")
    change("retention.ms", None, AlterConfigOpType.DELETE)
    eventually(lambda: value("retention.ms") == "604800000")
    with pytest.raises(KafkaException) as refused:
        change("retention.ms", "never", AlterConfigOpType.SET)
    assert code_of(refused) == KafkaError.INVALID_CONFIG


def test_a_changed_message_limit_is_obeyed_at_once(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name)
    entry = ConfigEntry("max.message.bytes", "500", incremental_operation=AlterConfigOpType.SET)
    change = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
    client.incremental_alter_configs([change])[change].result(TIMEOUT_S)

    def refused() -> bool:
        try:
            produce(broker.bootstrap, name, [{"value": b"v" * 600}])
        except AssertionError as error:
            return "MSG_SIZE_TOO_LARGE" in str(error)
        return False

    eventually(refused)


def test_broker_configs_are_described(broker: RunningBroker) -> None:
    client = admin(broker.bootstrap)
    node = client.describe_cluster().result(TIMEOUT_S).nodes[0]
    resource = ConfigResource(ResourceType.BROKER, str(node.id))
    configs = client.describe_configs([resource])[resource].result(TIMEOUT_S)
    assert configs["node.id"].value == str(node.id)
    assert configs["offsets.topic.num.partitions"].value == "4"
    assert configs["offsets.topic.num.partitions"].source == ConfigSource.STATIC_BROKER_CONFIG.value
    assert configs["message.max.bytes"].value == "1048588"
    assert configs["message.max.bytes"].source == ConfigSource.DEFAULT_CONFIG.value


def test_cluster_is_described(broker: RunningBroker) -> None:
    client = admin(broker.bootstrap)
    cluster = client.describe_cluster(include_authorized_operations=True).result(TIMEOUT_S)
    assert len(cluster.cluster_id) == 22
    assert [f"{node.host}:{node.port}" for node in cluster.nodes] == [broker.bootstrap]
    assert cluster.controller.id == cluster.nodes[0].id
    assert cluster.authorized_operations


def test_groups_are_listed_described_and_deleted(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name, partitions=2)
    produce(broker.bootstrap, name, [{"value": b"x"}])
    member = consumer(broker.bootstrap, name, {"client.id": "tester"})
    member.subscribe([name])
    take(member, 1)
    listed = client.list_consumer_groups(states={ConsumerGroupState.STABLE}).result(TIMEOUT_S)
    assert name in [group.group_id for group in listed.valid]
    described = client.describe_consumer_groups([name])[name].result(TIMEOUT_S)
    assert described.state == ConsumerGroupState.STABLE
    assert described.partition_assignor == "range"
    [only] = described.members
    assert only.client_id == "tester"
    assert sorted(assigned.partition for assigned in only.assignment.topic_partitions) == [0, 1]
    with pytest.raises(KafkaException) as busy:
        client.delete_consumer_groups([name])[name].result(TIMEOUT_S)
    assert code_of(busy) == KafkaError.NON_EMPTY_GROUP
    member.commit(asynchronous=False)
    member.close()
    eventually(
        lambda: client.describe_consumer_groups([name])[name].result(TIMEOUT_S).state == ConsumerGroupState.EMPTY
    )
    client.delete_consumer_groups([name])[name].result(TIMEOUT_S)
    with pytest.raises(KafkaException) as gone:
        client.delete_consumer_groups([name])[name].result(TIMEOUT_S)
    assert code_of(gone) == KafkaError.GROUP_ID_NOT_FOUND
    assert name not in [group.group_id for group in client.list_consumer_groups().result(TIMEOUT_S).valid]


def test_group_offsets_are_altered_and_listed(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name, partitions=2)
    wanted = GroupPartitions(name, [TopicPartition(name, 0, 11), TopicPartition(name, 1, 22)])
    altered = client.alter_consumer_group_offsets([wanted])[name].result(TIMEOUT_S)
    assert all(partition.error is None for partition in altered.topic_partitions)
    everything = client.list_consumer_group_offsets([GroupPartitions(name)])[name].result(TIMEOUT_S)
    assert sorted((found.partition, found.offset) for found in everything.topic_partitions) == [(0, 11), (1, 22)]
    one = GroupPartitions(name, [TopicPartition(name, 1)])
    found = client.list_consumer_group_offsets([one])[name].result(TIMEOUT_S).topic_partitions
    assert [(entry.partition, entry.offset) for entry in found] == [(1, 22)]


def test_offsets_are_listed_by_every_kind_of_question(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name)
    for number in range(5):
        stamp = 50_000 if number == 2 else 10_000 + number
        produce(broker.bootstrap, name, [{"value": b"%d" % number, "timestamp": stamp}])
    partition = TopicPartition(name, 0)
    questions = [
        (OffsetSpec.earliest(), 0, -1),  # type: ignore[no-untyped-call]
        (OffsetSpec.latest(), 5, -1),  # type: ignore[no-untyped-call]
        (OffsetSpec.max_timestamp(), 2, 50_000),  # type: ignore[no-untyped-call]
        (OffsetSpec.for_timestamp(10_001), 1, 10_001),
        (OffsetSpec.for_timestamp(60_000), -1, -1),
    ]
    for question, offset, timestamp in questions:
        found = client.list_offsets({partition: question})[partition].result(TIMEOUT_S)
        assert (found.offset, found.timestamp) == (offset, timestamp)


def test_records_are_deleted_up_to_an_offset(broker: RunningBroker, name: str) -> None:
    client = admin(broker.bootstrap)
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"%d" % number} for number in range(10)])
    upto = TopicPartition(name, 0, 6)
    assert client.delete_records([upto])[upto].result(TIMEOUT_S).low_watermark == 6
    reader = consumer(broker.bootstrap, name)
    try:
        assert reader.get_watermark_offsets(TopicPartition(name, 0), TIMEOUT_S) == (6, 10)
        reader.assign([TopicPartition(name, 0, 0)])
        assert take(reader, 1)[0].offset() == 6
    finally:
        reader.close()
    beyond = TopicPartition(name, 0, 11)
    with pytest.raises(KafkaException) as refused:
        client.delete_records([beyond])[beyond].result(TIMEOUT_S)
    assert code_of(refused) == KafkaError.OFFSET_OUT_OF_RANGE
