"""The pytest plugin: `kafka_cluster`, a cluster for one test; `kafka_cluster_session`, one broker for the whole run.

Broker properties for a test: `@pytest.mark.kafka({"num.partitions": "6"})`. Several brokers:
`@pytest.mark.kafka(brokers=3)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from riacho.testing.cluster import KafkaCluster


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "kafka(properties, brokers=1): broker properties, and how many, for the kafka_cluster fixture"
    )


@pytest.fixture
def kafka_cluster(request: pytest.FixtureRequest) -> Iterator[KafkaCluster]:
    """A fresh cluster, of one broker unless the marker says more, stopped and deleted after the test."""
    # Imported here: a test run that never asks for a broker does not load one.
    from riacho.testing.cluster import KafkaCluster

    marker = request.node.get_closest_marker("kafka")
    arguments, options = (marker.args, marker.kwargs) if marker is not None else ((), {})
    with KafkaCluster(*arguments, **options) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka_cluster_session() -> Iterator[KafkaCluster]:
    """One broker for all tests that share it; give topics and groups names of their own."""
    from riacho.testing.cluster import KafkaCluster

    with KafkaCluster() as cluster:
        yield cluster
