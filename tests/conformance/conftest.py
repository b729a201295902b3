"""One broker process of each kind for the whole session; tests keep apart by unique topic and group names."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import pytest

from conformance.running_broker import RunningBroker, kinds, run
from support.service_process import ServiceProcess, running_service


@pytest.fixture(scope="session", params=kinds())
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    kind: str = request.param
    if kind == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    with run(kind, tmp_path_factory.mktemp(kind)) as running:
        yield running


@pytest.fixture(scope="session")
def registry(broker: RunningBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A schema registry on the broker."""
    with running_service("schema-registry", broker.bootstrap, tmp_path_factory.mktemp("registry")) as running:
        yield running


@pytest.fixture(scope="session")
def rest_proxy(
    broker: RunningBroker, registry: ServiceProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServiceProcess]:
    """A REST proxy on the broker, with the registry."""
    settings = {"schema.registry.url": registry.url}
    with running_service("rest-proxy", broker.bootstrap, tmp_path_factory.mktemp("proxy"), settings) as running:
        yield running


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name no other test uses, good for topics, groups and client ids."""
    test = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")
    return f"{test[:60]}-{uuid.uuid4().hex[:8]}"
