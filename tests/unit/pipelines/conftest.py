"""In place of the test kit's brokers: Apache Kafka where `RIACHO_CONFORMANCE_PEER=only` asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.spark_brokers import running_broker

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster


@pytest.fixture(scope="session")
def kafka_cluster_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """One for the tests of a module, with nothing of others in it."""
    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker


@pytest.fixture
def kafka_cluster(tmp_path: Path) -> Iterator[KafkaCluster]:
    with running_broker(tmp_path / "broker") as broker:
        yield broker
