"""Metrics by topic, partition and group beside what clients and tools say of the same cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from riacho.client.cluster import Cluster
from riacho.client.log_dirs import describe_log_dirs
from riacho.client.settings import client_settings
from riacho.testing import KafkaCluster
from support.prometheus import Metrics, scrape

COUNTS = {"orders": (40, 20, 0), "notes": (7,)}


def produce(servers: str, topic: str, partition: int, count: int) -> None:
    producer = Producer({"bootstrap.servers": servers, "enable.idempotence": False, "linger.ms": 0})
    for number in range(count):
        producer.produce(topic, f"value {number}".encode(), partition=partition)
    assert producer.flush(30) == 0


def consume(servers: str, group: str, topic: str, partition: int, count: int) -> Consumer:
    """A member of the group that has read and committed so many; it is open still."""
    settings = {"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False}
    consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    read = 0
    while read < count:
        message = consumer.poll(30)
        assert message is not None
        assert message.error() is None
        read += message.partition() == partition
    consumer.commit(offsets=[TopicPartition(topic, partition, count)], asynchronous=False)
    return consumer


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    properties = {
        "riacho.metrics.port": "0",
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "group.initial.rebalance.delay.ms": "0",
    }
    with KafkaCluster(properties, brokers=3) as running:
        for topic, counts in COUNTS.items():
            running.create_topic(topic, partitions=len(counts), replication_factor=3)
            for partition, count in enumerate(counts):
                produce(running.bootstrap_servers, topic, partition, count)
        running.wait_in_sync()
        yield running


def scraped(cluster: KafkaCluster) -> dict[int, Metrics]:
    """By broker."""
    found = {}
    for node_id in cluster.node_ids:
        endpoint = cluster._threads[node_id].node.metrics_endpoint
        assert endpoint is not None
        assert endpoint.host == "127.0.0.1"
        found[node_id] = scrape(f"http://127.0.0.1:{endpoint.port}/metrics")
    return found


def summed(metrics: dict[int, Metrics], name: str, **labels: object) -> float:
    values = [value for each in metrics.values() if (value := each.find(name, labels)) is not None]
    assert values, name
    return sum(values)


def test_what_producers_wrote_is_counted_by_topic(cluster: KafkaCluster) -> None:
    metrics = scraped(cluster)
    counter = "kafka_server_brokertopicmetrics"
    for topic, counts in COUNTS.items():
        assert summed(metrics, f"{counter}_messagesin_total", topic=topic) == sum(counts)
        assert summed(metrics, f"{counter}_totalproducerequests_total", topic=topic) >= 1
        assert summed(metrics, f"{counter}_bytesin_total", topic=topic) > 7 * sum(counts)
    for each in metrics.values():
        by_topic = [value for labels, value in each.all(f"{counter}_messagesin_total").items() if labels]
        assert each.find(f"{counter}_messagesin_total") == sum(by_topic) == each.find("riacho_messages_in_total")
        assert each.kinds[f"{counter}_messagesin_total"] == "counter"


def test_logs_are_told_of_as_they_are_on_disk(cluster: KafkaCluster) -> None:
    metrics = scraped(cluster)
    with Cluster(client_settings(cluster.bootstrap_servers, {})) as own:
        for node_id, each in metrics.items():
            sizes = {
                (topic.name, partition.partition_index): partition.partition_size
                for result in describe_log_dirs(own, node_id)
                for topic in result.topics
                for partition in topic.partitions
                if topic.name in COUNTS
            }
            assert sizes.keys() == {(topic, index) for topic, counts in COUNTS.items() for index in range(len(counts))}
            for (topic, index), size_bytes in sizes.items():
                labels = {"topic": topic, "partition": index}
                assert each.find("kafka_log_log_size", labels) == size_bytes
                assert each.find("kafka_log_log_logendoffset", labels) == COUNTS[topic][index]
                assert each.find("kafka_log_log_logstartoffset", labels) == 0
                assert each.find("kafka_log_log_numlogsegments", labels) == 1


def test_a_partition_is_told_of_by_its_leader_alone(cluster: KafkaCluster) -> None:
    metrics = scraped(cluster)
    for topic, counts in COUNTS.items():
        for index, count in enumerate(counts):
            labels = {"topic": topic, "partition": index}
            name = "kafka_topic_partition_current_offset"
            tellers = [node_id for node_id, each in metrics.items() if each.find(name, labels) is not None]
            assert tellers == [cluster.leader(topic, index)]
            told = metrics[tellers[0]]
            assert told.find(name, labels) == count
            assert told.find("kafka_topic_partition_leader", labels) == tellers[0]
            assert told.find("kafka_topic_partition_in_sync_replica", labels) == 3
            assert told.find("kafka_cluster_partition_underreplicated", labels) == 0
        assert summed(metrics, "kafka_topic_partitions", topic=topic) == len(counts)
    led = sum(len(each.all("kafka_cluster_partition_underreplicated")) for each in metrics.values())
    assert summed(metrics, "kafka_server_replicamanager_leadercount") == led
    assert summed(metrics, "kafka_server_replicamanager_underreplicatedpartitions") == 0


def test_one_node_tells_of_the_cluster(cluster: KafkaCluster) -> None:
    metrics = scraped(cluster)
    controller = "kafka_controller_kafkacontroller"
    assert summed(metrics, f"{controller}_activecontrollercount") == 1
    assert summed(metrics, f"{controller}_offlinepartitionscount") == 0
    assert summed(metrics, "kafka_brokers") == 3
    tellers = [node_id for node_id, each in metrics.items() if each.find(f"{controller}_globaltopiccount") is not None]
    assert tellers == [cluster.controller]
    produced = summed(metrics, "kafka_network_requestmetrics_requests_total", request="Produce")
    assert produced == sum(cluster.request_count("Produce", node_id) for node_id in cluster.node_ids)


def test_groups_and_their_lag(cluster: KafkaCluster) -> None:
    consumer = consume(cluster.bootstrap_servers, "readers", "orders", 0, 25)
    metrics = scraped(cluster)
    labels = {"consumergroup": "readers", "topic": "orders", "partition": 0}
    # The coordinator has a copy of the topic in sync, so it knows where the partition ends.
    assert summed(metrics, "kafka_consumergroup_current_offset", **labels) == 25
    assert summed(metrics, "kafka_consumergroup_lag", **labels) == 40 - 25
    assert summed(metrics, "kafka_consumergroup_lag_sum", consumergroup="readers", topic="orders") == 40 - 25
    assert summed(metrics, "kafka_consumergroup_members", consumergroup="readers") == 1
    assert summed(metrics, "kafka_server_brokertopicmetrics_bytesout_total", topic="orders") > 0
    assert summed(metrics, "kafka_server_brokertopicmetrics_totalfetchrequests_total", topic="orders") > 0
    assert summed(metrics, "kafka_server_brokertopicmetrics_replicationbytesout_total") > 0
    consumer.close()
    metrics = scraped(cluster)
    assert summed(metrics, "kafka_consumergroup_members", consumergroup="readers") == 0
    assert summed(metrics, "kafka_consumergroup_lag", **labels) == 40 - 25


def test_a_lag_that_is_not_known_is_not_told(cluster: KafkaCluster) -> None:
    """The coordinator has no copy of the partition: 0 would say that all is read."""
    coordinator = cluster.leader("__consumer_offsets", 0)
    elsewhere = None
    for number in range(20):
        cluster.create_topic(f"far-{number}", replication_factor=1)
        if cluster.leader(f"far-{number}", 0) != coordinator:
            elsewhere = f"far-{number}"
            break
    assert elsewhere is not None
    produce(cluster.bootstrap_servers, elsewhere, 0, 5)
    consume(cluster.bootstrap_servers, "far", elsewhere, 0, 2).close()
    metrics = scraped(cluster)
    labels = {"consumergroup": "far", "topic": elsewhere, "partition": 0}
    assert summed(metrics, "kafka_consumergroup_current_offset", **labels) == 2
    assert summed(metrics, "kafka_topic_partition_current_offset", topic=elsewhere, partition=0) == 5
    for each in metrics.values():
        assert each.find("kafka_consumergroup_lag", labels) is None
        assert each.find("kafka_consumergroup_lag_sum", {"consumergroup": "far", "topic": elsewhere}) is None


def test_names_that_groups_choose_do_not_break_a_line(cluster: KafkaCluster) -> None:
    name = 'a "quoted"\\ group\nof two lines'
    consume(cluster.bootstrap_servers, name, "notes", 0, 3).close()
    metrics = scraped(cluster)
    assert summed(metrics, "kafka_consumergroup_lag", consumergroup=name, topic="notes", partition=0) == 4


def test_a_deleted_topic_leaves_and_the_sum_stays() -> None:
    with KafkaCluster({"riacho.metrics.port": "0", "riacho.metrics.entries.max": "3"}) as cluster:
        url = cluster.metrics_url
        assert url is not None
        for topic in ("a", "b"):
            cluster.create_topic(topic, partitions=2)
            produce(cluster.bootstrap_servers, topic, 0, 4)
        found = scrape(url)
        name = "kafka_server_brokertopicmetrics_messagesin_total"
        assert (found.find(name, {"topic": "a"}), found.find(name)) == (4, 8)
        # Three of four partitions are told of, and that there is a fourth.
        assert len(found.all("kafka_log_log_size")) == 3
        assert found.find("riacho_partitions_left_out") == 1
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        admin.delete_topics(["a"])["a"].result()
        found = scrape(url)
        assert (found.find(name, {"topic": "a"}), found.find(name)) == (None, 8)
