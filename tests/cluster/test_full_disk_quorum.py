"""A controller whose disk is full keeps its place in the quorum: it votes, follows, and comes back after a kill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.raw import RawConnection
from support.cluster_processes import ProcessCluster
from support.cluster_raw import produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.riacho_cluster import RiachoCluster
from support.small_disk import SmallDisk, small_disk

TOPIC = "orders"
FULL = 2
DISK_SIZE_BYTES = 8 << 20
PROPERTIES = {
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "300",
    "replica.lag.time.max.ms": "2000",
}
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", DISK_SIZE_BYTES) as made:
        yield made


@pytest.fixture
def cluster(tmp_path: Path, disk: SmallDisk) -> Iterator[RiachoCluster]:
    made = RiachoCluster(tmp_path, properties=PROPERTIES, of_node={FULL: {"log.dirs": str(disk.path)}})
    with made:
        yield made


def controller(cluster: ProcessCluster) -> int:
    return settled(lambda: cluster.view.quorum().leader, lambda leader: leader > 0, 30)


def give_the_lead_to_another(cluster: RiachoCluster) -> int:
    """A controller that is not the one whose disk will be full."""
    while (leader := controller(cluster)) == FULL:
        cluster.kill(FULL)
        cluster.start(FULL)
    return leader


def write(cluster: RiachoCluster, count: int) -> list[bytes]:
    """Each of them acknowledged by all in sync."""
    acked = []
    for number in range(count):
        value = b"value %d" % number

        def is_acked(value: bytes = value) -> bool:
            leader = cluster.nodes[cluster.view.leader_of(TOPIC)]
            if not leader.is_running:
                return False
            with RawConnection((leader.host, leader.port)) as connection:
                return produce(connection, TOPIC, value).error_code == 0

        settled(is_acked, bool, 30)
        acked.append(value)
    return acked


def test_with_one_node_dead_and_one_disk_full_the_cluster_goes_on(cluster: RiachoCluster, disk: SmallDisk) -> None:
    dead = give_the_lead_to_another(cluster)
    [other] = {1, 3} - {dead}
    # A leader whose disk is full takes no records: it is the healthy one that leads.
    create_topic(cluster, TOPIC, assignment=[[other, FULL, dead]], config={"min.insync.replicas": "1"})
    disk.fill()
    epoch = cluster.view.quorum().leader_epoch
    cluster.kill(dead)
    settled(lambda: cluster.view.quorum().leader_epoch, lambda found: found > epoch, 30)
    acked = write(cluster, 50)
    # Its disk is as full as it was, and its vote is needed once more.
    cluster.kill(FULL)
    cluster.start(FULL)
    assert cluster.view.broker_ids() >= {FULL, other}
    acked += write(cluster, 5)
    output = cluster.nodes[FULL].output_file.read_text()
    assert "Traceback" not in output
    assert "metadata cannot be kept" not in output
    disk.free()
    cluster.start(dead)
    settled(lambda: cluster.view.partition(TOPIC).isr, lambda isr: isr == {1, 2, 3}, 60)
    found = [
        value for _, value in read_log((cluster.nodes[FULL].host, cluster.nodes[FULL].port), TOPIC, until=len(acked))
    ]
    assert [value for value in acked if value not in found] == []
