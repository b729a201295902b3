"""One broker and one proxy for all tests of this directory; topics and groups have names of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld

_numbers = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[KafkaCluster]:
    # A new group does not wait for further members.
    with KafkaCluster({"group.initial.rebalance.delay.ms": "0"}) as running:
        yield running


@pytest.fixture(scope="session")
def proxy(cluster: KafkaCluster) -> Iterator[ProxyWorld]:
    world = ProxyWorld(cluster.bootstrap_servers)
    yield world
    world.stop()


@pytest.fixture
def topic(cluster: KafkaCluster) -> str:
    """A new topic of one partition."""
    name = f"topic-{next(_numbers)}"
    cluster.create_topic(name)
    return name


@pytest.fixture
def group() -> str:
    return f"group-{next(_numbers)}"
