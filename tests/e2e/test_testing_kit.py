"""The test kit as its users meet it: a broker in this process, and faults that clients cannot tell from real ones."""

from __future__ import annotations

import socket
import time
import urllib.request

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from riacho.base.errors import KafkaError
from riacho.testing import ErrorCode, KafkaCluster


def _producer(cluster: KafkaCluster, **settings: object) -> Producer:
    return Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "linger.ms": 0,
            "retry.backoff.ms": 10,
            "log_level": 0,
            **settings,
        }
    )


def _send(producer: Producer, topic: str, value: str, partition: int = 0) -> tuple[object, int]:
    """(error, offset) of one delivery."""
    outcome: list[tuple[object, int]] = []
    producer.produce(topic, value, partition=partition, on_delivery=lambda e, m: outcome.append((e, m.offset())))
    assert producer.flush(20) == 0
    return outcome[0]


def _read(cluster: KafkaCluster, topic: str, count: int) -> list[str]:
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "kit",
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    values: list[str] = []
    deadline = time.monotonic() + 20
    while len(values) < count and time.monotonic() < deadline:
        values += [message.value().decode() for message in consumer.consume(count, 0.2) if message.error() is None]
    consumer.close()
    return values


def test_a_record_goes_in_and_comes_out(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    assert _send(_producer(kafka_cluster), "orders", "first") == (None, 0)
    assert _read(kafka_cluster, "orders", 1) == ["first"]


def test_an_injected_error_meets_the_producer_and_its_retry_succeeds(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    fault = kafka_cluster.fail("Produce", ErrorCode.NOT_LEADER_OR_FOLLOWER, times=2)
    assert _send(_producer(kafka_cluster), "orders", "stubborn") == (None, 0)
    assert fault.met == 2
    assert fault.is_spent
    assert _read(kafka_cluster, "orders", 1) == ["stubborn"]


def test_a_fatal_error_reaches_the_caller(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    kafka_cluster.fail("Produce", ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    error, _ = _send(_producer(kafka_cluster), "orders", "refused")
    assert error is not None
    assert error.name() == "TOPIC_AUTHORIZATION_FAILED"  # type: ignore[attr-defined]


def test_a_dropped_connection_does_not_duplicate_an_idempotent_write(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    producer = _producer(kafka_cluster, **{"enable.idempotence": True})
    assert _send(producer, "orders", "one") == (None, 0)
    fault = kafka_cluster.drop("Produce")
    assert _send(producer, "orders", "two") == (None, 1)
    assert fault.met == 1
    assert _read(kafka_cluster, "orders", 2) == ["one", "two"]


def test_a_delayed_answer_is_late_and_right(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    producer = _producer(kafka_cluster)
    _send(producer, "orders", "warm")
    kafka_cluster.delay("Produce", 300)
    started = time.monotonic()
    assert _send(producer, "orders", "slow") == (None, 1)
    # The loop counts in milliseconds, from when it last looked at the clock.
    assert time.monotonic() - started >= 0.29


def test_a_fault_can_wait_for_its_turn_and_for_its_client(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    fault = kafka_cluster.fail("Produce", ErrorCode.TOPIC_AUTHORIZATION_FAILED, after=1, client_id="victim")
    bystander, victim = _producer(kafka_cluster), _producer(kafka_cluster, **{"client.id": "victim"})
    assert [_send(bystander, "orders", "x")[0] for _ in range(3)] == [None, None, None]
    assert _send(victim, "orders", "x")[0] is None
    assert _send(victim, "orders", "x")[0] is not None
    assert fault.met == 1


def test_faults_that_never_run_out_can_be_cleared(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    kafka_cluster.fail("Produce", ErrorCode.INVALID_REQUIRED_ACKS, times=None)
    producer = _producer(kafka_cluster)
    assert all(_send(producer, "orders", "x")[0] is not None for _ in range(3))
    kafka_cluster.clear_faults()
    assert _send(producer, "orders", "x") == (None, 0)


def test_a_moved_leader_has_a_new_epoch_and_clients_follow(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    producer = _producer(kafka_cluster)
    assert _send(producer, "orders", "before") == (None, 0)
    assert kafka_cluster.move_leader("orders", 0) == 1
    assert _send(producer, "orders", "after") == (None, 1)
    assert _read(kafka_cluster, "orders", 2) == ["before", "after"]


def test_records_and_port_survive_a_restart(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders", partitions=2)
    _send(_producer(kafka_cluster), "orders", "kept", partition=1)
    address = kafka_cluster.bootstrap_servers
    kafka_cluster.restart()
    assert kafka_cluster.bootstrap_servers == address
    assert _read(kafka_cluster, "orders", 1) == ["kept"]


def test_two_clusters_do_not_see_each_other() -> None:
    with KafkaCluster() as one, KafkaCluster() as two:
        assert one.bootstrap_servers != two.bootstrap_servers
        one.create_topic("mine")
        _send(_producer(one), "mine", "x")
        assert two.request_count("Produce") == 0
        assert one.request_count("Produce") == 1


@pytest.mark.kafka({"num.partitions": "7"})
def test_properties_come_by_a_marker(kafka_cluster: KafkaCluster) -> None:
    topics = _producer(kafka_cluster).list_topics("made-by-asking", timeout=10).topics
    deadline = time.monotonic() + 10
    while len(topics["made-by-asking"].partitions) != 7 and time.monotonic() < deadline:
        topics = _producer(kafka_cluster).list_topics("made-by-asking", timeout=10).topics
    assert len(topics["made-by-asking"].partitions) == 7


@pytest.mark.kafka({"riacho.metrics.port": "0"})
def test_metrics_are_served(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    _send(_producer(kafka_cluster), "orders", "x")
    assert kafka_cluster.metrics_url is not None
    with urllib.request.urlopen(kafka_cluster.metrics_url, timeout=5) as answer:
        text = answer.read().decode()
    assert "riacho_messages_in_total 1" in text
    assert 'riacho_request_seconds_count{api="Produce"} 1' in text


def test_mistakes_in_a_test_are_told(kafka_cluster: KafkaCluster) -> None:
    with pytest.raises(ValueError, match="no served API"):
        kafka_cluster.fail("Porduce", ErrorCode.NOT_LEADER_OR_FOLLOWER)
    kafka_cluster.create_topic("twice")
    with pytest.raises(KafkaError, match="TOPIC_ALREADY_EXISTS"):
        kafka_cluster.create_topic("twice")
    with pytest.raises(KafkaError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        kafka_cluster.move_leader("nowhere", 0)


def test_nothing_is_left_after_stop() -> None:
    cluster = KafkaCluster().start()
    host, port = cluster.bootstrap_servers.split(":")
    cluster.stop()
    with pytest.raises(OSError, match=r"[Rr]efused"):
        socket.create_connection((host, int(port)), timeout=2)
    with pytest.raises(KafkaException):
        _producer(cluster).list_topics(timeout=0.3)
