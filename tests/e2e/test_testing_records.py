"""The test kit's own way with records, logins and schemas, and its answers to what cannot be."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from riacho.base.errors import KafkaError
from riacho.testing import ErrorCode, KafkaCluster


def test_records_go_in_and_come_out(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders", partitions=2, configs={"retention.ms": 60_000})
    assert kafka_cluster.consume("orders") == []
    places = kafka_cluster.produce("orders", "one", b"two", None, key="ana", headers={"from": "web"}, partition=1)
    assert places == [(1, 0), (1, 1), (1, 2)]
    kafka_cluster.produce("orders", "other", partition=0)
    records = kafka_cluster.consume("orders")
    assert [(r.partition, r.key, r.value) for r in records] == [
        (0, None, b"other"),
        (1, b"ana", b"one"),
        (1, b"ana", b"two"),
        (1, b"ana", None),
    ]
    assert records[1].headers == (("from", b"web"),)
    assert len(kafka_cluster.consume("orders", 4)) == 4


def test_records_that_do_not_come_are_told(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    kafka_cluster.produce("orders", "one")
    with pytest.raises(TimeoutError, match=r"orders had 1 records after 0\.5 s, not 2"):
        kafka_cluster.consume("orders", 2, timeout_s=0.5)
    with pytest.raises(KafkaError, match="nope"):
        kafka_cluster.consume("nope")


@pytest.mark.kafka(users={"ana": 'hers "and" hers', "bruno": "his"})
def test_users_have_to_log_in(kafka_cluster: KafkaCluster) -> None:
    from confluent_kafka import Producer

    kafka_cluster.create_topic("orders")
    kafka_cluster.produce("orders", "one")
    assert [record.value for record in kafka_cluster.consume("orders")] == [b"one"]
    assert kafka_cluster.client_settings("bruno")["sasl.password"] == "his"
    with pytest.raises(ValueError, match=r"there is no user 'carla'; choose from ana, bruno"):
        kafka_cluster.client_settings("carla")
    stranger = Producer({**kafka_cluster.client_settings("ana"), "sasl.password": "no", "log_level": 0})
    stranger.produce("orders", "two")
    assert stranger.flush(1) == 1
    stranger.purge()


@pytest.mark.parametrize("users", [None, {"ana": "hers"}], ids=["TLS", "TLS and a login"])
def test_clients_speak_tls(users: dict[str, str] | None) -> None:
    from confluent_kafka import Producer

    with KafkaCluster(tls=True, users=users) as cluster:
        settings = cluster.client_settings()
        assert settings["security.protocol"] == ("SASL_SSL" if users else "SSL")
        cluster.create_topic("orders")
        cluster.produce("orders", "one")
        assert [record.value for record in cluster.consume("orders")] == [b"one"]
        in_the_clear = Producer({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
        in_the_clear.produce("orders", "two")
        assert in_the_clear.flush(1) == 1
        in_the_clear.purge()
        authority = Path(settings["ssl.ca.location"])
        assert authority.exists()
    assert not authority.parent.exists()


@pytest.mark.kafka(brokers=3, users={"ana": "hers"}, tls=True)
def test_brokers_of_a_cluster_log_in_at_each_other(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.create_topic("orders")
    kafka_cluster.produce("orders", "one")
    kafka_cluster.wait_in_sync()
    assert kafka_cluster.in_sync("orders") == {1, 2, 3}


@pytest.mark.parametrize("users", [None, {"ana": "hers"}], ids=["open", "with a login"])
def test_a_schema_registry_beside_the_brokers(users: dict[str, str] | None) -> None:
    with KafkaCluster(users=users) as cluster:
        url = cluster.schema_registry_url
        assert cluster.schema_registry_url == url
        request = urllib.request.Request(
            f"{url}/subjects/orders-value/versions",
            json.dumps({"schema": '"string"'}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.load(answer)["id"] == 1
        with urllib.request.urlopen(f"{url}/subjects", timeout=30) as answer:
            assert json.load(answer) == ["orders-value"]


@pytest.mark.parametrize(
    "error", ["NOT_LEADER_OR_FOLLOWER", "not_leader_or_follower", 6, ErrorCode.NOT_LEADER_OR_FOLLOWER]
)
def test_errors_go_by_name_and_number_too(kafka_cluster: KafkaCluster, error: ErrorCode | str | int) -> None:
    kafka_cluster.create_topic("orders")
    fault = kafka_cluster.fail("Produce", error)
    kafka_cluster.produce("orders", "one")
    assert (fault.met, fault.is_spent) == (1, True)


def test_an_error_that_kafka_does_not_have(kafka_cluster: KafkaCluster) -> None:
    with pytest.raises(ValueError, match=r"'NOT_LEADER'.*did you mean"):
        kafka_cluster.fail("Produce", "NOT_LEADER")


@pytest.mark.kafka({"num.partitions": 6, "auto.create.topics.enable": True})
def test_settings_may_be_numbers(kafka_cluster: KafkaCluster) -> None:
    kafka_cluster.produce("made", "one")
    assert kafka_cluster.leader("made", 5) == 1


def test_a_broker_that_is_not_there(kafka_cluster: KafkaCluster) -> None:
    told = r"there is no broker 7; choose from 1"
    for act in (kafka_cluster.kill, kafka_cluster.stop, kafka_cluster.start, kafka_cluster.restart):
        with pytest.raises(ValueError, match=told):
            act(7)
    with pytest.raises(ValueError, match=told):
        kafka_cluster.isolate(7)
    with pytest.raises(ValueError, match=told):
        kafka_cluster.address_of(7)
    with pytest.raises(ValueError, match="at least one broker"):
        KafkaCluster(brokers=0)
