from __future__ import annotations

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
    service = ControlCenterService(brokers.bootstrap_servers)
    yield service
    service.stop()
