"""Rows that are inserted over a producer that ended: nobody waits for ever, and those after them arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.inserting import Inserter
from riacho.testing import KafkaCluster

TOPIC = "rows"
TIMEOUT_S = 60.0


@pytest.fixture
def guarded() -> Iterator[KafkaCluster]:
    """Brokers that let a user without rights write nothing: they give it no producer id, either."""
    properties = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:riacho-broker",
    }
    with KafkaCluster(properties, users={"admin": "a", "ksql": "k"}) as cluster:
        yield cluster


def test_a_right_that_is_granted_later_is_enough(guarded: KafkaCluster) -> None:
    admin = AdminClient(guarded.client_settings("admin"))
    admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(TIMEOUT_S)
    _allow(admin, AclOperation.DESCRIBE)

    async def story() -> None:
        inserter = Inserter(guarded.client_settings("ksql"))
        async with asyncio.timeout(TIMEOUT_S):
            for _ in range(2):
                rows = [inserter.insert(TOPIC, None, b"refused", None) for _ in range(3)]
                refusals = await asyncio.gather(*rows, return_exceptions=True)
                assert [type(each) for each in refusals] == [KsqlError] * 3
            await asyncio.to_thread(_allow, admin, AclOperation.WRITE)
            # Another producer is made a second after the last, not with each row.
            while (refusal := await _refusal(inserter)) is not None:
                assert "authorization failed" in refusal
            await inserter.close()

    asyncio.run(story())
    reader = Consumer({**guarded.client_settings("admin"), "group.id": "unused"})
    try:
        assert reader.get_watermark_offsets(TopicPartition(TOPIC, 0), TIMEOUT_S) == (0, 1)
    finally:
        reader.close()


async def _refusal(inserter: Inserter) -> str | None:
    await asyncio.sleep(0)
    try:
        await inserter.insert(TOPIC, b"a", b"b", None)
    except KsqlError as refusal:
        return str(refusal)
    return None


def _allow(admin: AdminClient, operation: AclOperation) -> None:
    right = AclBinding(
        ResourceType.TOPIC, TOPIC, ResourcePatternType.LITERAL, "User:ksql", "*", operation, AclPermissionType.ALLOW
    )
    admin.create_acls([right])[right].result(TIMEOUT_S)
