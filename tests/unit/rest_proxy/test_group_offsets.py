"""What a group has committed, while its coordinator goes from broker to broker."""

from __future__ import annotations

import asyncio

from confluent_kafka import Consumer, TopicPartition

from riacho.client.groups import CommittedOffset
from riacho.rest_proxy.admin import Admin
from riacho.testing import KafkaCluster

GROUPS = "__consumer_offsets"


def test_a_coordinator_that_moved_is_found_again() -> None:
    """librdkafka's client asks the one before, and ends the process when that one answers so."""
    settings = {"offsets.topic.num.partitions": "1", "offsets.topic.replication.factor": "2"}
    with KafkaCluster(settings, brokers=2) as cluster:
        cluster.create_topic("t", partitions=2)
        consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"})
        consumer.commit(offsets=[TopicPartition("t", 0, 5), TopicPartition("t", 1, 6)], asynchronous=False)
        consumer.close()

        async def ask() -> None:
            admin = Admin({"bootstrap.servers": cluster.bootstrap_servers})
            try:
                for _ in range(3):
                    found = await admin.group_offsets("g")
                    assert {partition: each.offset for partition, each in found.items()} == {("t", 0): 5, ("t", 1): 6}
                    assert all(isinstance(each, CommittedOffset) for each in found.values())
                    cluster.move_leader(GROUPS, 0)
                assert await admin.group_offsets("there-is-none") == {}
            finally:
                await admin.close()

        asyncio.run(ask())
