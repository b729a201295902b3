"""One broker and one runner process for all tests of this directory: what costs is the start of a JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.testing import KafkaCluster
from support.connect_runner import SPARK, ConnectRunner, why_no_runner
from support.spark_brokers import running_broker

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def connect_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with running_broker(tmp_path_factory.mktemp("broker")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def runner(connect_broker: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectRunner]:
    reason = why_no_runner()
    if reason is not None:
        pytest.skip(reason)
    started = ConnectRunner(
        connect_broker.bootstrap_servers,
        tmp_path_factory.mktemp("runner"),
        modules=["example_plugin"],
        path=str(HERE),
        spark=SPARK | {"spark.ui.enabled": "true"},
    ).start()
    yield started
    started.close()
