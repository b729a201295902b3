"""A consumer that says its rack is served by the replica there (KIP-392), as the consumer's own figures show."""

from __future__ import annotations

import json
import time
from pathlib import Path

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from support.riacho_cluster import RiachoCluster

SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
COUNT = 200


def test_a_consumer_reads_from_the_replica_of_its_rack(tmp_path: Path) -> None:
    racks = {node_id: {"broker.rack": f"rack-{node_id}"} for node_id in (1, 2, 3)}
    with RiachoCluster(tmp_path, 3, {"replica.selector.class": SELECTOR}, of_node=racks) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        for future in admin.create_topics([NewTopic("near", 1, 3)]).values():
            future.result(20)
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
        for number in range(COUNT):
            producer.produce("near", b"%d" % number)
        assert producer.flush(30) == 0
        leader = admin.list_topics("near", timeout=10).topics["near"].partitions[0].leader
        follower = next(node_id for node_id in (1, 2, 3) if node_id != leader)
        served_by: list[int] = []

        def note(stats: str) -> None:
            partition = json.loads(stats)["topics"].get("near", {}).get("partitions", {}).get("0")
            if partition is not None:
                served_by.append(partition["broker"])

        consumer = Consumer(
            {
                "statistics.interval.ms": 100,
                "stats_cb": note,
                "bootstrap.servers": cluster.bootstrap,
                "group.id": "reader",
                "client.rack": f"rack-{follower}",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe(["near"])
        try:
            values = _take(consumer, COUNT)
            assert values == [b"%d" % number for number in range(COUNT)]
            # What is written from now on comes from the follower, soon after it is committed.
            _take(consumer, 0)
            producer.produce("near", b"late")
            assert producer.flush(30) == 0
            assert _take(consumer, 1) == [b"late"]
        finally:
            consumer.close()
        assert served_by[-1] == follower


def _take(consumer: Consumer, count: int) -> list[bytes]:
    """The next `count` values, within half a minute; for none, whatever comes within two seconds."""
    values: list[bytes] = []
    deadline = time.monotonic() + (30 if count else 2)
    while len(values) < max(count, 1) and time.monotonic() < deadline:
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            values.append(message.value() or b"")
    return values
