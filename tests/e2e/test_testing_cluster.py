"""The test kit with several brokers: kill, stop, start, cut the network, and clients that go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer, Producer

from riacho.base.errors import KafkaError
from riacho.testing import ErrorCode, KafkaCluster

pytestmark = pytest.mark.timeout(100)


def _wait(is_so: Callable[[], bool], timeout_s: float = 20.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)


def _producer(cluster: KafkaCluster, **settings: object) -> Producer:
    return Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0, "enable.idempotence": True, "log_level": 0}
        | settings
    )


def _send(producer: Producer, *values: str, topic: str = "orders") -> None:
    errors: list[object] = []
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=lambda error, message: errors.append(error))
    assert producer.flush(30) == 0
    assert [error is None for error in errors] == [True] * len(values), errors


def _read(cluster: KafkaCluster, count: int, topic: str = "orders") -> list[str]:
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "kit",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    values: list[str] = []
    deadline = time.monotonic() + 30
    while len(values) < count and time.monotonic() < deadline:
        values += [message.value().decode() for message in consumer.consume(count, 0.2) if message.error() is None]
    consumer.close()
    return values


@contextmanager
def _kept(cluster: KafkaCluster, *values: str) -> Iterator[Producer]:
    """Values sent before the trouble, and a producer for what comes after; at the end nothing is missing or twice."""
    producer = _producer(cluster)
    _send(producer, *values)
    yield producer
    assert _read(cluster, len(values) + 1) == [*values, "after"]


@pytest.mark.kafka(brokers=3)
def test_three_brokers_share_the_partitions_of_a_topic(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders", partitions=3)
    assert kafka_cluster.live_brokers == {1, 2, 3}
    assert kafka_cluster.controller in (1, 2, 3)
    assert {kafka_cluster.leader("orders", p) for p in range(3)} == {1, 2, 3}
    assert all(kafka_cluster.in_sync("orders", p) == {1, 2, 3} for p in range(3))
    assert len(kafka_cluster.bootstrap_servers.split(",")) == 3


def test_three_brokers_are_up_in_no_time() -> None:
    """Three seconds are for machines that do much else; it takes less than half of one."""
    with KafkaCluster():
        started = time.monotonic()
        with KafkaCluster(brokers=3):
            assert time.monotonic() - started < 3


@pytest.mark.kafka(brokers=3)
def test_a_killed_leader_is_replaced_and_nothing_is_lost(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    with _kept(kafka_cluster, "one", "two") as producer:
        leader = kafka_cluster.leader("orders")
        assert leader is not None
        kafka_cluster.kill(leader)
        _send(producer, "after")
        assert kafka_cluster.leader("orders") not in (None, leader)
        kafka_cluster.start(leader)
        kafka_cluster.wait_in_sync()
        assert kafka_cluster.in_sync("orders") == {1, 2, 3}


@pytest.mark.kafka(brokers=3)
def test_a_killed_controller_is_replaced(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    with _kept(kafka_cluster, "one") as producer:
        controller = kafka_cluster.controller
        assert controller is not None
        kafka_cluster.kill(controller)
        _wait(lambda: kafka_cluster.controller not in (None, controller))
        kafka_cluster.create_topic("decided-by-the-next", replication_factor=2)
        _send(producer, "after")


@pytest.mark.kafka(brokers=3)
def test_a_stopped_broker_hands_over_and_comes_back(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    address = kafka_cluster.bootstrap_servers
    with _kept(kafka_cluster, "one") as producer:
        leader = kafka_cluster.leader("orders")
        assert leader is not None
        kafka_cluster.stop(leader)
        assert kafka_cluster.leader("orders") not in (None, leader)
        assert leader not in kafka_cluster.in_sync("orders")
        _send(producer, "after")
        kafka_cluster.start(leader)
        kafka_cluster.wait_in_sync()
    assert kafka_cluster.bootstrap_servers == address


@pytest.mark.kafka(brokers=3)
def test_a_leader_that_is_cut_off_acknowledges_nothing_and_is_replaced(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    producer = _producer(kafka_cluster, **{"message.timeout.ms": 2_000})
    _send(producer, "one")
    leader = kafka_cluster.leader("orders")
    assert leader is not None
    others = [n for n in kafka_cluster.node_ids if n != leader]
    kafka_cluster.isolate(leader)
    errors: list[object] = []
    producer.produce("orders", "to the old leader", on_delivery=lambda error, message: errors.append(error))
    assert producer.flush(20) == 0
    # Not by comparison: librdkafka's errors cannot be compared with None.
    assert [error is None for error in errors] == [False]
    # It cannot know that it leads no more, but the others do.
    _wait(lambda: kafka_cluster.leader("orders", known_to=others) in others)
    assert kafka_cluster.leader("orders", known_to=[leader]) == leader
    _send(_producer(kafka_cluster, **{"bootstrap.servers": kafka_cluster.address_of(others[0])}), "two")
    kafka_cluster.heal()
    _wait(lambda: kafka_cluster.leader("orders") in others)
    kafka_cluster.wait_in_sync()
    read = _read(kafka_cluster, 2)
    if "two" not in read:
        # On a slow machine the producer finds the new leader just before it gives up: it is told of a failure, and the
        # record is there.
        read = _read(kafka_cluster, 3)
        read.remove("to the old leader")
    assert read == ["one", "two"]


@pytest.mark.kafka(brokers=2)
def test_two_brokers_have_one_controller(kafka_cluster: KafkaCluster) -> None:
    assert kafka_cluster.controller == 1
    kafka_cluster.create_topic("orders")
    kafka_cluster.kill(2)
    _wait(lambda: kafka_cluster.live_brokers == {1})
    _send(_producer(kafka_cluster), "one copy will do")


@pytest.mark.kafka({"min.insync.replicas": "3"}, brokers=3)
def test_properties_are_for_all_brokers(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    producer = _producer(kafka_cluster, **{"message.timeout.ms": 2_000})
    _send(producer, "three copies")
    kafka_cluster.kill(next(n for n in (1, 2, 3) if n != kafka_cluster.leader("orders")))
    errors: list[object] = []
    producer.produce("orders", "two are too few", on_delivery=lambda error, message: errors.append(error))
    assert producer.flush(20) == 0
    # Not by comparison: librdkafka's errors cannot be compared with None.
    assert [error is None for error in errors] == [False]


@pytest.mark.kafka(brokers=3)
def test_faults_meet_one_broker_or_any_and_never_the_followers(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    leader = kafka_cluster.leader("orders")
    assert leader is not None
    bystander = leader % 3 + 1
    elsewhere = kafka_cluster.fail("Produce", ErrorCode.TOPIC_AUTHORIZATION_FAILED, times=None, broker=bystander)
    there = kafka_cluster.fail("Produce", ErrorCode.NOT_LEADER_OR_FOLLOWER, broker=leader)
    fetches = kafka_cluster.fail("Fetch", ErrorCode.NOT_LEADER_OR_FOLLOWER, times=3)
    # Acknowledged by all, so the followers did fetch.
    _send(_producer(kafka_cluster), "one")
    assert (elsewhere.met, there.met, fetches.met) == (0, 1, 0)
    assert _read(kafka_cluster, 1) == ["one"]
    assert fetches.met == 3
    with pytest.raises(ValueError, match="there is no broker 9"):
        kafka_cluster.drop("Fetch", broker=9)


@pytest.mark.kafka(brokers=3)
def test_a_moved_leader_is_another_one(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    before = kafka_cluster.leader("orders")
    with _kept(kafka_cluster, "one") as producer:
        assert kafka_cluster.move_leader("orders", 0) == 1
        assert kafka_cluster.leader("orders") not in (None, before)
        _send(producer, "after")


@pytest.mark.kafka(brokers=3)
def test_requests_are_counted_by_broker_and_together(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    _send(_producer(kafka_cluster), "one")
    leader = kafka_cluster.leader("orders")
    assert leader is not None
    assert kafka_cluster.request_count("Produce") == kafka_cluster.request_count("Produce", leader) == 1
    with pytest.raises(KafkaError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        kafka_cluster.leader("nowhere")


def test_a_cluster_keeps_its_data_in_a_directory_of_ours(tmp_path: pytest.TempPathFactory) -> None:
    cluster = KafkaCluster(data_dir=tmp_path, brokers=3)  # type: ignore[arg-type]
    with cluster:
        cluster.create_topic("orders")
        _send(_producer(cluster), "kept")
        cluster.restart()
        _wait(lambda: cluster.leader("orders") is not None)
        assert _read(cluster, 1) == ["kept"]
