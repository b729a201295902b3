"""One broker with access rules, and one proxy, for the tests below that have none of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from riacho.rest_proxy.v2 import brokers as v2_brokers
from riacho.rest_proxy.v2 import consumers, root
from riacho.rest_proxy.v2 import partitions as v2_partitions
from riacho.rest_proxy.v2 import topics as v2_topics
from riacho.rest_proxy.v3 import (
    acls,
    brokers,
    clusters,
    configs,
    consumer_groups,
    lags,
    partitions,
    reassignments,
    replicas,
    topics,
)
from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld

V2 = (root, v2_topics, v2_partitions, v2_brokers, consumers)
V3 = (clusters, brokers, topics, configs, partitions, replicas, reassignments, consumer_groups, lags, acls)
_numbers = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[KafkaCluster]:
    properties = {
        "group.initial.rebalance.delay.ms": "0",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with KafkaCluster(properties) as running:
        yield running


@pytest.fixture(scope="session")
def proxy(cluster: KafkaCluster) -> Iterator[ProxyWorld]:
    world = ProxyWorld(cluster.bootstrap_servers, modules=(*V2, *V3))
    yield world
    world.stop()


@pytest.fixture(scope="session")
def cluster_id(proxy: ProxyWorld) -> str:
    return proxy.thread.run(proxy.admin.cluster_id())


@pytest.fixture(scope="session")
def base(cluster_id: str) -> str:
    return f"/v3/clusters/{cluster_id}"


@pytest.fixture
def topic(cluster: KafkaCluster) -> str:
    name = f"topic-{next(_numbers)}"
    cluster.create_topic(name, partitions=2)
    return name
