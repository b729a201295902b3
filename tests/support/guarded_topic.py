"""A topic that a user is told of, and may not write to until he is let: brokers give him no producer id either, and
that is the end of an idempotent producer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from riacho.testing import KafkaCluster
from riacho.testing.records import Record

TOPIC = "guarded"
_USER, _TIMEOUT_S = "writer", 60.0


class GuardedTopic:
    def __init__(self, cluster: KafkaCluster) -> None:
        self._cluster = cluster
        self.admin_client: dict[str, Any] = cluster.client_settings("admin")
        self.client: dict[str, Any] = cluster.client_settings(_USER)
        self._admin = AdminClient(self.admin_client)
        self._admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(_TIMEOUT_S)
        self._allow(AclOperation.READ)

    def records(self) -> list[Record]:
        return self._cluster.consume(TOPIC)

    def let_write(self) -> None:
        self._allow(AclOperation.WRITE)

    def _allow(self, operation: AclOperation) -> None:
        literal, allow = ResourcePatternType.LITERAL, AclPermissionType.ALLOW
        right = AclBinding(ResourceType.TOPIC, TOPIC, literal, f"User:{_USER}", "*", operation, allow)
        self._admin.create_acls([right])[right].result(_TIMEOUT_S)


@contextmanager
def guarded_topic() -> Iterator[GuardedTopic]:
    properties = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:riacho-broker",
    }
    with KafkaCluster(properties, users={"admin": "a", _USER: "w"}) as cluster:
        yield GuardedTopic(cluster)
