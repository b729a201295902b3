"""The coordinator of a share group is killed: its members stay members, and read on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Producer

from cluster.conftest import ClusterMaker
from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_consumer import ShareConsumer
from riacho.client.share_groups import ShareGroupDescription, describe_share_group, share_group_offsets
from riacho.metadata.image.config_resource import ResourceType
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic

TOPIC, GROUP = "shared", "sharers"
PARTITIONS = 4
TIMEOUT_S = 90.0
PROPERTIES = {
    "group.share.heartbeat.interval.ms": "300",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.session.timeout.ms": "30000",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.record.lock.duration.ms": "5000",
    "offsets.topic.num.partitions": "2",
    "share.coordinator.state.topic.num.partitions": "2",
}
pytestmark = pytest.mark.timeout(300)


class Member(threading.Thread):
    def __init__(self, bootstrap: str, member_id: str) -> None:
        super().__init__(name=member_id, daemon=True)
        self.values: list[int] = []
        self.joins = 0
        self.error: BaseException | None = None
        self._servers = bootstrap
        self._over = threading.Event()

    def run(self) -> None:
        try:
            self._read()
        except BaseException as error:
            self.error = error

    def _read(self) -> None:
        settings = client_settings(self._servers, {"request.timeout.ms": "5000"})
        with Cluster(settings) as cluster, ShareConsumer(cluster, GROUP, [TOPIC], member_id=self.name) as consumer:
            while not self._over.is_set():
                self.joins += consumer.member_epoch == 0
                for record in consumer.poll(200):
                    consumer.acknowledge(record)
                    self.values.append(int(record.value or b""))
                consumer.commit()

    def stop(self) -> None:
        self._over.set()
        self.join(30)


@pytest.fixture
def cluster(make_cluster: ClusterMaker) -> ProcessCluster:
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, TOPIC, PARTITIONS)
    return cluster


@pytest.fixture
def members(cluster: ProcessCluster) -> Iterator[list[Member]]:
    with Cluster(client_settings(cluster.bootstrap, {})) as admin:
        alter_configs(admin, ResourceType.GROUP, GROUP, {"share.auto.offset.reset": "earliest"}, ())
    members = [Member(cluster.bootstrap, f"member-{n}") for n in range(2)]
    for member in members:
        member.start()
    yield members
    for member in members:
        member.stop()


def test_members_outlive_their_coordinator(cluster: ProcessCluster, members: list[Member]) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    eventually(lambda: all_read(described(cluster)))
    send(producer, 0, 100)
    eventually(lambda: seen(members) >= set(range(100)))
    before = described(cluster)
    assert before is not None
    cluster.kill(before.coordinator_id)
    send(producer, 100, 200)
    eventually(lambda: seen(members) >= set(range(200)))
    after = described(cluster)
    assert after is not None
    assert after.coordinator_id != before.coordinator_id
    assert [member.member_id for member in after.members] == ["member-0", "member-1"]
    assert after.group_epoch >= before.group_epoch
    eventually(lambda: all_read(described(cluster)))
    # Each joined once: nobody was put out on the way.
    assert [member.joins for member in members] == [1, 1]
    assert [member.error for member in members] == [None, None]
    cluster.start(before.coordinator_id)
    send(producer, 200, 250)
    eventually(lambda: seen(members) >= set(range(250)))
    with Cluster(client_settings(cluster.bootstrap, {})) as admin:
        eventually(lambda: all(o.lag == 0 for o in share_group_offsets(admin, GROUP).values()))


def seen(members: list[Member]) -> set[int]:
    assert all(member.error is None for member in members), [member.error for member in members]
    return {value for member in members for value in list(member.values)}


def send(producer: Producer, first: int, last: int) -> None:
    for number in range(first, last):
        producer.produce(TOPIC, str(number), partition=number % PARTITIONS)
    assert producer.flush(TIMEOUT_S) == 0


def described(cluster: ProcessCluster) -> ShareGroupDescription | None:
    try:
        with Cluster(client_settings(cluster.bootstrap, {"request.timeout.ms": "5000"})) as admin:
            return describe_share_group(admin, GROUP)
    except KafkaError:
        return None


def all_read(group: ShareGroupDescription | None) -> bool:
    if group is None:
        return False
    return sorted(p for member in group.members for _, p in member.assignment) == list(range(PARTITIONS))


def eventually(question: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not question():
        assert time.monotonic() < deadline, "still not so"
        time.sleep(0.1)
