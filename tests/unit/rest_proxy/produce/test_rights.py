"""A proxy whose user may not write yet, and then may."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from riacho.testing import KafkaCluster
from support.rest_proxy_service import ProxyService

SECURED = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin",
}
PASSWORDS = {"admin": "admin-secret", "proxy": "proxy-secret"}


@pytest.fixture
def secured() -> Iterator[KafkaCluster]:
    with KafkaCluster(SECURED, users=PASSWORDS) as running:
        running.create_topic("orders")
        yield running


@pytest.fixture
def proxy(secured: KafkaCluster) -> Iterator[ProxyService]:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="proxy" password="proxy-secret";'
    service = ProxyService(
        secured.bootstrap_servers,
        {
            "client.security.protocol": "SASL_PLAINTEXT",
            "client.sasl.mechanism": "PLAIN",
            "client.sasl.jaas.config": login,
        },
    )
    yield service
    service.stop()


def grant(cluster: KafkaCluster, operation: AclOperation) -> None:
    rule = AclBinding(
        ResourceType.TOPIC, "orders", ResourcePatternType.LITERAL, "User:proxy", "*", operation, AclPermissionType.ALLOW
    )
    admin = AdminClient(cluster.client_settings("admin"))
    admin.create_acls([rule])[rule].result(30)


def test_it_says_403_until_the_right_is_granted(secured: KafkaCluster, proxy: ProxyService) -> None:
    # It sees the topic, so that it is the producer that is refused.
    grant(secured, AclOperation.DESCRIBE)
    for _ in range(3):
        (refused,) = proxy.post("/topics/orders", {"records": [{"value": 1}]}).json()["offsets"]
        assert refused["error_code"] == 40301, refused
    grant(secured, AclOperation.WRITE)
    deadline = monotonic() + 30
    while True:
        (told,) = proxy.post("/topics/orders", {"records": [{"value": 2}]}).json()["offsets"]
        if told.get("offset") is not None:
            break
        assert told["error_code"] == 40301
        assert monotonic() < deadline
    # Nothing of what was refused was written after all.
    assert [record.value for record in secured.consume("orders")] == [b"2"]
