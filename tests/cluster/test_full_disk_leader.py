"""A partition's leader whose disk fills up: writes go on with another replica, and it comes back without a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.raw import RawConnection
from support.cluster_raw import produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.riacho_cluster import RiachoCluster
from support.small_disk import SmallDisk, small_disk

TOPIC = "orders"
FULL = 2
DISK_SIZE_BYTES = 8 << 20
PROPERTIES = {"auto.leader.rebalance.enable": "false"}
VALUE = bytes(10_000)
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", DISK_SIZE_BYTES) as made:
        yield made


@pytest.fixture
def cluster(tmp_path: Path, disk: SmallDisk) -> Iterator[RiachoCluster]:
    with RiachoCluster(tmp_path, properties=PROPERTIES, of_node={FULL: {"log.dirs": str(disk.path)}}) as made:
        yield made


def write(cluster: RiachoCluster, number: int) -> bytes:
    """Until it is acknowledged by all in sync."""
    value = b"%d " % number + VALUE

    def is_acked() -> bool:
        leader = cluster.nodes[cluster.view.leader_of(TOPIC)]
        with RawConnection((leader.host, leader.port)) as connection:
            return produce(connection, TOPIC, value).error_code == 0

    settled(is_acked, bool, 30)
    return value


def test_another_replica_leads_while_the_disk_is_full(cluster: RiachoCluster, disk: SmallDisk) -> None:
    create_topic(cluster, TOPIC, assignment=[[FULL, 1, 3]], config={"min.insync.replicas": "2"})
    acked = [write(cluster, number) for number in range(3)]
    assert cluster.view.leader_of(TOPIC) == FULL
    disk.fill()
    acked += [write(cluster, number) for number in range(3, 20)]
    moved = cluster.view.partition(TOPIC)
    assert moved.leader != FULL
    assert FULL not in moved.isr
    disk.free()
    settled(lambda: cluster.view.partition(TOPIC).isr, lambda isr: isr == {1, 2, 3}, 60)
    assert cluster.view.partition(TOPIC).leader == moved.leader
    address = (cluster.nodes[FULL].host, cluster.nodes[FULL].port)
    assert [value for _, value in read_log(address, TOPIC, until=len(acked))] == acked
    output = cluster.nodes[FULL].output_file.read_text()
    assert "Traceback" not in output
    assert output.count("leadership is given up for want of room") == 1
    assert "log directory has room again" in output
