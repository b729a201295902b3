from __future__ import annotations

from collections.abc import Iterator

import pytest

from riacho.testing import KafkaCluster
from riacho.testing.registry_thread import RegistryThread
from support.connect_worker import ConnectWorker, running_connect, topics_named
from support.control_center import ControlCenterService
from support.ksql_server import KsqlServer, running_ksql

WITH_UI = {"spark.ui.enabled": "true"}


@pytest.fixture(scope="package")
def registry(brokers: KafkaCluster) -> Iterator[RegistryThread]:
    thread = RegistryThread({"bootstrap.servers": brokers.bootstrap_servers})
    yield thread
    thread.stop()


@pytest.fixture(scope="package")
def connect(brokers: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectWorker]:
    directory = tmp_path_factory.mktemp("connect")
    with running_connect(brokers.bootstrap_servers, directory, topics_named("console-connect") | WITH_UI) as worker:
        yield worker


@pytest.fixture(scope="package")
def ksql(brokers: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KsqlServer]:
    with running_ksql(brokers.bootstrap_servers, tmp_path_factory.mktemp("ksql"), WITH_UI) as server:
        yield server


@pytest.fixture(scope="package")
def with_registry(brokers: KafkaCluster, registry: RegistryThread) -> Iterator[ControlCenterService]:
    service = ControlCenterService(brokers.bootstrap_servers, {"schema.registry.url": registry.url})
    yield service
    service.stop()


@pytest.fixture(scope="package")
def with_connect(brokers: KafkaCluster, connect: ConnectWorker) -> Iterator[ControlCenterService]:
    service = ControlCenterService(brokers.bootstrap_servers, {"connect.url": connect.url})
    yield service
    service.stop()


@pytest.fixture(scope="package")
def with_ksql(brokers: KafkaCluster, ksql: KsqlServer) -> Iterator[ControlCenterService]:
    service = ControlCenterService(brokers.bootstrap_servers, {"ksql.url": ksql.url})
    yield service
    service.stop()
