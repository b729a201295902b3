"""The topics of states and offsets: what they must be like, and what is said when they are not."""

from __future__ import annotations

import asyncio

import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from riacho.base.config import ConfigError
from riacho.pipelines.connect.config import load_worker_settings
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreTopic, StoreTopics
from riacho.testing import KafkaCluster
from support.guarded_topic import TOPIC, guarded_topic


async def _opened(bootstrap: str, topic: str, timeout_s: float) -> None:
    store = StoreTopics(
        [StoreTopic(topic, 2, 3, lambda key, value: None)], {"bootstrap.servers": bootstrap}, "connect-cluster"
    )
    try:
        await store.start(timeout_s)
    finally:
        await store.stop()


def test_a_topic_that_forgets_is_refused(kafka_cluster: KafkaCluster) -> None:
    admin = AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers})
    for topic, policy in (("forgets", "delete"), ("forgets-too", "compact,delete")):
        admin.create_topics([NewTopic(topic, 2, 1, config={"cleanup.policy": policy})])[topic].result(60)
        with pytest.raises(StoreError, match=rf"^Topic {topic} has cleanup.policy={policy}, .* must be compact\.$"):
            asyncio.run(_opened(kafka_cluster.bootstrap_servers, topic, 60))
    asyncio.run(_opened(kafka_cluster.bootstrap_servers, "made-here", 60))
    asyncio.run(_opened(kafka_cluster.bootstrap_servers, "made-here", 60))


def test_where_no_broker_answered_is_told() -> None:
    with pytest.raises(StoreError, match=r"^No Kafka broker answered in time at 127\.0\.0\.1:1\.$"):
        asyncio.run(_opened("127.0.0.1:1", "t", 0.5))


def test_a_writer_that_a_fatal_error_has_ended_is_replaced() -> None:
    with guarded_topic() as guarded:

        async def story() -> None:
            # As `producer.enable.idempotence` in a worker's file has it.
            idempotent = {**guarded.client, "enable.idempotence": True}
            store = StoreTopics([StoreTopic(TOPIC, 1, 1, lambda key, value: None)], guarded.client, "c", idempotent)
            try:
                await store.start(60)
                for _ in range(2):
                    with pytest.raises(StoreError, match=f"^{TOPIC} cannot be written"):
                        await store.put(TOPIC, [(b"a", b"refused"), (b"b", b"refused")])
                await asyncio.to_thread(guarded.let_write)
                await store.put(TOPIC, [(b"a", b"taken")])
            finally:
                await store.stop()

        asyncio.run(story())


def test_the_three_topics_are_three() -> None:
    with pytest.raises(ConfigError, match="must be three topics"):
        load_worker_settings({"bootstrap.servers": "b:1", "status.storage.topic": "x", "offset.storage.topic": "x"})
