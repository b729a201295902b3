from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from riacho.testing import KafkaCluster
from support.control_center import ControlCenterService


@pytest.fixture(scope="package")
def brokers() -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=2) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def console(brokers: KafkaCluster) -> Iterator[ControlCenterService]:
    masking = {
        "masking.rules": "cards,tokens",
        "masking.cards.topics": "masked-.*",
        "masking.cards.field": "$.card",
        "masking.tokens.topics": "masked-.*",
        "masking.tokens.field": "header:token",
    }
    service = ControlCenterService(
        brokers.bootstrap_servers, {"schema.registry.url": brokers.schema_registry_url, **masking}
    )
    yield service
    service.stop()


@pytest.fixture
def topic(brokers: KafkaCluster) -> str:
    name = f"t-{uuid.uuid4().hex[:8]}"
    brokers.create_topic(name, partitions=3)
    return name
