"""librdkafka's share consumer (a preview in 2.16): records accepted, released, rejected, left by one that closes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import AcknowledgeType, Message, ShareConsumer

from conformance.confluent import create_topic, produce
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_groups import share_group_offsets
from riacho.metadata.image.config_resource import ResourceType

pytestmark = pytest.mark.timeout(120)
PARTITIONS = 2
NewConsumer = Callable[..., ShareConsumer]


@pytest.fixture
def cluster(broker: RunningBroker) -> Iterator[Cluster]:
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        yield cluster


@pytest.fixture
def consumer(broker: RunningBroker, cluster: Cluster, name: str) -> Iterator[NewConsumer]:
    create_topic(broker.bootstrap, name, PARTITIONS)
    alter_configs(cluster, ResourceType.GROUP, name, {"share.auto.offset.reset": "earliest"}, [])
    made: list[ShareConsumer] = []

    def new(**config: Any) -> ShareConsumer:
        values = {"bootstrap.servers": broker.bootstrap, "group.id": name}
        made.append(ShareConsumer(values | {key.replace("_", "."): value for key, value in config.items()}))
        made[-1].subscribe([name])
        return made[-1]

    yield new
    for each in made:
        each.close()


def send(broker: RunningBroker, name: str, count: int) -> None:
    produce(broker.bootstrap, name, [{"value": b"%d" % at, "partition": at % PARTITIONS} for at in range(count)])


def take(consumer: ShareConsumer, enough: Callable[[], bool], each: Callable[[Message], None]) -> None:
    """Poll until there is enough."""
    deadline_s = time.monotonic() + 60
    while not enough():
        assert time.monotonic() < deadline_s, "too little came"
        for message in consumer.poll(timeout=0.5):
            if message.error() is None:
                each(message)


def test_two_consumers_share_what_there_is(
    broker: RunningBroker, cluster: Cluster, consumer: NewConsumer, name: str
) -> None:
    send(broker, name, 200)
    seen: Counter[int] = Counter()
    one, two = consumer(), consumer()
    deadline_s = time.monotonic() + 60
    while sum(seen.values()) < 200:
        assert time.monotonic() < deadline_s, f"only {len(seen)} came"
        for each in (one, two):
            messages = [message for message in each.poll(timeout=0.2) if message.error() is None]
            seen.update(int(message.value() or b"") for message in messages)
    assert seen == Counter(range(200))
    for each in (one, two):
        each.commit_sync(timeout=20)
    eventually(lambda: all(offset.lag == 0 for offset in share_group_offsets(cluster, name).values()), 30)


def test_released_comes_again_and_rejected_does_not(broker: RunningBroker, consumer: NewConsumer, name: str) -> None:
    send(broker, name, 10)
    one = consumer(share_acknowledgement_mode="explicit")
    deliveries: Counter[int] = Counter()
    accepted: set[int] = set()

    def judge(message: Message) -> None:
        value = int(message.value() or b"")
        deliveries[value] += 1
        assert message.delivery_count() == deliveries[value]
        if value % 3 == 0:
            one.acknowledge(message, AcknowledgeType.REJECT)
        elif value % 3 == 1 and deliveries[value] == 1:
            one.acknowledge(message, AcknowledgeType.RELEASE)
        else:
            one.acknowledge(message, AcknowledgeType.ACCEPT)
            accepted.add(value)

    take(one, lambda: len(accepted) == 6, judge)
    assert accepted == {1, 2, 4, 5, 7, 8}
    assert deliveries == Counter({0: 1, 1: 2, 2: 1, 3: 1, 4: 2, 5: 1, 6: 1, 7: 2, 8: 1, 9: 1})
    assert not [error for error in one.commit_sync(timeout=20).values() if error is not None]


def test_what_a_consumer_leaves_undone_goes_to_another(broker: RunningBroker, consumer: NewConsumer, name: str) -> None:
    send(broker, name, 20)
    one = consumer(share_acknowledgement_mode="explicit")
    held: set[int] = set()
    take(one, lambda: bool(held), lambda message: held.add(int(message.value() or b"")))
    one.close()
    seen: dict[int, int] = {}
    take(
        consumer(),
        lambda: len(seen) == 20,
        lambda message: seen.__setitem__(int(message.value() or b""), message.delivery_count()),
    )
    assert {value for value, count in seen.items() if count > 1} >= held
