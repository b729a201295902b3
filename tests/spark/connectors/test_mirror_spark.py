"""A mirror between two clusters: topics, partitions, headers, times and configs; then the offsets of a group."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from riacho.pipelines.connectors.mirror.checkpoint import MirrorCheckpointConnector
from riacho.pipelines.connectors.mirror.heartbeat import MirrorHeartbeatConnector
from riacho.pipelines.connectors.mirror.records import Checkpoint
from riacho.pipelines.connectors.mirror.source import MirrorSourceConnector
from support.spark_brokers import running_broker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TIME_MS = 1_700_000_000_123
# Longer than the records are old: no broker takes them away in the middle of it.
RETENTION_MS = "9123456789000"
PARTITIONS = 3
TIMEOUT_S = 180


def _send(bootstrap: str, numbers: range) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for n in numbers:
        producer.produce(
            "orders",
            f"v{n}".encode(),
            f"k{n}".encode(),
            n % PARTITIONS,
            timestamp=TIME_MS + n,
            headers=[("h", b"\x00")],
        )
    assert producer.flush(TIMEOUT_S) == 0


def _received(bootstrap: str, topic: str, count: int) -> list[Any]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "look", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, n, 0) for n in range(PARTITIONS)])
    found: list[Any] = []
    while len(found) < count:
        messages = consumer.consume(count, TIMEOUT_S)
        assert messages, f"only {len(found)} of {count} records came"
        found += messages
    consumer.close()
    return found


def test_records_topics_configs_and_group_offsets_reach_the_other_cluster(
    make_connector: Callable[..., Any], run_source: Callable[..., Any], tmp_path: Path
) -> None:
    with running_broker(tmp_path / "west") as source, running_broker(tmp_path / "east") as target:
        admin = AdminClient({"bootstrap.servers": source.bootstrap_servers})
        _make_topic(admin)
        _send(source.bootstrap_servers, range(9))

        def write(batch: DataFrame) -> None:
            options = {"kafka.bootstrap.servers": target.bootstrap_servers}
            columns = ("topic", "partition", "key", "value", "headers", "timestamp")
            batch.select(*columns).write.format("riacho").options(**options).mode("append").save()

        clusters = {"source.cluster.alias": "west", "source.cluster.bootstrap.servers": source.bootstrap_servers}
        mirror = make_connector(
            MirrorSourceConnector, clusters | {"topics": "orders|pay.*"}, bootstrap=target.bootstrap_servers
        )
        run_source(mirror, then=write)
        records = _received(target.bootstrap_servers, "west.orders", 9)
        assert sorted((m.key(), m.value(), m.partition(), m.timestamp()[1], m.headers()) for m in records) == [
            (f"k{n}".encode(), f"v{n}".encode(), n % PARTITIONS, TIME_MS + n, [("h", b"\x00")]) for n in range(9)
        ]
        assert _retention(target.bootstrap_servers, "west.orders") == RETENTION_MS

        # A second batch makes a second sync: offset 3 of each partition is where it begins, on both sides.
        _send(source.bootstrap_servers, range(9, 12))
        run_source(mirror, then=write)
        places = [TopicPartition("orders", 0, 3), TopicPartition("orders", 1, 4)]
        admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("shop", places)])["shop"].result(TIMEOUT_S)
        follow = make_connector(
            MirrorCheckpointConnector,
            clusters | {"sync.group.offsets.enabled": "true"},
            bootstrap=target.bootstrap_servers,
        )
        ((first, second),) = run_source(follow, checkpoint="groups")
        assert first.topic == "west.checkpoints.internal"
        assert [Checkpoint.parse(bytes(row.key), bytes(row.value)) for row in (first, second)] == [
            Checkpoint("shop", "west.orders", 0, 3, 3),
            Checkpoint("shop", "west.orders", 1, 4, 4),
        ]
        there = AdminClient({"bootstrap.servers": target.bootstrap_servers})
        asked = [ConsumerGroupTopicPartitions("shop")]
        committed = there.list_consumer_group_offsets(asked)["shop"].result(TIMEOUT_S).topic_partitions
        assert sorted((each.topic, each.partition, each.offset) for each in committed) == [
            ("west.orders", 0, 3),
            ("west.orders", 1, 4),
        ]
        beat = make_connector(MirrorHeartbeatConnector, clusters, bootstrap=target.bootstrap_servers)
        ((row,),) = run_source(beat, checkpoint="beats")
        assert (row.topic, bytes(row.key)) == ("heartbeats", b"\x00\x04west\x00\x06target")


def _make_topic(admin: AdminClient) -> None:
    from confluent_kafka.admin import NewTopic

    new = NewTopic("orders", PARTITIONS, 1, config={"retention.ms": RETENTION_MS})
    admin.create_topics([new])["orders"].result(TIMEOUT_S)


def _retention(bootstrap: str, topic: str) -> str:
    from confluent_kafka.admin import ConfigResource

    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    # The client must stay: it takes answers that are still under way with it.
    client = AdminClient({"bootstrap.servers": bootstrap})
    return str(client.describe_configs([resource])[resource].result(TIMEOUT_S)["retention.ms"].value)
