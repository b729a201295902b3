"""A fourth broker joins, partitions move to it under a throttle, a move is cancelled, and a broker is taken away."""

from __future__ import annotations

import random
import time

import pytest

from cluster.conftest import ClusterMaker
from conformance.confluent import produce
from support.cluster_admin import (
    ongoing_reassignments,
    reassign,
    throttle,
    unregister_broker,
    wait_until_moved,
)
from support.cluster_processes import ProcessCluster
from support.cluster_raw import end_offset, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled

TOPIC = "moving"
RECORDS, SIZE_BYTES = 400, 10_000  # of each partition: 4 MB
PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.fetch.max.bytes": "65536",  # a throttle lets one fetch through at a time, however large
    "offsets.topic.num.partitions": "1",
}
pytestmark = pytest.mark.timeout(300)


def fill(cluster: ProcessCluster, partitions: int) -> list[bytes]:
    rng = random.Random(5)
    values = [b"%d " % number + rng.randbytes(SIZE_BYTES) for number in range(RECORDS)]
    for partition in range(partitions):
        records = [{"value": value, "partition": partition} for value in values]
        produce(cluster.bootstrap, TOPIC, records, {"acks": "all", "batch.size": 60_000})
    return values


def check_log(cluster: ProcessCluster, node_id: int, partition: int, values: list[bytes]) -> None:
    node = cluster.nodes[node_id]
    found = read_log((node.host, node.port), TOPIC, partition, until=len(values))
    assert [value for _, value in found] == values, f"partition {partition} on node {node_id}"


def test_a_broker_joins_and_another_leaves(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster(properties=PROPERTIES)
    create_topic(cluster, TOPIC, assignment=[[1, 2, 3], [3, 1, 2]])
    values = fill(cluster, 2)
    cluster.add(4)
    assert cluster.view.broker_ids() == {1, 2, 3, 4}

    # Held back by a throttle, the move is seen under way, and cancelled.
    throttle(cluster, TOPIC, 200_000)
    reassign(cluster, TOPIC, {0: [4, 1, 2]})
    moving = settled(lambda: ongoing_reassignments(cluster), lambda found: (TOPIC, 0) in found)[TOPIC, 0]
    assert (moving.adding_replicas, moving.removing_replicas) == ([4], [3])
    assert set(cluster.view.partition(TOPIC).replicas) == {1, 2, 3, 4}
    assert 4 not in cluster.view.partition(TOPIC).isr
    reassign(cluster, TOPIC, {0: None})
    wait_until_moved(cluster, TOPIC, {0: [1, 2, 3]})

    # Under a throttle that it can live with, it takes as long as the throttle says, more or less.
    throttle(cluster, TOPIC, 1_000_000)
    started = time.monotonic()
    reassign(cluster, TOPIC, {0: [4, 1, 2]})
    wait_until_moved(cluster, TOPIC, {0: [4, 1, 2]})
    elapsed_s = time.monotonic() - started
    assert elapsed_s > 0.4 * RECORDS * SIZE_BYTES / 1_000_000, f"the throttle did not hold: {elapsed_s:.1f} s"
    check_log(cluster, 4, 0, values)

    # And away with broker 3.
    throttle(cluster, TOPIC, None)
    reassign(cluster, TOPIC, {1: [4, 1, 2]})
    wait_until_moved(cluster, TOPIC, {1: [4, 1, 2]})
    settled(lambda: cluster.view.partition(TOPIC, 1).leader, lambda leader: leader in (1, 2, 4))
    for partition in (0, 1):
        check_log(cluster, 4, partition, values)
    cluster.stop(3)
    settled(lambda: cluster.view.broker_ids(), lambda ids: ids == {1, 2, 4})
    unregister_broker(cluster, 3)
    produce(cluster.bootstrap, TOPIC, [{"value": b"after", "partition": 0}], {"acks": "all"})
    leader = cluster.nodes[cluster.view.leader_of(TOPIC)]
    assert end_offset((leader.host, leader.port), TOPIC) == RECORDS + 1
    print(f"{cluster.kind}: {RECORDS * SIZE_BYTES / 1e6:.0f} MB at 1 MB/s took {elapsed_s:.1f} s")


def test_the_replicas_that_left_are_removed_from_disk(make_cluster: ClusterMaker) -> None:
    cluster = make_cluster(properties=PROPERTIES | {"log.segment.delete.delay.ms": "100"})
    create_topic(cluster, TOPIC, assignment=[[1, 2]])
    produce(cluster.bootstrap, TOPIC, [{"value": b"x"}])
    assert (cluster.nodes[2].log_dir / f"{TOPIC}-0").is_dir()
    reassign(cluster, TOPIC, {0: [1, 3]})
    wait_until_moved(cluster, TOPIC, {0: [1, 3]})
    settled(lambda: not (cluster.nodes[2].log_dir / f"{TOPIC}-0").exists(), timeout_s=60)
    assert (cluster.nodes[3].log_dir / f"{TOPIC}-0").is_dir()
