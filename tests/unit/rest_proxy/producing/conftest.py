"""One broker, one registry and one proxy for all tests of this directory; topics have names of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_registry import RegistryDouble
from support.rest_proxy_service import ProxyService

_numbers = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster({"auto.create.topics.enable": "false"}) as running:
        yield running


@pytest.fixture(scope="session")
def session_registry() -> RegistryDouble:
    return RegistryDouble()


@pytest.fixture
def registry(session_registry: RegistryDouble) -> Iterator[RegistryDouble]:
    """Keeps what was registered, as the proxy remembers it; trouble ends with the test."""
    session_registry.calls.clear()
    yield session_registry
    session_registry.is_down = False
    session_registry.refuses = None


@pytest.fixture(scope="session")
def proxy(cluster: KafkaCluster, session_registry: RegistryDouble) -> Iterator[ProxyService]:
    service = ProxyService(cluster.bootstrap_servers, registry=session_registry)
    yield service
    service.stop()


@pytest.fixture
def new_topic(cluster: KafkaCluster) -> Callable[..., str]:
    def create(partitions: int = 1) -> str:
        name = f"topic-{next(_numbers)}"
        cluster.create_topic(name, partitions=partitions)
        return name

    return create


@pytest.fixture
def topic(new_topic: Callable[..., str]) -> str:
    return new_topic()
