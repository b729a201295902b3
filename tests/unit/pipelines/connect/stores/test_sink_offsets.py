"""Offsets of sink connectors in consumer groups, while the group's coordinator goes from broker to broker."""

from __future__ import annotations

import asyncio
from typing import Any

from riacho.pipelines.connect.stores.sink_offsets import SinkOffsets
from riacho.testing import KafkaCluster

GROUPS = "__consumer_offsets"


def _pair(partition: int, offset: int | None) -> dict[str, Any]:
    where = {"kafka_topic": "t", "kafka_partition": partition}
    return {"partition": where, "offset": None if offset is None else {"kafka_offset": offset}}


def test_a_coordinator_that_moved_is_found_again() -> None:
    """Each call by itself: librdkafka's client remembers the broker that was asked before, and asks it again."""

    async def run(cluster: KafkaCluster) -> None:
        offsets = SinkOffsets({"bootstrap.servers": cluster.bootstrap_servers})
        try:
            await offsets.alter("c", [_pair(0, 5), _pair(1, 6)])
            cluster.move_leader(GROUPS, 0)
            await offsets.alter("c", [_pair(0, 7)])
            cluster.move_leader(GROUPS, 0)
            assert await offsets.of("c") == [_pair(0, 7), _pair(1, 6)]
            cluster.move_leader(GROUPS, 0)
            await offsets.alter("c", [_pair(0, None), _pair(1, 8)])
            assert await offsets.of("c") == [_pair(1, 8)]
            cluster.move_leader(GROUPS, 0)
            await offsets.reset("c")
            assert await offsets.of("c") == []
        finally:
            offsets.close()

    settings = {"offsets.topic.num.partitions": "1", "offsets.topic.replication.factor": "2"}
    with KafkaCluster(settings, brokers=2) as cluster:
        cluster.create_topic("t", partitions=2)
        asyncio.run(run(cluster))
