"""kafka-python's admin client: topics, configs, groups, offsets, records, log directories, cluster."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import kafka.errors  # type: ignore[import-untyped]
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType, OffsetSpec  # type: ignore[import-untyped]

from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

TIMEOUT_S = 20


@pytest.fixture
def client(broker: RunningBroker) -> Iterator[KafkaAdminClient]:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    yield admin
    admin.close()


def create(client: KafkaAdminClient, topic: str, partitions: int = 1, **configs: str) -> None:
    named = {key.replace("_", "."): value for key, value in configs.items()}
    client.create_topics({topic: {"num_partitions": partitions, "configs": named}}, wait_for_metadata=True)


def fill(broker: RunningBroker, topic: str, count: int) -> None:
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap)) as producer:
        for number in range(count):
            producer.send(topic, b"%d" % number, partition=0, timestamp_ms=1_000 + number)
        producer.flush(TIMEOUT_S)


def test_topics_are_created_described_grown_and_deleted(client: KafkaAdminClient, name: str) -> None:
    create(client, name, 2)
    assert name in client.list_topics()
    [described] = client.describe_topics([name])
    assert [partition["partition_index"] for partition in described["partitions"]] == [0, 1]
    with pytest.raises(kafka.errors.TopicAlreadyExistsError):
        client.create_topics([name])
    client.create_partitions({name: 3})
    eventually(lambda: len(client.describe_topics([name])[0]["partitions"]) == 3)
    with pytest.raises(kafka.errors.InvalidPartitionsError):
        client.create_partitions({name: 2})
    client.delete_topics([name])
    eventually(lambda: name not in client.list_topics())
    with pytest.raises(kafka.errors.UnknownTopicOrPartitionError):
        client.delete_topics([name])


def test_a_topic_is_deleted_by_its_id(client: KafkaAdminClient, name: str) -> None:
    create(client, name)
    [described] = client.describe_topics([name])
    client.delete_topics([uuid.UUID(described["topic_id"])])
    eventually(lambda: name not in client.list_topics())


def test_configs_are_described_changed_and_reset(client: KafkaAdminClient, name: str) -> None:
    create(client, name, retention_ms="5000")

    def modified() -> dict[str, str]:
        found = client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
        return {key: config["value"] for key, config in found["topic"][name].items()}

    assert modified() == {"retention.ms": "5000"}
    change: dict[str, Any] = {"retention.ms": "6000", "cleanup.policy": (AlterConfigOp.APPEND, "compact")}
    result = client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, change)])
    assert result == {"topic": {name: "OK"}}
    eventually(lambda: modified().get("retention.ms") == "6000")
    assert set(modified()["cleanup.policy"].split(",")) == {"compact", "delete"}
    client.reset_configs([ConfigResource(ConfigResourceType.TOPIC, name, ["cleanup.policy"])])
    eventually(lambda: modified() == {"retention.ms": "6000"})


def test_the_old_alter_configs_replaces_everything(client: KafkaAdminClient, name: str) -> None:
    create(client, name, retention_ms="5000", segment_ms="7000")
    resource = ConfigResource(ConfigResourceType.TOPIC, name, {"retention.ms": "6000"})
    assert client.alter_configs([resource], incremental=False) == {"topic": {name: "OK"}}

    def modified() -> dict[str, str]:
        found = client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
        return {key: config["value"] for key, config in found["topic"][name].items()}

    eventually(lambda: modified() == {"retention.ms": "6000", "segment.ms": "7000"})  # the client adds the second


def test_groups_and_their_offsets(broker: RunningBroker, client: KafkaAdminClient, name: str) -> None:
    create(client, name, 2)
    fill(broker, name, 5)
    partition = TopicPartition(name, 0)
    with closing(KafkaConsumer(name, bootstrap_servers=broker.bootstrap, group_id=name)) as member:
        eventually(lambda: member.poll(timeout_ms=1_000) == {} and len(member.assignment()) == 2)
        described = client.describe_groups([name])[name]
        assert (described["group_state"], described["protocol_type"]) == ("Stable", "consumer")
        assert len(described["members"]) == 1
        assert name in [group["group_id"] for group in client.list_groups()]
        assert client.delete_groups([name]) == {name: "NonEmptyGroupError"}
    eventually(lambda: client.describe_groups([name])[name]["group_state"] == "Empty")
    altered = client.alter_group_offsets(name, {partition: OffsetAndMetadata(3, "moved", -1)})
    assert altered == {partition: kafka.errors.NoError}
    listed = client.list_group_offsets(name)[name]
    assert (listed[partition].offset, listed[partition].metadata) == (3, "moved")
    assert client.delete_group_offsets(name, [partition]) == {partition: kafka.errors.NoError}
    assert partition not in client.list_group_offsets(name)[name]
    assert client.delete_groups([name]) == {name: "OK"}
    assert client.delete_groups([name]) == {name: "GroupIdNotFoundError"}
    assert client.describe_groups([name])[name]["group_state"] == "Dead"


def test_offsets_by_question_and_deleted_records(broker: RunningBroker, client: KafkaAdminClient, name: str) -> None:
    create(client, name)
    fill(broker, name, 10)
    partition = TopicPartition(name, 0)
    expected = [
        (OffsetSpec.EARLIEST, 0),
        (OffsetSpec.LATEST, 10),
        (OffsetSpec.MAX_TIMESTAMP, 9),
        (1_004, 4),
    ]
    for question, offset in expected:
        assert client.list_partition_offsets({partition: question})[partition].offset == offset
    assert client.delete_records({partition: 4})[partition]["low_watermark"] == 4
    assert client.list_partition_offsets({partition: OffsetSpec.EARLIEST})[partition].offset == 4
    assert client.delete_records({partition: -1})[partition]["low_watermark"] == 10


def test_log_directories_show_the_partitions_size(broker: RunningBroker, client: KafkaAdminClient, name: str) -> None:
    create(client, name)
    fill(broker, name, 10)
    [answer] = client.describe_log_dirs([name])
    sizes = [
        partition["partition_size"]
        for directory in answer["log_dirs"]
        for topic in directory["topics"]
        if topic["name"] == name
        for partition in topic["partitions"]
    ]
    assert len(sizes) == 1
    assert sizes[0] > 60
    assert all(directory["total_bytes"] > directory["usable_bytes"] > 0 for directory in answer["log_dirs"])


def test_cluster_and_versions(broker: RunningBroker, client: KafkaAdminClient) -> None:
    cluster = client.describe_cluster()
    assert [f"{node['host']}:{node['port']}" for node in cluster["brokers"]] == [broker.bootstrap]
    assert len(cluster["cluster_id"]) == 22
    assert client.api_versions()


def test_log_append_time(broker: RunningBroker, client: KafkaAdminClient, name: str) -> None:
    create(client, name, message_timestamp_type="LogAppendTime")
    before_ms = int(time.time() * 1000) - 5
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap)) as producer:
        stored = producer.send(name, b"x", timestamp_ms=77).get(TIMEOUT_S)
    assert stored.timestamp >= before_ms
