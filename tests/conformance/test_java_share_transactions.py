"""The Java share consumer on a topic of committed and aborted transactions, by both isolation levels."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from conformance.confluent import create_topic
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_groups import share_group_offsets
from riacho.metadata.image.config_resource import ResourceType
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(180)
TIMEOUT_S = 20.0
ROUNDS, RECORDS = 6, 3


def is_aborted(number: int) -> bool:
    return number % 3 == 1


def write(bootstrap: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": topic, "linger.ms": 20})
    producer.init_transactions(TIMEOUT_S)
    for number in range(ROUNDS):
        producer.begin_transaction()
        for at in range(RECORDS):
            producer.produce(topic, f"{number}-{at}".encode())
        producer.flush(TIMEOUT_S)
        if is_aborted(number):
            producer.abort_transaction(TIMEOUT_S)
        else:
            producer.commit_transaction(TIMEOUT_S)


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_a_share_consumer_sees_what_its_group_may_see(broker: RunningBroker, name: str, isolation: str) -> None:
    reason = available()
    if reason:
        pytest.skip(f"no Java client here: {reason}")
    create_topic(broker.bootstrap, name)
    write(broker.bootstrap, name)
    visible = [n for n in range(ROUNDS) if isolation == "read_uncommitted" or not is_aborted(n)]
    expected = [f"{number}-{at}" for number in visible for at in range(RECORDS)]
    settings = {"share.auto.offset.reset": "earliest", "share.isolation.level": isolation}
    where = ["--bootstrap-server", broker.bootstrap, "--topic", name, "--group", name]
    bounds = ["--max-messages", str(len(expected)), "--timeout-ms", "30000"]
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        alter_configs(cluster, ResourceType.GROUP, name, settings, [])
        done = java_tool("kafka-console-share-consumer", [*where, *bounds], timeout=90)
        assert sorted(done.stdout.split()) == expected, done.stderr
        # Nothing is left, although some records were never given out.
        eventually(lambda: all(offset.lag == 0 for offset in share_group_offsets(cluster, name).values()))
