"""Share groups and transactions: what a group sees of them is its isolation level's matter, and nobody sees markers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from conformance.raw import RawConnection
from conformance.running_broker import RunningBroker
from conformance.share_member import ACCEPT, ShareMember, ShareState, new_topic
from conformance.waiting import eventually
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.metadata.image.config_resource import ResourceType

TIMEOUT_S = 20.0


@pytest.fixture
def connection(broker: RunningBroker) -> Iterator[RawConnection]:
    with RawConnection(broker.address) as connection:
        yield connection


def group(broker: RunningBroker, connection: RawConnection, name: str, topic_id: bytes, isolation: str) -> ShareMember:
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        alter_configs(cluster, ResourceType.GROUP, name, {"share.isolation.level": isolation}, [])
    state = ShareState(connection, name, topic_id)
    state.find()
    assert state.initialize().error_code == 0
    return ShareMember(broker.address, name, topic_id)


def write(producer: Producer, topic: str, count: int, *, is_committed: bool) -> None:
    producer.begin_transaction()
    for at in range(count):
        producer.produce(topic, b"%d" % at)
    producer.flush(TIMEOUT_S)
    if is_committed:
        producer.commit_transaction(TIMEOUT_S)
    else:
        producer.abort_transaction(TIMEOUT_S)


def offsets(member: ShareMember, wanted: set[int]) -> set[int]:
    """What the member gets and accepts, until it has all that is wanted. Offsets of markers are no records."""
    taken: set[int] = set()

    def is_enough() -> bool:
        found = member.fetch(max_wait_ms=500)
        for first, last, _ in found.acquired:
            taken.update(range(first, last + 1))
            assert member.acknowledge((first, last, [ACCEPT])) == 0
        return wanted <= taken

    eventually(is_enough)
    return taken


def test_what_was_aborted_is_seen_by_read_uncommitted_alone(
    broker: RunningBroker, connection: RawConnection, name: str
) -> None:
    topic_id = new_topic(connection, name)
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": name, "linger.ms": 20})
    producer.init_transactions(TIMEOUT_S)
    # Records 0-2 and a marker, 4-5 and a marker, 7-8 and a marker.
    write(producer, name, 3, is_committed=True)
    write(producer, name, 2, is_committed=False)
    write(producer, name, 2, is_committed=True)
    committed, aborted = {0, 1, 2, 7, 8}, {4, 5}
    reader = group(broker, connection, f"{name}-committed", topic_id, "read_committed")
    assert not offsets(reader, committed) & aborted
    other = group(broker, connection, f"{name}-all", topic_id, "read_uncommitted")
    assert offsets(other, committed | aborted) >= committed | aborted
    for member in (reader, other):
        # Everything is finished: a new record is the next thing.
        producer.begin_transaction()
        producer.produce(name, b"more")
        producer.flush(TIMEOUT_S)
        producer.commit_transaction(TIMEOUT_S)
        assert member.fetch_some().acquired
        member.close()


def test_an_open_transaction_is_not_given_to_read_committed(
    broker: RunningBroker, connection: RawConnection, name: str
) -> None:
    topic_id = new_topic(connection, name)
    reader = group(broker, connection, name, topic_id, "read_committed")
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": name})
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(name, b"open")
    producer.flush(TIMEOUT_S)
    for _ in range(3):
        assert reader.fetch().acquired == []
    producer.commit_transaction(TIMEOUT_S)
    assert reader.fetch_some().acquired[0][0] == 0
    reader.close()
